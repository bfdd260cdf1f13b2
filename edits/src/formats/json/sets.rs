//! Several candidates in one reply.

use patchwright_replies::{Recovered, Repair, pointer_part, recover};
use serde_json::Value;

use super::check::problem;
use super::names::has_file;
use super::{Pass, is_edit_value, only_list, set};

/// The depth to which edits are looked for in objects around them.
const DEPTH: usize = 3;

/// A candidate found in a reply.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateReading {
    /// The edits: a list of objects in the form of `write_fix`.
    pub edits: Value,
    /// The repairs made.
    pub repairs: Vec<Repair>,
    /// Is true if it must not be used: something in it was cut off, can be read in two ways, or is missing.
    pub damaged: bool,
}

/// Reads the answer to a question for variants: all candidates in it, in their order.
///
/// An object with a file is a candidate; so is a list of such objects inside a list, or in an object around them. Of a
/// flat list each object is a candidate of its own.
pub fn interpret_edits(text: &str) -> Vec<CandidateReading> {
    let mut values = recover(text);
    if let [Recovered { value: Value::String(inner), .. }] = values.as_slice() {
        values = recover(&inner.clone());
    }
    let mut candidates = Vec::new();
    let mut pass = Pass::default();
    for recovered in values {
        let damaged = recovered.damaged_pointers();
        let repairs: Vec<Repair> = recovered.repairs.iter().map(Repair::of_json).collect();
        let mut found = Vec::new();
        sets(recovered.value, &mut String::new(), DEPTH, &mut found);
        for (pointer, value) in found {
            pass.repairs.extend_from_slice(&repairs);
            let edits = set(value, "", &mut pass);
            let damaged = damaged.contains(&pointer) || !edits.as_ref().is_ok_and(is_complete);
            let edits = edits.unwrap_or_default();
            candidates.push(CandidateReading { edits, repairs: std::mem::take(&mut pass.repairs), damaged });
        }
    }
    candidates
}

/// The sets of edits in a value, each with its pointer.
fn sets(value: Value, pointer: &mut String, depth: usize, found: &mut Vec<(String, Value)>) {
    match value {
        Value::Object(members) if has_file(&members) => found.push((pointer.clone(), Value::Object(members))),
        Value::Object(members) if depth > 0 => {
            for (key, member) in members {
                below(pointer, &key, |pointer| sets(member, pointer, depth - 1, found));
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.into_iter().enumerate() {
                below(pointer, &index.to_string(), |pointer| in_list(element, pointer, depth, found));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {}
    }
}

/// The sets in an element of a list. A list inside a list is one candidate; so is what stands in one object around it.
fn in_list(element: Value, pointer: &mut String, depth: usize, found: &mut Vec<(String, Value)>) {
    match element {
        Value::Array(edits) if edits.iter().any(is_edit_value) => {
            found.push((pointer.clone(), Value::Array(edits)));
        }
        Value::Object(mut members) if !has_file(&members) => {
            let key = only_list(&members).map(str::to_owned);
            match key.and_then(|key| members.swap_remove_entry(&key)) {
                Some((key, edits)) => below(pointer, &key, |pointer| found.push((pointer.clone(), edits))),
                None => sets(Value::Object(members), pointer, depth, found),
            }
        }
        _ => sets(element, pointer, depth, found),
    }
}

/// Does something with the pointer to a member or an element.
pub(super) fn below(pointer: &mut String, part: &str, act: impl FnOnce(&mut String)) {
    let length = pointer.len();
    pointer_part(pointer, part);
    act(pointer);
    pointer.truncate(length);
}

/// Is true if all edits have what they need, in the types that they need.
fn is_complete(edits: &Value) -> bool {
    let complete = |edit: &Value| edit.as_object().is_some_and(|edit| problem(edit).is_none());
    edits.as_array().is_some_and(|edits| !edits.is_empty() && edits.iter().all(complete))
}
