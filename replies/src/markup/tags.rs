//! Calls in tags: `<function=NAME><parameter=KEY>value</parameter></function>`, and the same with `<invoke name="NAME">`, with or
//! without a prefix before each name.

use memchr::{memchr, memchr_iter, memrchr};

use super::{CallBody, Found, MarkupCall, MarkupFault};

/// The longest tag, in bytes.
const LONGEST: usize = 200;

/// The kind of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Call,
    Parameter,
    /// It stands around calls.
    Wrapper,
}

/// A tag of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Tag<'t> {
    kind: Kind,
    /// The name that an opening tag gives.
    name: &'t str,
    closes: bool,
    /// The byte behind it.
    end: usize,
}

/// Where the call with the mark of its opening tag at `mark` begins, with the tag around it; what stands before `from` belongs to
/// another one.
pub(super) fn start(text: &str, mark: usize, from: usize) -> Option<usize> {
    let (start, _) = opener(text, mark, from)?;
    Some(before_wrapper(text, start, from))
}

/// The opening tag of a call with its mark at `mark`, and where it begins.
fn opener(text: &str, mark: usize, from: usize) -> Option<(usize, Tag<'_>)> {
    let near = mark.saturating_sub(LONGEST).max(from);
    let start = near + memrchr(b'<', &text.as_bytes()[near..=mark])?;
    let opens = |tag: &Tag<'_>| tag.kind == Kind::Call && !tag.closes && tag.end > mark;
    Some((start, tag(text, start).filter(opens)?))
}

/// The call that begins at `start`, with the mark of its opening tag at `mark`.
pub(super) fn call(text: &str, mark: usize, start: usize) -> Found {
    let Some((_, opener)) = opener(text, mark, start) else { return Found::Nothing(mark + 1) };
    let Some(read) = body(text, &opener, start) else { return Found::Nothing(opener.end) };
    let span = start..behind_wrappers(text, read.end);
    Found::Call(MarkupCall { name: opener.name.to_owned(), body: read.arguments, span, closed: read.closed })
}

/// What stands behind the opening tag of a call.
struct Body {
    arguments: Result<CallBody, MarkupFault>,
    end: usize,
    closed: bool,
}

impl Body {
    fn fault(fault: MarkupFault, end: usize) -> Self {
        Self { arguments: Err(fault), end, closed: false }
    }
}

/// The body of the call with this opening tag, which with what is around it begins at `start`. There is none where neither
/// a parameter follows nor the end, as where a sentence names the tag.
fn body(text: &str, opener: &Tag<'_>, start: usize) -> Option<Body> {
    let mut parameters: Vec<(String, String)> = Vec::new();
    let mut at = opener.end;
    let (end, closed) = loop {
        let next = blanks(text, at);
        match tag(text, next) {
            Some(Tag { kind: Kind::Parameter, closes: false, name, end }) => {
                let value = match value(text, end) {
                    Ok(value) => value,
                    Err(endless) => return Some(Body::fault(endless.of(name), text.len())),
                };
                at = value.end;
                match parameters.iter().find(|(known, _)| known == name) {
                    Some((_, known)) if known == value.text => {}
                    Some(_) => {
                        return Some(Body::fault(MarkupFault::Repeated { parameter: name.to_owned() }, at));
                    }
                    None => parameters.push((name.to_owned(), value.text.to_owned())),
                }
            }
            Some(Tag { kind: Kind::Call, closes: true, end, .. }) => break (end, true),
            Some(Tag { kind: Kind::Wrapper, closes: true, .. }) => break (next, false),
            Some(_) | None if !parameters.is_empty() => {
                if next == text.len() {
                    break (next, false);
                }
                return Some(Body::fault(MarkupFault::Cut { parameter: None }, text.len()));
            }
            Some(_) | None if text[next..].starts_with('{') => return Some(json(text, next)),
            Some(_) | None if ends_here(text, next) && begins_line(text, start) => {
                return Some(Body::fault(MarkupFault::Cut { parameter: None }, text.len()));
            }
            Some(_) | None => return None,
        }
    };
    Some(Body { arguments: Ok(CallBody::Parameters(parameters)), end, closed })
}

/// The body that is JSON from `start` on, up to the tag that closes the call.
fn json(text: &str, start: usize) -> Body {
    let closing = memchr_iter(b'<', &text.as_bytes()[start..]).map(|offset| start + offset).find_map(|at| {
        let tag = tag(text, at).filter(|tag| tag.closes && tag.kind != Kind::Parameter)?;
        Some((at, tag))
    });
    let (end, behind, closed) = match closing {
        Some((at, Tag { kind: Kind::Call, end, .. })) => (at, end, true),
        Some((at, _)) => (at, at, false),
        None => (text.len(), text.len(), false),
    };
    Body { arguments: Ok(CallBody::Json(start..end)), end: behind, closed }
}

/// The value of a parameter.
struct Value<'t> {
    text: &'t str,
    /// The byte behind its closing tag.
    end: usize,
}

