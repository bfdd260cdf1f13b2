//! The same code at another indentation.

/// The change that makes the indentation of a text that of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    /// It is the same.
    None,
    /// This stands before every line.
    Deeper(String),
    /// This is taken off every line.
    Shallower(String),
    /// Every depth has its own counterpart: other units of indentation, tabs for blanks.
    Depths {
        /// The indentations of the text and of the file, the shallowest first.
        pairs: Vec<(String, String)>,
        /// So much in the text is this in the file.
        unit: Option<(String, String)>,
    },
}

impl Shift {
    /// The shift that makes the first of each pair the second, if one does for all of them.
    pub(crate) fn between(pairs: &[(&str, &str)]) -> Option<Self> {
        let (text, file) = pairs.first()?;
        if pairs.iter().all(|(text, file)| text == file) {
            return Some(Self::None);
        }
        if let Some(more) = file.strip_suffix(text)
            && pairs.iter().all(|(text, file)| file.strip_prefix(more) == Some(text))
        {
            return Some(Self::Deeper(more.to_owned()));
        }
        if let Some(less) = text.strip_suffix(file)
            && pairs.iter().all(|(text, file)| text.strip_prefix(less) == Some(file))
        {
            return Some(Self::Shallower(less.to_owned()));
        }
        Self::by_depth(pairs)
    }

    /// Depth by depth: deeper in the text must be deeper in the file, equal must be equal.
    fn by_depth(pairs: &[(&str, &str)]) -> Option<Self> {
        let mut known: Vec<(String, String)> =
            pairs.iter().map(|(text, file)| ((*text).to_owned(), (*file).to_owned())).collect();
        known.sort_by_key(|(text, _)| text.len());
        known.dedup();
        let nested = |left: &str, right: &str| right.len() > left.len() && right.starts_with(left);
        let all_nested =
            known.windows(2).all(|two| nested(&two[0].0, &two[1].0) && nested(&two[0].1, &two[1].1));
        if !all_nested {
            return None;
        }
        if let [(text, file)] = known.as_slice() {
            let unit = tabs_for_blanks(text, file)
                .or_else(|| tabs_for_blanks(file, text).map(|(blanks, tab)| (tab, blanks)))?;
            return Some(Self::Depths {
                pairs: vec![(String::new(), String::new()), known[0].clone()],
                unit: Some(unit),
            });
        }
        let steps = known.windows(2).map(|two| (&two[1].0[two[0].0.len()..], &two[1].1[two[0].1.len()..]));
        let unit = steps.min_by_key(|(text, _)| text.len());
        let unit = unit.map(|(text, file)| (text.to_owned(), file.to_owned()));
        Some(Self::Depths { pairs: known, unit })
    }

    /// A line of the text as the file has it; `None` where that cannot be said.
    pub(crate) fn apply(&self, line: &str) -> Option<String> {
        let code = line.trim_start();
        if code.is_empty() {
            return Some(line.to_owned());
        }
        let own = &line[..line.len() - code.len()];
        match self {
            Self::None => Some(line.to_owned()),
            Self::Deeper(more) => Some(format!("{more}{line}")),
            Self::Shallower(less) => line.strip_prefix(less.as_str()).map(str::to_owned),
            Self::Depths { pairs, unit } => {
                let (text, file) = pairs.iter().rev().find(|(text, _)| own.starts_with(text.as_str()))?;
                let rest = &own[text.len()..];
                if rest.is_empty() {
                    return Some(format!("{file}{code}"));
                }
                let (text_unit, file_unit) = unit.as_ref()?;
                let times = rest.len() / text_unit.len();
                (rest == text_unit.repeat(times)).then(|| format!("{file}{}{code}", file_unit.repeat(times)))
            }
        }
    }
}

/// The blanks that a tab stands for, where one indentation is blanks and the other tabs.
fn tabs_for_blanks(blanks: &str, tabs: &str) -> Option<(String, String)> {
    let fits = !tabs.is_empty()
        && tabs.bytes().all(|byte| byte == b'\t')
        && blanks.bytes().all(|byte| byte == b' ')
        && blanks.len().is_multiple_of(tabs.len());
    let width = blanks.len() / tabs.len().max(1);
    (fits && matches!(width, 2 | 4 | 8)).then(|| (" ".repeat(width), "\t".to_owned()))
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
            &[("    a", Some("\t\ta")), ("        a", Some("\t\t\ta")), ("      a", None)],
        );
        check(&[("    ", "\t")], &[("        a", Some("\t\ta")), ("a", Some("a"))]);
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
