//! Names that are nearly right: of tools, of arguments, of the fields of an edit.

use std::collections::BTreeSet;

use strsim::{normalized_damerau_levenshtein, normalized_levenshtein};

/// The way in which names are mapped to the names that exist.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NameMatching {
    /// Is true if names are compared by their letters and words, and known other names are understood. Otherwise only the
    /// paper's two steps are taken.
    pub by_words: bool,
    /// The edit distance, as a part of the longer name, below which a unique nearest name is taken.
    pub threshold: f64,
}

impl Default for NameMatching {
    /// By words, and a distance below 0.15.
    ///
    /// Measured on the table of names in the tests: typos (a letter too many, too few, wrong or swapped) lie
    /// at 0.125 or less from the tool that was meant; names that mean something else begin at 0.167 (`extract_text`,
    /// `discuss_hypothesis`), then 0.22 (`write_file`, `read_page`). Farther names that do mean a tool (`read_lines`,
    /// `extract_test_code`) cannot be reached by distance without taking wrong ones along; they are known by name.
    fn default() -> Self {
        Self { by_words: true, threshold: 0.15 }
    }
}

impl NameMatching {
    /// As the paper describes it: contained either way, or a normalised distance below 0.1.
    pub fn paper() -> Self {
        Self { by_words: false, threshold: 0.1 }
    }
}

/// Namespaces that models put before the name of a tool.
const NAMESPACES: &[&str] = &["functions", "function", "tools", "tool", "default_api", "assistant"];

/// The name of a tool without what models write around it: the channel behind it (`read_range<|channel|>commentary`), a
/// namespace before it (`functions.read_range`), the number of the call (`functions.read_range:0`).
pub fn bare_name(asked: &str) -> &str {
    let mut name = asked.split("<|").next().unwrap_or_default().trim();
    if let Some((before, number)) = name.rsplit_once(':')
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        name = before;
    }
    while let Some((namespace, rest)) = name.split_once(['.', ':', '/'])
        && NAMESPACES.contains(&namespace)
    {
        name = rest;
    }
    if name.is_empty() { asked } else { name }
}