/// The reason for which a value has no end.
#[derive(Debug, Clone, Copy)]
enum Endless {
    Cut,
    Unclosed,
}

impl Endless {
    fn of(self, parameter: &str) -> MarkupFault {
        match self {
            Self::Cut => MarkupFault::Cut { parameter: Some(parameter.to_owned()) },
            Self::Unclosed => MarkupFault::Unclosed { parameter: parameter.to_owned() },
        }
    }
}

/// The value that begins at `start`: raw text up to its closing tag, without one line break at each end. A closing tag
/// behind which the call does not go on is a part of the value, and so are parameters in it with their closing tags.
fn value(text: &str, start: usize) -> Result<Value<'_>, Endless> {
    let mut open = 0_usize;
    let mut call_closed = false;
    for offset in memchr_iter(b'<', &text.as_bytes()[start..]) {
        let at = start + offset;
        match tag(text, at) {
            Some(Tag { kind: Kind::Parameter, closes: false, .. }) => open += 1,
            Some(Tag { kind: Kind::Parameter, closes: true, .. }) if open > 0 => open -= 1,
            Some(Tag { kind: Kind::Parameter, closes: true, end, .. }) if goes_on(text, end) => {
                return Ok(Value { text: without_line_breaks(&text[start..at]), end });
            }
            Some(Tag { kind: Kind::Call, closes: true, .. }) => call_closed = true,
            Some(_) | None => {}
        }
    }
    Err(if call_closed { Endless::Unclosed } else { Endless::Cut })
}

/// Is true if a call goes on, or ends, at `at`: with another parameter, a closing tag or the end of the text.
fn goes_on(text: &str, at: usize) -> bool {
    let next = blanks(text, at);
    match tag(text, next) {
        Some(Tag { kind: Kind::Parameter, closes, .. }) => !closes,
        Some(Tag { closes, .. }) => closes,
        None => ends_here(text, next),
    }
}

/// Is true if the text ends at `at`, or inside the tag that begins there.
fn ends_here(text: &str, at: usize) -> bool {
    at == text.len() || (text[at..].starts_with('<') && !text[at..].contains('>'))
}

/// Is true if nothing but blanks stands before `at` on its line.
fn begins_line(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t']);
    before.is_empty() || before.ends_with('\n')
}

fn without_line_breaks(text: &str) -> &str {
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix('\n')).unwrap_or(text)
}

/// The tag of a call that stands at `at`.
fn tag(text: &str, at: usize) -> Option<Tag<'_>> {
    let inner = text[at..].strip_prefix('<')?;
    let length = memchr(b'>', &inner.as_bytes()[..inner.len().min(LONGEST)])?;
    let (inner, end) = (&inner[..length], at + length + 2);
    let (inner, closes) = inner.strip_prefix('/').map_or((inner, false), |inner| (inner, true));
    let word_end = inner.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(inner.len());
    let (word, rest) = (&inner[..word_end], &inner[word_end..]);
    let kind = match word.rsplit_once([':', '|', '｜']).map_or(word, |(_, word)| word) {
        "function" | "invoke" => Kind::Call,
        "parameter" => Kind::Parameter,
        "tool_call" | "tool_calls" | "function_calls" => Kind::Wrapper,
        _ => return None,
    };
    if closes || kind == Kind::Wrapper {
        return rest.trim().is_empty().then_some(Tag { kind, name: "", closes, end });
    }
    let name = given_name(rest)?;
    (!rest.ends_with('/')).then_some(Tag { kind, name, closes, end })
}

/// The name in what follows the word of a tag: `=NAME` or ` name="NAME"`.
fn given_name(rest: &str) -> Option<&str> {
    let name = if let Some(name) = rest.strip_prefix('=') {
        name.trim().trim_matches(['"', '\''])
    } else {
        let value = rest.trim_start().strip_prefix("name")?.trim_start().strip_prefix('=')?.trim_start();
        let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        value[1..].split_once(quote)?.0
    };
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// The begin of the tag around calls that stands before `at`, but for blanks, or `at` itself.
fn before_wrapper(text: &str, at: usize, from: usize) -> usize {
    let before = text[from..at].trim_ascii_end();
    if !before.ends_with('>') {
        return at;
    }
    let near = before.len().saturating_sub(LONGEST);
    let Some(start) = memrchr(b'<', &before.as_bytes()[near..]).map(|offset| from + near + offset) else {
        return at;
    };
    let opens = |tag: &Tag<'_>| tag.kind == Kind::Wrapper && !tag.closes && tag.end == from + before.len();
    tag(text, start).filter(opens).map_or(at, |_| start)
}

/// Over the closing tags of what stands around calls, behind `at`.
fn behind_wrappers(text: &str, mut at: usize) -> usize {
    while let Some(Tag { kind: Kind::Wrapper, closes: true, end, .. }) = tag(text, blanks(text, at)) {
        at = end;
    }
    at
}

/// The first byte at or after `at` that is not blank.
fn blanks(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_ascii_start().len()
}
