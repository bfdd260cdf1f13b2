//! Answers read as tests.

use patchwright_edits::formats::{EditFormat, read_edits};
use patchwright_protocol::Failure;
use patchwright_replies::answer;
use patchwright_validation::{ReproductionTest, TestHarness, repeated_test};

/// The form in which a test is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerForm {
    /// Code below the path of its file.
    File,
    /// A unified diff.
    Diff,
    /// Blocks of whole functions.
    Blocks,
}

/// A test as it was written, before any run.
pub(crate) struct Draft {
    pub(crate) test: ReproductionTest,
    /// Files whose changes are left out, as they are no tests.
    pub(crate) left_out: Vec<String>,
}

/// Bytes that a test may have.
const MOST_BYTES: usize = 100_000;

/// Reads an answer as a test with this number; `Err` holds a sentence to whoever wrote it.
pub(crate) async fn read(
    harness: &TestHarness,
    id: u32,
    form: AnswerForm,
    text: &str,
) -> Result<Result<Draft, String>, Failure> {
    if text.len() > MOST_BYTES || text.contains('\0') {
        return Ok(Err(format!("A test has to be text of at most {MOST_BYTES} bytes.")));
    }
    let draft = match form {
        AnswerForm::File => of_file(harness, id, text),
        AnswerForm::Diff => of_edits(harness, id, EditFormat::Diff, text),
        AnswerForm::Blocks => of_edits(harness, id, EditFormat::Swt, text),
    };
    let draft = match draft {
        Ok(draft) => draft,
        Err(problem) => return Ok(Err(problem)),
    };
    let Some(added) = draft.test.added().cloned() else {
        return Ok(Err(
            "The code holds no test that a test tool runs: no test function, method or class.".to_owned()
        ));
    };
    let project = harness.project().clone();
    Ok(match patchwright_blocking::spawn(move |_| repeated_test(&project, &added)).await? {
        Some(file) => Err(format!("{file} holds this test already: write one that the project lacks.")),
        None => Ok(draft),
    })
}

fn of_file(harness: &TestHarness, id: u32, text: &str) -> Result<Draft, String> {
    let (path, code) = file_in(answer::block(text));
    if code.trim().is_empty() {
        return Err("The answer holds no code: give the test in one fenced block.".to_owned());
    }
    let test = harness.reproduction_test(id, path, code)?;
    Ok(Draft { test, left_out: Vec::new() })
}

/// The path that a block begins with, and the code below it.
fn file_in(block: &str) -> (Option<&str>, &str) {
    let block = block.trim_start_matches(['\n', '\r']);
    let (first, rest) = block.split_once('\n').unwrap_or((block, ""));
    let name = first.trim().trim_start_matches(['#', '/']).trim().trim_matches(['`', '*']);
    let is_comment = first.trim_start().starts_with('#') || first.trim_start().starts_with("//");
    let is_path =
        !name.contains(char::is_whitespace) && [".py", ".java"].iter().any(|end| name.ends_with(end));
    if is_comment && is_path { (Some(name), rest) } else { (None, block) }
}

/// Reads edits in the form that was asked for, or in any other that the answer is in.
fn of_edits(harness: &TestHarness, id: u32, format: EditFormat, text: &str) -> Result<Draft, String> {
    let asked = read_edits(text, Some(format)).ok().filter(|reading| !reading.edits.is_empty());
    let reading = match asked {
        Some(reading) => reading,
        None => read_edits(text, None).map_err(|error| format!("The change cannot be read: {error}."))?,
    };
    if reading.edits.is_empty() {
        return Err("The answer holds no change in the form that was asked for.".to_owned());
    }
    let edited = harness.reproduction_of_edits(id, &reading.edits)?;
    Ok(Draft { test: edited.test, left_out: edited.left_out })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_begins_with_the_path_of_its_file() {
        let check = |block: &str, path: Option<&str>, code: &str| assert_eq!(file_in(block), (path, code));
        check("### tests/test_a.py\nx = 1\n", Some("tests/test_a.py"), "x = 1\n");
        check("\n# `tests/test_a.py`\nx = 1\n", Some("tests/test_a.py"), "x = 1\n");
        check("// src/test/java/ATest.java\nclass A {}\n", Some("src/test/java/ATest.java"), "class A {}\n");
        check("# a comment on a.py\nx = 1\n", None, "# a comment on a.py\nx = 1\n");
        check("import a\n", None, "import a\n");
        check("### tests/test_a.py", Some("tests/test_a.py"), "");
    }
}
