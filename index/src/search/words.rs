//! The words that are searched for, and the quality of their matches in a text.

use patchwright_syntax::subtokens;

/// Parts of identifiers that say nothing when they stand in a longer word. Asked for alone they count.
const NOISE: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "do", "for", "from", "get", "has", "if", "in", "is",
    "it", "its", "my", "new", "not", "of", "on", "or", "self", "set", "the", "this", "to", "was", "when",
    "where", "with",
];

/// Parts that are looked for at most; nobody means more.
const MOST_PARTS: usize = 64;

/// Words that are looked for at most, and the bytes of one.
const MOST_WORDS: usize = 256;
const LONGEST_WORD: usize = 1000;

/// Letters from which on a part counts inside of a longer one: `token` in `tokens`.
const INSIDE: usize = 4;

/// One word as asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// As it was given.
    pub text: String,
    /// Its subtokens.
    pub parts: Vec<String>,
    /// Of each subtoken, its place in [`Words::parts`]; `None` if it does not count by itself.
    pub places: Vec<Option<usize>>,
}

/// All words of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    pub asked: Vec<Asked>,
    /// The distinct subtokens that count by themselves.
    pub parts: Vec<String>,
    /// The texts of which a line must contain one to be looked at: the parts, and whole words of which no part counts.
    pub literals: Vec<String>,
}

/// The quality of a match, worst first.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quality {
    /// Some of its subtokens, or inside of a longer one.
    Loose,
    /// All of its subtokens in a row, within a longer identifier.
    Run,
    /// The whole identifier.
    Whole,
}

/// One word that a text matches.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Match {
    /// The place of the word in [`Words::asked`].
    pub asked: usize,
    pub quality: Quality,
    /// The parts among [`Words::parts`], as bits.
    pub parts: u64,
}

impl Words {
    /// Takes words as someone gives them: identifiers, dotted names, phrases. Empty if nothing in them can be searched. Words that are too
    /// long are left out, and so are those after the first [`MOST_WORDS`].
    pub fn of(given: &[String]) -> Self {
        let mut words = Self::default();
        let pieces = given.iter().flat_map(|given| given.split(|letter: char| !is_identifier(letter)));
        for piece in pieces.filter(|piece| piece.len() <= LONGEST_WORD) {
            if words.asked.len() >= MOST_WORDS {
                break;
            }
            let parts = subtokens(piece);
            let useless = parts.iter().map(|part| part.chars().count()).sum::<usize>() < 2;
            if useless || words.asked.iter().any(|asked| asked.parts == parts) {
                continue;
            }
            words.add(piece, parts);
        }
        words
    }

    fn add(&mut self, piece: &str, parts: Vec<String>) {
        let alone = parts.len() == 1;
        let counts = |part: &str| alone || (part.chars().count() > 1 && !NOISE.contains(&part));
        let mut places = Vec::with_capacity(parts.len());
        for part in &parts {
            let mut known = self.parts.iter().position(|known| known == part);
            if known.is_none() && counts(part) && self.parts.len() < MOST_PARTS {
                known = Some(self.parts.len());
                self.parts.push(part.clone());
                self.literals.push(part.clone());
            }
            places.push(known.filter(|_| counts(part)));
        }
        if places.iter().all(Option::is_none) {
            self.literals.push(parts.concat());
            self.literals.push(parts.join("_"));
        }
        self.asked.push(Asked { text: piece.trim_matches('_').to_owned(), parts, places });
    }

    /// The words of a text, the best match of each.
    pub fn matches(&self, text: &str) -> Vec<Match> {
        let identifiers = text.split(|letter: char| !is_identifier(letter)).filter(|identifier| {
            let lower = identifier.to_lowercase();
            self.literals.iter().any(|literal| lower.contains(literal.as_str()))
        });
        let found = identifiers.flat_map(|identifier| {
            let own = subtokens(identifier);
            self.asked.iter().enumerate().filter_map(move |(asked, word)| {
                let (quality, parts) = word.matched_by(&own)?;
                Some(Match { asked, quality, parts })
            })
        });
        Match::strongest(found)
    }

    /// The words that are searched for, for people: those given, and the parts that count by themselves.
    pub fn described(&self) -> Vec<String> {
        let mut described: Vec<String> = self.asked.iter().map(|asked| asked.text.clone()).collect();
        for part in &self.parts {
            if !described.iter().any(|known| known.eq_ignore_ascii_case(part)) {
                described.push(part.clone());
            }
        }
        described
    }

