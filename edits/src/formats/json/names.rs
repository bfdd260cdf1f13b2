//! The names of the fields of an edit, and what else models call them.

use patchwright_replies::{Match, NameMatching, join, match_name};
use serde_json::{Map, Value};

use super::Pass;

/// A field with its other names, which are compared by their letters and digits alone.
type Field = (&'static str, &'static [&'static str]);

pub(super) const FILE: &str = "file_path";
pub(super) const INSERTIONS: &str = "insertions";
pub(super) const DELETIONS: &str = "deletions";
pub(super) const MODIFICATIONS: &str = "modifications";
pub(super) const REPLACEMENTS: &str = "replacements";
pub(super) const CONTENT: &str = "content";
pub(super) const DEFINITIONS: &str = "definitions";
pub(super) const DELETE: &str = "delete";
pub(super) const RENAME: &str = "rename_to";
pub(super) const SEARCH: &str = "search";
pub(super) const REPLACE: &str = "replace";
pub(super) const ALL: &str = "all";
pub(super) const NAME: &str = "name";
pub(super) const CODE: &str = "code";
pub(super) const PATCH: &str = "patch";
pub(super) const COMMAND: &str = "command";
pub(super) const INSERT_LINE: &str = "insert_line";
pub(super) const TARGET_LINES: &str = "target_lines";
/// The number of places that a tool expects to replace, which is looked at for itself.
pub(super) const EXPECTED: &str = "expected_replacements";
pub(super) const LINE_NUMBER: &str = "line_number";
pub(super) const NEW_LINES: &str = "new_lines";
pub(super) const MODIFIED_LINE: &str = "modified_line";
pub(super) const WHOLE_LINES: &str = "whole_lines";
pub(super) const LINE: &str = "line";
pub(super) const PLACE: &str = "place";
pub(super) const START: &str = "start_line";
pub(super) const END: &str = "end_line";

/// The three kinds of changes by line numbers.
pub(super) const CHANGES: [&str; 3] = [INSERTIONS, DELETIONS, MODIFICATIONS];

/// The fields of an edit, of calls of an editor and of its parts that models write beside its file.
pub(super) const EDIT: &[Field] = &[
    (FILE, &["path", "file", "filename", "targetfile"]),
    (INSERTIONS, &["insertion", "insert", "inserts", "additions", "addedlines"]),
    (DELETIONS, &["deletion", "deletes", "removals", "remove", "deletedlines"]),
    (MODIFICATIONS, &["modification", "modify", "modifiedlines", "modulations"]),
    (REPLACEMENTS, &["edits", "replaces", "searchreplace", "blocks"]),
    (CONTENT, &["filetext", "newcontent", "filecontent", "contents", "newfilecontent"]),
    (DEFINITIONS, &["functions", "methods"]),
    (DELETE, &["deletefile", "removefile", "deleted"]),
    (RENAME, &["newpath", "moveto", "newfilepath", "newname", "rename"]),
    (SEARCH, SEARCH_NAMES),
    (REPLACE, REPLACE_NAMES),
    (ALL, &["replaceall"]),
    (NAME, &["methodname", "function", "functionname", "method", "classname"]),
    (CODE, &["newcode", "body", "newbody", "newmethod", "newfunction"]),
    (PATCH, &["diff", "unifieddiff", "changes"]),
    (COMMAND, &[]),
    (INSERT_LINE, &[]),
    ("insert_text", &["newtext", "text"]),
    (TARGET_LINES, &["buggylines"]),
    (EXPECTED, &["expectedoccurrences"]),
];
const SEARCH_NAMES: &[&str] =
    &["oldstr", "oldstring", "original", "find", "oldcode", "oldtext", "old", "before", "searchtext"];
const REPLACE_NAMES: &[&str] =
    &["newstr", "newstring", "replacement", "updated", "new", "after", "replacewith", "replacetext"];

pub(super) const INSERTION: &[Field] = &[
    (LINE_NUMBER, &["line", "lineno", "number", "linenum"]),
    (NEW_LINES, &["lines", "newline", "newcode", "content", "text", "code"]),
];
pub(super) const MODIFICATION: &[Field] = &[
    (LINE_NUMBER, NUMBER_NAMES),
    (
        MODIFIED_LINE,
        &[
            "newline",
            "newlines",
            "newcode",
            "linecontent",
            "content",
            "replacement",
            "modifiedlines",
            "newtext",
        ],
    ),
    (START, &["start", "from", "firstline", "linestart"]),
    (END, &["end", "to", "lastline", "lineend"]),
];
/// A deleted line with what else is said about it.
pub(super) const DELETION: &[Field] = &[
    (LINE_NUMBER, NUMBER_NAMES),
    (START, &["start", "from", "firstline", "linestart"]),
    (END, &["end", "to", "lastline", "lineend"]),
];
const NUMBER_NAMES: &[&str] =
    &["line", "lineno", "number", "linenumbers", "linenum", "lines", "linerange", "range"];

pub(super) const REPLACEMENT: &[Field] = &[
    (SEARCH, SEARCH_NAMES),
    (REPLACE, REPLACE_NAMES),
    (ALL, &["replaceall"]),
    (WHOLE_LINES, &[]),
    (LINE, &[]),
];
pub(super) const DEFINITION: &[Field] = &[
    (NAME, &["methodname", "function", "functionname", "method", "classname"]),
    (CODE, &["newcode", "body", "newbody"]),
    (PLACE, &[]),
];

/// The field that a key stands for.
pub(super) fn field(key: &str, fields: &'static [Field]) -> Option<&'static str> {
    exact(key, fields).or_else(|| near(key, fields))
}

/// The field with this name or a known other one.
fn exact(key: &str, fields: &'static [Field]) -> Option<&'static str> {
    if let Some((name, _)) = fields.iter().find(|(name, _)| *name == key) {
        return Some(name);
    }
    let letters: String = letters(key).collect();
    let fits = |(name, others): &&Field| {
        letters == *name || self::letters(name).eq(letters.chars()) || others.contains(&letters.as_str())
    };
    fields.iter().find(fits).map(|(name, _)| *name)
}

/// The field of which this is a typo.
fn near(key: &str, fields: &'static [Field]) -> Option<&'static str> {
    // Short names are too like each other.
    let names: Vec<&'static str> =
        fields.iter().map(|(name, _)| *name).filter(|name| name.len() > 8).collect();
    match match_name(key, &names, &[], &NameMatching::default()) {
        Match::Exact(name) | Match::Near(name) => Some(name),
        Match::Several(_) | Match::None { .. } => None,
    }
}

fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// Is true if a key names a file.
pub(super) fn is_file(key: &str) -> bool {
    if key == FILE || key == "file_name" {
        return true;
    }
    let told = |word: &[u8]| key.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    (told(b"file") || told(b"path")) && field(key, EDIT) == Some(FILE)
}

/// Is true if an object names a file.
pub(super) fn has_file(members: &Map<String, Value>) -> bool {
    members.iter().any(|(key, value)| value.is_string() && is_file(key))
}

/// Is true if a key names a change of a file.
pub(super) fn is_change(key: &str, value: &Value) -> bool {
    match field(key, EDIT) {
        Some(INSERTIONS | DELETIONS | MODIFICATIONS | REPLACEMENTS | DEFINITIONS | DELETE | PATCH) => true,
        Some(CONTENT | RENAME | SEARCH | CODE) => value.is_string() || value.is_array(),
        Some(COMMAND) => value.as_str().is_some_and(|command| EDITOR.contains(&command)),
        Some(_) | None => false,
    }
}

/// The commands of an editor that change a file.
const EDITOR: [&str; 4] = ["str_replace", "create", "insert", "undo_edit"];

/// Fields of calls of an editor, under the names that they have there.
const EDITOR_NAMES: [&str; 8] =
    ["path", "old_str", "new_str", "old_string", "new_string", "replace_all", "file_text", "edits"];

/// An object with its known fields under their own names; others are ignored. Where two stand for the same field, the
/// one with the right name counts.
pub(super) fn renamed(
    members: Map<String, Value>,
    fields: &'static [Field],
    path: &str,
    pass: &mut Pass,
) -> Map<String, Value> {
    let own = |key: &str| fields.iter().any(|(name, _)| *name == key);
    if members.keys().all(|key| own(key)) {
        return members;
    }
    let editor = members.keys().any(|key| matches!(key.as_str(), COMMAND | "old_str" | "old_string"));
    let exact: Vec<String> = members.keys().filter(|key| own(key)).cloned().collect();
    let (mut known, mut more) = (Map::new(), Vec::new());
    for (key, value) in members {
        match field(&key, fields) {
            Some(name) if name == key => {
                known.insert(key, value);
            }
            Some(name) if !exact.iter().any(|exact| exact == name) && !known.contains_key(name) => {
                if !(editor && EDITOR_NAMES.contains(&key.as_str())) {
                    pass.name(path, &key, name);
                }
                known.insert(name.to_owned(), value);
            }
            // Nothing that is to be done may be lost.
            Some(name) if value.as_array().is_some_and(|more| !more.is_empty()) => {
                pass.name(path, &key, name);
                more.push((name, value));
            }
            Some(_) | None => pass.ignored(join(path, &key)),
        }
    }
    for (name, value) in more {
        if let (Some(Value::Array(list)), Value::Array(more)) = (known.get_mut(name), value) {
            list.extend(more);
        }
    }
    known
}
