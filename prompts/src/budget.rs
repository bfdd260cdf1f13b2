//! Sizes: estimating tokens, cutting texts so that head and tail stay, sharing room among texts.
//!
//! Room is counted in bytes inside the crate, because bytes add up and tokens do not.

use std::borrow::Cow;

use crate::error::PromptError;

use crate::untrusted::opened_fence;

/// The estimate for the frame that a provider puts around each message, in tokens.
pub(crate) const TOKENS_PER_MESSAGE: usize = 4;

/// What a prompt says before its budget and behind it: the same in two prompts that differ in nothing but the limits.
pub fn without_budget(text: &str) -> (&str, &str) {
    // No text of a project begins a line like this.
    let Some((before, section)) = text.rsplit_once("\n# Budget\n\n") else { return (text, "") };
    (before, section.split_once("\n\n").map_or("", |(_, after)| after))
}

/// An estimate of the tokens of a text: a token for every 3.3 bytes, rounded up.
///
/// Measured on source code: 3.3 bytes per token on dense code, up to 4.9 on prose-like code; so this errs on the
/// safe side.
pub fn estimate_tokens(text: &str) -> usize {
    tokens_of_bytes(text.len())
}

/// The estimate for a number of bytes.
pub(crate) fn tokens_of_bytes(bytes: usize) -> usize {
    bytes.saturating_mul(10).div_ceil(33)
}

/// The most bytes that are estimated at no more than `tokens`.
pub(crate) fn bytes_of_tokens(tokens: usize) -> usize {
    tokens.saturating_mul(33) / 10
}

/// The text in at most `room` bytes: head and tail kept, with a visible note where something was left out. Room
/// that is too small even for the note gives an empty text.
pub(crate) fn cut(text: &str, room: usize) -> Cow<'_, str> {
    if text.len() <= room {
        return Cow::Borrowed(text);
    }
    let longest_note = note(text.len()).len();
    let Some(kept) = room.checked_sub(longest_note) else {
        return Cow::Borrowed("");
    };
    let head = line_end_before(text, text.floor_char_boundary(kept.div_ceil(2)));
    let tail = line_start_after(text, text.ceil_char_boundary(text.len() - kept / 2));
    Cow::Owned(format!("{}{}{}", &text[..head], note(tail - head), &text[tail..]))
}

/// A list or a whole section in at most `room` bytes, cut like [`cut`] but between lines, and never so that a fence stands open or
/// what stood in one stands outside.
pub(crate) fn cut_lines(text: &str, room: usize) -> Cow<'_, str> {
    if text.len() <= room {
        return Cow::Borrowed(text);
    }
    let Some(kept) = room.checked_sub(note(text.len()).len()) else { return Cow::Borrowed("") };
    let (mut head, mut closing, mut tail) = (0, "", text.len());
    let mut open: Option<&str> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if open.is_none() && text.len() - at <= kept / 2 {
            tail = tail.min(at);
        }
        at += line.len();
        let line = line.trim_end_matches('\n');
        open = match open {
            Some(mark) => (line != mark).then_some(mark),
            None => opened_fence(line),
        };
        let mark = open.unwrap_or_default();
        if at + mark.len() <= kept.div_ceil(2) {
            (head, closing) = (at, mark);
        }
    }
    let shown = if closing.is_empty() { text[..head].trim_end() } else { &text[..head] };
    Cow::Owned(format!("{shown}{closing}{}{}", note(tail - head), &text[tail..]))
}

/// The first items of a list that have room, one a line, and how many more there are. Room that is too small even for that gives an
/// empty text.
pub(crate) fn cut_list<T: AsRef<str>>(items: &[T], room: usize) -> String {
    let whole = |items: &[T]| items.iter().map(|item| item.as_ref().len() + 1).sum::<usize>();
    if whole(items) <= room + 1 {
        return items.iter().map(AsRef::as_ref).collect::<Vec<_>>().join("\n");
    }
    let mut left = room.saturating_sub(more(items.len()).len());
    let fits = |item: &&T| match left.checked_sub(item.as_ref().len() + 1) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    let shown: Vec<&str> = items.iter().take_while(fits).map(AsRef::as_ref).collect();
    let note = more(items.len() - shown.len());
    if note.len() > room { String::new() } else { [shown, vec![note.as_str()]].concat().join("\n") }
}

/// The line that stands for items left out.
fn more(count: usize) -> String {
    format!("[… and {count} more …]")
}

/// The note that stands for bytes left out, on a line of its own.
fn note(bytes: usize) -> String {
    format!("\n[… {bytes} bytes left out …]\n")
}

/// Whether something of a text was left out.
#[cfg(test)]
pub(crate) fn is_cut(text: &str) -> bool {
    note(0).trim_end().split_once('0').is_some_and(|(_, behind)| text.contains(behind))
}

/// The last line end not far before `at`; else `at` itself.
fn line_end_before(text: &str, at: usize) -> usize {
    let near = text.floor_char_boundary(at - at / 4);
    text[near..at].rfind('\n').map_or(at, |offset| near + offset)
}

/// The first line start not far after `at`; else `at` itself.
fn line_start_after(text: &str, at: usize) -> usize {
    let near = text.floor_char_boundary(at + (text.len() - at) / 4);
    text[at..near].find('\n').map_or(at, |offset| at + offset + 1)
}

/// Something that wants room.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpaceRequest {
    /// The room it could use, in bytes.
    pub bytes: usize,
    /// Its part of the room, relative to the others, when there is not enough for all.
    pub share: usize,
}

