//! The query that an issue makes.

use std::collections::HashMap;

use patchwright_syntax::pattern::{Pattern, pattern};

use super::words::{is_identifier, terms, words};
use crate::reported_environment::without_environment;

/// The weight of a name in code against a word of prose.
const IDENTIFIER: f64 = 3.0;

/// A path or a dotted name.
static NAMED: Pattern = pattern!(r"[A-Za-z_][\w-]*(?:[/\\][\w.-]+)+|[A-Za-z_]\w*(?:\.\w+)+");

/// The terms of a text with their weights, and what it names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// The weight of each term.
    pub(super) terms: HashMap<String, f64>,
    /// Paths and dotted names as they stand in the text, with `/` and without an extension.
    pub(super) named: Vec<String>,
}

impl Query {
    /// Takes the text of an issue, or any other: names of code weigh more than words of prose, repeated words more than
    /// others but less than their number.
    pub fn of_text(text: &str) -> Self {
        let text = &without_environment(text);
        let mut counts: HashMap<String, (f64, f64)> = HashMap::new();
        for word in words(text) {
            let own = terms(word);
            let name = is_identifier(word);
            let several = own.len() > 1;
            for term in own {
                let weight = if name && (!several || term.contains('_')) { IDENTIFIER } else { 1.0 };
                let (count, most) = counts.entry(term).or_default();
                *count += 1.0;
                *most = most.max(weight);
            }
        }
        let terms =
            counts.into_iter().map(|(term, (count, weight))| (term, weight * (1.0 + count.ln()))).collect();
        let mut named: Vec<String> = Vec::new();
        for found in NAMED.find_iter(text) {
            let name = plain_path(found.as_str());
            if !named.contains(&name) {
                named.push(name);
            }
        }
        Self { terms, named }
    }

    /// The degree to which a path, without its extension, is named: the most parts of it that a name of the text ends or begins with,
    /// of a dotted name also with what it declares behind. One part alone names nothing unless it stands with an extension.
    pub(super) fn names(&self, path: &str) -> usize {
        let own: Vec<&str> = path.split('/').collect();
        self.named.iter().map(|name| shared(&own, &name.split('/').collect::<Vec<_>>())).max().unwrap_or(0)
    }
}

/// `a.b.c` and `a\b\c.py` as `a/b/c`.
fn plain_path(name: &str) -> String {
    let slashed = name.contains(['/', '\\']);
    let name = name.replace('\\', "/");
    if slashed {
        let file = name.rsplit('/').next().unwrap_or(&name).len();
        let dot = name.rfind('.').filter(|dot| *dot > name.len() - file);
        return name.get(..dot.unwrap_or(name.len())).unwrap_or(&name).to_owned();
    }
    let stem = [".py", ".java"].iter().find_map(|extension| name.strip_suffix(extension));
    stem.unwrap_or(&name).replace('.', "/")
}

/// The number of parts at the end of a path that stand, in this order, in a name; at least two, or the whole name.
fn shared(path: &[&str], name: &[&str]) -> usize {
    let mut best = 0;
    for end in 1..=name.len() {
        let same =
            path.iter().rev().zip(name[..end].iter().rev()).take_while(|(own, named)| own == named).count();
        if same >= 2 || (same == 1 && (name.len() == 1 || path.len() == 1)) {
            best = best.max(same);
        }
    }
    best
}
