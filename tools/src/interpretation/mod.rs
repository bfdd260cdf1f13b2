//! From what a model wrote to a call, or to the reason why there is none.
//!
//! [`interpret`] reads a reply: JSON in text, markup in text, or native tool calls; all go through the same steps.
//! 1. The JSON in the reply is recovered ([`patchwright_replies::recover()`]): fences, prose, damage. So are calls in markup
//!    ([`patchwright_replies::markup_calls`]): tags with a parameter each, or marks before JSON.
//! 2. The one call in it is found (`shapes`, `marked`), whatever the shape.
//! 3. Its name is mapped to a tool, its argument names to parameters ([`match_name`]): only where one reading is nearest.
//! 4. Its values are brought to the types of the schema (`coerce`), edits to their form ([`patchwright_edits::formats`]).
//! 5. The schema has the last word; all that is wrong is told at once.
//!
//! Every change on the way is told as a [`Repair`]. Nothing is made up: where two readings are equally good, or text that
//! matters was cut off, the answer is a [`Refusal`] that a model can act on.

mod coerce;
mod json_schema;
mod marked;
mod refusal;
mod schema;
mod shapes;

use std::ops::Range;

use patchwright_protocol::ToolCall;
use patchwright_replies::{
    DamageKind, Match, NameMatching, Recovered, Repair, bare_name, dotted, end_of, markup_calls, match_name,
    recover_with,
};
use patchwright_syntax::Project;
use serde_json::Value;

pub use refusal::{Problem, Refusal};

use crate::aliases;
use shapes::RawCall;

/// A reply as it came.
#[derive(Debug, Clone, Copy)]
pub struct ReplyText<'a> {
    /// The text; may be empty beside native calls.
    pub text: &'a str,
    /// The calls of native tool calling.
    pub tool_calls: &'a [ToolCall],
    /// Is true if the provider says that the reply was cut off at the length limit.
    pub cut: bool,
}

/// A tool, as far as reading a call of it needs to know.
#[derive(Debug, Clone, Copy)]
pub struct ToolShape<'a> {
    /// Its name.
    pub name: &'a str,
    /// The JSON schema of its arguments: an object schema.
    pub schema: &'a Value,
}

/// The call that a reply asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct InterpretedCall {
    /// The name of the tool.
    pub tool: String,
    /// The arguments: an object that the schema of the tool allows.
    pub arguments: Value,
    /// The thoughts of the model: the field of the reply, or the prose before the call.
    pub thoughts: Option<String>,
}

/// A call and the repairs made to read it.
#[derive(Debug, Clone, PartialEq)]
pub struct Interpretation {
    /// The call.
    pub call: InterpretedCall,
    /// The repairs, in the order of the steps.
    pub repairs: Vec<Repair>,
}

/// Reads a reply as one call of one of the tools. Where it holds patches in text, the project tells its paths and lines from other text.
///
/// # Errors
/// The reason for which the reply is not one call; the message is for the model.
pub fn interpret(
    reply: &ReplyText,
    tools: &[ToolShape],
    matching: &NameMatching,
    project: Option<&Project>,
) -> Result<Interpretation, Refusal> {
    let native = !reply.tool_calls.is_empty();
    if !native && reply.text.trim().is_empty() {
        return Err(if reply.cut { Refusal::cut_at_the_end(reply.text) } else { Refusal::Empty });
    }
    let read = if native { native_call(reply)? } else { text_call(reply, tools)? };
    let mut repairs = read.repairs;
    let tool = find_tool(&read.raw.name, tools, matching, &mut repairs)?;
    let arguments = schema::arguments(tool, read.raw.arguments, matching, project, &mut repairs)?;
    let call = InterpretedCall { tool: tool.name.to_owned(), arguments, thoughts: read.raw.thoughts };
    Ok(Interpretation { call, repairs })
}

/// The one call in a reply, its name and arguments as they were written.
struct ReadCall {
    raw: RawCall,
    repairs: Vec<Repair>,
}

fn native_call(reply: &ReplyText) -> Result<ReadCall, Refusal> {
    let mut calls = Vec::new();
    for call in reply.tool_calls {
        let (arguments, repairs) = json_arguments(&call.arguments, reply.cut)?;
        // Only one call is ever taken, and then it is the first: a copy of the text for each would be the square of its length.
        let thoughts = calls.is_empty().then(|| shapes::prose(reply.text)).flatten();
        calls.push(ReadCall {
            raw: RawCall { name: call.name.clone(), arguments, thoughts, pointer: String::new() },
            repairs,
        });
    }
    only(calls)
}

/// The arguments in a text that should be JSON, and nothing else.
fn json_arguments(text: &str, cut: bool) -> Result<(Value, Vec<Repair>), Refusal> {
    match shapes::arguments_in_text(text) {
        Some(recovered) => {
            refuse_damage(&recovered, "", text, cut)?;
            Ok((recovered.value, recovered.repairs.iter().map(Repair::of_json).collect()))
        }
        None if text.trim().is_empty() => Ok((Value::Null, Vec::new())),
        None => Ok((Value::String(text.to_owned()), Vec::new())),
    }
}

/// The call in a text. What a model writes while it thinks is no answer, unless there is none behind it.
fn text_call(reply: &ReplyText, tools: &[ToolShape]) -> Result<ReadCall, Refusal> {
    match shapes::after_thinking(reply.text).map(|text| call_in(&ReplyText { text, ..*reply }, tools)) {
        None | Some(Err(Refusal::NoCall)) => call_in(reply, tools),
        Some(read) => read,
    }
}

