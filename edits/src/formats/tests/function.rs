//! Functions in fences.

use super::{defining, nothing, read, refused};
use crate::edit::Placement::Same;
use crate::formats::EditFormat::Function;

#[test]
fn each_fence_is_code_for_the_file_above_it() {
    let code = "def f():\n    return 1\n";
    for text in [
        format!("### src/x.py\n```python\n{code}```\n"),
        format!("`src/x.py`:\n\n~~~\n{code}~~~\n"),
        format!("```python:src/x.py\n{code}```"),
        format!("Here it is.\n\n```python\n# src/x.py\n{code}```\nDone.\n"),
        format!("```\n### src/x.py\n{code}```\n").replace('\n', "\r\n"),
        format!("**src/x.py**\nThe sign is wrong:\n```py\n{code}```\n"),
        format!("Run it:\n```bash\npytest src/x.py\n```\nsrc/x.py\n```python\n{code}```\n"),
    ] {
        assert_eq!(read(Function, &text), (vec![defining("src/x.py", code, Same)], vec![]), "{text}");
    }
    let text = "src/A.java\n```java\nint a() {}\n```\nB.java\n```java\n// B.java\nint b() {}\n```\n";
    let expect = [defining("src/A.java", "int a() {}\n", Same), defining("B.java", "int b() {}\n", Same)];
    assert_eq!(read(Function, text).0, expect);
    let nested = "x.py\n````python\ndef f():\n    '''\n```\nx\n```\n    '''\n````\n";
    assert_eq!(
        read(Function, nested).0,
        [defining("x.py", "def f():\n    '''\n```\nx\n```\n    '''\n", Same)]
    );
    let indented = "x.py\n```python\ndef f():\n    '''\n    ```\n    x\n    ```\n    '''\n```\n";
    assert_eq!(read(Function, indented).0.len(), 1);
}

#[test]
fn a_fence_below_another_is_for_the_same_file() {
    let (edits, repairs) =
        read(Function, "### x.py\n```\ndef f(): pass\n```\nand\n```\ndef g(): pass\n```\n");
    assert_eq!(edits, [defining("x.py", "def f(): pass\n", Same), defining("x.py", "def g(): pass\n", Same)]);
    assert_eq!(repairs, ["line 6: no path; the one of the block before was used"]);
}

#[test]
fn a_fence_without_a_path_or_an_end_is_refused() {
    let message = refused(Function, "So:\n```python\ndef f(): pass\n```\n");
    assert_eq!(
        message,
        "An edit names no file, in line 2. Write the path of the file, relative to the root of the project, in the line \
         before it."
    );
    let message = refused(Function, "x.py\n```python\ndef f():\n    retur");
    assert!(message.starts_with("The edits were cut off, in line 2 (for `x.py`), after `"), "{message}");
    nothing(Function, "x.py\n\ndef f(): pass\n");
    nothing(Function, "x.py\n```bash\nls\n```\n");
    nothing(Function, "x.py\n```\n\n```\n");
}
