//! `patchwright test` in projects in Java: where a test class goes, and each method.

use serde_json::{Value, json};

use crate::kit::{folder, prompt_text};
use crate::scripted::Step;
use crate::writing_tests::{block, reason, replays, saying, write};

fn has_junit() -> bool {
    let found = std::process::Command::new("sh")
        .args(["-c", "javac -version && test -e /usr/share/java/junit4.jar"])
        .output();
    found.is_ok_and(|found| found.status.success())
}

/// A project in Java whose only test passes, and an issue about a bug that it does not show.
fn java_bank() -> tempfile::TempDir {
    let account = "package bank;\n\npublic class Account {\n    private int balance;\n\n    public Account(int balance) {\n        \
                   this.balance = balance;\n    }\n\n    public int withdraw(int amount) {\n        if (amount >= balance) {\n            \
                   throw new IllegalStateException(\"not enough\");\n        }\n        balance -= amount;\n        return balance;\n    }\n}\n";
    folder(&[
        ("src/main/java/bank/Account.java", account),
        ("src/test/java/bank/AccountTest.java", JAVA_TESTS),
        (
            "issue.md",
            "`withdraw` refuses to give all: `new Account(100).withdraw(100)` ends with an IllegalStateException.\n",
        ),
    ])
}

const JAVA_TESTS: &str = "package bank;\n\nimport static org.junit.Assert.assertEquals;\n\nimport org.junit.Test;\n\npublic class AccountTest {\n    \
                          @Test\n    public void withdrawsAPart() {\n        assertEquals(70, new Account(100).withdraw(30));\n    }\n}\n";
const JAVA_PATH: &str = "src/test/java/bank/WithdrawAllTest.java";
const JAVA_RIGHT: &str = "assertEquals(0, new Account(100).withdraw(100));";

/// A class of tests whose only one has this body.
fn java_class(body: &str) -> String {
    let class =
        JAVA_TESTS.replace("AccountTest", "WithdrawAllTest").replace("withdrawsAPart", "withdrawsAll");
    class.replace("assertEquals(70, new Account(100).withdraw(30));", &body.replace('\n', "\n        "))
}

fn java_file(body: &str) -> String {
    format!("```java\n### {JAVA_PATH}\n{}```\n", java_class(body))
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_test_class_in_java_goes_where_its_package_is() {
    if !has_junit() {
        println!("skipped: there is no JDK with JUnit 4");
        return;
    }
    let project = java_bank();
    let class = java_class(JAVA_RIGHT);
    let answers: [(&str, String); 3] = [
        ("direct", java_file(JAVA_RIGHT)),
        (
            "zero-shot",
            format!(
                "```diff\n--- /dev/null\n+++ b/{JAVA_PATH}\n@@ -0,0 +1,{} @@\n{}```\n",
                class.lines().count(),
                class.lines().map(|line| format!("+{line}\n")).collect::<Vec<_>>().concat()
            ),
        ),
        ("zero-shot-plus", block(JAVA_PATH, &class)),
    ];
    for (method, answer) in answers {
        let (model, run) = write(project.path(), saying(&[answer]), &["--method", method]);
        assert_eq!(run.code, 0, "{method}: {run:?}");
        let written: &Value = &run.json()["written"];
        assert_eq!(written["tests"], json!(["bank.WithdrawAllTest::withdrawsAll"]), "{method}");
        assert!(written["failure"].as_str().unwrap().contains("IllegalStateException"), "{written}");
        let asked = prompt_text(&model.requests()[0]);
        assert!(asked.contains("src/test/java/bank/IssueTest.java") || method != "direct", "{asked}");
        assert!(asked.contains("public class AccountTest"), "{asked}");
    }
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_test_in_java_may_stand_in_a_class_that_is_there() {
    if !has_junit() {
        println!("skipped: there is no JDK with JUnit 4");
        return;
    }
    let project = java_bank();
    let file = "src/test/java/bank/AccountTest.java";
    let method = format!("@Test\npublic void withdrawsAll() {{\n    {JAVA_RIGHT}\n}}\n");
    let whole = JAVA_TESTS.strip_suffix("}\n").unwrap();
    let whole = format!("{whole}\n    {}}}\n", method.trim_end().replace('\n', "\n    ") + "\n");
    let more = whole
        .replace(
            "import org.junit.Test;",
            "import static org.junit.Assert.assertTrue;\nimport org.junit.Test;",
        )
        .replace(JAVA_RIGHT, "assertTrue(new Account(100).withdraw(100) == 0);");
    let class = whole.split_once("public class").map(|(_, class)| format!("public class{class}")).unwrap();
    let rewrite = |code: &str| block(file, code).replace("insert\nEOF", "rewrite\n7");
    for answer in [block(file, &method), rewrite(&class), rewrite(&whole), rewrite(&more)] {
        let (_, run) =
            write(project.path(), saying(std::slice::from_ref(&answer)), &["--method", "zero-shot-plus"]);
        assert_eq!(run.code, 0, "{answer}: {run:?}");
        let result = run.json();
        assert_eq!(result["written"]["tests"], json!(["bank.AccountTest::withdrawsAll"]), "{answer}");
        assert!(result["written"]["changed"].is_null(), "{result}");
    }
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn samples_in_java_are_grouped_by_how_they_fail() {
    if !has_junit() {
        println!("skipped: there is no JDK with JUnit 4");
        return;
    }
    let project = java_bank();
    let samples = [
        "assertEquals(60, new Account(100).withdraw(30));",
        "Account account = new Account(100);\nassertEquals(0, account.withdraw(100));",
        JAVA_RIGHT,
        "assertEquals(0, new Vault(100).withdraw(100));",
    ];
    let samples: Vec<String> = samples.iter().map(|body| block(JAVA_PATH, &java_class(body))).collect();
    let steps = vec![
        Step::Answers { texts: samples },
        Step::Answer { text: "It withdraws all.\n\nyes".to_owned() },
        Step::Answer { text: "Taking a part is right as it is.\n\nno".to_owned() },
    ];
    let (model, run) = write(project.path(), steps, &["--method", "libro", "--samples", "4"]);
    assert_eq!(run.code, 0, "{run:?}");
    let result = run.json();
    let patch = result["patch"].as_str().unwrap();
    assert!(patch.contains(JAVA_RIGHT) && !patch.contains("account ="), "the shortest of its group: {patch}");
    insta::assert_snapshot!("samples_in_java", reason(&run));
    assert!(prompt_text(&model.requests()[1]).contains("IllegalStateException: not enough"));
    replays(project.path());
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_passing_test_in_java_is_turned_over() {
    if !has_junit() {
        println!("skipped: there is no JDK with JUnit 4");
        return;
    }
    let project = java_bank();
    let passing = "try {\n    new Account(100).withdraw(100);\n    org.junit.Assert.fail();\n} catch (IllegalStateException expected) {\n    \
                   assertEquals(\"not enough\", expected.getMessage());\n}";
    let answers = [
        "1. `new Account(100).withdraw(100)`\n2. throws\n3. returns 0".to_owned(),
        java_file("assertEquals(0, new Bank(100).withdraw(100));"),
        java_file(passing),
        java_file(JAVA_RIGHT),
        "It withdraws all and gets the exception of the issue.\nyes".to_owned(),
    ];
    let (model, run) = write(project.path(), saying(&answers), &["--method", "assert-flip"]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(run.json()["written"]["tests"], json!(["bank.WithdrawAllTest::withdrawsAll"]));
    let again = prompt_text(&model.requests()[2]);
    assert!(again.contains("Bank"), "what the compiler says is told: {again}");
    replays(project.path());
}
