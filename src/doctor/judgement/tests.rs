//! What is made of answers that the scripted services of `tests/it/doctor.rs` do not give.

use patchwright_protocol::Usage;

use super::super::report::Mark;
use super::*;

const ASKED: Words = Words { first: "marigold", last: "lantern" };
const WORDS: u64 = 7_500;

#[allow(clippy::unnecessary_wraps, reason = "it is what a question comes to")]
fn reply(text: &str, input: Option<u64>) -> Result<ChatReply, ModelError> {
    let usage = input.map(|input| Usage { input, output: 5, ..Usage::default() });
    Ok(ChatReply { text: text.to_owned(), usage, ..ChatReply::default() })
}

fn judged(answer: &Result<ChatReply, ModelError>, table: Option<u32>) -> (ContextReport, Check) {
    context(answer, (ASKED, WORDS), true, table, Some("http://127.0.0.1:8080/v1"))
}

#[test]
fn a_context_is_judged_by_counts_then_by_words() {
    let check = |text: &str, input: Option<u64>, expect: Mark, cuts: Option<bool>| {
        let (report, found) = judged(&reply(text, input), None);
        assert_eq!((found.mark, report.cuts_in_silence), (expect, cuts), "{text} {input:?}: {found:?}");
        assert!(found.mark == Mark::Ok || found.cure.is_some(), "{found:?}");
    };
    check("Marigold, lantern", Some(9_500), Mark::Ok, Some(false));
    check("**marigold** and **lantern**", Some(6_000), Mark::Ok, Some(false));
    check("marigold lantern", Some(5_999), Mark::Failure, Some(true));
    check("lantern", Some(4_096), Mark::Failure, Some(true));
    // Counted whole, by a weak model.
    check("I do not know.", Some(9_500), Mark::Warning, Some(false));
    check("lantern", Some(9_500), Mark::Warning, Some(false));
    // Not counted: 0 is no count either.
    check("marigold lantern", None, Mark::Ok, Some(false));
    check("lantern", None, Mark::Failure, Some(true));
    check("lantern", Some(0), Mark::Failure, Some(true));
    check("I do not know.", None, Mark::Warning, None);
    // The words were thought aloud, and not said.
    check("<think>the first is marigold</think>lantern", None, Mark::Failure, Some(true));
}

#[test]
fn a_word_that_is_not_even_named_of_a_short_prompt_says_nothing() {
    let (report, check) = context(&reply("lantern", None), (ASKED, WORDS), false, None, None);
    assert_eq!((check.mark, report.cuts_in_silence), (Mark::Warning, None), "{check:?}");
}

#[test]
fn the_table_tells_the_window_until_a_count_or_an_error_does() {
    let told = |answer: &Result<ChatReply, ModelError>, table: Option<u32>| {
        let (report, check) = judged(answer, table);
        (report.window, report.window_from, check.mark)
    };
    let whole = reply("marigold lantern", Some(9_500));
    assert_eq!(told(&whole, None), (None, None, Mark::Ok));
    assert_eq!(told(&whole, Some(128_000)), (Some(128_000), Some("table"), Mark::Ok));
    assert_eq!(told(&whole, Some(16_385)), (Some(16_385), Some("table"), Mark::Warning));
    let cut = reply("lantern", Some(4_096));
    assert_eq!(told(&cut, Some(128_000)), (Some(4_096), Some("count"), Mark::Failure));
    let too_long = |window: Option<u32>| Err(ModelError::ContextTooLong { message: "no".to_owned(), window });
    assert_eq!(told(&too_long(Some(8_192)), Some(128_000)), (Some(8_192), Some("error"), Mark::Failure));
    assert_eq!(told(&too_long(None), None), (None, None, Mark::Failure));
}

#[test]
fn a_cure_names_the_server_of_the_port_first() {
    let (_, check) = judged(&reply("lantern", Some(4_096)), None);
    assert!(
        check.cure.as_deref().is_some_and(|cure| cure.starts_with("llama.cpp: start it with `-c 32768`"))
    );
    let cut =
        |received: &str| Err(ModelError::Cut { problem: "closed".to_owned(), received: received.to_owned() });
    let (_, silent) = judged(&cut(""), None);
    assert!(silent.cure.as_deref().is_some_and(|cure| cure.contains("ollama serve")), "{silent:?}");
    let (_, midway) = judged(&cut("mari"), None);
    assert!(midway.cure.as_deref().is_some_and(|cure| cure.contains("proxy")), "{midway:?}");
}

#[test]
fn a_price_is_told_with_what_can_be_done() {
    let check = |known: bool, cost: Option<f64>, is_local: bool, expect: Mark, part: &str| {
        let mut report = ServiceReport::new("openai/gpt".to_owned(), None);
        (report.price_known, report.cost_usd) = (known, cost);
        report.tokens = Usage { input: 9_000, output: 90, ..Usage::default() };
        let found = price(&report, ServiceFacts { is_local, ..ServiceFacts::default() });
        assert!(found.mark == expect && found.detail.contains(part), "{found:?}");
    };
    check(true, Some(0.018_72), false, Mark::Ok, "$0.0187 (9000 tokens in, 90 out)");
    check(true, None, false, Mark::Warning, "does not count tokens");
    check(false, None, false, Mark::Warning, "`--max-usd` cannot be held");
    check(false, None, true, Mark::Ok, "on this machine");
}

#[test]
fn answers_that_come_whole_are_a_warning() {
    let facts = ServiceFacts { refuses_streams: true, ..ServiceFacts::default() };
    let check = streaming(&StreamingReport::default(), facts);
    assert_eq!(check.mark, Mark::Warning, "{check:?}");
    insta::assert_snapshot!(check.detail);
    let report = StreamingReport {
        in_pieces: true,
        first_piece_seconds: Some(0.25),
        tokens_per_second: Some(41.6),
        prompt_tokens_per_second: None,
    };
    let check = streaming(&report, ServiceFacts::default());
    assert_eq!(check.detail, "answers come in pieces, 0.25 s to the first, 42 tokens/s written");
}
