//! The small project that the attacks are made in, in each language.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::place::Place;
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
    /// A command that works where it can be run on the host; where there is none, it can be run everywhere.
    needs: Option<&'static str>,
}

/// All of them.
pub const LANGUAGES: [&Language; 3] = [&PYTHON, &JAVA, &JAVASCRIPT];

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
    needs: None,
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
    needs: None,
};

/// JavaScript, tested by node itself.
pub const JAVASCRIPT: Language = Language {
    name: "javascript",
    extension: "js",
    interpreter: "node",
    source: "till",
    tests: "tests",
    sum: "till/sum.js",
    in_front: "const { attack } = require('./{name}')\n  attack()\n  ",
    as_test: "const { test } = require('node:test')\n\nconst { attack } = require('./{name}')\n\n\
              test('attacks', () => attack())\n",
    at_load: ["function add", "require('./{name}').attack()\n\nfunction add"],
    refused: "at attack (",
    failing: "tests/sum.test.js::adds",
    custom: ["--test", "sh test.sh", "--results", "exit-status"],
    needs: Some("node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'"),
};

/// Begins the message of an attack that ends by an exception of its own.
const MADE: &str = "as it was meant: ";
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

    /// Is true if there is this attack in it, and its tests can be run in a place. The image of containers has no node.
    pub fn has(&self, attack: &str, place: Place) -> bool {
        self.path(attack).is_file() && self.needs.is_none_or(|command| place.is_host() && place.runs(command))
    }

    fn path(&self, attack: &str) -> PathBuf {
        root().join("tests/hostile").join(self.name).join(self.file(attack))
    }

    /// The source of an attack, with values for the words between `@`.
    pub fn source(&self, name: &str, values: &[(&str, &str)]) -> String {
        let text = std::fs::read_to_string(self.path(name)).unwrap();
        let put = |text: String, (word, value): &(&str, &str)| text.replace(&format!("@{word}@"), value);
        [("test", self.failing), ("made", MADE)].iter().fold(values.iter().fold(text, put), put)
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
        if record.contains(MADE) {
            return None;
        }
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

    /// Is true if a file of the project holds the right candidate.
    pub fn is_fixed(&self, path: &Path, text: &[u8]) -> bool {
        path == Path::new(self.sum) && String::from_utf8_lossy(text).contains(FIX)
    }

    /// A request for the history of the file with the bug.
    pub fn history(&self) -> String {
        call("history", json!({"file_path": self.sum, "start_line": 1, "end_line": 2}))
    }

    /// A wrong candidate that holds a word between quotes.
    pub fn quote(&self, word: &str) -> String {
        let length = if self.name == "java" { ".length()" } else { "" };
        write_fix(json!([self.edit(&format!("return \"{word}\"{length}"))]))
    }

    fn edit(&self, replace: &str) -> Value {
        json!({"file_path": self.sum, "replacements": [{"search": BUG, "replace": replace}]})
    }

    /// `test_names` is the class `NamesTest` of Java, and `names.test` of JavaScript.
    fn class(&self, name: &str) -> String {
        let stem = name.strip_prefix("test_");
        match (self.name, stem) {
            ("java", _) => {
                let (stem, end) = stem.map_or((name, ""), |stem| (stem, "Test"));
                format!("{}{}{end}", stem[..1].to_uppercase(), &stem[1..])
            }
            ("javascript", Some(stem)) => format!("{stem}.test"),
            _ => name.to_owned(),
        }
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
