//! The lines of an answer that name something.

use std::path::Path;

use patchwright_syntax::pattern::{Pattern, pattern};
use patchwright_syntax::{Language, Span};

use super::super::ElementKind;

/// Something that a line names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A file.
    Path(String),
    /// Lines of the current file, as they were given.
    Lines(Span),
    /// A declaration.
    Name {
        /// The kind that it is said to be.
        kind: Option<ElementKind>,
        name: String,
        /// Is true if it must be a name; otherwise it may be a word of prose.
        certain: bool,
    },
}

/// The signs before the first word of a line: bullets, numbers, headings, quotations.
static LEAD: Pattern = pattern!(r"^(?:(?:[-*•+>]|\(?\d+[.)]|#{1,6})\s+)+");

/// A word for a kind, and what it is about.
static LABELLED: Pattern = pattern!(r"^(?i)([a-z]+(?: name| path| numbers?)?)\s*(:|=|\s)\s*(.+)$");

/// A path with lines behind it.
static PLACED: Pattern = pattern!(r"^(\S*?[^\s:#]\.\w+)(?::|#L?|\s+lines?\s+)(\d.*)$");

/// The lines of an answer that name something, each with what it names. Prose and fences name nothing.
pub(super) fn items(answer: &str) -> Vec<(&str, Item)> {
    let mut found = Vec::new();
    for line in answer.lines() {
        let line = line.trim();
        if !line.starts_with("```") && !line.starts_with("~~~") {
            found.extend(items_of(line).into_iter().map(|item| (line, item)));
        }
    }
    found
}

fn items_of(line: &str) -> Vec<Item> {
    let lead = LEAD.find(line).map_or(0, |lead| lead.end());
    let bare = line.get(lead..).unwrap_or_default().replace("**", "");
    let bare = bare.trim().trim_end_matches(['#', ' ']);
    let bare = bare.trim_matches(['`', '"', '\'', ',', '[', ']', ' ']);
    if let Some(groups) = LABELLED.captures(bare) {
        let (_, [label, sign, value]) = groups.extract();
        if let Some(found) = labelled(&label.to_lowercase(), !sign.trim().is_empty(), value) {
            return found;
        }
    }
    if let Some(groups) = PLACED.captures(bare) {
        let (_, [path, lines]) = groups.extract();
        let mut found = vec![Item::Path(path.to_owned())];
        found.extend(spans(lines).into_iter().map(Item::Lines));
        return found;
    }
    if let Some(path) = path_of(bare) {
        return vec![Item::Path(path.to_owned())];
    }
    let digits = bare.strip_prefix('L').unwrap_or(bare);
    let only_numbers = digits.starts_with(|first: char| first.is_ascii_digit())
        && digits.chars().all(|letter| letter.is_ascii_digit() || ",- L".contains(letter));
    if only_numbers && lead == 0 {
        return spans(bare).into_iter().map(Item::Lines).collect();
    }
    let name = without_arguments(bare);
    let plain = !bare.contains(' ') || name.len() < bare.len();
    if plain && is_name(&name) {
        return vec![Item::Name { kind: None, name, certain: false }];
    }
    Vec::new()
}