    /// The words of these matches, for people: a word that stands there as such, otherwise its parts.
    pub fn named(&self, matches: &[Match]) -> Vec<String> {
        let mut named: Vec<String> = Vec::new();
        for found in matches {
            let Some(asked) = self.asked.get(found.asked) else { continue };
            let loose = found.quality == Quality::Loose && asked.parts.len() > 1;
            let names = if loose { self.parts_of(found.parts) } else { vec![asked.text.clone()] };
            for name in names {
                if !named.contains(&name) {
                    named.push(name);
                }
            }
        }
        named
    }

    fn parts_of(&self, bits: u64) -> Vec<String> {
        let parts = self.parts.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1);
        parts.map(|(_, part)| part.clone()).collect()
    }
}

impl Match {
    /// Of several matches of one word, the best with the parts of all.
    pub fn strongest(matches: impl Iterator<Item = Self>) -> Vec<Self> {
        let mut best: Vec<Self> = Vec::new();
        for found in matches {
            match best.iter_mut().find(|known| known.asked == found.asked) {
                Some(known) => {
                    known.quality = known.quality.max(found.quality);
                    known.parts |= found.parts;
                }
                None => best.push(found),
            }
        }
        best.sort_by_key(|found| found.asked);
        best
    }
}

impl Asked {
    /// The quality with which an identifier of these subtokens matches, and the parts that do.
    fn matched_by(&self, own: &[String]) -> Option<(Quality, u64)> {
        let all = self.places.iter().flatten().fold(0_u64, |bits, place| bits | 1 << place);
        if own == self.parts {
            return Some((Quality::Whole, all));
        }
        if own.windows(self.parts.len()).any(|window| window == self.parts) {
            return Some((Quality::Run, all));
        }
        let inside = |part: &str| part.chars().count() >= INSIDE && own.iter().any(|own| own.contains(part));
        let mut bits = 0;
        for (part, place) in self.parts.iter().zip(&self.places) {
            if let Some(place) = place
                && (own.contains(part) || inside(part))
            {
                bits |= 1 << place;
            }
        }
        (bits != 0).then_some((Quality::Loose, bits))
    }
}

/// `$` and other marks stand between words too, but an underscore joins them.
fn is_identifier(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn words(given: &[&str]) -> Words {
        Words::of(&given.iter().map(|given| (*given).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn words_become_parts_that_mean_something() {
        let check =
            |given: &[&str], literals: &[&str]| assert_eq!(words(given).literals, literals, "{given:?}");
        check(&["getFullName"], &["full", "name"]);
        check(&["full_name", "FullName", "fullName()"], &["full", "name"]);
        check(&["get"], &["get"]);
        check(&["isIt"], &["isit", "is_it"]);
        check(&["org.apache.StringUtils#isBlank"], &["org", "apache", "string", "utils", "blank"]);
        check(&["null pointer"], &["null", "pointer"]);
        check(&["__init__"], &["init"]);
        check(&["", " ", "_", "()", "x", "."], &[]);
    }

    #[test]
    fn words_are_taken_up_to_a_number_and_a_length() {
        for times in [1, 10] {
            let many: Vec<String> = (0..MOST_WORDS * times).map(|number| format!("word{number}x")).collect();
            assert_eq!(Words::of(&many).asked.len(), MOST_WORDS);
            let long = "a".repeat(LONGEST_WORD * times);
            assert_eq!(words(&[&long, "b1"]).asked.len(), if times == 1 { 2 } else { 1 });
        }
    }

    #[test]
    fn a_text_matches_as_a_whole_in_a_row_or_loosely() {
        let check = |given: &str, text: &str, expect: Option<Quality>| {
            let found = words(&[given]).matches(text);
            assert_eq!(found.first().map(|found| found.quality), expect, "{given} in {text}");
        };
        check("getFullName", "return getFullName();", Some(Quality::Whole));
        check("getFullName", "def get_full_name(self):", Some(Quality::Whole));
        check("fullName", "return user.getFullName();", Some(Quality::Run));
        check("getFullName", "String name = null;", Some(Quality::Loose));
        check("getFullName", "return get(1);", None);
        check("token", "List<Token> tokens", Some(Quality::Whole));
        check("token", "subtokens", Some(Quality::Loose));
        check("art", "start()", None);
        check("isIt", "if (isIt) {", Some(Quality::Whole));
    }

    #[test]
    fn a_match_is_named_by_what_stands_there() {
        let words = words(&["getFullName", "parser"]);
        assert_eq!(words.described(), ["getFullName", "parser", "full", "name"]);
        assert_eq!(words.named(&words.matches("get_full_name(Parser)")), ["getFullName", "parser"]);
        assert_eq!(words.named(&words.matches("fullText")), ["full"]);
    }
}
