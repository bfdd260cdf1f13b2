//! Truth values and texts.

use crate::grammar::NodeRole;
use crate::mutation::Mutations;
use crate::similarity::similarity;
use crate::site::Site;

super::generators!(boolean, string);

/// Longer texts are no values, but messages.
const LONGEST: usize = 60;
/// Other files whose texts are tried, and texts of each file.
const FILES: usize = 12;
const TEXTS: usize = 400;

/// The other truth value.
pub(crate) fn boolean(site: &Site, mutations: &mut Mutations) {
    let [yes, no] = site.grammar.keywords.booleans;
    for node in site.expressions.iter().filter(|node| site.role(**node) == NodeRole::BooleanLiteral) {
        let other = if site.text(*node) == yes { no } else { yes };
        mutations.replace(*node, other, 1.0);
    }
}

/// Another text: one that the file or the project knows, or this one but for its ends or case.
pub(crate) fn string(site: &Site, mutations: &mut Mutations) {
    let around = site.ingredients.around(site.file);
    for &node in &site.expressions {
        if !matches!(site.role(node), NodeRole::StringLiteral | NodeRole::CharLiteral) {
            continue;
        }
        let old = site.text(node);
        let quotes: usize = if old.ends_with("\"\"\"") || old.ends_with("'''") { 3 } else { 1 };
        let open = old.find(['"', '\'']).unwrap_or(0) + quotes;
        let (Some(head), Some(body), Some(tail)) = (
            old.get(..open),
            old.get(open..old.len().saturating_sub(quotes)),
            old.get(old.len().saturating_sub(quotes)..),
        ) else {
            continue;
        };
        if site.role(node) == NodeRole::StringLiteral {
            for (other, rank) in variants(body) {
                mutations.replace(node, &format!("{head}{other}{tail}"), rank);
            }
        }
        // A message or a documentation is none of the values that others could be.
        if body.len() > LONGEST {
            continue;
        }
        let near = std::iter::once((1.0, &site.file.facts))
            .chain(around.iter().map(|(near, facts)| (*near, *facts)).take(FILES));
        for (near, facts) in near {
            for other in facts.texts.iter().filter(|other| other.starts_with(head)).take(TEXTS) {
                let alike = similarity(body, other.trim_matches(['"', '\'']));
                if alike > 0.2 || near > 0.9 {
                    mutations.replace(node, other, near * (0.3 + 0.6 * alike));
                }
            }
        }
    }
}

/// A text with other ends or in another case.
fn variants(body: &str) -> Vec<(String, f64)> {
    const MIRRORED: &[(&str, &str)] =
        &[("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"), ("/", "\\\\"), ("+", "-")];
    let mut found = Vec::new();
    for (one, other) in MIRRORED {
        if body == *one || body == *other {
            found.push(((if body == *one { *other } else { *one }).to_owned(), 0.9));
        }
    }
    let trimmed = body.trim();
    if trimmed == body && !body.is_empty() {
        found.extend([(format!("{body} "), 0.4), (format!(" {body}"), 0.35), (format!("{body}\\n"), 0.3)]);
    } else if !trimmed.is_empty() {
        found.push((trimmed.to_owned(), 0.6));
    }
    for (other, rank) in [(body.to_lowercase(), 0.5), (body.to_uppercase(), 0.4)] {
        if other != body && !body.contains('\\') {
            found.push((other, rank));
        }
    }
    if let Some((last, rest)) = body.char_indices().next_back().map(|(at, letter)| (letter, &body[..at]))
        && !last.is_alphanumeric()
        && last != '\\'
        && !rest.ends_with('\\')
    {
        found.push((rest.to_owned(), 0.5));
    }
    if !body.is_empty() {
        found.push((String::new(), 0.3));
    }
    found
}
