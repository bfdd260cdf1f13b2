//! The ways in which models break JSON, done to a good text.

use serde_json::Value;

use super::generate::Dice;

/// A token of a JSON text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Opener,
    Closer,
    Comma,
    Colon,
    Key,
    Text,
    Word,
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// The tokens of a good JSON text.
pub fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let kind = match bytes[at] {
            b'{' | b'[' => Kind::Opener,
            b'}' | b']' => Kind::Closer,
            b',' => Kind::Comma,
            b':' => Kind::Colon,
            b'"' => {
                at += 1;
                while bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                Kind::Text
            }
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            _ => {
                while !b",]} \n".contains(&bytes[at + 1]) {
                    at += 1;
                }
                Kind::Word
            }
        };
        at += 1;
        if kind == Kind::Colon
            && let Some(last) = tokens.last_mut()
        {
            last.kind = Kind::Key;
        }
        tokens.push(Token { kind, start, end: at });
    }
    tokens
}

/// A way to break a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Harm {
    MissingComma,
    MissingCloser,
    MissingClosers,
    UnclosedObjects,
    MissingOpener,
    ExtraCloser,
    WrongCloser,
    TrailingComma,
    ExtraComma,
    InnerQuotes,
    OneInnerQuote,
    MissingQuote,
    MissingColon,
    PythonRepr,
    RawNewline,
    InvalidEscape,
    UnquotedKeys,
    TypographicQuotes,
    Comment,
    Placeholder,
    MissingBetween,
    Cut,
    Glue,
    GlueBetweenTokens,
    GlueOne,
    Repetition,
    BareLines,
    JoinedLines,
    RepeatedKey,
    RepeatedList,
    OpenBeforeFence,
    OpenBeforeProse,
    CutBeforeFence,
    PythonEscapes,
}

pub const ALL: [Harm; 34] = [
    Harm::MissingComma,
    Harm::MissingCloser,
    Harm::MissingClosers,
    Harm::UnclosedObjects,
    Harm::MissingOpener,
    Harm::ExtraCloser,
    Harm::WrongCloser,
    Harm::TrailingComma,
    Harm::ExtraComma,
    Harm::InnerQuotes,
    Harm::OneInnerQuote,
    Harm::MissingQuote,
    Harm::MissingColon,
    Harm::PythonRepr,
    Harm::RawNewline,
    Harm::InvalidEscape,
    Harm::UnquotedKeys,
    Harm::TypographicQuotes,
    Harm::Comment,
    Harm::Placeholder,
    Harm::MissingBetween,
    Harm::Cut,
    Harm::Glue,
    Harm::GlueBetweenTokens,
    Harm::GlueOne,
    Harm::Repetition,
    Harm::BareLines,
    Harm::JoinedLines,
    Harm::RepeatedKey,
    Harm::RepeatedList,
    Harm::OpenBeforeFence,
    Harm::OpenBeforeProse,
    Harm::CutBeforeFence,
    Harm::PythonEscapes,
];

