//! The normal form of a file: what is left of it when comments, white space and formatting do not count. Two files with
//! the same normal form do the same.

use std::fmt::Write as _;
use std::sync::Arc;

use tree_sitter::{Node, Tree};

use crate::language::{Language, SyntaxRole};
use crate::recent::{Recent, tree_of};
use crate::source::decoded;
use crate::tree::{Step, walk};

/// A language, a content and its form.
type Known = (Option<Language>, Arc<[u8]>, Arc<str>);

static FORMS: Recent<Known> = Recent::new();

/// Open and close a node with parts in a normal form. Indentation is what shapes a Python program, so tokens
/// alone would not tell `if a: b; c` from `if a: b` followed by `c`.
const OPEN: &str = "⟨";
const CLOSE: &str = "⟩";

/// The normal form of a file's content.
///
/// With a language: its tokens, one a line, and the structure that they form; comments, white space, line ends, byte
/// order mark and, in Python, docstrings left out. Without one: its lines without white space at their ends.
pub fn normal_form(language: Option<Language>, bytes: &[u8]) -> String {
    form_of(language, bytes).to_string()
}

/// The normal form of a file's content, kept for a while: candidates are asked for it several times, and all of them for
/// that of the file as it was.
pub fn form_of(language: Option<Language>, bytes: &[u8]) -> Arc<str> {
    let known =
        FORMS.find(|(of, known, form)| (*of == language && **known == *bytes).then(|| Arc::clone(form)));
    known.unwrap_or_else(|| {
        let form: Arc<str> = Arc::from(formed(language, bytes));
        FORMS.keep((language, Arc::from(bytes), Arc::clone(&form)));
        form
    })
}

