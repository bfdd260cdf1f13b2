path=classes:/usr/share/java/junit4.jar:/usr/share/java/hamcrest-core.jar:/usr/share/java/hamcrest-all.jar
mkdir -p classes &&
    javac -d classes -cp "$path" $(find src -name '*.java') &&
    java -cp "$path" org.junit.runner.JUnitCore $(cd src/test/java && find . -name '*Test.java' | sed 's|^./||; s|.java$||; s|/|.|g' | sort)
