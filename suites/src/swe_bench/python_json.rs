//! JSON as the official program writes it: indented by four blanks, with all that is not ASCII escaped.

use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

/// The value as text, without a newline at the end.
pub(super) fn text(value: &Value) -> String {
    let mut bytes = Vec::new();
    let formatter = Ascii(PrettyFormatter::with_indent(b"    "));
    // Values have text keys only and memory takes all bytes, so nothing can fail here.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, formatter));
    String::from_utf8(bytes).unwrap_or_default()
}

struct Ascii(PrettyFormatter<'static>);

impl Formatter for Ascii {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        for character in fragment.chars() {
            if (' '..='~').contains(&character) {
                writer.write_all(&[character as u8])?;
            } else {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            }
        }
        Ok(())
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_what_pythons_json_writes() {
        let check = |value: Value, expect: &str| assert_eq!(text(&value), expect);
        check(
            serde_json::json!({"a": [], "b": {}, "c": [1, true, null]}),
            "{\n    \"a\": [],\n    \"b\": {},\n    \"c\": [\n        1,\n        true,\n        null\n    ]\n}",
        );
        check(serde_json::json!("é\u{7f}\u{1b}\n\"\\/😀"), r#""\u00e9\u007f\u001b\n\"\\/\ud83d\ude00""#);
    }
}
