//! Calls in source code.

use std::cmp::Reverse;

use serde::Serialize;
use tree_sitter::{Node, Tree};

use crate::header::Headers;
use crate::language::{CallRule, Language};
use crate::recent::tree_of;
use crate::source::Source;
use crate::text::{line_number, one_line, shorten};
use crate::tree::visit;

/// Characters kept of a call's text.
const TEXT: usize = 200;

/// Frames tried around one line of a snippet, at most; a long broken snippet is not worth more.
const LINES_TRIED: usize = 200;

/// A call of a method, function or constructor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Call {
    /// The line with the name of what is called, counted from 1.
    pub line: u32,
    /// The receiver, as written in one line; `None` for a plain call.
    pub receiver: Option<String>,
    /// The name of what is called; for a constructor the class.
    pub callee: String,
    /// The number of arguments.
    pub arguments: usize,
    /// The call as written, in one line, cut when long.
    pub text: String,
}

/// The calls in a file, in the order of the text, nested ones too.
pub fn calls_in(language: Language, source: &Source) -> Vec<Call> {
    let text = source.text();
    tree_of(language, text).map_or_else(Vec::new, |tree| calls_of(language, &tree, text))
}

/// The calls in a piece of code that need not be complete: statements, a single line, half a statement.
///
/// The piece is parsed as it is, and if that leaves damage, inside of each of the language's frames, then the same with
/// its open brackets closed; the reading with the most calls and, of those, the least damage counts. If there is none
/// at all, each line is tried alone.
pub fn calls_in_snippet(language: Language, snippet: &str) -> Vec<Call> {
    let snippet = dedent(snippet);
    let (calls, damage) = best_reading(language, &snippet);
    if !calls.is_empty() || damage == 0 {
        return calls;
    }
    let mut found = Vec::new();
    for (row, line) in snippet.lines().enumerate().take(LINES_TRIED) {
        let (calls, _) = best_reading(language, line.trim());
        let offset = u32::try_from(row).unwrap_or(u32::MAX);
        found.extend(calls.into_iter().map(|call| Call { line: call.line.saturating_add(offset), ..call }));
    }
    found
}

/// The calls of the best reading and how much of it is damaged.
fn best_reading(language: Language, snippet: &str) -> (Vec<Call>, usize) {
    let mut best = (Vec::new(), usize::MAX);
    for text in [Some(snippet.to_owned()), closed(snippet)].into_iter().flatten() {
        for (before, after) in language.entry().frames() {
            if let Some(next) = read_framed(language, before, &text, after)
                && (next.0.len(), Reverse(next.1)) > (best.0.len(), Reverse(best.1))
            {
                best = next;
            }
            if best.1 == 0 {
                return best;
            }
        }
    }
    best
}

/// The calls of a snippet in a frame, with lines counted within the snippet, and the damage.
fn read_framed(language: Language, before: &str, snippet: &str, after: &str) -> Option<(Vec<Call>, usize)> {
    let text = format!("{before}{snippet}{after}");
    let above = u32::try_from(before.matches('\n').count()).unwrap_or(u32::MAX);
    let tree = language.parse(&text)?;
    let mut calls = calls_of(language, &tree, &text);
    for call in &mut calls {
        call.line = call.line.saturating_sub(above);
    }
    Some((calls, damage(&tree)))
}

/// The snippet with its open brackets closed; `None` if none is open.
fn closed(snippet: &str) -> Option<String> {
    let mut open: Vec<char> = Vec::new();
    let mut quote: Option<char> = None;
    let mut escaped = false;
    for letter in snippet.chars() {
        match (quote, letter) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(mark), _) if letter == mark || letter == '\n' => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '(') => open.push(')'),
            (None, '[') => open.push(']'),
            (None, '{') => open.push('}'),
            (None, ')' | ']' | '}') if open.last() == Some(&letter) => {
                open.pop();
            }
            (Some(_) | None, _) => {}
        }
    }
    if open.is_empty() {
        return None;
    }
    let mut text = snippet.trim_end().trim_end_matches(',').to_owned();
    // An operator at the end waits for something, whatever it is.
    if text.ends_with(['+', '-', '*', '/', '%', '&', '|', '^', '?', ':', '=', '<', '>', '!', '.'])
        && !open.contains(&'}')
    {
        text.push_str(" x");
    }
    text.extend(open.iter().rev());
    text.push('\n');
    Some(text)
}

