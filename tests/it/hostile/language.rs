//! The small project that the attacks are made in, in each language.

use std::path::Path;

use serde_json::{Value, json};

use crate::kit::{call, root, write};

/// A language, and its project: `add` subtracts, and a test shows it.
#[derive(Debug)]
pub struct Language {
    /// The name of its folders.
    pub name: &'static str,
    extension: &'static str,
    /// Runs a program from its source.
    pub interpreter: &'static str,
    source: &'static str,
    tests: &'static str,
    sum: &'static str,
    /// Calls an attack: in front of the statement with the bug, and as a test.
    in_front: &'static str,
    as_test: &'static str,
    /// Calls it where the file with the bug is loaded: in place of its first definition.
    at_load: [&'static str; 2],
    /// How a trace shows that an attack did not get through.
    refused: &'static str,
    failing: &'static str,
    /// The words with which a command of the user's builds and tests.
    pub custom: [&'static str; 4],
}

/// Python, tested by unittest.
pub const PYTHON: Language = Language {
    name: "python",
    extension: "py",
    interpreter: "python3",
    source: "till",
    tests: "tests",
    sum: "till/sum.py",
    in_front: "from till import {name}\n    {name}.attack()\n    ",
    as_test: "import unittest\n\nfrom tests import {name}\n\n\nclass AttackTest(unittest.TestCase):\n    \
              def test_attacks(self):\n        {name}.attack()\n",
    at_load: ["def add", "from till import {name}\n\n{name}.attack()\n\n\ndef add"],
    refused: ", in attack",
    failing: "tests.test_sum.SumTest.test_adds",
    custom: ["--test", "sh test.sh", "--results", "unittest"],
};

/// Java, tested by JUnit 4.
pub const JAVA: Language = Language {
    name: "java",
    extension: "java",
    interpreter: "java -XX:MaxDirectMemorySize=8g",
    source: "src/main/java/till",
    tests: "src/test/java/till",
    sum: "src/main/java/till/Sum.java",
    in_front: "{name}.attack();\n        ",
    as_test: "package till;\n\nimport org.junit.Test;\n\npublic class AttackTest {\n    @Test\n    \
              public void attacks() throws Exception {\n        {name}.attack();\n    }\n}\n",
    at_load: [
        "    static int add",
        "    static {\n        try {\n            {name}.attack();\n        } catch (Exception problem) {\n            \
         throw new IllegalStateException(problem);\n        }\n    }\n\n    static int add",
    ],
    refused: "{name}.attack({name}.java:",
    failing: "till.SumTest::adds",
    custom: ["--test", "sh test.sh", "--results", "junit-text"],
};

const BUG: &str = "return one - other";
const FIX: &str = "return one + other";

impl Language {
    /// Copies the project, with a folder of many files.
    pub fn put_project(&self, to: &Path) {
        copy(&root().join("tests/hostile/project").join(self.name), to);
        for number in 0..100 {
            write(&to.join(format!("data/{number:03}.txt")), b"of the project\n");
        }
    }

    /// The source of an attack, with values for the words between `@`.
    pub fn source(&self, name: &str, values: &[(&str, &str)]) -> String {
        let path = root().join("tests/hostile").join(self.name).join(self.file(name));
        let text = std::fs::read_to_string(path).unwrap();
        let put = |text: String, (word, value): &(&str, &str)| text.replace(&format!("@{word}@"), value);
        put(values.iter().fold(text, put), &("test", self.failing))
    }

    /// Adds an attack to the tests of a project.
    pub fn add_test(&self, project: &Path, name: &str, source: &str) {
        let tests = project.join(self.tests);
        write(&tests.join(self.file(name)), source.as_bytes());
        // Some attacks are tests themselves.
        if !name.starts_with("test_") {
            let text = self.as_test.replace("{name}", &self.class(name));
            write(&tests.join(self.file("test_attack")), text.as_bytes());
        }
    }

    /// A candidate with an attack.
    pub fn attack(&self, name: &str, source: &str) -> String {
        let path = format!("{}/{}", self.source, self.file(name));
        let call = self.in_front.replace("{name}", &self.class(name));
        write_fix(json!([{"file_path": path, "content": source}, self.edit(&format!("{call}{BUG}"))]))
    }

    /// A candidate whose attack begins before the first test.
    pub fn attack_at_load(&self, name: &str, source: &str) -> String {
        let path = format!("{}/{}", self.source, self.file(name));
        let [search, replace] = self.at_load;
        let replace = replace.replace("{name}", &self.class(name));
        let edit = json!({"file_path": self.sum, "replacements": [{"search": search, "replace": replace}]});
        write_fix(json!([{"file_path": path, "content": source}, edit]))
    }

    /// What a record tells of an attack that did not get through.
    pub fn refusal<'r>(&self, name: &str, record: &'r str) -> Option<&'r str> {
        const AROUND: usize = 400;
        let at = record.find(&self.refused.replace("{name}", &self.class(name)))?;
        Some(
            &record[record.floor_char_boundary(at.saturating_sub(AROUND))
                ..record.ceil_char_boundary(at + AROUND)],
        )
    }

    /// The right candidate.
    pub fn fix(&self) -> String {
        write_fix(json!([self.edit(FIX)]))
    }

    /// A wrong candidate that holds a word between quotes.
    pub fn quote(&self, word: &str) -> String {
        let length = if self.name == "java" { ".length()" } else { "" };
        write_fix(json!([self.edit(&format!("return \"{word}\"{length}"))]))
    }

    fn edit(&self, replace: &str) -> Value {
        json!({"file_path": self.sum, "replacements": [{"search": BUG, "replace": replace}]})
    }

    /// `test_names` is the class `NamesTest` of Java.
    fn class(&self, name: &str) -> String {
        if self.name != "java" {
            return name.to_owned();
        }
        let (stem, end) = name.strip_prefix("test_").map_or((name, ""), |stem| (stem, "Test"));
        format!("{}{}{end}", stem[..1].to_uppercase(), &stem[1..])
    }

    /// The file of a class or module.
    pub fn file(&self, name: &str) -> String {
        format!("{}.{}", self.class(name), self.extension)
    }
}

fn write_fix(edits: Value) -> String {
    call("write_fix", json!({"edits": edits}))
}

fn copy(from: &Path, to: &Path) {
    for entry in from.read_dir().unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            write(&target, &std::fs::read(entry.path()).unwrap());
        }
    }
}
