//! Which counts are a cut, and which must not be taken for one.

use patchwright_protocol::{Actor, Message};

use super::*;

/// A text of about so many estimated tokens, different for each `seed` from its beginning on.
fn text(seed: &str, tokens: usize) -> String {
    let line = format!("{seed}: the river runs past the old mill\n");
    let mut text = line.repeat(tokens * 33 / 10 / line.len() + 1);
    text.truncate(tokens * 33 / 10);
    text
}

fn prompt(parts: &[(Role, String)]) -> Prompt {
    let messages: Vec<Message> =
        parts.iter().map(|(role, text)| Message::new(*role, text.as_str())).collect();
    Prompt { messages, tokens: 0 }
}

/// A prompt of two messages: one that stays, and a log that grows to `tokens` in all.
fn growing(tokens: usize) -> Prompt {
    prompt(&[(Role::System, text("instructions", 3_000)), (Role::User, text("log", tokens - 3_000))])
}

fn usage(input: u64) -> Usage {
    Usage { input, output: 10, ..Usage::default() }
}

/// Notes these prompts with these counts one after the other, and says which of them is reported as a cut.
fn reported(counts: &[(Prompt, Usage)]) -> Option<usize> {
    let mut short = ShortCounts::default();
    counts.iter().position(|(prompt, usage)| short.note(prompt, *usage).is_err())
}

#[test]
fn a_prompt_that_is_cut_at_the_same_place_is_reported() {
    let check = |counts: &[(usize, u64)], expect: Option<usize>| {
        let counts: Vec<_> = counts.iter().map(|(tokens, input)| (growing(*tokens), usage(*input))).collect();
        assert_eq!(reported(&counts), expect, "{counts:?}");
    };
    check(&[(9_000, 4_096), (9_300, 4_096)], Some(1));
    check(&[(9_000, 4_095), (9_100, 4_096)], Some(1));
    check(&[(9_000, 4_050), (10_000, 4_096)], Some(1));
    check(&[(6_000, 2_048), (6_400, 2_048)], Some(1));
    // The first of these could be the count of what is new.
    check(&[(4_000, 3_500), (9_000, 4_096), (9_500, 4_096), (9_800, 4_096)], Some(3));
    check(&[(9_500, 4_096), (9_000, 4_096)], Some(1));
    // The same prompt again says nothing, and lengths that hardly differ say little.
    check(&[(9_000, 4_096), (9_000, 4_096), (9_010, 4_096)], None);
    check(&[(9_000, 4_096), (9_010, 4_096), (9_030, 4_096), (9_080, 4_096)], Some(3));
    // Whole messages are left out: what is kept differs.
    check(&[(8_000, 3_700), (9_000, 3_900), (10_000, 3_800), (10_600, 3_600)], Some(3));
}

#[test]
fn other_counts_are_not() {
    let check = |counts: &[(usize, u64)]| {
        let counts: Vec<_> = counts.iter().map(|(tokens, input)| (growing(*tokens), usage(*input))).collect();
        assert_eq!(reported(&counts), None, "{counts:?}");
    };
    // The service does not count.
    check(&[(9_000, 0), (10_000, 0), (20_000, 0)]);
    // Counts that are within the estimate's error.
    check(&[(9_000, 4_600), (9_200, 4_600)]);
    check(&[(9_000, 9_000), (20_000, 20_000)]);
    // A tokenizer with more than seven bytes a token.
    check(&[(9_000, 4_100), (9_300, 4_236), (12_000, 5_450), (12_100, 5_496)]);
    // Small prompts.
    check(&[(3_100, 0), (3_200, 1), (3_300, 1)]);
    // Fresh tokens alone: what is new since the prompt before, and next to nothing where the whole prompt was known.
    check(&[(9_000, 1), (10_500, 1_500), (12_000, 1_490), (13_500, 1_500), (15_000, 1_510)]);
    check(&[(9_000, 1), (10_500, 1), (13_000, 1)]);
    check(&[(9_000, 9_100), (11_000, 1_300), (13_000, 1_300), (15_100, 1_300)]);
}

#[test]
fn small_prompts_say_nothing() {
    let small = |tokens: usize| prompt(&[(Role::User, text("log", tokens))]);
    assert_eq!(reported(&[(small(2_400), usage(1_100)), (small(2_900), usage(1_100))]), None);
}

#[test]
fn cached_tokens_say_nothing() {
    let cached = Usage { cached_input: 4_000, ..usage(4_096) };
    assert_eq!(reported(&[(growing(9_000), cached), (growing(9_500), cached)]), None);
    let written = Usage { cache_write: 10, ..usage(4_096) };
    assert_eq!(reported(&[(growing(9_000), written), (growing(9_500), written)]), None);
}

#[test]
fn earlier_replies_may_be_left_out_by_the_service() {
    // Templates of models that reason leave out what was thought in earlier turns.
    let with_thoughts = |tokens: usize| {
        prompt(&[
            (Role::System, text("instructions", 3_500)),
            (Role::Assistant, text("thoughts", tokens)),
            (Role::User, text("result", 20)),
        ])
    };
    assert_eq!(reported(&[(with_thoughts(5_000), usage(2_700)), (with_thoughts(9_000), usage(2_710))]), None);
}

#[test]
fn a_layout_that_changes_from_its_beginning_is_reported_too() {
    let other = |seed: &str, tokens: usize| prompt(&[(Role::User, text(seed, tokens))]);
    assert_eq!(reported(&[(other("a", 9_000), usage(4_096)), (other("b", 10_000), usage(4_096))]), Some(1));
}

#[test]
fn a_cut_is_the_providers_and_names_the_cure() {
    let mut short = ShortCounts::default();
    assert_eq!(short.note(&growing(9_000), usage(4_096)), Ok(()));
    let failure = short.note(&growing(9_500), usage(4_096)).err();
    let said = failure.map(|failure| (failure.actor, failure.message, failure.hint.unwrap_or_default()));
    let Some((actor, message, hint)) = said else { unreachable!("it was not reported") };
    assert_eq!(actor, Actor::Provider);
    insta::assert_snapshot!(format!("{message}\nhint: {hint}"));
}
