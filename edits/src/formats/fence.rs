//! Fences of Markdown.

/// A line that opens or closes a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fence<'t> {
    indentation: usize,
    sign: u8,
    length: usize,
    /// The text behind the signs.
    pub info: &'t str,
}

impl<'t> Fence<'t> {
    pub fn of(line: &'t str) -> Option<Self> {
        let indentation = indentation(line).len();
        let rest = &line[indentation..];
        let sign = *rest.as_bytes().first().filter(|sign| matches!(sign, b'`' | b'~'))?;
        let length = rest.bytes().take_while(|byte| *byte == sign).count();
        let info = rest[length..].trim();
        let is_fence = length >= 3 && !(sign == b'`' && info.contains('`'));
        is_fence.then_some(Self { indentation, sign, length, info })
    }

    /// Is true if this line closes the fence that `open` opened.
    pub fn closes(&self, open: &Fence) -> bool {
        self.info.is_empty()
            && self.sign == open.sign
            && self.length >= open.length
            && self.indentation <= open.indentation
    }
}

/// The blanks before the text of a line.
pub(super) fn indentation(text: &str) -> &str {
    &text[..text.len() - text.trim_start_matches([' ', '\t']).len()]
}
