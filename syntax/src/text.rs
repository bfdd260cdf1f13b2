//! Small things done to text.

/// Text in one line: every run of white space is one blank, none stands just inside round brackets.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let tight = line.is_empty() || line.ends_with('(') || word.starts_with([')', ',', ';']);
        if !tight {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// The number of a row that is counted from 0.
pub fn line_number(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}

/// At most `most` characters, with `…` for the rest.
pub fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}

/// Without what stands between a declaration and its body.
pub(crate) fn without_ends(text: &str) -> String {
    text.trim().trim_end_matches([':', '{', ';', ' ']).to_owned()
}

/// An estimate of the tokens of so many bytes of source code: one for every 3.3, on the safe side of what services count.
pub fn tokens_of_bytes(bytes: usize) -> usize {
    bytes.saturating_mul(10).div_ceil(33)
}
