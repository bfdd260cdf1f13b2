//! What a service is asked, and how its answers are read.

use patchwright_llm::ChatRequest;
use patchwright_protocol::{ChatReply, Effort, FinishReason, Message, Role, ToolSchema};
use patchwright_replies::recover;
use serde_json::{Value, json};

/// Tokens that an answer may have: more than any of them needs, unless the model reasons.
pub const ANSWER_TOKENS: u32 = 256;
/// Lines of the long prompt: with them it is about as long as the first prompt of a session.
const LINES: usize = 500;
/// The tool that is offered, and the command that is asked for in JSON.
const TOOL: &str = "read_range";
/// The words that an answer is to repeat.
const WORDS: [&str; 16] = [
    "marigold", "lantern", "copper", "violin", "harbor", "saffron", "pebble", "walnut", "comet", "thistle",
    "anchor", "velvet", "maple", "falcon", "ginger", "meadow",
];

/// Two different words that an answer is to repeat.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Words {
    /// The word at the beginning of a prompt.
    pub first: &'static str,
    /// The word at its end.
    pub last: &'static str,
}

impl Words {
    /// The words for this number. A prompt begins with them, so that another number finds no prompt in the caches of services: some do not
    /// count what they had there.
    pub fn of(number: u64) -> Self {
        let count = WORDS.len() as u64;
        let (first, step) = (number % count, 1 + number / count % (count - 1));
        let word = |index: u64| WORDS[(index % count) as usize];
        Self { first: word(first), last: word(first + step) }
    }
}

/// A prompt of known length.
#[derive(Clone, Debug, PartialEq)]
pub struct LongPrompt {
    /// The question.
    pub request: ChatRequest,
    /// Its words. Each takes a token at least, and most of them one: a count far below has to be that of a part.
    pub words: u64,
}

fn question(text: String) -> ChatRequest {
    ChatRequest {
        messages: vec![Message::new(Role::User, text)],
        max_output_tokens: ANSWER_TOKENS,
        ..ChatRequest::default()
    }
}

/// Asks for a word that the prompt names.
pub fn short(words: Words) -> ChatRequest {
    question(format!("The first word is {}.\nAnswer with the first word and nothing else.", words.first))
}

/// Asks for words at the beginning and at the end of a long prompt.
pub fn long(words: Words) -> LongPrompt {
    let mut text = format!("The first word is {}.\n", words.first);
    for line in 1..=LINES {
        text.push_str(&format!("{line}. The river runs past the old mill, and the road goes up the hill.\n"));
    }
    text.push_str(&format!(
        "The last word is {}.\nAnswer with the first word and the last word, and nothing else. The first word stands in the first line.",
        words.last
    ));
    let words = text.split_whitespace().count() as u64;
    LongPrompt { request: question(text), words }
}

/// Whether an answer was cut off while the model was reasoning, in a field for it or in its text.
pub fn is_cut_while_reasoning(reply: &ChatReply) -> bool {
    let is_thinking_in_text = || reply.text.trim().starts_with("<think>") && !reply.text.contains("</think>");
    let is_cut_in_text =
        || reply.stop == FinishReason::Length && reply.tool_calls.is_empty() && is_thinking_in_text();
    reply.is_cut_while_reasoning() || is_cut_in_text()
}

/// Whether an answer names a word.
pub fn names(reply: &ChatReply, word: &str) -> bool {
    said(reply).to_lowercase().contains(word)
}

/// What an answer says behind what was thought aloud in its text.
fn said(reply: &ChatReply) -> &str {
    reply.text.rsplit("</think>").next().unwrap_or_default().trim()
}

/// Offers a small tool, and asks for a call of it.
pub fn tool_call() -> ChatRequest {
    let tool = ToolSchema {
        name: TOOL.to_owned(),
        description: "Shows lines of a file.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "file_path": { "type": "string", "description": "The file." },
                "first_line": { "type": "integer", "description": "The first line." },
                "last_line": { "type": "integer", "description": "The last line." },
            },
            "required": ["file_path", "first_line", "last_line"],
        }),
        only_reads: true,
    };
    let text = format!("Call the tool {TOOL} to read lines 10 to 20 of the file src/main.py.");
    ChatRequest { tools: vec![tool], ..question(text) }
}

/// Asks for a command as a JSON object in the text, as sessions do by default; with this effort, if there is one.
pub fn command(effort: Option<Effort>) -> ChatRequest {
    let form = json!({ "thoughts": "what you think", "command": { "name": TOOL, "args": { "file_path": "…", "first_line": 1, "last_line": 2 } } });
    let text = format!(
        "You read files by commands. Answer with one JSON object of this form and nothing else:\n{form}\nRead lines 10 to 20 of the file src/main.py."
    );
    ChatRequest { effort, ..question(text) }
}

