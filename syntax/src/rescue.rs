//! Declarations in a file that does not parse, by the look of its lines.
//!
//! A parser that meets damage may swallow the methods behind it or put them into the wrong class. People indent their
//! code, so the lines themselves say where a declaration begins, what it belongs to and where it ends.

use std::collections::BTreeMap;

use crate::assembly::{Declaration, DeclarationKind};
use crate::declaration_lines::{declaration_on, indentation};
use crate::header::Description;
use crate::language::{Language, LanguageEntry};
use crate::outline::Span;
use crate::text::{line_number, one_line, shorten, without_ends};

/// Characters of a line that a pattern is tried on.
const LOOKED_AT: usize = 400;

/// Adds to `found` what the lines declare and the parser missed, and puts what it found in its place by indentation.
/// `opaque` are rows inside of comments and text.
pub(crate) fn rescue(
    language: Language,
    text: &str,
    opaque: &[(usize, usize)],
    found: &mut Vec<Declaration>,
) {
    let lines: Vec<&str> = text.lines().collect();
    let named = found.iter().enumerate().filter(|(_, one)| one.what != DeclarationKind::Field);
    let known: BTreeMap<(u32, String), usize> =
        named.map(|(index, one)| ((one.line, one.name.clone()), index)).collect();
    let mut hidden = vec![false; lines.len()];
    for (first, last) in opaque {
        let end = (last + 1).min(hidden.len());
        hidden.get_mut(*first..end).unwrap_or_default().fill(true);
    }
    for (row, line) in lines.iter().enumerate() {
        let number = line_number(row);
        if hidden.get(row) == Some(&true) || line.len() > LOOKED_AT {
            continue;
        }
        let Some((what, name)) = declaration_on(language, line) else { continue };
        if let Some(one) = known.get(&(number, name.to_owned())).and_then(|index| found.get_mut(*index)) {
            // Of two declarations the parser may have made one: the header of the first, the name of the second.
            if one.damaged && one.what.is_method() != what.is_method() {
                one.what = what;
                one.description.signature = signature(line);
                one.lines.first = number;
                one.supers.clear();
            }
            continue;
        }
        found.push(Declaration {
            what,
            name: name.to_owned(),
            description: Description { signature: signature(line), ..Description::default() },
            lines: Span { first: number, last: number },
            line: number,
            first_on_line: true,
            damaged: true,
            supers: Vec::new(),
            owner: None,
        });
    }
    place(language.entry(), &lines, found);
}

/// Is true if a line of the text looks like the declaration of a class of this name; far cheaper than parsing.
pub fn may_declare_class(language: Language, text: &str, name: &str) -> bool {
    if !text.contains(name) {
        return false;
    }
    text.lines().filter(|line| line.contains(name)).any(|line| {
        let found = declaration_on(language, line);
        found.is_some_and(|(what, found)| matches!(what, DeclarationKind::Class(_)) && found == name)
    })
}

fn signature(line: &str) -> String {
    shorten(&without_ends(&one_line(line)), LOOKED_AT)
}

/// Sorts the declarations by line, and lets indentation decide about ends and owners wherever damage reaches.
fn place(entry: &LanguageEntry, lines: &[&str], found: &mut Vec<Declaration>) {
    let line_of = |number: u32| {
        let row = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        row.and_then(|row| lines.get(row)).copied().unwrap_or_default()
    };
    // Where declarations begin, by their indentation.
    let mut starts: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for one in found.iter() {
        starts.entry(indentation(line_of(one.line))).or_default().push(one.lines.first);
    }
    for starts in starts.values_mut() {
        starts.sort_unstable();
    }
    for one in found.iter_mut() {
        if one.damaged && one.first_on_line && one.what != DeclarationKind::Field {
            let own = indentation(line_of(one.line));
            let by_lines = last_line(entry, lines, one.line, own);
            // What the parser says holds as long as it does not run into a neighbour.
            let behind = starts
                .range(..=own)
                .filter_map(|(_, starts)| starts.get(starts.partition_point(|first| *first <= one.line)));
            let neighbour = behind.min().map_or(u32::MAX, |first| first - 1);
            let mut by_tree = one.lines.last.min(neighbour);
            while by_tree > one.line && line_of(by_tree).trim().is_empty() {
                by_tree -= 1;
            }
            one.lines.last = by_lines.max(by_tree).max(one.line);
        }
    }
    let mut sorted: Vec<(usize, Declaration)> = std::mem::take(found).into_iter().enumerate().collect();
    sorted.sort_by_key(|(_, one)| one.line);
    let moved: BTreeMap<usize, usize> =
        sorted.iter().enumerate().map(|(new, (old, _))| (*old, new)).collect();
    let mut sorted: Vec<Declaration> = sorted.into_iter().map(|(_, one)| one).collect();
    for one in &mut sorted {
        one.owner = one.owner.and_then(|owner| moved.get(&owner).copied());
    }
    // Those around the current line, with their indentation.
    let mut around: Vec<(usize, usize)> = Vec::new();
    for index in 0..sorted.len() {
        let Some(one) = sorted.get(index) else { continue };
        let own = indentation(line_of(one.line));
        // Lines only grow, so what has ended stays ended.
        around.retain(|(before, _)| sorted.get(*before).is_some_and(|before| before.lines.last >= one.line));
        let by_lines = around.iter().rev().find(|(before, indentation)| {
            *indentation < own && sorted.get(*before).is_some_and(|before| before.lines.contains(one.line))
        });
        let by_lines = by_lines.map(|(before, _)| *before);
        if one.what != DeclarationKind::Field && one.first_on_line {
            around.push((index, own));
        }
        let from_tree = one.owner.filter(|owner| *owner < index);
        let keeps = from_tree
            .and_then(|owner| sorted.get(owner))
            .is_some_and(|owner| !owner.damaged || !one.first_on_line || owner.line == one.line);
        let owner = if keeps { from_tree } else { by_lines };
        if let Some(one) = sorted.get_mut(index) {
            one.owner = owner;
        }
    }
    // What the parser took for a local variable of a swallowed method is no field of the class.
    *found = sorted;
}

/// The last line of a block that opens at this line: the one before the next line that is indented as little.
fn last_line(entry: &LanguageEntry, lines: &[&str], opens: u32, own: usize) -> u32 {
    let mut last = opens;
    for (row, line) in lines.iter().enumerate().skip(usize::try_from(opens).unwrap_or(usize::MAX)) {
        let number = line_number(row);
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        let closes = entry.closing_line.is_some_and(|closing| trimmed.starts_with(closing));
        let continues = trimmed.starts_with([')', '{', ']']);
        if indentation(line) <= own {
            if closes && indentation(line) == own {
                return number;
            }
            if !continues {
                return last;
            }
        }
        last = number;
    }
    last
}
