//! Words of a shell.

use patchwright_protocol::TestId;

/// Quotes of a shell.
pub(crate) const QUOTES: [char; 2] = ['"', '\''];

/// The names, each as one word of a shell, with spaces between.
pub fn shell_words(names: &[TestId]) -> String {
    names.iter().map(|name| shell_word(name.as_str())).collect::<Vec<_>>().join(" ")
}

/// A text as one word of a shell.
pub fn shell_word(text: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "_-./:=,@%+".contains(character);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words_of_a_shell() {
        let check = |text: &str, expect: &str| assert_eq!(shell_word(text), expect);
        check("tests/test_a.py::test_b", "tests/test_a.py::test_b");
        check("t.py::test_b[x y]", "'t.py::test_b[x y]'");
        check("it's $HOME", r"'it'\''s $HOME'");
        check("", "''");
        check("a.B$C::d", "'a.B$C::d'");
    }
}