/// The name or names that a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Match<'n> {
    /// The name exists.
    Exact(&'n str),
    /// One name is nearest.
    Near(&'n str),
    /// Several names are equally near.
    Several(Vec<&'n str>),
    /// No name is near enough.
    None {
        /// The names that are least far away.
        nearest: Vec<&'n str>,
    },
}

impl<'n> Match<'n> {
    /// The match of names that are equally near.
    fn of(names: Vec<&'n str>) -> Self {
        if let [one] = names.as_slice() { Self::Near(one) } else { Self::Several(names) }
    }
}

/// Other names of arguments.
pub const ARGUMENT_NAMES: &[&[&str]] = &[
    &["file_path", "path", "file", "file_name", "filepath", "filename"],
    &["start_line", "start", "first", "first_line", "from", "from_line", "begin", "begin_line", "line_start"],
    &["end_line", "end", "last", "last_line", "to", "to_line", "stop", "line_end"],
    &["method_name", "method", "function", "function_name"],
    &["key_words", "keywords", "words", "query", "terms", "search_terms", "search_query"],
    &["code_snippet", "snippet", "code"],
    &["command", "cmd", "shell_command", "command_line"],
    &["reason", "why", "explanation", "reason_for_discarding", "reason_for_going_back"],
    &["hypothesis", "description", "text"],
    &["tests", "test", "test_names", "test_ids"],
    &["edits", "changes_dicts", "changes", "fixes", "fix", "edit", "patch", "patches", "diff", "mutations"],
    // The fields of an edit.
    &["insertions", "insert", "inserts", "additions", "added_lines"],
    &["deletions", "delete", "deletes", "removals", "remove", "deleted_lines"],
    &["modifications", "modify", "modified_lines", "replacements"],
    &["line_number", "line", "line_no", "lineno", "number"],
    &["new_lines", "lines", "new_line", "new_code", "content"],
    &["modified_line", "new_line", "new_code", "line_content", "content", "replacement"],
];

/// Bytes of a name that is compared with others: a longer one stands for none.
const LONGEST_NAME: usize = 1_000;

/// Is true if a key of an object names a file, as that of an edit does.
pub fn is_file_key(key: &str) -> bool {
    // Most keys are seen at once to be one or none.
    match key.as_bytes() {
        b"file_name" | b"file_path" => return true,
        [first, ..] if first.is_ascii_alphanumeric() && !b"fFpP".contains(first) => return false,
        _ => {}
    }
    let begins = key.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(['f', 'F', 'p', 'P']);
    // A text with signs of structure in it is none: a quote is missing, and it is what stands between two texts.
    let structure = |c: char| matches!(c, '{' | '}' | '[' | ']' | ',' | ':' | '"');
    begins && !key.contains(structure) && among(key, ARGUMENT_NAMES[0])
}

/// Is true if the value of a key of an object is lines of code, as in a change.
pub fn is_lines_key(key: &str) -> bool {
    matches!(key, "new_lines" | "modified_line")
        || ARGUMENT_NAMES
            .iter()
            .filter(|group| matches!(group[0], "new_lines" | "modified_line"))
            .any(|group| among(key, group))
}

/// The names that `asked` stands for among `names`. `others` lists groups of names that mean the same.
///
/// The first step that finds anything decides; when it finds more than one name, that is the answer. By words the
/// steps are: the same name; the same letters (`ReadRange`); another known name; the same words in another order or
/// number; the beginning of a name or a name with something around it, half of the letters at least; a small edit
/// distance.
pub fn match_name<'n>(
    asked: &str,
    names: &[&'n str],
    others: &[&[&str]],
    matching: &NameMatching,
) -> Match<'n> {
    if let Some(name) = names.iter().find(|name| **name == asked) {
        return Match::Exact(name);
    }
    if asked.len() > LONGEST_NAME {
        return Match::None { nearest: Vec::new() };
    }
    let those = |fits: &dyn Fn(&str) -> bool| -> Vec<&'n str> {
        names.iter().copied().filter(|name| fits(name)).collect()
    };
    let steps: &[&dyn Fn() -> Vec<&'n str>] = if matching.by_words {
        &[
            &|| those(&|name| same_letters(asked, name)),
            &|| those(&|name| others.iter().any(|group| among(asked, group) && among(name, group))),
            &|| those(&|name| words(asked) == words(name)),
            &|| {
                // A part counts when it is half of a name; but then all names that have it count.
                let inside = those(&|name| stands_in(asked, name));
                if inside.iter().any(|name| is_half(asked, name)) { inside } else { Vec::new() }
            },
            &|| those(&|name| stands_in(name, asked) && is_half(name, asked)),
        ]
    } else {
        &[&|| those(&|name| !asked.is_empty() && (name.contains(asked) || asked.contains(name)))]
    };
    if let Some(found) = steps.iter().map(|step| step()).find(|found| !found.is_empty()) {
        return Match::of(found);
    }
    let distance = |name: &str| {
        1.0 - if matching.by_words {
            normalized_damerau_levenshtein(&letters(asked), &letters(name))
        } else {
            normalized_levenshtein(asked, name)
        }
    };
    let mut by_distance: Vec<(f64, &str)> = names.iter().map(|name| (distance(name), *name)).collect();
    by_distance.sort_by(|a, b| a.0.total_cmp(&b.0));
    let best = by_distance.first().map_or(1.0, |(distance, _)| *distance);
    let within = |fits: &dyn Fn(f64) -> bool| -> Vec<&'n str> {
        by_distance.iter().filter(|(distance, _)| fits(*distance)).map(|(_, name)| *name).collect()
    };
    if best < matching.threshold {
        return Match::of(within(&|distance| (distance - best).abs() < 1e-9));
    }
    let mut nearest = within(&|distance| distance < 0.5);
    nearest.truncate(3);
    Match::None { nearest }
}

/// Letters and digits alone, in lowercase.
fn letters(name: &str) -> String {
    letters_of(name).collect()
}

/// Is true if two names have the same letters and digits.
fn same_letters(one: &str, other: &str) -> bool {
    letters_of(one).eq(letters_of(other))
}

fn letters_of(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

fn among(name: &str, group: &[&str]) -> bool {
    group.iter().any(|other| same_letters(other, name))
}

/// The words of a name, without order and number.
fn words(name: &str) -> BTreeSet<String> {
    parts(name).into_iter().map(|word| word.strip_suffix('s').map_or(word.clone(), str::to_owned)).collect()
}

/// The words of a name in their order: split at signs and at capitals after small letters.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut small = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || (small && character.is_uppercase()) {
            parts.push(String::new());
        }
        small = character.is_lowercase();
        if let Some(last) = parts.last_mut() {
            last.extend(character.to_lowercase().filter(|c| c.is_alphanumeric()));
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Is true if `short` stands in `long`, from the start of a word on.
fn stands_in(short: &str, long: &str) -> bool {
    let (short, parts) = (letters(short), parts(long));
    short.len() >= 3 && (0..parts.len()).any(|first| parts[first..].concat().starts_with(&short))
}

/// Is true if `short` has at least half of the letters of `long`.
fn is_half(short: &str, long: &str) -> bool {
    letters(short).len() * 2 >= letters(long).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_has_no_namespace_channel_or_number() {
        for (asked, expect) in [
            ("read_range", "read_range"),
            ("functions.read_range", "read_range"),
            ("tools/functions.read_range", "read_range"),
            ("read_range<|channel|>commentary", "read_range"),
            ("functions.read_range:12 <|constrain|>json", "read_range"),
            ("default_api:read_range", "read_range"),
            ("glazes.read_range", "glazes.read_range"),
            ("read_range:", "read_range:"),
            ("functions.", "functions."),
            ("<|channel|>", "<|channel|>"),
            ("", ""),
        ] {
            assert_eq!(bare_name(asked), expect, "{asked}");
        }
    }
}
