//! Collections that are written out: an element more, one less, one around all.

use super::joined_without;
use crate::file::children;
use crate::grammar::NodeRole;
use crate::mutation::Mutations;
use crate::site::Site;
use crate::view;

super::generators!(add_or_remove, swap);

/// Names that are tried as an element.
const MOST: usize = 8;

/// A list holds too few elements, or too many.
pub(crate) fn add_or_remove(site: &Site, mutations: &mut Mutations) {
    for &node in &site.expressions {
        if !matches!(node.kind(), "list" | "tuple" | "set") || super::context(site, node).is_none() {
            continue;
        }
        let text = site.text(node);
        let elements = children(site.file, node);
        let ends = [text.get(..1), text.get(text.len().saturating_sub(1)..)];
        let [open, close] = if elements.is_empty() { [Some("["), Some("]")] } else { ends };
        // In damaged code a bracket may be missing.
        let (Some(open), Some(close)) = (open, close) else { continue };
        if text.len() <= 40 && node.kind() == "list" {
            mutations.replace(node, &format!("[{text}]"), if elements.is_empty() { 0.9 } else { 0.4 });
        }
        let texts: Vec<&str> = elements.iter().map(|element| site.text(*element)).collect();
        if elements.len() > 1 && node.kind() != "tuple" {
            for index in 0..elements.len() {
                let rest = joined_without(site, &elements, index, ", ");
                mutations.replace(node, &format!("{open}{rest}{close}"), 0.4);
            }
        }
        if elements.len() > 3 || node.kind() == "tuple" {
            continue;
        }
        let at = node.start_byte();
        for known in site.names(at).filter(|known| known.from > 0 && known.class.is_none()).take(MOST) {
            if texts.contains(&known.name.as_str()) {
                continue;
            }
            let several = matches!(known.ty.as_deref(), Some("list" | "dict" | "set"));
            let rank = if several { 0.4 } else { 0.9 } * if elements.is_empty() { 1.0 } else { 0.6 };
            for index in [texts.len(), 0] {
                let mut all = texts.clone();
                all.insert(index, &known.name);
                mutations.replace(node, &format!("{open}{}{close}", all.join(", ")), rank);
                if texts.is_empty() {
                    break;
                }
            }
        }
    }
}

/// Two that are named side by side change places: indices, or the parts of a pair.
pub(crate) fn swap(site: &Site, mutations: &mut Mutations) {
    for &node in &site.expressions {
        let pair = match site.role(node) {
            NodeRole::Subscript => view::subscript(site.file, node).map(|(_, indices)| indices),
            NodeRole::Collection if node.kind() == "tuple" => Some(children(site.file, node)),
            _ => None,
        };
        if let Some([one, other]) = pair.as_deref() {
            let what = format!("`{}` and `{}` change places", site.text(*one), site.text(*other));
            mutations.exchange(*one, *other, 0.9 * site.proximity(node), what);
        }
        // `a[i][j]` becomes `a[j][i]`.
        if let Some((inner, outer_index)) = view::subscript(site.file, node)
            && let [outer_index] = outer_index[..]
            && let Some((_, inner_index)) = view::subscript(site.file, inner)
            && let [inner_index] = inner_index[..]
        {
            let what = format!("`{}` and `{}` change places", site.text(inner_index), site.text(outer_index));
            mutations.exchange(inner_index, outer_index, 0.8 * site.proximity(node), what);
        }
    }
}