fn call_in(reply: &ReplyText, tools: &[ToolShape]) -> Result<ReadCall, Refusal> {
    let keys = schema::keys(tools);
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let values = shapes::unpacked(recover_with(reply.text, &keys), &keys);
    let is_tool = |name: &str| tools.iter().any(|tool| tool.name == name);
    let within = |at: usize| move |one: &Recovered| one.span.start < at && at < one.span.end;
    // What begins inside the other kind belongs to a text in it.
    let mut marked = markup_calls(reply.text);
    marked.retain(|call| !values.iter().any(within(call.span.start)));
    let places: Vec<Range<usize>> = marked.iter().map(|call| call.span.clone()).collect();
    let mut calls: Vec<(usize, ReadCall)> = Vec::new();
    for recovered in &values {
        let begin = recovered.span.start;
        if places.iter().any(|place| place.contains(&begin)) {
            continue;
        }
        for mut found in shapes::calls(&recovered.value, &is_tool) {
            refuse_damage(recovered, &found.pointer, reply.text, reply.cut)?;
            let mut repairs: Vec<Repair> = recovered.repairs.iter().map(Repair::of_json).collect();
            if let Value::String(text) = &found.arguments
                && let Some(inner) = shapes::arguments_in_text(text)
            {
                refuse_damage(&inner, "", text, false)?;
                repairs.extend(inner.repairs.iter().map(Repair::of_json));
                found.arguments = inner.value;
            }
            calls.push((begin, ReadCall { raw: found, repairs }));
        }
    }
    for markup in marked {
        calls.push((markup.span.start, marked::call(markup, reply.text, reply.cut)?));
    }
    calls.sort_by_key(|(begin, _)| *begin);
    if let Some((begin, first)) = calls.first_mut() {
        let thoughts = first.raw.thoughts.take();
        first.raw.thoughts = thoughts.or_else(|| shapes::prose(&reply.text[..*begin]));
    }
    if calls.is_empty() {
        let cut =
            values.iter().find_map(|value| value.damage.iter().find(|damage| damage.kind == DamageKind::Cut));
        return Err(match cut {
            Some(damage) => Refusal::cut(&damage.pointer, &reply.text[..damage.at]),
            None if reply.cut => Refusal::cut_at_the_end(reply.text),
            None => Refusal::NoCall,
        });
    }
    only(calls.into_iter().map(|(_, call)| call).collect())
}

/// The only call; the same call twice counts once.
fn only(mut calls: Vec<ReadCall>) -> Result<ReadCall, Refusal> {
    let same = calls
        .windows(2)
        .all(|pair| pair[0].raw.name == pair[1].raw.name && pair[0].raw.arguments == pair[1].raw.arguments);
    if !same {
        return Err(Refusal::SeveralCalls { tools: calls.into_iter().map(|read| read.raw.name).collect() });
    }
    if calls.is_empty() { Err(Refusal::NoCall) } else { Ok(calls.swap_remove(0)) }
}

/// Refuses arguments that are not wholly there. A missing closing bracket of the arguments themselves is forgiven, unless
/// the reply is known to have been cut off.
fn refuse_damage(recovered: &Recovered, pointer: &str, text: &str, cut: bool) -> Result<(), Refusal> {
    for damage in recovered.damage_within(pointer) {
        let path = damage.pointer.strip_prefix(pointer).unwrap_or(&damage.pointer);
        let before = text.get(..damage.at).unwrap_or(text);
        match damage.kind {
            DamageKind::Unclosed if path.is_empty() && !cut => {}
            DamageKind::Cut | DamageKind::Unclosed => return Err(Refusal::cut(path, before)),
            DamageKind::TwoReadings => {
                return Err(Refusal::TwoReadings { path: dotted(path) });
            }
            DamageKind::LeftOut | DamageKind::TooDeep => {
                return Err(Refusal::Unreadable { path: dotted(path), after: end_of(before) });
            }
        }
    }
    Ok(())
}

/// The tool on offer that a name stands for.
fn match_tool<'n>(asked: &str, names: &[&'n str], matching: &NameMatching) -> Match<'n> {
    let groups = aliases();
    let groups: Vec<&[&str]> = groups.iter().map(Vec::as_slice).collect();
    let asked = if names.contains(&asked) { asked } else { bare_name(asked) };
    match_name(asked, names, &groups, matching)
}

fn find_tool<'t, 'a>(
    asked: &str,
    tools: &'t [ToolShape<'a>],
    matching: &NameMatching,
    repairs: &mut Vec<Repair>,
) -> Result<&'t ToolShape<'a>, Refusal> {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    let name = match match_tool(asked, &names, matching) {
        Match::Exact(name) if name == asked => name,
        Match::Exact(name) | Match::Near(name) => {
            repairs.push(Repair::ToolName { asked: asked.to_owned(), read_as: name.to_owned() });
            name
        }
        Match::Several(readings) => {
            let readings = readings.into_iter().map(str::to_owned).collect();
            return Err(Refusal::AmbiguousTool { asked: asked.to_owned(), readings });
        }
        Match::None { nearest } => {
            let nearest = nearest.into_iter().map(str::to_owned).collect();
            return Err(Refusal::UnknownTool { asked: asked.to_owned(), nearest });
        }
    };
    // The name came from this list.
    tools
        .iter()
        .find(|tool| tool.name == name)
        .ok_or_else(|| Refusal::UnknownTool { asked: asked.to_owned(), nearest: Vec::new() })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;