fn formed(language: Option<Language>, bytes: &[u8]) -> String {
    let text = decoded(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    match language.and_then(|language| Some((language, tree_of(language, text)?))) {
        Some((language, tree)) => tokens(language, &tree, text),
        None => trimmed_lines(text),
    }
}

/// The examples in the docstrings of a file, which doctest runs: the lines from each prompt to the next empty one or the end of the docstring,
/// without indentation.
pub fn examples(language: Option<Language>, bytes: &[u8]) -> String {
    const PROMPT: &str = ">>> ";
    const QUOTES: [&str; 2] = ["\"\"\"", "'''"];
    if !language.is_some_and(|language| language.entry().docstrings) {
        return String::new();
    }
    let mut is_inside = false;
    let text = decoded(bytes);
    let lines = text.lines().map(str::trim).filter(|line| {
        let is_end = line.is_empty() || QUOTES.iter().any(|quotes| line.starts_with(quotes));
        let is_shown = line.starts_with(PROMPT) || is_inside && !is_end;
        is_inside = is_shown && !QUOTES.iter().any(|quotes| line.ends_with(quotes));
        is_shown
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Lines without white space at their ends, and without empty lines at the end of the text. Indentation stays: it may
/// mean something.
fn trimmed_lines(text: &str) -> String {
    let mut form = text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    form.truncate(form.trim_end_matches('\n').len());
    form
}

fn tokens(language: Language, tree: &Tree, text: &str) -> String {
    let mut form = String::with_capacity(text.len());
    // Where the last token ended; text that no node covers occurs in damaged code and counts too.
    let mut done = 0;
    walk(tree, |step| match step {
        Step::Enter(node) => {
            token(&mut form, text.get(done..node.start_byte()).unwrap_or_default().trim());
            done = done.max(node.start_byte());
            if is_remark(language, node) {
                done = node.end_byte();
                return false;
            }
            if node.child_count() == 0 || language.kinds().role(node) == SyntaxRole::Text {
                token(&mut form, &text[node.byte_range()]);
                done = node.end_byte();
                return false;
            }
            if node.is_named() {
                form.push_str(OPEN);
                form.push('\n');
            }
            true
        }
        Step::Leave(node) => {
            token(&mut form, text.get(done..node.end_byte()).unwrap_or_default().trim());
            done = done.max(node.end_byte());
            if node.is_named() {
                form.push_str(CLOSE);
                form.push('\n');
            }
            true
        }
    });
    form
}

/// Adds a token on a line of its own.
fn token(form: &mut String, text: &str) {
    if text.is_empty() {
        return;
    }
    if text.contains(['\n', '\\']) {
        let _ = writeln!(form, "{}", text.replace("\r\n", "\n").replace('\\', "\\\\").replace('\n', "\\n"));
    } else {
        let _ = writeln!(form, "{text}");
    }
}

/// Is true if a node has no effect: a comment, a continued line, a docstring.
fn is_remark(language: Language, node: Node) -> bool {
    (node.is_extra() && !node.is_error()) || (language.entry().docstrings && is_docstring(node))
}

/// Is true if a node is a statement that is nothing but a string. An f-string is not: it evaluates what it holds.
pub(crate) fn is_docstring(node: Node) -> bool {
    if node.kind() != "expression_statement" || node.child_count() != 1 {
        return false;
    }
    let Some(only) = node.child(0) else { return false };
    let plain = |string: Node| {
        let mut cursor = string.walk();
        string.kind() == "string" && string.children(&mut cursor).all(|part| part.kind() != "interpolation")
    };
    let mut cursor = only.walk();
    plain(only) || (only.kind() == "concatenated_string" && only.children(&mut cursor).all(plain))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn same(language: &str, left: &str, right: &str) -> bool {
        let language = Language::by_name(language);
        normal_form(language, left.as_bytes()) == normal_form(language, right.as_bytes())
    }

    #[test]
    fn formatting_and_comments_do_not_count() {
        fn check(language: &str, left: &str, right: &str) {
            assert!(same(language, left, right), "{left:?} and {right:?}\n{}", {
                normal_form(Language::by_name(language), left.as_bytes())
            });
        }
        check("java", "class A { int f() { return 1; } }", "class A\r\n{\r\n\tint f( ) {return 1 ;}}\r\n");
        check("java", "class A { /** doc */ int x; // end\n}", "class A { int x; /* other */ }");
        check("java", "\u{feff}class A {}", "class A {}");
        check("python", "def f(a, b):\n    return a + b\n", "def f(a,b):\n\treturn a+b");
        check("python", "if x:\n    y()  # yes\n", "if x: # yes\n    # no\n\n    y()\n# end");
        check(
            "python",
            "def f():\n    '''Doc.'''\n    return 1\n",
            "def f():\n    \"\"\"Other\n    doc.\"\"\"\n    return 1\n",
        );
        check("python", "def f():\n    'Doc.'\n    return 1\n", "def f():\n    return 1\n");
        check("python", "x = a + \\\n    b\n", "x = a + b\n");
        check("python", "x = f(a,\n      b)\n", "x = f(a, b)\n");
        check("python", "if a not in b: pass\n", "if a  not   in b: pass\n");
        check("unknown", "a  \r\nb\n\n", "a\nb");
    }

    #[test]
    fn what_has_an_effect_counts() {
        fn check(language: &str, left: &str, right: &str) {
            assert!(!same(language, left, right), "{left:?} and {right:?}");
        }
        check("java", "class A { int x = 1; }", "class A { int x = 2; }");
        check("java", "class A { String s = \"a b\"; }", "class A { String s = \"a  b\"; }");
        check("java", "class A { String s = \"a\\n \\tb\"; }", "class A { String s = \"a\\n\\tb\"; }");
        check("java", "class A { String s = \"// a\"; }", "class A { String s = \"// b\"; }");
        check("java", "class A { char c = ' '; }", "class A { char c = '\\t'; }");
        check("java", "class A { void f() { a(); // b();\n } }", "class A { void f() { a(); b(); } }");
        check("java", "class A { int ab; }", "class A { int a b; }");
        check("python", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n");
        check("python", "for x in y:\n    a()\nelse:\n    b()\n", "for x in y:\n    a()\nb()\n");
        check(
            "python",
            "if a:\n    if b:\n        c()\n    else:\n        d()\n",
            "if a:\n    if b:\n        c()\nelse:\n    d()\n",
        );
        check("python", "x = 'a  b'\n", "x = 'a b'\n");
        check("python", "x = 'a\\n \\tb'\n", "x = 'a\\n\\tb'\n");
        check("python", "def f():\n    f'{g()}'\n", "def f():\n    f'{h()}'\n");
        check("python", "def f():\n    return 'a'\n", "def f():\n    return 'b'\n");
        check("unknown", "a:\n  b", "a:\n    b");
    }

    #[test]
    fn damaged_code_has_a_normal_form_too() {
        fn check(language: &str, text: &str) {
            let form = normal_form(Language::by_name(language), text.as_bytes());
            let kept: String = form.chars().filter(|c| !c.is_whitespace() && !"⟨⟩".contains(*c)).collect();
            let expect: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            assert_eq!(kept, expect);
        }
        check("java", "class A { void f() { ## ยง x = = 1; } \u{1} }}} @");
        check("java", "class A { void f() { if (x { y(; ");
        check("python", "def f(:\n  $ ? x = (1,\nclass\n");
        check("java", "");
        check("python", "\n\n");
    }

    #[test]
    fn eight_bit_files_are_read_byte_by_byte() {
        let java = Language::by_name("java");
        let form = |bytes: &[u8]| normal_form(java, bytes);
        assert_eq!(form(b"class A { // caf\xe9\n }"), form(b"class A { }"));
        assert_ne!(
            form(b"class A { String s = \"caf\xe9\"; }"),
            form(b"class A { String s = \"caf\xe8\"; }")
        );
    }

    #[test]
    fn deep_nesting_does_not_exhaust_the_stack() {
        let deep = format!("x = {}1{}\n", "(".repeat(20_000), ")".repeat(20_000));
        assert!(same("python", &deep, &deep.replace('\n', "  # end\n")));
        let long = format!("class A {{ String s = {}\"\"; }}", "\"a\" + ".repeat(20_000));
        assert!(same("java", &long, &long.replace(" + ", "\n+")));
    }
}
