//! The words in which services say that a prompt is too long, or that they could not read a model's call. All are in lower case.

/// Parts of messages that say: too long.
pub(super) const TOO_LONG: &[&str] = &[
    // OpenAI, vLLM, and who copies them
    "maximum context length",
    "context_length_exceeded",
    "exceeds the context window",
    "reduce the length of the",
    "longer than the maximum model length",
    "maximum model length",
    // Anthropic
    "prompt is too long",
    "input is too long",
    "exceed context limit",
    "input length and `max_tokens` exceed",
    // llama.cpp, Ollama, LM Studio
    "available context size",
    "exceeds the available context",
    "exceeds context length",
    "context size has been exceeded",
    "greater than the context length",
    "loaded with context length of only",
    "exceeds the context length",
    "context overflow",
    "exceeded the context",
    // Gemini
    "input token count",
    "exceeds the maximum number of tokens",
    // Mistral, xAI, Groq, Together, Bedrock
    "too large for model with",
    "maximum prompt length",
    "too many input tokens",
    "too many tokens in",
    "`inputs` tokens + `max_new_tokens` must be",
    "please reduce the length",
    "exceeds the model's context",
    "too many tokens:",
    "context window exceeded",
    "exceed the configured limit",
    "inputs must have less than",
    // A single request above the account's tokens per minute: no waiting helps.
    "request too large for",
];

/// Codes and parts of messages about a call of the model that the service could not read.
pub(super) const BROKEN_CALL: &[&str] = &[
    // Groq
    "tool_use_failed",
    "output_parse_failed",
    "failed to call a function",
    "tool call validation failed",
    // Ollama, llama.cpp
    "error parsing tool call",
    "failed to parse tool call",
    "failed to parse input at pos",
    // vLLM, Gemini and others
    "malformed_function_call",
    "malformed function call",
    "call could not be read as json",
    "invalid tool call",
];

/// What a model's window can be, in tokens.
const LEAST_WINDOW: u32 = 1024;
const MOST_WINDOW: u32 = 20_000_000;

/// Words directly in front of a window's number.
const WINDOW: &[&str] = &[
    "context length is ",
    "context length of only ",
    "prompt length is ",
    "model length of ",
    "context size (",
    "tokens allowed (",
    "for model with ",
    "must be <= ",
    "limit ",
    "> ",
];

/// The window that a message about a prompt too long names: the number behind the words for it, where messages hold others as well.
pub(crate) fn window_of(text: &str) -> Option<u32> {
    let before = |index: usize| WINDOW.iter().any(|words| text[..index].ends_with(words));
    let behind = |end: usize| text[end..].starts_with(" maximum");
    let mut numbers = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..].find(|letter: char| letter.is_ascii_digit()).map(|at| rest + at) {
        let length =
            text[start..].find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len() - start);
        rest = start + length;
        let number =
            text[start..rest].parse().ok().filter(|number| (LEAST_WINDOW..=MOST_WINDOW).contains(number));
        numbers.extend(number.filter(|_| before(start) || behind(rest)));
    }
    // What was asked for may stand behind the same words, and is more.
    numbers.into_iter().min()
}