/// Shares `room` among the wants: who wants less than its share gets what it wants, and the rest is shared again.
/// The sum never exceeds `room`.
pub(crate) fn allocate(room: usize, requests: &[SpaceRequest]) -> Vec<usize> {
    let mut given = vec![0; requests.len()];
    let mut open: Vec<usize> = (0..requests.len()).collect();
    let mut left = room;
    loop {
        let shares: usize = open.iter().map(|&index| requests[index].share.max(1)).sum();
        let fair = |index: usize| -> usize {
            let part = left as u128 * requests[index].share.max(1) as u128 / shares.max(1) as u128;
            usize::try_from(part).unwrap_or(usize::MAX)
        };
        let (modest, greedy): (Vec<usize>, Vec<usize>) =
            open.iter().partition(|&&index| requests[index].bytes <= fair(index));
        if modest.is_empty() {
            for index in greedy {
                given[index] = fair(index);
            }
            return given;
        }
        for index in modest {
            given[index] = requests[index].bytes;
            left -= requests[index].bytes;
        }
        open = greedy;
    }
}

/// Renders a list without its oldest items, as few of them left out as the room demands, and at most `count`.
pub(crate) fn newest_that_fit(
    count: usize,
    room: usize,
    render: impl Fn(usize) -> Result<String, PromptError>,
) -> Result<String, PromptError> {
    let text = render(0)?;
    if text.len() <= room || count == 0 {
        return Ok(cut_lines(&text, room).into_owned());
    }
    let (mut low, mut high, mut fitting) = (1, count, None);
    while low < high {
        let middle = low.midpoint(high);
        let text = render(middle)?;
        if text.len() <= room {
            (high, fitting) = (middle, Some(text));
        } else {
            low = middle + 1;
        }
    }
    match fitting {
        Some(text) => Ok(text),
        None => Ok(cut_lines(&render(low)?, room).into_owned()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tokens_are_estimated_from_bytes() {
        for (text, tokens) in [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("äöü", 2), (&"x".repeat(33), 10)]
        {
            assert_eq!(estimate_tokens(text), tokens, "{text}");
        }
    }

    #[test]
    fn a_text_that_fits_is_not_touched() {
        assert_eq!(cut("one\ntwo", 7), "one\ntwo");
    }

    #[test]
    fn a_long_text_keeps_head_and_tail_and_says_so() {
        let text = (1..=100).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
        let short = cut(&text, 200);
        assert!(short.starts_with("line 1\nline 2\n"), "{short}");
        assert!(short.ends_with("line 99\nline 100\n"), "{short}");
        assert!(is_cut(&short), "{short}");
    }

    #[test]
    fn a_section_is_cut_between_lines_and_its_fences_are_closed() {
        let code = "some code\n".repeat(20);
        let text =
            format!("# One\n\n````\n{code}````\n\n# Two\n\n```\n{code}```\n\n# Three\n\n```\nend\n```");
        let short = cut_lines(&text, 130);
        assert_eq!(
            short,
            "# One\n\n````\nsome code\nsome code\nsome code\n````\n[… 391 bytes left out …]\n\n# Three\n\n```\nend\n```"
        );
        assert_eq!(
            cut_lines("a line that is too long to be kept, and another\nb", 40),
            "\n[… 48 bytes left out …]\nb"
        );
    }

    #[test]
    fn a_list_keeps_its_first_items_and_says_how_many_follow() {
        let items: Vec<String> = (1..=9).map(|number| format!("item {number}")).collect();
        let check = |room: usize, expect: &str| assert_eq!(cut_list(&items, room), expect, "{room}");
        check(62, &items.join("\n"));
        check(61, "item 1\nitem 2\nitem 3\nitem 4\nitem 5\n[… and 4 more …]");
        check(25, "[… and 9 more …]");
        check(19, "");
        assert_eq!(cut_list::<String>(&[], 0), "");
    }

    #[test]
    fn no_room_gives_no_text() {
        assert_eq!(cut("something", 3), "");
    }

    #[test]
    fn room_that_the_modest_leave_goes_to_the_greedy() {
        let want = |bytes, share| SpaceRequest { bytes, share };
        let check =
            |room, requests: &[SpaceRequest], expect: &[usize]| assert_eq!(allocate(room, requests), expect);
        check(100, &[want(10, 1), want(1000, 1)], &[10, 90]);
        check(100, &[want(1000, 1), want(1000, 3)], &[25, 75]);
        check(100, &[want(30, 1), want(30, 1)], &[30, 30]);
        check(100, &[], &[]);
        check(0, &[want(5, 1)], &[0]);
    }

    proptest! {
        #[test]
        fn the_estimate_of_bytes_never_exceeds_the_tokens(tokens in 0usize..1_000_000) {
            prop_assert!(tokens_of_bytes(bytes_of_tokens(tokens)) <= tokens);
        }

        #[test]
        fn a_cut_text_fits(text in "[a-zäöü`\n]{0,400}", room in 0usize..300) {
            prop_assert!(cut(&text, room).len() <= room);
            prop_assert!(cut_lines(&text, room).len() <= room);
            prop_assert!(cut_list(&text.split('\n').collect::<Vec<_>>(), room).len() <= room);
        }

        #[test]
        fn shares_never_exceed_the_room(
            room in 0usize..10_000,
            requests in prop::collection::vec((0usize..9_000, 1usize..9), 0..8),
        ) {
            let requests: Vec<SpaceRequest> = requests.iter().map(|&(bytes, share)| SpaceRequest { bytes, share }).collect();
            let given = allocate(room, &requests);
            prop_assert!(given.iter().sum::<usize>() <= room);
            prop_assert!(given.iter().zip(&requests).all(|(given, want)| *given <= want.bytes));
        }
    }
}
