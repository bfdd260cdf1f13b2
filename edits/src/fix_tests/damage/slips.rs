//! The slips of models.

use super::Dice;
use super::changes::Change;
use super::written::{Form, written};
use crate::matching::{dedented, indentation};

type Texts = (Vec<String>, Vec<String>);

/// A kind of damage.
pub(super) struct Slip {
    pub name: &'static str,
    /// The two texts, damaged; `None` where there is nothing to damage.
    damage: fn(Vec<String>, Vec<String>, &mut Dice) -> Option<Texts>,
}

/// All of them.
pub(super) const SLIPS: &[Slip] = &[
    Slip { name: "none", damage: |old, new, _| Some((old, new)) },
    Slip { name: "first line stripped in search", damage: |old, new, _| Some((first_stripped(old)?, new)) },
    Slip {
        name: "first line stripped in replacement",
        damage: |old, new, _| {
            has_indentation(&old)?;
            Some((old, first_stripped(new)?))
        },
    },
    Slip {
        name: "first line stripped in both",
        damage: |old, new, _| Some((first_stripped(old)?, first_stripped(new)?)),
    },
    Slip { name: "both trimmed at both ends", damage: |old, new, _| both_trimmed(&old, &new) },
    Slip { name: "search trimmed at both ends", damage: |old, new, _| Some((trimmed(&old)?, new)) },
    Slip { name: "both dedented", damage: |old, new, _| both_dedented(&old, &new) },
    Slip { name: "search dedented", damage: |old, new, _| changed(&old, dedent(&old)).map(|old| (old, new)) },
    Slip {
        name: "replacement dedented",
        damage: |old, new, _| {
            has_indentation(&old)?;
            Some((old, changed(&new, dedent(&new))?))
        },
    },
    Slip {
        name: "each dedented by itself",
        damage: |old, new, _| Some((changed(&old, dedent(&old))?, changed(&new, dedent(&new))?)),
    },
    Slip { name: "both deeper by four", damage: |old, new, _| Some((deeper(&old), deeper(&new))) },
    Slip {
        name: "both deeper by one",
        damage: |old, new, _| {
            Some((each(&old, |line| format!(" {line}")), each(&new, |line| format!(" {line}"))))
        },
    },
    Slip { name: "search deeper by four", damage: |old, new, _| Some((deeper(&old), new)) },
    Slip {
        name: "blanks become tabs in both",
        damage: |old, new, _| Some((changed(&old, each(&old, tabs))?, each(&new, tabs))),
    },
    Slip {
        name: "blanks become tabs in search",
        damage: |old, new, _| Some((changed(&old, each(&old, tabs))?, new)),
    },
    Slip {
        name: "tabs become blanks in both",
        damage: |old, new, _| Some((changed(&old, each(&old, blanks))?, each(&new, blanks))),
    },
    Slip {
        name: "tabs become blanks in replacement",
        damage: |old, new, _| Some((old, changed(&new, each(&new, blanks))?)),
    },
    Slip {
        name: "two blanks for four in both",
        damage: |old, new, _| Some((changed(&old, each(&old, halves))?, each(&new, halves))),
    },
    Slip {
        name: "white space at line ends of both",
        damage: |old, new, _| {
            Some((each(&old, |line| format!("{line}  ")), each(&new, |line| format!("{line}  "))))
        },
    },
    Slip {
        name: "white space at line ends of search",
        damage: |old, new, dice| Some((some_each(&old, dice), new)),
    },
    Slip {
        name: "blank lines dropped in both",
        damage: |old, new, _| Some((changed(&old, without_blank(&old))?, without_blank_of(&old, &new)?)),
    },
    Slip {
        name: "blank lines dropped in search",
        damage: |old, new, _| Some((changed(&old, without_blank(&old))?, new)),
    },
    Slip { name: "blank line added in both", damage: |old, new, dice| blank_added(&old, &new, dice) },
    Slip {
        name: "blank line added in search",
        damage: |old, new, dice| blank_added(&old, &old, dice).map(|(old, _)| (old, new)),
    },
    Slip { name: "typo in search", damage: |old, new, dice| Some((typo(&old, dice)?.0, new)) },
    Slip {
        name: "typo in both",
        damage: |old, new, dice| {
            let (typed, from, to) = typo(&old, dice)?;
            Some((typed, each(&new, |line| line.replacen(&from, &to, 1))))
        },
    },
    Slip { name: "lines left out of both", damage: |old, new, _| elided(&old, &new, true) },
    Slip { name: "lines left out of search", damage: |old, new, _| elided(&old, &new, false) },
    Slip {
        name: "first stripped, blank lines dropped",
        damage: |old, new, _| {
            let bare = changed(&old, without_blank(&old))?;
            Some((first_stripped(bare)?, first_stripped(without_blank_of(&old, &new)?)?))
        },
    },
    Slip { name: "first stripped, rest deeper by four", damage: |old, new, _| rest_deeper(&old, &new) },
    Slip {
        name: "first line lost one blank in both",
        damage: |mut old, mut new, _| {
            for lines in [&mut old, &mut new] {
                let first = lines.first_mut()?;
                *first = first.strip_prefix(' ')?.to_owned();
            }
            Some((old, new))
        },
    },
];

impl Slip {
    /// The change as a model with this slip writes it.
    pub fn written(&self, change: &Change, dice: &mut Dice) -> Option<String> {
        let (old, new) = (self.damage)(change.old.clone(), change.new.clone(), dice)?;
        // What stands elsewhere to the letter says that it is meant there.
        (old == change.old || !change.stands_elsewhere(&old)).then_some(())?;
        written(Form::ALL[dice.below(Form::ALL.len())], change, &old, &new)
    }
}

