//! What answers say about a service: pure functions from replies to findings.

use patchwright_llm::{ModelError, ServiceFacts, longer_context};
use patchwright_protocol::{Actionable, ChatReply, Usage};

use super::questions::{self, Words, Written};
use super::report::{Check, ContextReport, ServiceReport, StreamingReport};

/// A context below this many tokens leaves sessions little room for what they gather.
const SMALL_WINDOW: u64 = 32_000;

/// A finding about a question that brought no answer.
pub fn unanswered(check: Check, error: &ModelError) -> Check {
    match error.hint() {
        Some(hint) => check.cure(hint),
        None => check,
    }
}

/// What the answer to the long prompt, of `words` words, says of the context; `table` is the window that is known of the model.
pub fn context(
    answer: &Result<ChatReply, ModelError>,
    (asked, words): (Words, u64),
    knows_short_prompt: bool,
    table: Option<u32>,
    base_url: Option<&str>,
) -> (ContextReport, Check) {
    let mut report = ContextReport { sent_at_least: words, knows_short_prompt, ..ContextReport::default() };
    if let Some(window) = table {
        (report.window, report.window_from) = (Some(u64::from(window)), Some("table"));
    }
    let failed = |detail: String| Check::failure("context", detail).cure(longer_context(base_url));
    let reply = match answer {
        Ok(reply) => reply,
        Err(ModelError::ContextTooLong { window, message }) => {
            if let Some(window) = window {
                (report.window, report.window_from) = (Some(u64::from(*window)), Some("error"));
            }
            report.cuts_in_silence = Some(false);
            let window =
                window.map(|window| format!("its context is {window} tokens, and ")).unwrap_or_default();
            let detail = format!(
                "{window}a prompt as long as the first of a session ({words} words) was refused: {message}"
            );
            return (report, failed(detail));
        }
        // Servers that count only once they have begun to answer can but break off.
        Err(ModelError::Cut { received, .. }) if received.is_empty() => {
            let detail = format!(
                "the service broke off without a word when it was sent a prompt of {words} words: its context is probably shorter"
            );
            return (report, failed(detail));
        }
        Err(error) => {
            let detail = format!("a prompt of {words} words was not answered: {error}");
            return (report, unanswered(Check::failure("context", detail), error));
        }
    };
    let (beginning, end) = (questions::names(reply, asked.first), questions::names(reply, asked.last));
    report.knows_beginning = Some(beginning);
    report.counted = reply.usage.map(|usage| usage.input).filter(|input| *input > 0);
    let is_short = |counted: u64| counted.saturating_mul(10) < words * 8;
    match report.counted {
        Some(counted) if is_short(counted) => {
            report.cuts_in_silence = Some(true);
            (report.window, report.window_from) = (Some(counted), Some("count"));
            let beginning = if beginning { "" } else { ", and the answer does not name its first word" };
            let detail = format!(
                "prompts are cut in silence: of a prompt of at least {words} tokens the service counted {counted}{beginning}"
            );
            (report, failed(detail))
        }
        None if !beginning && end && knows_short_prompt => {
            report.cuts_in_silence = Some(true);
            let detail = format!(
                "prompts are cut in silence: the answer to a prompt of at least {words} tokens names its last word and not its first (the service does not count tokens)"
            );
            (report, failed(detail))
        }
        counted => {
            report.cuts_in_silence = (counted.is_some() || beginning).then_some(false);
            let check = whole(&report, counted);
            (report, check)
        }
    }
}

/// The finding of a long prompt that, as far as can be told, was read whole.
fn whole(report: &ContextReport, counted: Option<u64>) -> Check {
    let ContextReport { window, sent_at_least: words, knows_beginning, .. } = report;
    let window_told = window.map(|window| format!("{window} tokens by the table; ")).unwrap_or_default();
    let counted_told = match counted {
        Some(counted) => format!("all of a prompt of {counted} tokens was counted"),
        None => {
            format!("a prompt of at least {words} tokens was answered; the service does not count tokens")
        }
    };
    let detail = format!("{window_told}{counted_told}");
    match (knows_beginning == &Some(true), counted, window) {
        (true, _, Some(window)) if *window < SMALL_WINDOW => Check::warning("context", detail)
            .cure("take a model with a larger context, or prompts stay short"),
        (true, _, _) => Check::ok("context", format!("{detail}, and the answer names its first word")),
        (false, Some(_), _) => {
            Check::warning("context", format!("{detail}, but the answer does not name its first word"))
                .cure("a small model may be too weak for sessions; take a larger one")
        }
        (false, None, _) => Check::warning(
            "context",
            format!("{detail}, and the answer does not name its first word, so it may be cut in silence"),
        )
        .cure("look into the server's log for the length of its context"),
    }
}

