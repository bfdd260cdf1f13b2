//! The same code at another indentation: all lines deeper or shallower by the same blanks, or indented by another unit.
//!
//! One change is said of all lines, so that code which is nested otherwise is other code. A unit is one that people use: what two
//! depths have in common by chance is none.

use patchwright_syntax::Language;

/// The units in which code is indented.
const UNITS: [&str; 4] = ["\t", "        ", "    ", "  "];

/// The change that makes the indentation of a text that of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    /// It is the same.
    None,
    /// This stands before every line.
    Deeper(String),
    /// This is taken off every line.
    Shallower(String),
    /// One unit stands for the other, and so many of them are added.
    Units {
        /// The unit of the text.
        text: &'static str,
        /// That of the file.
        file: &'static str,
        /// The units that the file has more than the text.
        more: isize,
    },
}

impl Shift {
    /// The shift that makes the first of each pair the second, if one does for all of them.
    pub(crate) fn between(pairs: &[(&str, &str)]) -> Option<Self> {
        Self::by_blanks(pairs).or_else(|| Self::by_units(pairs))
    }

    /// The same blanks more or less before every line.
    pub(super) fn by_blanks(pairs: &[(&str, &str)]) -> Option<Self> {
        let Some((text, file)) = pairs.first() else { return Some(Self::None) };
        if pairs.iter().all(|(text, file)| text == file) {
            return Some(Self::None);
        }
        if let Some(more) = file.strip_suffix(text)
            && pairs.iter().all(|(text, file)| file.strip_prefix(more) == Some(text))
        {
            return Some(Self::Deeper(more.to_owned()));
        }
        let less = text.strip_suffix(file)?;
        let fits = pairs.iter().all(|(text, file)| text.strip_prefix(less) == Some(file));
        fits.then(|| Self::Shallower(less.to_owned()))
    }

    /// Tabs for blanks, or so many blanks for others. Where the depth differs as well, or both are blanks, two depths have to say so.
    pub(super) fn by_units(pairs: &[(&str, &str)]) -> Option<Self> {
        let (first, _) = pairs.first()?;
        let depths = pairs.iter().any(|(text, _)| text != first);
        let units = UNITS.iter().flat_map(|text| UNITS.iter().map(move |file| (*text, *file)));
        let found = units.filter(|(text, file)| text != file).filter_map(|(text, file)| {
            let mut more = pairs.iter().map(|pair| {
                let ((times, rest), (own, same)) = (counted(pair.0, text)?, counted(pair.1, file)?);
                (rest == same).then(|| own - times)
            });
            let first = more.next()??;
            let evident = depths || (first == 0 && (text == "\t" || file == "\t"));
            (evident && more.all(|more| more == Some(first))).then_some((text, file, first))
        });
        let (text, file, more) = found.min_by_key(|(text, _, more)| (more.abs(), text.len()))?;
        Some(Self::Units { text, file, more })
    }

    /// Tabs for blanks or blanks for tabs, where a text is indented by the one and the file by the other.
    pub(crate) fn tabs_for_blanks(text: Option<&'static str>, file: Option<&'static str>) -> Option<Self> {
        let (text, file) = (text?, file?);
        ((text == "\t") != (file == "\t")).then_some(Self::Units { text, file, more: 0 })
    }

    /// Each way to read tabs for blanks and blanks for tabs.
    pub(crate) fn tabs_and_blanks() -> impl Iterator<Item = Self> {
        let blanks = UNITS.iter().filter(|unit| **unit != "\t");
        blanks.flat_map(|unit| [(*unit, "\t"), ("\t", *unit)]).map(|(text, file)| Self::Units {
            text,
            file,
            more: 0,
        })
    }

    /// A line of the text as the file has it; `None` where that cannot be said.
    pub(crate) fn apply(&self, line: &str) -> Option<String> {
        let code = line.trim_start();
        if code.is_empty() {
            return Some(line.to_owned());
        }
        match self {
            Self::None => Some(line.to_owned()),
            Self::Deeper(more) => Some(format!("{more}{line}")),
            Self::Shallower(less) => line.strip_prefix(less.as_str()).map(str::to_owned),
            Self::Units { text, file, more } => {
                let (times, rest) = counted(indentation(line), text)?;
                if !(rest.is_empty() || *text == "\t" || *file == "\t") {
                    return None;
                }
                let times = usize::try_from(times + more).ok()?;
                Some(format!("{}{rest}{code}", file.repeat(times)))
            }
        }
    }
}

/// The unit in which most lines are indented; a single blank only aligns the lines of a comment.
pub(crate) fn unit<'l>(lines: impl Iterator<Item = &'l str>) -> Option<&'static str> {
    let indented = lines.filter(|line| !line.trim().is_empty()).map(indentation);
    let (tabs, blanks): (Vec<&str>, Vec<&str>) =
        indented.filter(|own| !matches!(*own, "" | " ")).partition(|own| own.starts_with('\t'));
    if tabs.len() > blanks.len() {
        return Some("\t");
    }
    let least = blanks.iter().map(|own| own.len()).min()?;
    UNITS.into_iter().find(|unit| *unit != "\t" && unit.len() == least)
}

