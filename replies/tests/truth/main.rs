//! What is recovered, compared with what is known to be true: edits are made up, written down, broken in the ways in
//! which models break them, and read again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod corpus;
mod generate;
mod harm;
mod judge;
mod time;

use std::collections::HashSet;

use generate::{Dice, edit, reply, written};
use harm::{ALL, Harm, harmed};
use patchwright_replies::{EntryCount, Recovered, entries, names_a_file, recover};
use proptest::prelude::*;
use serde_json::Value;

/// The entries of a value, written as JSON.
fn truth(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    match value {
        Value::Object(members) => {
            if names_a_file(members) {
                found.push(value.to_string());
            }
            found.extend(members.values().flat_map(truth));
        }
        Value::Array(elements) => found.extend(elements.iter().flat_map(truth)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    found
}

/// The entries without damage, written as JSON.
fn whole(found: &[Recovered]) -> Vec<String> {
    let entries = found.iter().flat_map(entries).filter(|entry| !entry.damaged);
    entries.map(|entry| serde_json::to_string(entry.members).unwrap()).collect()
}

/// The share of the entries that comes back whole when a list of edits is broken in one way, in percent: measured,
/// and a little less. Of a list of about three and a half edits, one that is lost is nearly 30 percent.
fn floor(harm: Harm) -> usize {
    match harm {
        Harm::TrailingComma
        | Harm::ExtraComma
        | Harm::PythonRepr
        | Harm::RawNewline
        | Harm::InvalidEscape
        | Harm::UnquotedKeys
        | Harm::TypographicQuotes
        | Harm::Comment
        | Harm::OpenBeforeProse
        | Harm::PythonEscapes => 100,
        Harm::BareLines => 95,
        Harm::OpenBeforeFence => 89,
        Harm::RepeatedKey => 86,
        Harm::RepeatedList => 78,
        Harm::JoinedLines => 75,
        Harm::MissingComma | Harm::OneInnerQuote => 98,
        Harm::ExtraCloser | Harm::WrongCloser | Harm::MissingColon => 97,
        Harm::InnerQuotes | Harm::MissingCloser | Harm::MissingClosers => 94,
        Harm::MissingBetween => 87,
        Harm::MissingOpener => 79,
        Harm::UnclosedObjects => 99,
        Harm::GlueOne => 85,
        Harm::MissingQuote | Harm::Placeholder => 70,
        // The second reply, and what stands before the cut in the first.
        Harm::Glue | Harm::GlueBetweenTokens | Harm::Repetition | Harm::CutBeforeFence => 65,
        Harm::Cut => 32,
    }
}

/// How many replies are broken in each way. PATCHWRIGHT_BROKEN_REPLIES names another number; 10,000 take a minute.
fn broken_replies() -> usize {
    std::env::var("PATCHWRIGHT_BROKEN_REPLIES").map_or(300, |number| number.parse().unwrap())
}

#[test]
fn what_comes_back_whole_is_exactly_what_was_written_and_nothing_is_lost_in_silence() {
    let mut low = Vec::new();
    for harm in ALL {
        let mut dice = Dice::new(100 + harm as u64);
        let (mut attempted, mut recovered) = (0, 0);
        for _ in 0..broken_replies() {
            let (first, second) = (reply(&mut dice), reply(&mut dice));
            let (text, next) = (written(&first, &mut dice), written(&second, &mut dice));
            let Some(text) = harmed(harm, &first, &text, &next, &mut dice) else { continue };
            let quotes = matches!(harm, Harm::InnerQuotes | Harm::OneInnerQuote | Harm::MissingQuote);
            if quotes && serde_json::from_str::<Value>(&text).is_ok() {
                // `"split(", ")"` is JSON, and says what it says.
                continue;
            }
            let mut expect = truth(&first);
            if text.contains(&next) {
                expect.extend(truth(&second));
            }
            let values = recover(&text);
            let found = whole(&values);
            for entry in &found {
                assert!(expect.contains(entry), "{harm:?}: {entry}\nis not in\n{text}");
            }
            let count = EntryCount::new(&text, &values);
            let said = values.iter().any(|one| !one.damage.is_empty());
            assert!(
                said || count.recovered >= count.attempted.min(expect.len()),
                "{harm:?}: {count:?} of\n{text}"
            );
            attempted += expect.len();
            recovered += found.len().min(expect.len());
        }
        let share = 100 * recovered / attempted.max(1);
        println!("{harm:?}: {recovered} of {attempted}, {share} %");
        if share < floor(harm) {
            low.push(harm);
        }
    }
    assert!(low.is_empty(), "fewer come back than should: {low:?}");
}

fn check_spans(text: &str, found: &[Recovered]) {
    let mut end = 0;
    for one in found {
        assert!(end <= one.span.start && one.span.start < one.span.end, "{text}: {:?}", one.span);
        assert!(text.get(one.span.clone()).is_some(), "{text}: {:?}", one.span);
        end = one.span.end;
        assert!(one.repairs.iter().all(|made| made.at <= text.len() && made.count > 0));
        assert!(one.damage.iter().all(|damage| damage.at <= text.len()));
    }
}

/// Each value, written as JSON, is read as it is.
fn check_again(found: &[Recovered]) {
    for one in found {
        let text = serde_json::to_string(&one.value).unwrap();
        let again = recover(&text);
        assert_eq!(again.len(), 1, "{text}");
        assert_eq!(again[0].value, one.value, "{text}");
        assert!(again[0].repairs.is_empty() && again[0].damage.is_empty(), "{text}: {again:?}");
    }
}

/// Is true if no entry stands inside another one.
fn are_apart(found: &[Recovered]) -> bool {
    found.iter().map(entries).all(|entries| {
        let inside = |inner: &str| {
            entries
                .iter()
                .any(|outer| inner.strip_prefix(&*outer.pointer).is_some_and(|rest| rest.starts_with('/')))
        };
        !entries.iter().any(|one| inside(&one.pointer))
    })
}

/// Bytes of structure that are put into or taken from a text.
fn noise() -> impl Strategy<Value = Vec<(usize, usize, String)>> {
    let piece = prop_oneof![
        Just(String::new()),
        r#"[{}\[\]",:'()/*#`\\ \n=]{1,3}"#,
        "[“”‘’é.0-9a-z]{1,2}",
        Just("\"file_name\": ".to_owned()),
        Just("\"\"\"".to_owned()),
    ];
    prop::collection::vec((any::<u16>().prop_map(usize::from), 0usize..3, piece), 1..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn broken_text_is_read_in_order_and_what_was_read_is_read_again(seed in any::<u64>(), noise in noise()) {
        let mut dice = Dice::new(seed);
        let value = reply(&mut dice);
        let mut text = written(&value, &mut dice);
        for (at, drop, piece) in noise {
            let start = text.floor_char_boundary(at % (text.len() + 1));
            let end = text.ceil_char_boundary((start + drop).min(text.len()));
            text.replace_range(start..end, &piece);
        }
        let found = recover(&text);
        check_spans(&text, &found);
        check_again(&found);
    }

    #[test]
    fn a_reply_that_ends_anywhere_gives_nothing_that_is_not_in_it(seed in any::<u64>(), at in any::<u16>()) {
        let mut dice = Dice::new(seed);
        let value = reply(&mut dice);
        let text = written(&value, &mut dice);
        let cut = &text[..text.floor_char_boundary(usize::from(at) % text.len())];
        let found = recover(cut);
        check_spans(cut, &found);
        check_again(&found);
        let expect: HashSet<String> = truth(&value).into_iter().collect();
        for entry in whole(&found) {
            prop_assert!(expect.contains(&entry), "{}", entry);
        }
    }

    /// Of two replies of which the first was cut off and the second stands right behind it, in the same line or not,
    /// the second is whole, or what is not is marked, and of the first there is what stands before the cut.
    #[test]
    fn a_reply_glued_to_one_that_was_cut_off_is_found(seed in any::<u64>(), at in any::<u16>(), lone in any::<bool>()) {
        let mut dice = Dice::new(seed);
        let first = reply(&mut dice);
        let second = if lone { edit(&mut dice) } else { reply(&mut dice) };
        let text = written(&first, &mut dice);
        let next = written(&second, &mut dice);
        let cut = text.floor_char_boundary(usize::from(at) % text.len());
        let glued = format!("{}{}{next}", &text[..cut], if dice.below(2) == 0 { "" } else { "\n" });
        let values = recover(&glued);
        let found = whole(&values);
        prop_assert!(are_apart(&values), "{}", glued);
        let (before, after) = (truth(&first), truth(&second));
        let in_string = harm::tokens(&text).iter().any(|token| token.start < cut && cut < token.end);
        for entry in &found {
            let known = before.contains(entry) || after.contains(entry);
            prop_assert!(known || !in_string, "{}\nin\n{}", entry, glued);
        }
        let lost = after.iter().filter(|entry| !found.contains(entry)).count();
        // The first is cut off, so that only damage beyond its own speaks of the second.
        let marked = values.iter().flat_map(entries).filter(|entry| entry.damaged).count();
        prop_assert!(lost < marked.max(1) || !in_string, "{} lost, {} marked in\n{}", lost, marked, glued);
    }
}

#[test]
fn every_prefix_of_a_reply_is_read() {
    let mut dice = Dice::new(7);
    let value = reply(&mut dice);
    let text = written(&value, &mut dice);
    let expect = truth(&value);
    for end in 0..=text.len() {
        let Some(prefix) = text.get(..end) else { continue };
        let found = recover(prefix);
        check_spans(prefix, &found);
        assert!(whole(&found).iter().all(|entry| expect.contains(entry)), "{prefix}");
    }
}