/// Whether native calls work.
pub fn tool_calls(answer: &Result<ChatReply, ModelError>) -> (bool, Check) {
    let check = |detail: String| {
        Check::warning("tool calls", detail).cure("give `--protocol json`: commands are then written as text")
    };
    match answer.as_ref().map(questions::read_tool_call) {
        Ok(Ok(())) => (
            true,
            Check::ok("tool calls", "a native call with readable arguments: `--protocol native` works"),
        ),
        Ok(Err(problem)) => (false, check(format!("no native calls: {problem}"))),
        Err(error) => (false, check(format!("no native calls: {error}"))),
    }
}

/// Whether commands as JSON in the text work; `native` says whether native calls do.
pub fn json(answer: &Result<ChatReply, ModelError>, native: bool) -> (bool, Check) {
    let problem = match answer.as_ref().map(questions::read_command) {
        Ok(Ok(Written::Clean)) => {
            return (
                true,
                Check::ok("JSON", "the command that was asked for, as JSON: `--protocol json` works"),
            );
        }
        Ok(Ok(Written::Repaired)) => {
            let detail = "the command that was asked for, after JSON was repaired or picked out of other text: `--protocol json` works";
            return (true, Check::ok("JSON", detail));
        }
        Ok(Err(problem)) => problem,
        Err(error) => error.to_string(),
    };
    let check = if native {
        Check::warning("JSON", format!("no command as JSON: {problem}")).cure("give `--protocol native`")
    } else {
        Check::failure("JSON", format!("no command as JSON: {problem}"))
            .cure("take a model that follows instructions: the tools of a session cannot be called otherwise")
    };
    (false, check)
}

/// What is known of reasoning: whether the model reasoned, and whether it accepts an effort.
pub fn reasoning(reasons: bool, takes_effort: Option<bool>) -> Check {
    let reasons = if reasons { "reasoning was sent or counted" } else { "no reasoning was sent" };
    let effort = match takes_effort {
        Some(true) => "an effort is accepted, or ignored: `--effort` can be given",
        Some(false) => "an effort is refused, and left out",
        None => "the model is known to take no effort",
    };
    Check::ok("reasoning", format!("{reasons}; {effort}"))
}

/// How fast and in which form answers come.
pub fn streaming(report: &StreamingReport, facts: ServiceFacts) -> Check {
    if !report.in_pieces {
        let why = if facts.refuses_streams { "the service refuses to stream" } else { "answers come whole" };
        return Check::warning("streaming", format!("{why}: nothing shows how far an answer is"))
            .cure("if a proxy stands in between, turn off its buffering");
    }
    let mut parts = vec!["answers come in pieces".to_owned()];
    let mut add = |value: Option<f64>, unit: &str| {
        parts.extend(value.map(|value| format!("{value:.*} {unit}", usize::from(value < 10.0) * 2)));
    };
    add(report.first_piece_seconds, "s to the first");
    add(report.tokens_per_second, "tokens/s written");
    add(report.prompt_tokens_per_second, "tokens/s of the prompt read");
    Check::ok("streaming", parts.join(", "))
}

/// What the questions cost.
pub fn price(report: &ServiceReport, facts: ServiceFacts) -> Check {
    let Usage { input, output, .. } = report.tokens;
    let tokens = match input + output {
        0 => "tokens are not counted".to_owned(),
        _ => format!("{input} tokens in, {output} out"),
    };
    match report.cost_usd {
        Some(cost) => Check::ok("price", format!("known; this check cost ${cost:.4} ({tokens})")),
        None if report.price_known => Check::warning(
            "price",
            "known, but the service does not count tokens, so `--max-usd` cannot be held",
        ),
        None if facts.is_local => {
            Check::ok("price", format!("none is known; the service is on this machine ({tokens})"))
        }
        None => Check::warning("price", format!("unknown, so `--max-usd` cannot be held ({tokens})"))
            .cure("add it to a file that `--prices` names, or limit tokens with `--max-tokens-total`"),
    }
}

#[cfg(test)]
mod tests;