/// The items that a line with a word for a kind names; `None` if the word is none.
fn labelled(label: &str, marked: bool, value: &str) -> Option<Vec<Item>> {
    let value = value.trim().trim_matches(['`', '*', '"', '\'']).trim();
    let kind = match label {
        "file" | "path" | "file name" | "file path" | "filename" => {
            let path = path_of(value).or_else(|| value.split_whitespace().next().filter(|_| marked))?;
            return Some(items_of_path(path));
        }
        "line" | "lines" | "line number" | "line numbers" | "range" => {
            let spans = spans(value);
            return (!spans.is_empty()).then(|| spans.into_iter().map(Item::Lines).collect());
        }
        "class" | "interface" | "enum" | "record" | "type" | "class name" => ElementKind::Class,
        "method" | "constructor" | "method name" => ElementKind::Method,
        "function" | "func" | "def" | "function name" => ElementKind::Function,
        "variable" | "variables" | "var" | "global" | "globals" | "field" | "fields" | "attribute"
        | "constant" | "property" | "variable name" => ElementKind::Variable,
        _ => return None,
    };
    let value = without_arguments(value);
    let single = !value.contains(char::is_whitespace);
    let mut found = Vec::new();
    // With a sign, what follows is meant to be names; without one it must look like one to be no prose.
    for piece in value.split([',', ';']).filter(|_| marked || single) {
        let words = piece.split_whitespace().filter(|word| !matches!(*word, "and" | "def" | "class"));
        let words = words.map(|word| word.trim_matches(['`', '"', '\'', '*', ':']).to_owned());
        let names = words.take_while(|word| is_name(word));
        let most = if kind == ElementKind::Variable { usize::MAX } else { 1 };
        found.extend(names.take(most).map(|name| Item::Name { kind: Some(kind), name, certain: true }));
    }
    (!found.is_empty()).then_some(found)
}

fn items_of_path(path: &str) -> Vec<Item> {
    let found = items_of(path);
    if found.iter().any(|item| matches!(item, Item::Path(_))) {
        return found;
    }
    vec![Item::Path(path.to_owned())]
}

/// A line that is a path, or begins with one that something is said about.
fn path_of(text: &str) -> Option<&str> {
    let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let path = first.trim_matches(['`', '"', '\'', ',', '*', '(', ')']).trim_end_matches(':');
    let file = path.rsplit('/').next().unwrap_or(path);
    let extension =
        file.rsplit_once('.').map_or("", |(stem, extension)| if stem.is_empty() { "" } else { extension });
    let looks = Language::of_path(Path::new(path)).is_some()
        || (path.contains('/') && !extension.is_empty() && extension.chars().all(char::is_alphanumeric));
    let said = rest.trim_start();
    let alone =
        said.is_empty() || first.ends_with(':') || said.starts_with(['-', '–', '—', '(', '#', ':', '`', '*']);
    (looks && alone).then_some(path)
}

/// Numbers and ranges from the beginning of a text on, up to the first thing that is neither.
fn spans(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((first, behind)) = number(rest) {
        let joined = behind.trim_start();
        let joints = ["-", "–", "—", "to ", "through ", "..", ":"];
        let joint = joints.iter().find_map(|joint| joined.strip_prefix(joint));
        let end = joint.and_then(|rest| number(rest.trim_start_matches('.')));
        let (last, behind) = end.unwrap_or((first, behind));
        found.push(Span { first, last });
        let behind = behind.trim_start();
        let next = [",", "and ", "&", ";"].iter().find_map(|joint| behind.strip_prefix(joint));
        let Some(next) = next else { break };
        rest = next.trim_start().strip_prefix("and ").unwrap_or(next);
    }
    found
}

/// The number at the beginning of a text, and what is behind it.
fn number(text: &str) -> Option<(u32, &str)> {
    let text = text.trim_start();
    let text = ["lines", "line", "L", "l"].iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text);
    let text = text.trim_start();
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let digits = text.get(..end).filter(|digits| !digits.is_empty())?;
    Some((digits.parse().unwrap_or(u32::MAX), text.get(end..).unwrap_or_default()))
}

/// The text without what stands in round brackets.
fn without_arguments(text: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::new();
    for letter in text.chars() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(letter),
            _ => {}
        }
    }
    kept.trim().to_owned()
}

/// Is true if a word may be the name of a declaration, with those around it.
fn is_name(word: &str) -> bool {
    let first = word.starts_with(|first: char| first.is_alphabetic() || "_$<".contains(first));
    first && word.chars().all(|letter| letter.is_alphanumeric() || "_.$#:<>[]".contains(letter))
}
