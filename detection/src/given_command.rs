//! A command of the user's, taken apart as far as it is one program with its arguments.

use patchwright_syntax::pattern::{Pattern, pattern};

use crate::shell::QUOTES;

static CD: Pattern = pattern!(r"^cd\s+([\w./+-]+)\s*&&\s*");
static ASSIGNED: Pattern = pattern!(r"^([A-Za-z_]\w*)=");

/// Why a command is not taken apart.
pub(crate) const SEVERAL: &str = "it is more than one program with its arguments";

/// One program with its arguments, the variables that are set for it and the folder in which it is called.
pub(crate) struct GivenCommand<'c> {
    /// The folder as it is written; `.` where none is changed into.
    pub(crate) folder: &'c str,
    /// The variables, each with its name and as the whole word that sets it.
    pub(crate) assigned: Vec<(&'c str, &'c str)>,
    /// The program and its arguments, as words of a shell.
    pub(crate) words: Vec<&'c str>,
}

impl<'c> GivenCommand<'c> {
    /// Takes a line apart; `None` where it is more than that.
    pub(crate) fn parse(line: &'c str) -> Option<Self> {
        let (mut rest, mut folder) = (line.trim(), ".");
        if let Some(found) = CD.captures(rest) {
            folder = found.get(1)?.as_str();
            rest = &rest[found.get(0)?.end()..];
        }
        let mut words = words(rest)?;
        let set = words.iter().take_while(|word| ASSIGNED.is_match(word)).count();
        let set = words.drain(..set).map(|word| (word.split('=').next().unwrap_or_default(), word));
        let assigned = set.collect();
        (!words.is_empty()).then_some(Self { folder, assigned, words })
    }

    /// The program without its folder.
    pub(crate) fn program(&self) -> &'c str {
        self.words[0].trim_matches(QUOTES).rsplit('/').next().unwrap_or_default()
    }

    /// The text that sets its variables, to whose values `more` adds something by their names.
    pub(crate) fn exports(&self, more: impl Fn(&str) -> &'static str) -> String {
        let export = |(name, word): &(&str, &str)| format!("export {word}{} && ", more(name));
        self.assigned.iter().map(export).collect::<Vec<_>>().concat()
    }

    /// The folder in which the program is called, relative to the project; `None` where that is none of its folders.
    pub(crate) fn place(&self) -> Option<String> {
        joined(".", self.folder)
    }
}

/// The beginning of a command that is to run in a folder.
pub(crate) fn enter(folder: &str) -> String {
    if folder == "." { String::new() } else { format!("cd {folder} && ") }
}

/// A path in a folder, from the project on; `None` where it leads out of it.
pub(crate) fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    if path.starts_with('/') {
        return None;
    }
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

/// The words of a command as they are written; `None` where it is more than one program with its arguments.
fn words(line: &str) -> Option<Vec<&str>> {
    let mut words = Vec::new();
    let mut start = None;
    let mut quote = None;
    for (index, character) in line.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some('\''), _) => {}
            (_, '`' | '\\') => return None,
            (_, '(') if line[..index].ends_with('$') => return None,
            (Some(_), _) => {}
            (None, '|' | '&' | ';' | '<' | '>' | '(' | ')' | '\n') => return None,
            (None, ' ' | '\t') => words.extend(start.take().map(|start| &line[start..index])),
            (None, _) => {
                start.get_or_insert(index);
                quote = Some(character).filter(|character| QUOTES.contains(character));
            }
        }
    }
    words.extend(start.map(|start| &line[start..]));
    quote.is_none().then_some(words)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_taken_apart() {
        let check = |line: &str, expect: Option<(&str, &str, &[&str])>| {
            let found = GivenCommand::parse(line);
            let found =
                found.as_ref().map(|found| (found.place(), found.exports(|_| ""), found.words.clone()));
            let expect = expect
                .map(|(place, exports, words)| (Some(place.to_owned()), exports.to_owned(), words.to_vec()));
            assert_eq!(found, expect, "{line}");
        };
        check("mvn -q test", Some((".", "", &["mvn", "-q", "test"])));
        check("cd ./a/b/ && npm test", Some(("a/b", "", &["npm", "test"])));
        check(
            "A='b c' B=d node --test 'x y'",
            Some((".", "export A='b c' && export B=d && ", &["node", "--test", "'x y'"])),
        );
        for line in ["make; true", "cd x; make", "make | tee log", "make $(cat names)", "A=b", "a 'b"] {
            check(line, None);
        }
        for line in ["cd /x && make", "cd ../x && make"] {
            assert_eq!(GivenCommand::parse(line).unwrap().place(), None, "{line}");
        }
    }
}
