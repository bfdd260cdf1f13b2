//! The Python that a test command runs.

/// The interpreter of an environment of the project's own, in a command that was detected.
pub(crate) const OWN_PYTHON: &str = "\"$PYTHON\"";

/// The variable that holds the path of an environment's interpreter.
pub const PYTHON_VARIABLE: &str = "PYTHON";

/// The Python of a test command (see [`ProjectSpec::python`](crate::ProjectSpec::python)).
pub(crate) fn of_command(test: &str) -> String {
    let is_variable = |word: &str| {
        word.split_once('=')
            .is_some_and(|(name, _)| name.chars().all(|letter| letter.is_alphanumeric() || letter == '_'))
    };
    let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let is_python = |word: &str| {
        word == OWN_PYTHON
            || name(word)
                .strip_prefix("python")
                .is_some_and(|version| version.chars().all(|letter| letter.is_ascii_digit() || letter == '.'))
    };
    let words: Vec<&str> = test.split_whitespace().collect();
    let start = words.iter().take_while(|word| is_variable(word)).count();
    let (variables, program) = words.split_at(start);
    let interpreter = match program {
        [python, "-m", ..] if is_python(python) => (*python).to_owned(),
        [pytest, ..] if ["pytest", "py.test"].contains(&name(pytest).as_str()) => of_script(pytest),
        _ => return "python3".to_owned(),
    };
    [variables, &[interpreter.as_str()]].concat().join(" ")
}

/// The interpreter that the first line of a script names, as a part of a command.
pub fn of_script(script: &str) -> String {
    format!("$(sed -n '1s/^#! *//p' \"$(command -v {script})\")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_run_as_the_tests_do() {
        let check = |test: &str, expect: &str| assert_eq!(of_command(test), expect, "{test}");
        check("python3 -m unittest", "python3");
        check(".venv/bin/python3.11 -m pytest -q -m slow", ".venv/bin/python3.11");
        check("PYTHONPATH=src A=b /opt/x/bin/python -m pytest tests", "PYTHONPATH=src A=b /opt/x/bin/python");
        check("cd x && python3.9 -m pytest", "python3");
        check("A='b c' python3.9 -m pytest", "python3");
        check("\"$PYTHON\" -m pytest -q", "\"$PYTHON\"");
        check("A=b bin/pytest -m slow", "A=b $(sed -n '1s/^#! *//p' \"$(command -v bin/pytest)\")");
        check("make test", "python3");
    }
}
