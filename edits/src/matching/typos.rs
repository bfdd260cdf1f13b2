//! Lines that mean the same code although a typo, a comment or the spacing differs.
//!
//! The danger here is tolerance: an edit that was written for `a - b` must not be applied to `a + b`. So lines are
//! compared word by word. Signs, numbers and short names must be the same; a longer name may differ by a letter if the
//! file does not know the name as it was written; what stands in comments does not count.

use std::cmp::Ordering;
use std::collections::HashSet;

use patchwright_syntax::{similarity, subtokens};

/// The least similarity of two comments, 0 to 1.
const COMMENT: f64 = 0.8;

/// The shortest word in which a typo is believed, in characters.
const SHORTEST_WORD: usize = 5;

/// Lines of less code than this must be the same, in bytes.
const SHORTEST_LINE: usize = 12;

/// A part of a line.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Part<'t> {
    Word(&'t str),
    Number(&'t str),
    /// A text in quotes, with the quote where it matters.
    Text(Option<char>, &'t str),
    /// Signs that may be one together.
    Sign(&'t str),
}

/// The start of comments, and the words that a file knows.
#[derive(Debug)]
pub(crate) struct TypoTolerance<'t> {
    comment: Option<&'static str>,
    words: HashSet<&'t str>,
}

impl<'t> TypoTolerance<'t> {
    /// For a file: `comment` begins a comment that goes on to the end of the line.
    pub(crate) fn new(file: &'t str, comment: Option<&'static str>) -> Self {
        let words = file.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).collect();
        Self { comment, words }
    }

    /// The similarity of the code of two lines, from 0 to 1; `None` when they are not the same code with typos.
    pub(crate) fn alike(&self, written: &str, own: &str) -> Option<f64> {
        let (written, own) = (written.trim(), own.trim());
        if written == own {
            return Some(1.0);
        }
        let (left, right) = (self.parts(written), self.parts(own));
        if left.is_empty() || right.is_empty() {
            // Two comments.
            return (left.is_empty() && right.is_empty())
                .then(|| similarity::by_typos(written, own, COMMENT))
                .filter(|alike| *alike >= COMMENT);
        }
        if left == right {
            return Some(1.0);
        }
        let long = own.len().min(written.len()) >= SHORTEST_LINE;
        if !long || left.len() != right.len() {
            return None;
        }
        let mut total = 0.0;
        for (left, right) in left.iter().zip(&right) {
            total += self.part(*left, *right)?;
        }
        Some(total / left.len() as f64)
    }

    /// The words of a line that are those of the file with a typo.
    pub(crate) fn words(&self, written: &str, own: &str) -> Vec<(String, String)> {
        let (left, right) = (self.parts(written.trim()), self.parts(own.trim()));
        let typo = |(left, right): (&Part, &Part)| match (left, right) {
            (Part::Word(written), Part::Word(own)) if written != own => {
                Some(((*written).to_owned(), (*own).to_owned()))
            }
            _ => None,
        };
        left.iter().zip(&right).filter_map(typo).collect()
    }

    /// Is true if a line is nothing but a comment.
    pub(crate) fn is_comment(&self, line: &str) -> bool {
        self.comment.is_some_and(|mark| line.trim_start().starts_with(mark))
    }

    /// The similarity of two parts, if they may be the same one.
    fn part(&self, written: Part, own: Part) -> Option<f64> {
        match (written, own) {
            _ if written == own => Some(1.0),
            // A name is another one with a typo if the file does not know it as it was written.
            (Part::Word(written), Part::Word(own)) if !self.words.contains(written) => {
                alike_by_words(written, own)
            }
            _ => None,
        }
    }

    /// The quote of a text, where one kind of quotes is not as good as the other.
    fn quote(&self, quote: char) -> Option<char> {
        (self.comment != Some("#")).then_some(quote)
    }

    /// The parts of a line, without comments and blanks.
    fn parts<'l>(&self, line: &'l str) -> Vec<Part<'l>> {
        let mut parts = Vec::new();
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            // `http://…` is no comment.
            let apart =
                line[..line.len() - rest.len()].ends_with(char::is_whitespace) || rest.len() == line.len();
            if apart && self.comment.is_some_and(|mark| rest.starts_with(mark)) {
                break;
            }
            let length = match first {
                _ if first.is_whitespace() => first.len_utf8(),
                '"' | '\'' => {
                    let end = quoted(rest, first);
                    match end {
                        Some(end) => parts.push(Part::Text(self.quote(first), &rest[1..end])),
                        None => parts.push(Part::Sign(&rest[..1])),
                    }
                    end.map_or(1, |end| end + 1)
                }
                _ if is_word(first) => {
                    let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
                    let word = &rest[..end];
                    parts.push(if first.is_ascii_digit() { Part::Number(word) } else { Part::Word(word) });
                    end
                }
                _ => {
                    let joins = |letter: char| "+-*/%=<>!&|^~?.:@".contains(letter);
                    let run = rest.find(|letter| !joins(letter)).unwrap_or(rest.len());
                    let length = run.max(first.len_utf8());
                    parts.push(Part::Sign(&rest[..length]));
                    length
                }
            };
            rest = &rest[length..];
        }
        parts
    }
}