/// The text of `value`, broken; `next` is what is glued on where something is. None where there is nothing to break.
pub fn harmed(harm: Harm, value: &Value, text: &str, next: &str, dice: &mut Dice) -> Option<String> {
    let all = tokens(text);
    let some = |kind: Kind, dice: &mut Dice| -> Option<Token> {
        let these: Vec<&Token> = all.iter().filter(|token| token.kind == kind).collect();
        (!these.is_empty()).then(|| *dice.one(&these))
    };
    let replaced = |start: usize, end: usize, with: &str| format!("{}{with}{}", &text[..start], &text[end..]);
    let without = |token: Token| replaced(token.start, token.end, "");
    Some(match harm {
        Harm::MissingComma => without(some(Kind::Comma, dice)?),
        Harm::MissingCloser => without(some(Kind::Closer, dice)?),
        Harm::MissingClosers => {
            // Those of a change and its list, before the next key of their entry.
            let ends = |n: &usize| {
                let [change, list, comma, key] = &all[*n..*n + 4] else { return false };
                &text[change.start..change.end] == "}"
                    && list.kind == Kind::Closer
                    && comma.kind == Kind::Comma
                    && key.kind == Kind::Key
            };
            let ends: Vec<usize> = (0..all.len() - 3).filter(ends).collect();
            if ends.is_empty() {
                return None;
            }
            let n = dice.one(&ends);
            replaced(all[n].start, all[n + 1].end, "")
        }
        Harm::UnclosedObjects => {
            let mut broken = text.to_owned();
            for n in (0..all.len() - 2).rev().filter(|&n| is_between_objects(text, &all[n..])) {
                if dice.below(2) == 0 {
                    broken.replace_range(all[n].start..all[n].end, "");
                }
            }
            broken
        }
        Harm::MissingOpener => without(some(Kind::Opener, dice)?),
        Harm::MissingColon => without(some(Kind::Colon, dice)?),
        Harm::ExtraCloser => {
            let after = some(Kind::Closer, dice)?;
            replaced(after.end, after.end, dice.one(&["]", "}", "]}"]))
        }
        Harm::WrongCloser => {
            let closer = some(Kind::Closer, dice)?;
            let wrong = if &text[closer.start..closer.end] == "}" { "]" } else { "}" };
            replaced(closer.start, closer.end, wrong)
        }
        Harm::TrailingComma => {
            let closers: Vec<usize> = (1..all.len())
                .filter(|&n| all[n].kind == Kind::Closer && all[n - 1].kind != Kind::Opener)
                .collect();
            let before = all[dice.one(&closers)].start;
            replaced(before, before, ",")
        }
        Harm::ExtraComma => {
            let comma = some(Kind::Comma, dice)?;
            replaced(comma.end, comma.end, ",")
        }
        Harm::InnerQuotes => {
            let token = dice.one(&quoting(text, &all)?);
            replaced(token.start, token.end, &text[token.start..token.end].replace("\\\"", "\""))
        }
        Harm::OneInnerQuote => {
            let token = dice.one(&quoting(text, &all)?);
            let inner = &text[token.start..token.end];
            let quotes: Vec<usize> = inner.match_indices("\\\"").map(|(at, _)| at).collect();
            let at = token.start + dice.one(&quotes);
            replaced(at, at + 1, "")
        }
        Harm::MissingQuote => {
            let token = if dice.below(3) == 0 { some(Kind::Key, dice)? } else { some(Kind::Text, dice)? };
            let at = if dice.below(2) == 0 { token.start } else { token.end - 1 };
            replaced(at, at + 1, "")
        }
        Harm::PythonRepr => python(value, &mut |text| escaped(text)),
        Harm::PythonEscapes => python(value, &mut |text| escaped_anyhow(text, dice)),
        Harm::RawNewline => {
            let breaks: Vec<usize> = text.match_indices("\\n").map(|(at, _)| at).collect();
            let breaks: Vec<usize> =
                breaks.into_iter().filter(|&at| at > 0 && text.as_bytes()[at - 1] != b'\\').collect();
            if breaks.is_empty() {
                return None;
            }
            let at = dice.one(&breaks);
            replaced(at, at + 2, "\n")
        }
        Harm::InvalidEscape => {
            if !text.contains("\\\\p") && !text.contains("\\\\s") {
                return None;
            }
            text.replace("\\\\p", "\\p").replace("\\\\s", "\\s")
        }
        Harm::UnquotedKeys => each(text, &all, |token, written| match token.kind {
            Kind::Key => written[1..written.len() - 1].to_owned(),
            _ => written.to_owned(),
        }),
        Harm::TypographicQuotes => each(text, &all, |token, written| match token.kind {
            Kind::Key | Kind::Text if !written.contains(['“', '”']) => {
                let inner: String = serde_json::from_str(written).unwrap();
                if inner.contains(['"', '\\', '\n', '\t']) {
                    written.to_owned()
                } else {
                    format!("“{inner}”")
                }
            }
            _ => written.to_owned(),
        }),
        Harm::Comment => {
            let comma = some(Kind::Comma, dice)?;
            replaced(
                comma.end,
                comma.end,
                dice.one(&["/* none */", " // as \"asked\", it isn't\n", " # next:\n"]),
            )
        }
        Harm::Placeholder => {
            let opener = all.iter().filter(|token| &text[token.start..token.end] == "[");
            let opener = dice.one(&opener.collect::<Vec<_>>());
            let placeholder =
                dice.one(&["...", "here put the list: {\"line_numbe\":..., \"new_lines\":[...]}, ..."]);
            let comma = if text[opener.end..].starts_with(']') { "" } else { ", " };
            replaced(opener.end, opener.end, &format!("{placeholder}{comma}"))
        }
        Harm::MissingBetween => {
            let between: Vec<usize> =
                (0..all.len() - 2).filter(|&n| is_between_objects(text, &all[n..])).collect();
            if between.is_empty() {
                return None;
            }
            let n = dice.one(&between);
            let with = dice.one(&[", ", ",", "}, ", ", {", "} ", " "]);
            replaced(all[n].start, all[n + 2].end, with)
        }
        Harm::Cut => text[..text.floor_char_boundary(1 + dice.below(text.len() - 1))].to_owned(),
        Harm::Glue => {
            let cut = text.floor_char_boundary(1 + dice.below(text.len() - 1));
            format!("{}{next}", &text[..cut])
        }
        Harm::GlueBetweenTokens => format!("{}{next}", &text[..dice.one(&all).end]),
        Harm::GlueOne => {
            // Single edits follow, and then a list of them.
            let value: Value = serde_json::from_str(next).ok()?;
            let edits = value.get("mutations").unwrap_or(&value).as_array()?;
            let between = dice.one(&["", ",", "\n", ",\n"]);
            let mut glued = text[..dice.one(&all).end].to_owned();
            for one in edits.iter().take(1 + dice.below(2)) {
                glued.push_str(&one.to_string());
                glued.push_str(between);
            }
            glued + next
        }
        Harm::Repetition => {
            let cut = some(Kind::Text, dice)?.end - 1;
            let run = dice.one(&["\\\\", "\\", "1, ", "\", \"", "        x();\\n", "ab "]).repeat(300);
            format!("{}{run}{next}", &text[..cut])
        }
        Harm::BareLines => {
            // Both brackets of a list of lines, or the first one.
            let (first, last) = dice.one(&lists_of_lines(text, &all)?);
            let closer = if dice.below(4) == 0 { "]" } else { "" };
            let inner = &text[all[first].end..all[last].start];
            replaced(all[first].start, all[last].end, &format!("{}{closer}", inner.trim()))
        }
        Harm::JoinedLines => {
            let (first, last) = dice.one(&lists_of_lines(text, &all)?);
            let with = dice.one(&[" ", "\n", " + ", ""]);
            let lines = (first + 1..last).filter(|&n| all[n].kind == Kind::Text);
            let lines: Vec<&str> = lines.map(|n| &text[all[n].start..all[n].end]).collect();
            let opener = dice.one(&["[", ""]);
            if with.is_empty() && lines.contains(&"\"\"") {
                // Three quotes are another mark.
                return None;
            }
            let joined = format!("{opener}{}{}", lines.join(with), if opener.is_empty() { "" } else { "]" });
            replaced(all[first].start, all[last].end, &joined)
        }
        Harm::RepeatedKey => {
            let between: Vec<usize> =
                (0..all.len() - 2).filter(|&n| is_between_objects(text, &all[n..])).collect();
            if between.is_empty() {
                return None;
            }
            let n = dice.one(&between);
            replaced(all[n].start, all[n + 2].end, ", ")
        }
        Harm::RepeatedList => repeated_list(value, dice)?,
        Harm::OpenBeforeFence => {
            let closers = all.iter().rev().take_while(|token| token.kind == Kind::Closer).count();
            let end = all[all.len() - 1 - dice.below(closers)].start;
            let fence = dice.one(&["\n```", "\n```\n\nIt says \"so\".", "```\n", "\n</reply>"]);
            format!("```json\n{}{fence}\n```json\n{next}\n```", text[..end].trim_end())
        }
        Harm::OpenBeforeProse => {
            // The last bracket of a list that ends the reply is missing.
            let closers = all.iter().rev().take_while(|token| token.kind == Kind::Closer);
            let last = closers.into_iter().find(|token| text[token.start..].starts_with(']'))?;
            let prose = dice.one(&[
                "\nThat is it.",
                "\n\nThe \"first\" one (a[0]) {is} done:",
                "\n\n1. It checks `f(\"x\", y)`, and\n2. it isn't null.",
                " So be it",
                "\n\n**Why?** Because.\n\n---",
            ]);
            format!("Here:\n{}{prose}\n```json\n{next}\n```", replaced(last.start, last.end, "").trim_end())
        }
        Harm::CutBeforeFence => {
            let cut = text.floor_char_boundary(1 + dice.below(text.len() - 1));
            format!("{}{}{next}\n```", &text[..cut], dice.one(&["```json\n", "\n```json\n", "\n```\n"]))
        }
    })
}

