//! Words as they are joined in identifiers.

/// Splits a word at camel-case humps, underscores, periods and everything else that is neither letter nor digit, in
/// lower case: `parseHTTPHeader_v2.x` gives `parse`, `http`, `header`, `v2`, `x`. Digits stay with what stands before.
pub fn subtokens(word: &str) -> Vec<String> {
    words(word).map(|word| word.chars().flat_map(char::to_lowercase).collect()).collect()
}

/// The same words as they are written, without anything being allocated.
pub fn words(word: &str) -> impl Iterator<Item = &str> {
    word.split(|letter: char| !letter.is_alphanumeric()).flat_map(|part| {
        let mut rest = part;
        std::iter::from_fn(move || {
            let (word, behind) = rest.split_at(hump(rest).unwrap_or(rest.len()));
            rest = behind;
            (!word.is_empty()).then_some(word)
        })
    })
}

/// The byte at which the second word of letters and digits begins: `fooBar`, `v2Bar`, and the last capital of `HTTPHeader`.
fn hump(letters: &str) -> Option<usize> {
    let mut around = letters
        .chars()
        .zip(letters.char_indices().skip(1))
        .zip(letters.chars().skip(2).map(Some).chain([None]));
    let found = around.find(|((before, (_, letter)), after)| {
        letter.is_uppercase()
            && (before.is_lowercase() || before.is_numeric() || after.is_some_and(char::is_lowercase))
    });
    found.map(|((_, (at, _)), _)| at)
}

#[cfg(test)]
mod tests {
    use super::subtokens;

    #[test]
    fn words_are_split_where_a_reader_splits_them() {
        let check = |word: &str, expect: &[&str]| assert_eq!(subtokens(word), expect, "{word}");
        check("", &[]);
        check("_", &[]);
        check("name", &["name"]);
        check("getFullName", &["get", "full", "name"]);
        check("get_full_name", &["get", "full", "name"]);
        check("__init__", &["init"]);
        check("MAX_VALUE", &["max", "value"]);
        check("parseHTTPHeader", &["parse", "http", "header"]);
        check("HTTP", &["http"]);
        check("aB", &["a", "b"]);
        check("XMLHttpRequest2", &["xml", "http", "request2"]);
        check("utf8Decoder", &["utf8", "decoder"]);
        check("UTF8Decoder", &["utf8", "decoder"]);
        check("v2_old", &["v2", "old"]);
        check("org.apache.commons.StringUtils", &["org", "apache", "commons", "string", "utils"]);
        check("toString()", &["to", "string"]);
        check("größeMax", &["größe", "max"]);
        check("Ägypten", &["ägypten"]);
    }
}