/// The units that an indentation consists of, and blanks behind tabs or behind whole units of blanks that align a line with another.
fn counted<'l>(indentation: &'l str, unit: &str) -> Option<(isize, &'l str)> {
    let mut rest = indentation;
    let mut times = 0;
    while let Some(next) = rest.strip_prefix(unit) {
        rest = next;
        times += 1;
    }
    rest.bytes().all(|byte| byte == b' ').then_some((times, rest))
}

/// The blanks before the code of a line.
pub fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// The lines without the indentation that all of them share.
pub(crate) fn dedented(lines: &[&str]) -> Vec<String> {
    let code = || lines.iter().filter(|line| !line.trim().is_empty());
    let shared = code().map(|line| indentation(line)).reduce(|shared, own| {
        let same = shared.bytes().zip(own.bytes()).take_while(|(left, right)| left == right).count();
        // Both are blanks of some kind; a common begin of bytes may still end inside one of them.
        &shared[..(0..=same).rev().find(|at| shared.is_char_boundary(*at)).unwrap_or(0)]
    });
    let shared = shared.unwrap_or_default();
    let own = |line: &&str| {
        let code = if line.trim().is_empty() { "" } else { line.strip_prefix(shared).unwrap_or(line) };
        code.to_owned()
    };
    lines.iter().map(own).collect()
}

/// Whether whole lines of code that replace others may have lost their indentation, or have another one than is meant: they begin at the margin or
/// go there, where none of the old ones is, or, where indentation may have a meaning, have tabs where those have none.
pub(crate) fn may_have_lost<'l>(
    language: Option<Language>,
    old: impl Iterator<Item = &'l str>,
    new: impl Iterator<Item = &'l str>,
) -> bool {
    let code = |line: &&str| !line.trim().is_empty();
    let (old, new): (Vec<&str>, Vec<&str>) = (old.filter(code).collect(), new.filter(code).collect());
    let (Some(own), Some(first)) = (old.first(), new.first()) else { return false };
    let at_margin = |line: &&str| indentation(line).is_empty();
    let is_mixed = first.starts_with('\t') != own.starts_with('\t') && !at_margin(first) && !at_margin(own);
    let is_bare = at_margin(first) && !at_margin(own) && !old.contains(first);
    is_mixed && language.is_none_or(|language| language.entry().indented)
        || is_bare
        || !old.iter().any(at_margin) && new.iter().any(at_margin)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_shift_is_the_same_for_all_lines() {
        fn check(pairs: &[(&str, &str)], lines: &[(&str, Option<&str>)]) {
            let shift = Shift::between(pairs).unwrap();
            for (line, expect) in lines {
                assert_eq!(shift.apply(line).as_deref(), *expect, "{pairs:?} {line:?}");
            }
        }
        check(&[("", ""), ("  ", "  ")], &[("    a", Some("    a"))]);
        check(&[("", "    "), ("    ", "        ")], &[("  a", Some("      a")), ("", Some(""))]);
        check(&[("\t\t", "\t"), ("\t", "")], &[("\t\ta", Some("\ta")), ("a", None), ("   ", Some("   "))]);
        check(
            &[("", "\t"), ("    ", "\t\t")],
            &[("    a", Some("\t\ta")), ("        a", Some("\t\t\ta")), ("      a", Some("\t\t  a"))],
        );
        check(
            &[("    ", "\t")],
            &[("        a", Some("\t\ta")), ("a", Some("a")), ("      a", Some("\t  a"))],
        );
        check(&[("\t\t", "    ")], &[("\ta", Some("  a"))]);
        check(&[("", ""), ("  ", "    ")], &[("      a", Some("            a"))]);
    }

    #[test]
    fn what_is_no_shift_is_none() {
        for pairs in [
            &[("", ""), ("    ", "")][..],
            &[("   ", "\t")],
            &[("", "    "), ("    ", "    ")],
            &[("    ", ""), ("", "    ")],
            &[("", ""), ("  ", "  "), ("    ", "  ")],
            // No one indents by twelve blanks, and no change by one blank is a unit.
            &[("", "        "), ("            ", "            ")],
            &[("", ""), (" ", "  ")],
        ] {
            assert_eq!(Shift::between(pairs), None, "{pairs:?}");
        }
    }

    #[test]
    fn shared_indentation_is_taken_off() {
        assert_eq!(dedented(&["    a", "", "      b"]), ["a", "", "  b"]);
        assert_eq!(dedented(&["\ta", "    b"]), ["\ta", "    b"]);
        assert_eq!(dedented(&["\u{a0}a", "\u{2003}b", "   "]), ["\u{a0}a", "\u{2003}b", ""]);
    }
}