/// Is true if these tokens are what stands between two objects of a list.
fn is_between_objects(text: &str, tokens: &[Token]) -> bool {
    text[tokens[0].start..].starts_with('}')
        && tokens[1].kind == Kind::Comma
        && text[tokens[2].start..].starts_with('{')
}

/// The brackets of lists of two lines or more.
fn lists_of_lines(text: &str, all: &[Token]) -> Option<Vec<(usize, usize)>> {
    let is_key = |n: usize| &text[all[n].start..all[n].end] == "\"new_lines\"";
    let lists = (0..all.len() - 2).filter(|&n| all[n].kind == Kind::Key && is_key(n)).filter_map(|key| {
        let last = (key + 2..all.len()).find(|&n| all[n].kind == Kind::Closer)?;
        (last - (key + 2) > 2).then_some((key + 2, last))
    });
    let lists: Vec<(usize, usize)> = lists.collect();
    (!lists.is_empty()).then_some(lists)
}

/// The reply with a key twice, each time with a part of its list.
fn repeated_list(value: &Value, dice: &mut Dice) -> Option<String> {
    let halves = |list: &Vec<Value>, dice: &mut Dice| {
        let (first, second) = list.split_at(1 + dice.below(list.len() - 1));
        (Value::from(first), Value::from(second))
    };
    if let Some(Value::Array(edits)) = value.get("mutations") {
        let (first, second) = halves(edits, dice);
        return Some(format!("{{\"mutations\": {first}, \"mutations\": {second}}}"));
    }
    let text = value.to_string();
    let lists: Vec<(&str, &Vec<Value>)> = value
        .as_array()?
        .iter()
        .flat_map(|edit| {
            ["insertions", "deletions", "modifications"]
                .into_iter()
                .filter_map(|key| Some((key, edit.get(key)?.as_array()?)))
        })
        .filter(|(_, list)| list.len() > 1)
        .collect();
    if lists.is_empty() {
        return None;
    }
    let (key, list) = dice.one(&lists);
    let (first, second) = halves(list, dice);
    let whole = format!("\"{key}\":{}", Value::from(list.clone()));
    Some(text.replacen(&whole, &format!("\"{key}\": {first}, \"{key}\": {second}"), 1))
}

