//! Messages of Anthropic's that come in pieces.

use serde_json::{Map, Value};

use super::accumulator::{StreamAccumulator, append};
use super::text_of;
use crate::AnswerProgress;

/// Blocks of an answer that are taken.
const MOST_BLOCKS: usize = 4096;

/// A message that comes block by block.
#[derive(Default)]
pub(super) struct Stream {
    message: Map<String, Value>,
    blocks: Vec<Map<String, Value>>,
    arrived: AnswerProgress,
    is_whole: bool,
}

impl StreamAccumulator for Stream {
    fn take(&mut self, mut event: Value) {
        let index = event["index"].as_u64().unwrap_or(0) as usize;
        match text_of(&event, "type").unwrap_or_default() {
            "message_start" => {
                if let Value::Object(message) = event["message"].take() {
                    self.message = message;
                }
            }
            "content_block_start" if index < MOST_BLOCKS => {
                if let Value::Object(block) = event["content_block"].take() {
                    self.blocks.resize_with(self.blocks.len().max(index + 1), Map::new);
                    self.blocks[index] = block;
                }
            }
            "content_block_delta" => {
                if let Some(block) = self.blocks.get_mut(index) {
                    let piece = &event["delta"];
                    self.arrived.answer +=
                        append(block, piece, "text") + append(block, piece, "partial_json");
                    self.arrived.reasoning += append(block, piece, "thinking");
                    append(block, piece, "signature");
                }
            }
            "message_delta" => {
                if let Value::Object(last) = event["delta"].take() {
                    self.message.extend(last);
                }
                // The counts here are of all, those of the input only where they changed.
                if let Value::Object(counted) = event["usage"].take() {
                    match self.message.get_mut("usage") {
                        Some(Value::Object(usage)) => {
                            usage.extend(counted.into_iter().filter(|(_, count)| !count.is_null()));
                        }
                        _ => {
                            self.message.insert("usage".to_owned(), Value::Object(counted));
                        }
                    }
                }
            }
            "message_stop" => self.is_whole = true,
            _ => {}
        }
    }

    fn is_whole(&self) -> bool {
        // A service that leaves out the last event has said why it ended.
        self.is_whole || self.message.get("stop_reason").is_some_and(|reason| !reason.is_null())
    }

    fn arrived(&self) -> AnswerProgress {
        self.arrived
    }

    fn value(self: Box<Self>) -> Value {
        let Self { mut message, blocks, .. } = *self;
        let whole = |mut block: Map<String, Value>| {
            if let Some(Value::String(json)) = block.remove("partial_json") {
                // Invalid JSON stays a string; the interpretation of replies repairs it.
                let input = serde_json::from_str(&json).unwrap_or(Value::String(json));
                block.insert("input".to_owned(), input);
            }
            Value::Object(block)
        };
        message.insert("content".to_owned(), blocks.into_iter().map(whole).collect());
        Value::Object(message)
    }
}