/// Whether the arguments of a call, or of a command, are those that were asked for.
fn is_asked_for(args: &Value) -> bool {
    let number = |key: &str| args.get(key).and_then(Value::as_u64);
    args.get("file_path").and_then(Value::as_str).is_some_and(|path| path.ends_with("main.py"))
        && number("first_line").is_some()
        && number("last_line").is_some()
}

/// Reads the answer to [`tool_call`]; the problem is half a sentence.
pub fn read_tool_call(reply: &ChatReply) -> Result<(), String> {
    let Some(call) = reply.tool_calls.first() else {
        return Err("it answered with text and called no tool".to_owned());
    };
    if call.name != TOOL {
        return Err(format!("it called `{}`, and only `{TOOL}` was offered", call.name));
    }
    match serde_json::from_str::<Value>(&call.arguments) {
        Ok(args) if is_asked_for(&args) => Ok(()),
        Ok(_) => Err("the arguments of its call are not those that were asked for".to_owned()),
        Err(error) => Err(format!("the arguments of its call are no JSON: {error}")),
    }
}

/// How a command was written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Written {
    /// As JSON.
    Clean,
    /// As JSON that had to be repaired or picked out of other text.
    Repaired,
}

/// Reads the answer to [`command`]; the problem is half a sentence.
pub fn read_command(reply: &ChatReply) -> Result<Written, String> {
    let args = |value: &Value| value.pointer("/command/args").is_some_and(is_asked_for);
    let name = |value: &Value| value.pointer("/command/name").and_then(Value::as_str) == Some(TOOL);
    let is_command = |value: &Value| name(value) && args(value);
    if serde_json::from_str(said(reply)).is_ok_and(|value| is_command(&value)) {
        return Ok(Written::Clean);
    }
    let found = recover(said(reply));
    if found.iter().any(|found| is_command(&found.value)) {
        return Ok(Written::Repaired);
    }
    Err(match found.iter().find(|found| found.value.is_object()) {
        Some(_) => "its JSON object is not the one that was asked for".to_owned(),
        None => "there is no JSON object in its answer".to_owned(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use patchwright_protocol::ToolCall;

    use super::*;

    #[test]
    fn words_differ() {
        for number in 0..1_000 {
            let Words { first, last } = Words::of(number);
            assert_ne!(first, last, "{number}");
        }
        assert_ne!(Words::of(1), Words::of(2));
    }

    #[test]
    fn the_long_prompt_is_as_long_as_a_first_prompt() {
        let LongPrompt { request, words } = long(Words::of(3));
        let text = &request.messages[0].text;
        assert!((7_000..9_000).contains(&words), "{words}");
        let estimate = patchwright_prompts::estimate_tokens(text) as u64;
        assert!(estimate > words && estimate < words * 2, "{estimate} for {words} words");
        let Words { first, last } = Words::of(3);
        assert_eq!((text.matches(first).count(), text.matches(last).count()), (1, 1));
    }

    #[test]
    fn calls_are_read() {
        let check = |call: Option<(&str, &str)>, expect: Result<(), &str>| {
            let calls = call.map(|(name, arguments)| ToolCall::new(name, arguments));
            let reply = ChatReply { tool_calls: calls.into_iter().collect(), ..ChatReply::default() };
            match (read_tool_call(&reply), expect) {
                (Ok(()), Ok(())) => {}
                (Err(problem), Err(expect)) if problem.contains(expect) => {}
                (found, _) => unreachable!("{call:?}: {found:?}"),
            }
        };
        let good = r#"{"file_path": "src/main.py", "first_line": 10, "last_line": 20}"#;
        check(Some((TOOL, good)), Ok(()));
        check(None, Err("called no tool"));
        check(Some(("readRange", good)), Err("only `read_range` was offered"));
        check(Some((TOOL, "{\"file_path\": ")), Err("no JSON"));
        check(Some((TOOL, "{}")), Err("not those"));
    }

    #[test]
    fn commands_are_read() {
        let check = |text: &str, expect: Result<Written, &str>| {
            let reply = ChatReply { text: text.to_owned(), ..ChatReply::default() };
            match (read_command(&reply), expect) {
                (Ok(found), Ok(expect)) => assert_eq!(found, expect, "{text}"),
                (Err(problem), Err(expect)) if problem.contains(expect) => {}
                (found, _) => unreachable!("{text}: {found:?}"),
            }
        };
        let good = r#"{"thoughts": "so", "command": {"name": "read_range", "args": {"file_path": "src/main.py", "first_line": 10, "last_line": 20}}}"#;
        check(good, Ok(Written::Clean));
        check(&format!("```json\n{good}\n```"), Ok(Written::Repaired));
        check(good.strip_suffix('}').unwrap(), Ok(Written::Repaired));
        check("{\"answer\": 42}", Err("not the one"));
        check("I cannot read files.", Err("no JSON object"));
    }
}