/// The texts with escaped quotes in them.
fn quoting(text: &str, all: &[Token]) -> Option<Vec<Token>> {
    let quoting = |token: &Token| token.kind == Kind::Text && text[token.start..token.end].contains("\\\"");
    let found: Vec<Token> = all.iter().copied().filter(quoting).collect();
    (!found.is_empty()).then_some(found)
}

/// The text with each token written anew.
fn each(text: &str, all: &[Token], change: impl Fn(Token, &str) -> String) -> String {
    let (mut out, mut at) = (String::new(), 0);
    for token in all {
        out.push_str(&text[at..token.start]);
        out.push_str(&change(*token, &text[token.start..token.end]));
        at = token.end;
    }
    out.push_str(&text[at..]);
    out
}

/// The value as Python prints it, its texts written by `write`.
fn python(value: &Value, write: &mut dyn FnMut(&str) -> String) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => {
            let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
            format!("{quote}{}{quote}", write(text).replace(quote, &format!("\\{quote}")))
        }
        Value::Array(elements) => {
            format!("[{}]", elements.iter().map(|one| python(one, write)).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(key, value)| format!("'{key}': {}", python(value, write))).collect();
            format!("{{{}}}", members.join(", "))
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t")
}

/// The text with some of its characters as escapes that Python alone has.
fn escaped_anyhow(text: &str, dice: &mut Dice) -> String {
    let escape = |character: char, dice: &mut Dice| {
        let code = u32::from(character);
        match dice.below(12) {
            0 if code < 256 => format!("\\x{code:02x}"),
            1 if code < 256 => format!("\\{code:03o}"),
            2 => format!("\\u{code:04X}"),
            3 => format!("\\U{code:08x}"),
            4 if character == 'e' => "\\N{LATIN SMALL LETTER E}\\\n".to_owned(),
            _ => escaped(&character.to_string()),
        }
    };
    text.chars().map(|character| escape(character, dice)).collect()
}
