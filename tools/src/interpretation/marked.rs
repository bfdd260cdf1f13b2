//! Calls in markup: tags with a parameter each, or marks before JSON.

use patchwright_replies::{CallBody, MarkupCall, MarkupFault, Repair};
use serde_json::{Map, Value};

use super::refusal::Refusal;
use super::shapes::RawCall;
use super::{ReadCall, json_arguments};

/// The call that a piece of markup in a reply is; `cut` if the reply is known to have been cut off.
pub(super) fn call(markup: MarkupCall, reply: &str, cut: bool) -> Result<ReadCall, Refusal> {
    let before = &reply[..markup.span.end];
    let (arguments, repairs) = match markup.body {
        Ok(CallBody::Json(place)) => json_arguments(&reply[place], cut)?,
        Ok(CallBody::Parameters(_)) if cut && !markup.closed => return Err(Refusal::cut("", before)),
        Ok(CallBody::Parameters(parameters)) => (values(parameters), Vec::<Repair>::new()),
        Err(MarkupFault::Cut { parameter }) => {
            let path = parameter.unwrap_or_default();
            return Err(Refusal::cut(&pointer(&path), before));
        }
        Err(MarkupFault::Unclosed { parameter }) => {
            return Err(Refusal::NotClosed { tool: markup.name, parameter });
        }
        Err(MarkupFault::Repeated { parameter }) => {
            return Err(Refusal::RepeatedParameter { tool: markup.name, parameter });
        }
    };
    let raw = RawCall { name: markup.name, arguments, thoughts: None, pointer: String::new() };
    Ok(ReadCall { raw, repairs })
}

/// Parameters as arguments: each is a text, which the schema brings to its type.
fn values(parameters: Vec<(String, String)>) -> Value {
    Value::Object(
        parameters.into_iter().map(|(name, text)| (name, Value::String(text))).collect::<Map<_, _>>(),
    )
}

/// A pointer to a parameter, or to the whole where it has no name.
fn pointer(parameter: &str) -> String {
    let mut pointer = String::new();
    if !parameter.is_empty() {
        patchwright_replies::pointer_part(&mut pointer, parameter);
    }
    pointer
}
