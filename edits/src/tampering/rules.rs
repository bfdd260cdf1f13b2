//! The rules of the languages' entries, compiled.

use patchwright_syntax::{Language, TamperingRules};
use regex::RegexSet;

/// The rules of a language, compiled.
pub(super) struct Rules {
    pub(super) language: Language,
    pub(super) words: Table,
    pub(super) mentions: Table,
    pub(super) loading: Table,
    pub(super) circumstances: RegexSet,
    pub(super) settable: RegexSet,
    pub(super) called: RegexSet,
    pub(super) compares: RegexSet,
    pub(super) looking: RegexSet,
    pub(super) polyfills: RegexSet,
    pub(super) handing: &'static [&'static str],
    pub(super) lines: Table,
    pub(super) files: Table,
}

/// Patterns, each with what the code does.
pub(super) struct Table {
    set: RegexSet,
    acts: Vec<&'static str>,
}

impl Table {
    fn of<'r>(rules: impl IntoIterator<Item = &'r (&'static str, &'static str)> + Clone) -> Self {
        let patterns = rules.clone().into_iter().map(|(pattern, _)| *pattern);
        Self {
            set: RegexSet::new(patterns).unwrap_or_default(),
            acts: rules.into_iter().map(|(_, act)| *act).collect(),
        }
    }

    pub(super) fn act(&self, text: &str) -> Option<&'static str> {
        self.acts.get(self.set.matches(text).iter().next()?).copied()
    }
}

impl Rules {
    pub(super) fn of(language: Language, any_files: &[(&'static str, &'static str)]) -> Self {
        let rules = &language.entry().tampering;
        let TamperingRules { words, mentions, circumstances, settable, lines, files, .. } = rules;
        let set = |patterns: &[&str]| RegexSet::new(patterns).unwrap_or_default();
        Self {
            language,
            words: Table::of(words),
            mentions: Table::of(mentions),
            loading: Table::of(&rules.loading),
            circumstances: set(circumstances),
            settable: set(settable),
            called: set(&rules.called),
            compares: set(&rules.compares),
            looking: set(&rules.looking),
            polyfills: set(&rules.polyfills),
            handing: &rules.handing,
            lines: Table::of(lines),
            files: Table::of(&[files.as_slice(), any_files].concat()),
        }
    }
}

/// Whether a letter is one of those that compilers take for another in a name: wide, mathematical, raised and joined ones.
pub(super) fn stands_for_another(letter: char) -> bool {
    matches!(letter, '\u{aa}' | '\u{ba}' | '\u{17f}' | '\u{1d2c}'..='\u{1dbf}' | '\u{2070}'..='\u{209f}' | '\u{2100}'..='\u{214f}'
        | '\u{2460}'..='\u{24ff}' | '\u{fb00}'..='\u{fb06}' | '\u{ff00}'..='\u{ffef}' | '\u{1d400}'..='\u{1d7ff}')
}