/// The similarity of two names, if each word of one is the same in the other or has a typo of its own, and there is one:
/// `get_total` and `set_total` are two names.
fn alike_by_words(written: &str, own: &str) -> Option<f64> {
    let (left, right) = (subtokens(written), subtokens(own));
    let same = |(written, own): (&String, &String)| written == own || is_typo(written, own);
    let fits = left.len() == right.len() && left != right && left.iter().zip(&right).all(same);
    fits.then(|| similarity::by_typos(written, own, 0.0))
}

/// Is true if a word is another one with a typo: two letters swapped, or one too many or too few. One letter in
/// the place of another makes another word too often (`close` and `clone`, `parse` and `pause`).
fn is_typo(written: &str, own: &str) -> bool {
    let (left, right): (Vec<char>, Vec<char>) = (written.chars().collect(), own.chars().collect());
    let swapped = || {
        let differing: Vec<usize> = (0..left.len()).filter(|at| left[*at] != right[*at]).collect();
        matches!(differing.as_slice(), [one, next] if *next == one + 1 && left[*one] == right[*next] && left[*next] == right[*one])
    };
    let one_more = |long: &[char], short: &[char]| {
        let same = long.iter().zip(short).take_while(|(long, short)| long == short).count();
        long[same + 1..] == short[same..]
    };
    left.len().min(right.len()) >= SHORTEST_WORD
        // `user` and `users` are two words, `part1` and `part2` as well.
        && left.first() == right.first()
        && !written.starts_with(own)
        && !own.starts_with(written)
        && digits(written) == digits(own)
        && match left.len().cmp(&right.len()) {
            Ordering::Equal => swapped(),
            Ordering::Greater => left.len() == right.len() + 1 && one_more(&left, &right),
            Ordering::Less => right.len() == left.len() + 1 && one_more(&right, &left),
        }
}

/// A line with the words of the file in the place of those with typos.
pub(crate) fn corrected(line: &str, typos: &[(String, String)]) -> String {
    let mut corrected = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|letter| is_word(letter) != is_word(first)).unwrap_or(rest.len());
        let (run, next) = rest.split_at(end);
        let known = typos.iter().find(|(written, _)| written == run);
        corrected.push_str(known.map_or(run, |(_, own)| own));
        rest = next;
    }
    corrected
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// The closing quote of the text that begins the line.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().skip(1).find_map(|(at, letter)| {
        let ends = letter == quote && !escaped;
        escaped = letter == '\\' && !escaped;
        ends.then_some(at)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    const FILE: &str = "total = balance_of(account)\nlimits = users\nother = user_of(self)\n";

    #[test]
    fn typos_are_seen_through() {
        for (written, own) in [
            ("total = balnace_of(account)", "total = balance_of(account)"),
            ("totla_of = balance_of( account )", "total_of = balance_of(account)"),
            ("x = f(a,b)  # the sum", "x = f(a, b)"),
            ("# Counts the lines of a file", "# Counts all lines of a file"),
            ("raise ValueError('not enough money')", "raise ValueError(\"not enough money\")"),
        ] {
            let typos = TypoTolerance::new(FILE, Some("#"));
            assert!(typos.alike(written, own).is_some_and(|alike| alike > 0.8), "{written}");
        }
    }

    #[test]
    fn other_code_is_other_code() {
        for (written, own) in [
            ("return amount - fee_of(x)", "return amount + fee_of(x)"),
            ("if amount >= self.balance:", "if amount > self.balance:"),
            ("return call(first, 10)", "return call(first, 100)"),
            ("return call(first, b)", "return call(first, a)"),
            ("return read_part1(line)", "return read_part2(line)"),
            ("return users.of(account)", "return user.of(account)"),
            ("return limits(account)", "return limist(account)"),
            ("raise problem.setMessage(text)", "raise problem.getMessage(text)"),
            ("connection.clone(now)", "connection.close(now)"),
            ("x = config.get('stats')", "x = config.get('state')"),
            ("total = left --right", "total = left - -right"),
            ("visit http://two.net/y", "visit http://one.org/x"),
            ("return not valid(account)", "return valid(account)"),
            ("raise ValueError('not found')", "raise ValueError('not enough')"),
            ("x = 1", "# x = 1"),
            ("a = b // c", "a = b // d"),
        ] {
            let typos = TypoTolerance::new(FILE, Some("#"));
            assert_eq!(typos.alike(written, own), None, "{written}");
        }
    }
}
