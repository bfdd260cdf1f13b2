//! Chat completions that come in pieces.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::accumulator::{StreamAccumulator, append};
use super::chat_completions::{REASONING, REASONING_DETAILS};
use super::text_of;
use crate::AnswerProgress;

/// Choices, calls and details of an answer that are taken.
const MOST_PARTS: usize = 4096;

/// The choices of an answer that comes in pieces.
#[derive(Default)]
pub(super) struct Stream {
    choices: Vec<Choice>,
    /// The fields beside the choices, the last value of each.
    rest: Map<String, Value>,
    arrived: AnswerProgress,
}

#[derive(Default)]
struct Choice {
    message: Map<String, Value>,
    calls: Vec<Map<String, Value>>,
    /// The places of the calls that have a name.
    places: HashMap<String, usize>,
    finish_reason: Value,
}

impl StreamAccumulator for Stream {
    fn take(&mut self, mut event: Value) {
        if let Some(choices) = event.get_mut("choices").and_then(Value::as_array_mut) {
            for mut choice in std::mem::take(choices).into_iter().filter(Value::is_object) {
                let index = choice["index"].as_u64().unwrap_or(0) as usize;
                if index < MOST_PARTS {
                    if self.choices.len() <= index {
                        self.choices.resize_with(index + 1, Choice::default);
                    }
                    // Some services end a stream with the whole message.
                    let piece = ["delta", "message"].iter().find_map(|key| choice.get(*key).cloned());
                    let ends = choice["finish_reason"].take();
                    let arrived = self.choices[index].take(&piece.unwrap_or_default(), ends);
                    self.arrived.reasoning += arrived.reasoning;
                    self.arrived.answer += arrived.answer;
                }
            }
        }
        if let Value::Object(fields) = event {
            self.rest.extend(fields.into_iter().filter(|(_, value)| !value.is_null()));
        }
    }

    fn is_whole(&self) -> bool {
        !self.choices.is_empty() && self.choices.iter().all(|choice| !choice.finish_reason.is_null())
    }

    fn arrived(&self) -> AnswerProgress {
        self.arrived
    }

    fn value(self: Box<Self>) -> Value {
        let choices = self.choices.into_iter().enumerate().map(|(index, choice)| {
            let Choice { mut message, calls, finish_reason, .. } = choice;
            // Indices may begin at 1, or leave places out.
            let calls: Vec<_> = calls.into_iter().filter(|call| !call.is_empty()).collect();
            if !calls.is_empty() {
                message.insert("tool_calls".to_owned(), calls.into_iter().map(Value::Object).collect());
            }
            json!({ "index": index, "message": message, "finish_reason": finish_reason })
        });
        let choices: Value = choices.collect();
        let mut whole = self.rest;
        whole.insert("choices".to_owned(), choices);
        Value::Object(whole)
    }
}

impl Choice {
    fn take(&mut self, piece: &Value, finish_reason: Value) -> AnswerProgress {
        if !finish_reason.is_null() {
            self.finish_reason = finish_reason;
        }
        let mut arrived = AnswerProgress::default();
        for key in REASONING {
            arrived.reasoning += append(&mut self.message, piece, key);
        }
        for key in ["content", "refusal"] {
            arrived.answer += append(&mut self.message, piece, key);
        }
        // Lists of parts (Mistral's content, reasoning details) grow part by part.
        for key in ["content", REASONING_DETAILS] {
            let Some(parts) = piece.get(key).and_then(Value::as_array) else { continue };
            let whole = self.message.entry(key).or_insert_with(|| json!([]));
            match whole {
                Value::Array(whole) if whole.len() < MOST_PARTS => whole.extend(parts.iter().cloned()),
                _ => {}
            }
        }
        for (place, call) in
            piece.get("tool_calls").and_then(Value::as_array).into_iter().flatten().enumerate()
        {
            arrived.answer += self.take_call(place, call);
        }
        arrived
    }

    /// Takes a piece of a call. Its index says of which; services that leave it out send each call whole.
    fn take_call(&mut self, place: usize, piece: &Value) -> u64 {
        let by_index = piece.get("index").and_then(Value::as_u64).map(|index| index as usize);
        let id = text_of(piece, "id").filter(|id| !id.is_empty());
        let by_id = || self.places.get(id?).copied();
        let index = by_index.or_else(by_id).unwrap_or(if id.is_some() { self.calls.len() } else { place });
        if index >= MOST_PARTS {
            return 0;
        }
        if self.calls.len() <= index {
            self.calls.resize_with(index + 1, Map::new);
        }
        if let Some(id) = id {
            self.places.insert(id.to_owned(), index);
        }
        let call = &mut self.calls[index];
        for key in ["id", "type", "extra_content"] {
            if let Some(value) = piece.get(key).filter(|value| !value.is_null()) {
                call.insert(key.to_owned(), value.clone());
            }
        }
        let Some(function) = piece.get("function") else { return 0 };
        let whole = call.entry("function").or_insert_with(|| json!({}));
        let Value::Object(whole) = whole else { return 0 };
        // The name comes once; a service that repeats it with each piece means the same.
        if let Some(name) = text_of(function, "name").filter(|name| !name.is_empty()) {
            whole.insert("name".to_owned(), name.into());
        }
        match function.get("arguments") {
            Some(object @ Value::Object(_)) => {
                whole.insert("arguments".to_owned(), object.clone());
                0
            }
            _ => append(whole, function, "arguments"),
        }
    }
}
