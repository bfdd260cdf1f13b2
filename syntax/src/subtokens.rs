//! Words as they are joined in identifiers.

/// Splits a word at camel-case humps, underscores, periods and everything else that is neither letter nor digit, in
/// lower case: `parseHTTPHeader_v2.x` gives `parse`, `http`, `header`, `v2`, `x`. Digits stay with what stands before.
pub fn subtokens(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut current = String::new();
    let letters: Vec<char> = word.chars().collect();
    for (index, letter) in letters.iter().copied().enumerate() {
        if !letter.is_alphanumeric() {
            flush(&mut current, &mut found);
            continue;
        }
        let before = index.checked_sub(1).and_then(|index| letters.get(index)).copied();
        let after = letters.get(index + 1).copied();
        let hump = letter.is_uppercase()
            && before.is_some_and(|before| {
                // `fooBar`, `v2Bar`, and the last capital of `HTTPHeader`.
                before.is_lowercase() || before.is_numeric() || after.is_some_and(char::is_lowercase)
            });
        if hump {
            flush(&mut current, &mut found);
        }
        current.extend(letter.to_lowercase());
    }
    flush(&mut current, &mut found);
    found
}

fn flush(current: &mut String, found: &mut Vec<String>) {
    if !current.is_empty() {
        found.push(std::mem::take(current));
    }
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