/// The number of damaged bytes of a tree, plus one for each thing that is missing.
fn damage(tree: &Tree) -> usize {
    let mut sum = 0;
    visit(tree.root_node(), |node| {
        let counted = node.is_error() || node.is_missing();
        if counted {
            sum += node.byte_range().len() + 1;
        }
        !counted && node.has_error()
    });
    sum
}

/// Takes off the indentation that all lines share, so that a block reads as if it stood at the outer level.
fn dedent(snippet: &str) -> String {
    let lines = || snippet.lines().filter(|line| !line.trim().is_empty());
    let margin = lines().map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    // Models often give the first line without the indentation that the others have.
    let first = lines().next().unwrap_or_default();
    let rest = lines().skip(1).map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let flush_first = margin == 0 && rest > 0 && !opens_block(first);
    let cut = |line: &str| {
        line.get(if flush_first { rest } else { margin }..).unwrap_or(line.trim_start()).to_owned()
    };
    let whole = |line: &str| if flush_first && line == first { line.to_owned() } else { cut(line) };
    let mut text = snippet.lines().map(whole).collect::<Vec<_>>().join("\n");
    text.push('\n');
    text
}

/// Is true if the lines below a line may be indented because of it.
fn opens_block(line: &str) -> bool {
    line.trim_end().ends_with([':', '{', '(', '[', ',', '\\'])
}

fn calls_of(language: Language, tree: &Tree, text: &str) -> Vec<Call> {
    let headers = Headers::new(language, text);
    let mut found = Vec::new();
    visit(tree.root_node(), |node| {
        found.extend(headers.kinds.call(node).and_then(|rule| call_of(headers, node, rule)));
        true
    });
    // An outer call is visited first, but of `a().b()` the inner one stands first.
    found.sort_by_key(|(start, _)| *start);
    found.into_iter().map(|(_, call)| call).collect()
}

/// A node as a call, with the byte at which its name stands. `None` if what is called has no name, as in `f()()`.
fn call_of(headers: Headers, node: Node, rule: &CallRule) -> Option<(usize, Call)> {
    let callee = node.child_by_field_name(rule.callee)?;
    let mut name = callee;
    let mut receiver = rule.receiver.and_then(|field| node.child_by_field_name(field));
    if let Some(member) = headers.entry.member.as_ref().filter(|member| member.node == callee.kind()) {
        name = callee.child_by_field_name(member.name)?;
        receiver = callee.child_by_field_name(member.object);
    }
    // A constructor's class may be written with its package and with type arguments.
    let written = one_line(headers.slice(name));
    let plain = written.split('<').next().unwrap_or_default().trim_end();
    let (outer, plain) = plain.rsplit_once('.').map_or((None, plain), |(outer, plain)| (Some(outer), plain));
    let is_name = plain.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$');
    if plain.is_empty() || !is_name || headers.entry.keywords.contains(&plain) {
        return None;
    }
    let receiver = receiver.map(|node| shorten(&one_line(headers.slice(node)), TEXT));
    let call = Call {
        line: line_number(name.start_position().row),
        receiver: receiver.or_else(|| outer.map(str::to_owned)),
        callee: plain.to_owned(),
        arguments: node.child_by_field_name(rule.arguments).map_or(0, |list| count(rule, list)),
        text: shorten(&one_line(headers.slice(node)), TEXT),
    };
    Some((name.start_byte(), call))
}

fn count(rule: &CallRule, list: Node) -> usize {
    if rule.sole_argument == Some(list.kind()) {
        return 1;
    }
    let mut cursor = list.walk();
    list.named_children(&mut cursor).filter(|child| !child.is_extra()).count()
}