fn each(lines: &[String], damage: impl Fn(&str) -> String) -> Vec<String> {
    lines.iter().map(|line| if line.trim().is_empty() { line.clone() } else { damage(line) }).collect()
}

fn changed(before: &[String], after: Vec<String>) -> Option<Vec<String>> {
    (before != after.as_slice() && after.iter().any(|line| !line.trim().is_empty())).then_some(after)
}

/// A text that begins at the margin says nothing of where its replacement began.
fn has_indentation(lines: &[String]) -> Option<()> {
    lines.first().filter(|line| !indentation(line).is_empty()).map(|_| ())
}

fn first_stripped(mut lines: Vec<String>) -> Option<Vec<String>> {
    let first = lines.first_mut()?;
    let code = first.trim_start().to_owned();
    (!code.is_empty() && code.len() < first.len()).then(|| *first = code)?;
    Some(lines)
}

fn trimmed(lines: &[String]) -> Option<Vec<String>> {
    let text = lines.join("\n");
    let bare: Vec<String> = text.trim().lines().map(str::to_owned).collect();
    changed(lines, bare)
}

/// Both without white space at their ends, which must not be what the change is about.
fn both_trimmed(old: &[String], new: &[String]) -> Option<Texts> {
    let blank = |line: &&String| line.trim().is_empty();
    let ends = |lines: &[String]| {
        (lines.iter().take_while(blank).count(), lines.iter().rev().take_while(blank).count())
    };
    (ends(old) == ends(new)).then_some(())?;
    Some((trimmed(old)?, trimmed(new)?))
}

fn dedent(lines: &[String]) -> Vec<String> {
    dedented(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Both by what they share.
fn both_dedented(old: &[String], new: &[String]) -> Option<Texts> {
    let all: Vec<String> = old.iter().chain(new).cloned().collect();
    let mut all = changed(&all, dedent(&all))?;
    let new = all.split_off(old.len());
    Some((all, new))
}

fn deeper(lines: &[String]) -> Vec<String> {
    each(lines, |line| format!("    {line}"))
}

/// Both deeper but for their first lines, where more than one line says so.
fn rest_deeper(old: &[String], new: &[String]) -> Option<Texts> {
    has_indentation(old).filter(|()| without_blank(old).len() > 1)?;
    Some((first_stripped(deeper(old))?, first_stripped(deeper(new))?))
}

fn tabs(line: &str) -> String {
    let own = indentation(line);
    format!("{}{}", own.replace("    ", "\t"), &line[own.len()..])
}

fn blanks(line: &str) -> String {
    let own = indentation(line);
    format!("{}{}", own.replace('\t', "    "), &line[own.len()..])
}

fn halves(line: &str) -> String {
    let own = indentation(line);
    format!("{}{}", own.replace("    ", "  "), &line[own.len()..])
}

fn some_each(lines: &[String], dice: &mut Dice) -> Vec<String> {
    lines.iter().map(|line| if dice.below(2) == 0 { format!("{line} ") } else { line.clone() }).collect()
}

fn without_blank(lines: &[String]) -> Vec<String> {
    lines.iter().filter(|line| !line.trim().is_empty()).cloned().collect()
}

/// The new lines without the blank ones that the old lines have; `None` where the change is about blank lines.
fn without_blank_of(old: &[String], new: &[String]) -> Option<Vec<String>> {
    let blank = |lines: &[String]| lines.iter().filter(|line| line.trim().is_empty()).count();
    (blank(old) == blank(new)).then(|| without_blank(new))
}

/// A blank line between two lines that stand in both texts one after the other.
fn blank_added(old: &[String], new: &[String], dice: &mut Dice) -> Option<Texts> {
    let places: Vec<(usize, usize)> = (1..old.len())
        .filter_map(|at| {
            let same = |after: &usize| new[after - 1..=*after] == old[at - 1..=at];
            Some((at, (1..new.len()).find(same)?))
        })
        .filter(|(at, _)| !old[at - 1].trim().is_empty() && !old[*at].trim().is_empty())
        .collect();
    let (old_at, new_at) = *places.get(dice.below(places.len()))?;
    let (mut old, mut new) = (old.to_vec(), new.to_vec());
    old.insert(old_at, String::new());
    new.insert(new_at, String::new());
    Some((old, new))
}

/// The lines with a typo in one of them, the word and what became of it.
fn typo(lines: &[String], dice: &mut Dice) -> Option<(Vec<String>, String, String)> {
    let at = dice.below(lines.len());
    let word =
        lines[at].split(|c: char| !c.is_alphanumeric()).find(|word| word.len() > 6 && word.is_ascii())?;
    let swapped = format!("{}{}{}{}", &word[..2], &word[3..4], &word[2..3], &word[4..]);
    let (from, to) = (word.to_owned(), swapped);
    let mut typed = lines.to_vec();
    typed[at] = typed[at].replacen(&from, &to, 1);
    (from != to).then_some((typed, from, to))
}

/// `...` in the place of the inner lines at the start of both texts.
fn elided(old: &[String], new: &[String], both: bool) -> Option<Texts> {
    let shared = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (mut left, mut right) = (old.to_vec(), new.to_vec());
    if shared < 3 || shared == old.len() {
        return None;
    }
    let mark = format!("{}# ...", indentation(&old[1]));
    left.splice(1..shared - 1, [mark.clone()]);
    if both {
        right.splice(1..shared - 1, [mark]);
    }
    Some((left, right))
}
