//! What is known of a service once it was asked, and how servers on one's own machine get a longer context.

/// What a client has found out about its service so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServiceFacts {
    /// The wire format of the next question, in words: `chat completions`, `Responses` or `messages`; empty if the model speaks none.
    pub wire_format: &'static str,
    /// The service is on this machine.
    pub is_local: bool,
    /// An effort was asked for, and the service refused it: it is no longer sent.
    pub refuses_effort: bool,
    /// The service refused to answer in pieces.
    pub refuses_streams: bool,
}

/// A server that people run themselves: its name, the port that it listens on by default, and how its context is made longer.
const SERVERS: [(&str, u16, &str); 4] = [
    (
        "Ollama",
        11434,
        "start it as `OLLAMA_CONTEXT_LENGTH=32768 ollama serve`, or set `PARAMETER num_ctx 32768` in a Modelfile",
    ),
    ("llama.cpp", 8080, "start it with `-c 32768` (`--n_ctx 32768` for llama-cpp-python)"),
    ("LM Studio", 1234, "load the model with a context length of 32768"),
    ("vLLM", 8000, "start it with `--max-model-len 32768`"),
];

/// How to get a longer context out of a server of one's own: of the server that listens on the port of `base_url` by default, which comes
/// first, and of the others, since any server can listen on any port.
///
/// ```
/// let hint = patchwright_llm::longer_context(Some("http://127.0.0.1:11434/v1"));
/// assert!(hint.starts_with("Ollama: start it as `OLLAMA_CONTEXT_LENGTH=32768 ollama serve`"));
/// ```
pub fn longer_context(base_url: Option<&str>) -> String {
    let port = base_url.and_then(|url| reqwest::Url::parse(url.trim()).ok()).and_then(|url| url.port());
    let mut servers = SERVERS;
    // A stable sort: the others stay in their order.
    servers.sort_by_key(|(_, own, _)| port != Some(*own));
    let hints = servers.map(|(name, _, hint)| format!("{name}: {hint}"));
    hints.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_of_the_port_comes_first() {
        let check = |url: Option<&str>, first: &str| {
            let hint = longer_context(url);
            assert!(hint.starts_with(first), "{url:?}: {hint}");
            for part in ["OLLAMA_CONTEXT_LENGTH=32768 ollama serve", "num_ctx", "-c 32768", "--max-model-len"]
            {
                assert!(hint.contains(part), "{url:?}: {hint}");
            }
        };
        check(None, "Ollama");
        check(Some("http://localhost:11434"), "Ollama");
        check(Some("http://127.0.0.1:8080/v1"), "llama.cpp");
        check(Some("http://10.0.0.1:1234/v1"), "LM Studio");
        check(Some("http://127.0.0.1:8000/v1"), "vLLM");
        check(Some("https://host/v1"), "Ollama");
        check(Some("not a URL"), "Ollama");
    }
}
