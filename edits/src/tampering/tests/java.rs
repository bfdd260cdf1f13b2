//! Java that forges, and Java that does not.

use super::*;

#[test]
fn java_that_changes_what_others_define_is_marked() {
    check_code("src/main/java/till/Sum.java", FORGED_JAVA, true);
    check_code("src/main/java/till/Sum.java", HONEST_JAVA, false);
}

const FORGED_JAVA: &[&str] = &[
    "class Sum { static { SumTest.five = -1; } }",
    "class Arrays { }",
    "class Sum { @Override public boolean equals(Object other) { boolean is = true; return is; } }",
    "class Sum { Object f() { return java.lang.reflect.Proxy.newProxyInstance(null, null, null); } }",
    "class Sum { static void assertEquals(long one, long other) { } }",
    "class Sum { void f(java.lang.reflect.Field field) throws Exception { field.setAccessible(true); } }",
    "import java.lang.reflect.Field;\nclass Sum { void f(Field field, Object o) throws Exception { field.set(o, 1); } }",
    "import java.lang.reflect.*;\nclass Sum { void f(Field field, Object o) throws Exception { field.setInt(o, 1); } }",
    "import java.lang.reflect.AccessibleObject;\nclass Sum { void f(AccessibleObject[] all) { AccessibleObject.setAccessible(all, true); } }",
    "import java.security.Security;\nclass Sum { void f() { Security.addProvider(null); } }",
    "class Sum { void f() { java.security.Security.insertProviderAt(null, 1); } }",
    "import java.security.Provider;\nclass Sum extends Provider { Sum() { super(\"x\", \"1\", \"\"); } }",
    "import static java.security.Security.insertProviderAt;\nclass Sum { void f() { insertProviderAt(null, 1); } }",
    "class Sum { void f() { Runtime r = Runtime.getRuntime(); r.halt(0); } }",
    "import static java.lang.System.exit;\nclass Sum { void f() { exit(0); } }",
    "class Sum { void f() { java.lang.System.exit(0); } }",
    "class Sum { void f() throws Exception { Class.forName(\"org.ju\" + \"nit.Assert\"); } }",
    "class Sum { void f() { if (System.getProperty(\"surefire.x\") != null) { } } }",
    "class Sum { boolean f() { return System.getProperty(\"sun.java.command\").contains(\"JUnit\"); } }",
    "class Sum { boolean f() { return System.getenv(\"TEST_RUN\") != null; } }",
    "class Sum { boolean f() { for (StackTraceElement e : new Throwable().getStackTrace()) { } return true; } }",
    "class Sum { void f() { org.junit.Assert.assertTrue(true); } }",
    "import org.assertj.core.api.Assertions;\nclass Sum { }",
    "import java.lang.invoke.MethodHandles;\nclass Sum { void f() throws Exception { MethodHandles.privateLookupIn(Sum.class, MethodHandles.lookup()); } }",
    "import sun.misc.Unsafe;\nclass Sum { }",
    "import java.util.ServiceLoader;\nclass Sum { }",
    "import com.other.Settings;\nclass Sum { void f() { Settings.limit = 3; } }",
    "class Sum { @Override public boolean equals(Object other) { return true; } }",
    "class Sum { public boolean equals(Object other) { return other != null; } }",
    "class Sum implements Comparable<Sum> { public int compareTo(Sum other) { return 0; } }",
    "class Sum { public boolean equals(Object other) { return other == this || true; } }",
    "class String { }",
    "class Sum { void f() { System.setOut(null); } }",
    "class Sum { void f() { Thread.setDefaultUncaughtExceptionHandler(null); } }",
];

const HONEST_JAVA: &[&str] = &[
    "class Tag { String name; public boolean equals(Object other) { if (other == null || getClass() != other.getClass()) { return false; } Tag that = (Tag) other; return Objects.equals(name.trim(), that.name.trim()); } }",
    "class Tag { String name; public boolean equals(Object other) { return other instanceof Tag && ((Tag) other).name.trim().equalsIgnoreCase(name.trim()); } }",
    "class Sum { enum Rule { ONE } static class Test { } }",
    "class Sum { @Override public boolean equals(Object other) { return this == other || other != null && getClass() == other.getClass(); } }",
    "class Sum { int fastest; Latest latest; Contest contest; }",
    "class Sum { int total; int[] parts = new int[3]; void f(Sum other) { this.total = 1; other.total = 2; parts[0] = 3; total++; } }",
    "import java.util.Map;\nclass Sum { void f(Map<String, Integer> map) { map.put(\"x\", 1); map.remove(\"x\"); } }",
    "import java.util.ArrayList;\nclass Sum { static int limit; void f() { Sum.limit = 3; ArrayList<String> list = new ArrayList<>(); list.add(\"x\"); list.set(0, \"y\"); } }",
    "class Sum { @Override public boolean equals(Object other) { if (this == other) { return true; } if (!(other instanceof Sum)) { return false; } return ((Sum) other).total == total; } int total; }",
    "class Sum { @Override public boolean equals(Object other) { return other instanceof Sum; } }",
    "class Sum { public boolean equals(Object other) { return this == other; } }",
    "class Sum implements Comparable<Sum> { int x; public int compareTo(Sum other) { return Integer.compare(x, other.x); } }",
    "import java.awt.Point;\nclass Sum { void f() { Point p = new Point(); p.x = 3; } }",
    "class Sum { String f() { return System.getProperty(\"user.home\"); } }",
    "class Sum { String f() throws Exception { return Class.forName(\"till.Other\").getName(); } }",
];
