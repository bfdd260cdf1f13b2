//! Folder names for ids.

use std::fmt::Write as _;

/// A folder name for an id: letters, digits, `.`, `_` and `-` as they are, every other byte as `%` and two hexadecimal
/// digits, and so is a `.` at the beginning. So no id leads out of its folder or hides in it, and `unescape` gives the
/// id back.
pub fn escape(id: &str) -> String {
    let mut name = String::with_capacity(id.len());
    for (place, byte) in id.bytes().enumerate() {
        match byte {
            b'.' if place == 0 => name.push_str("%2E"),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' => name.push(char::from(byte)),
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(name, "%{byte:02X}");
            }
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The id that a folder name stands for; none where it is no name that [`escape`] gives.
    fn unescape(name: &str) -> Option<String> {
        let mut bytes = Vec::with_capacity(name.len());
        let mut rest = name.bytes();
        while let Some(byte) = rest.next() {
            if byte == b'%' {
                let digits = [rest.next()?, rest.next()?];
                let digits = std::str::from_utf8(&digits).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
            } else {
                bytes.push(byte);
            }
        }
        String::from_utf8(bytes).ok().filter(|id| escape(id) == name)
    }

    #[test]
    fn names_of_ids_stay_in_their_folder_and_are_reversible() {
        let check = |id: &str, expect: &str| {
            assert_eq!(escape(id), expect);
            assert_eq!(unescape(expect).as_deref(), Some(id));
        };
        check("django__django-11099", "django__django-11099");
        check("apache/commons-lang:33", "apache%2Fcommons-lang%3A33");
        check("..", "%2E.");
        check("../../etc", "%2E.%2F..%2Fetc");
        check("a%2Fb", "a%252Fb");
        check("Käse\\\0", "K%C3%A4se%5C%00");
        check(".hidden", "%2Ehidden");
    }

    #[test]
    fn what_is_no_such_name_has_no_id() {
        for name in ["%", "%2", "%zz", "%41", "%2f", "a/b", "..", "%+1", "%FF"] {
            assert_eq!(unescape(name), None, "{name}");
        }
    }
}
