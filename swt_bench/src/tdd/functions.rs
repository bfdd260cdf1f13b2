//! The test functions that a prediction adds or changes: only these are run.

/// Test functions by file, in their order.
pub type Functions = Vec<(String, Vec<String>)>;

/// The functions of a patch whose body, up to the next one, has an added line with more than signs and blanks. A name is what stands
/// between `def test` and the next parenthesis, wherever that is.
///
/// Official place: `get_contributing_functions` in `tddbench/harness/run_evaluation.py`.
pub fn contributing(patch: &str) -> Functions {
    let mut functions: Functions = Vec::new();
    for part in patch.split("+++ b").skip(1) {
        let file = part.split('\n').next().unwrap_or_default().trim();
        let file = file.strip_prefix('/').unwrap_or(file);
        for body in part.split("def test").skip(1) {
            let adds =
                |line: &str| line.trim().starts_with('+') && !line.replace(['+', '-'], "").trim().is_empty();
            if !body.split('\n').any(adds) {
                continue;
            }
            let name = format!("test{}", body.split('(').next().unwrap_or_default().trim());
            match functions.iter_mut().find(|(known, _)| known == file) {
                Some((_, names)) if names.contains(&name) => {}
                Some((_, names)) => names.push(name),
                None => functions.push((file.to_owned(), vec![name])),
            }
        }
    }
    functions
}

/// The functions as the report names them, with their classes: as they stand on the command line of the run, which alone tells the classes
/// when the files are not there. Django's have dots there, and SymPy's no class.
///
/// Official place: `run_instance` and `modify_eval` in `tddbench/harness/run_evaluation.py`.
pub fn written(functions: &Functions, log: &str) -> Vec<String> {
    const COMMANDS: [&str; 3] = ["coverage run", "tox --current-env -epy39 -v --", "./bin/test -C"];
    let is_command =
        |line: &&str| line.starts_with("+ ") && COMMANDS.iter().any(|command| line.contains(command));
    let words: Vec<&str> =
        log.split('\n').filter(is_command).flat_map(|line| line.split(' ').skip(1)).collect();
    let mut written = Vec::new();
    for (file, names) in functions {
        let module = file.strip_prefix("tests/").unwrap_or(file).replace(".py", "").replace('/', ".");
        for name in names {
            let full = format!("{file}::");
            let dotted = format!("{module}.");
            let found = words.iter().find_map(|word| {
                let between = |rest: &str, between: &str| {
                    let class = rest.strip_suffix(name.as_str())?;
                    let class = class.strip_suffix(between).map(|class| format!("{class}::"));
                    class.or_else(|| (rest == name).then(String::new))
                };
                if let Some(rest) = word.strip_prefix(&full) {
                    return between(rest, "::");
                }
                if let Some(rest) = word.strip_prefix(&dotted) {
                    return between(rest, ".");
                }
                (word.trim_matches('\'') == name).then(String::new)
            });
            written.extend(found.map(|class| format!("{file}::{class}{name}")));
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "diff --git a/tests/m/test_m.py b/tests/m/test_m.py\n--- a/tests/m/test_m.py\n+++ b/tests/m/test_m.py\n@@ -1,4 +1,9 @@\n class T:\n     def test_old(self):\n         pass\n \n+    def test_new(self):\n+        pass\n+\n+    def test_more(self):\n+        pass\n";

    #[test]
    fn functions_with_added_lines() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let expect = vec![("tests/m/test_m.py".to_owned(), names(&["test_new", "test_more"]))];
        assert_eq!(contributing(PATCH), expect);
        assert_eq!(contributing("no diff"), Functions::new());
    }

    #[test]
    fn classes_come_from_the_command() {
        let functions = vec![("tests/m/test_m.py".to_owned(), vec!["test_new".to_owned()])];
        let check = |log: &str, expect: &[&str]| assert_eq!(written(&functions, log), expect, "{log}");
        check(
            "+ coverage run -m pytest tests/m/test_m.py::T::test_new\n",
            &["tests/m/test_m.py::T::test_new"],
        );
        check("+ coverage run -m pytest tests/m/test_m.py::test_new\n", &["tests/m/test_m.py::test_new"]);
        check(
            "+ coverage run ./tests/runtests.py m.test_m.T.test_new\n",
            &["tests/m/test_m.py::T::test_new"],
        );
        check("+ ./bin/test -C --verbose -k test_new tests/m/test_m.py\n", &["tests/m/test_m.py::test_new"]);
        check("+ coverage run -m pytest tests/m/test_m.py\n", &[]);
    }
}
