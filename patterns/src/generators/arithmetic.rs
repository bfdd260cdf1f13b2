//! Kinds of arithmetic: of whole numbers where fractions or larger numbers were meant.

use tree_sitter::Node;

use super::{ExprContext, context};
use crate::file::{around, children};
use crate::grammar::NodeRole;
use crate::mutation::Mutations;
use crate::site::Site;
use crate::{types, view};

super::generators!(arithmetic);

/// Whole numbers are divided, multiplied or narrowed where others were meant.
pub(crate) fn arithmetic(site: &Site, mutations: &mut Mutations) {
    let (file, statically_typed) = (site.file, site.grammar.statically_typed);
    for &node in &site.expressions {
        if let Some(parts) = view::binary(file, node) {
            let (left, right) = (site.text(parts.left), site.text(parts.right));
            let real = [parts.left, parts.right].iter().any(|side| {
                types::of(site, *side).is_some_and(|ty| matches!(ty.as_str(), "double" | "float" | "String"))
            });
            let tight = view::tight(file, parts.left);
            match parts.operator.as_str() {
                "/" if statically_typed && !real => divided(site, node, &parts, mutations),
                // What was lost by the division does not come back: the factor is taken first.
                "*" if statically_typed
                    && let Some(inner) = view::binary(file, view::bare(file, parts.left))
                    && inner.operator == "/" =>
                {
                    let (over, under) = (view::tight(file, inner.left), view::tight(file, inner.right));
                    mutations.replace(node, &format!("{right} * {over} / {under}"), 0.9);
                    mutations.replace(node, &format!("{over} * {right} / {under}"), 0.8);
                }
                "*" | "+" | "-" | "<<" if statically_typed && !real => {
                    mutations.replace(parts.left, &format!("(long) {tight}"), 0.55);
                    for side in [parts.left, parts.right]
                        .into_iter()
                        .filter(|side| site.role(*side) == NodeRole::IntegerLiteral)
                    {
                        mutations.replace(
                            side,
                            &format!("{}L", site.text(side).trim_end_matches(['l', 'L'])),
                            0.6,
                        );
                    }
                }
                "/" if !statically_typed => {
                    mutations.replace(node, &format!("int({left} / {right})"), 0.5);
                    mutations.replace(parts.left, &format!("float({left})"), 0.6);
                    mutations.replace(parts.right, &format!("float({right})"), 0.5);
                }
                "//" => {
                    let text = format!("({left} + {right} - 1) // {right}");
                    mutations.replace(node, &text, 0.3);
                }
                _ => {}
            }
        }
        if site.role(node) == NodeRole::Cast
            && let Some(value) = node.child_by_field_name("value")
            && let Some(ty) = node.child_by_field_name("type")
        {
            mutations.replace(node, site.text(value), 0.8);
            if matches!(site.text(ty), "int" | "long" | "float" | "double" | "short" | "byte") {
                for other in ["long", "double", "int", "float"] {
                    mutations.replace(ty, other, 0.7);
                }
            }
            // `(double) (a / b)` converts too late.
            let inner = view::bare(file, value);
            if view::binary(file, inner)
                .is_some_and(|parts| matches!(parts.operator.as_str(), "/" | "*" | "+" | "-"))
            {
                mutations.replace(value, site.text(inner), 0.95);
            }
            // `(int) a / b` is `((int) a) / b`.
            if let Some(parent) = node.parent().and_then(|parent| view::binary(file, parent))
                && parent.left == node
            {
                let range = value.start_byte()..parent.right.end_byte();
                let text = format!("({})", site.file.slice(range.clone()));
                mutations.replace_range(range, &text, 0.8);
            }
        }
        if statically_typed
            && matches!(
                context(site, node),
                Some(ExprContext::Assigned | ExprContext::Returned | ExprContext::Argument)
            )
            && let Some(ty) = types::of(site, node)
        {
            let cast = match ty.as_str() {
                "int" => "long",
                "double" | "long" => "int",
                _ => continue,
            };
            mutations.replace(node, &format!("({cast}) {}", view::tight(file, node)), 0.25);
        }
    }
    if statically_typed {
        return;
    }
    // `int(a / b)` goes through a fraction that is not exact.
    for (node, call) in site.each(view::call).filter(|(_, call)| site.text(call.name) == "int") {
        if let [only] = call.arguments[..]
            && let Some(parts) = view::binary(file, only).filter(|parts| parts.operator == "/")
        {
            let text = format!("{} // {}", site.text(parts.left), site.text(parts.right));
            mutations.replace(node, &text, 1.0);
        }
    }
    // `a, b = b, a` and the like: the values change places.
    for &statement in &site.statements {
        let Some(parts) = children(file, statement).first().and_then(|node| view::assignment(file, *node))
        else {
            continue;
        };
        if let [one, other] = children(file, parts.value)[..]
            && parts.value.kind() == "expression_list"
        {
            mutations.exchange(one, other, 0.6, "the two values change places");
        }
    }
}

/// Whole numbers whose quotient should have a fraction: one of them is converted, the more likely where a fraction is
/// expected.
fn divided(site: &Site, node: Node, parts: &view::Binary, mutations: &mut Mutations) {
    let file = site.file;
    let share = if is_fraction_expected(site, node) { 1.0 } else { 0.6 };
    let (left, right) = (site.text(parts.left), site.text(parts.right));
    mutations.replace(parts.left, &format!("(double) {}", view::tight(file, parts.left)), share);
    mutations.replace(parts.right, &format!("(double) {}", view::tight(file, parts.right)), 0.85 * share);
    mutations.replace(parts.left, &format!("{left} * 1.0"), 0.85 * share);
    mutations.replace(parts.left, &format!("1.0 * {left}"), 0.7 * share);
    mutations.replace(node, &format!("100.0 * {left} / {right}"), 0.4 * share);
    let factors = view::joined(file, parts.left, "*");
    for side in
        factors.into_iter().chain([parts.right]).filter(|side| site.role(*side) == NodeRole::IntegerLiteral)
    {
        mutations.replace(side, &format!("{}.0", site.text(side)), 0.9 * share);
    }
}

/// Is true if the value of an expression goes where fractions are kept.
fn is_fraction_expected(site: &Site, node: Node) -> bool {
    let real = |ty: &str| matches!(types::base(ty), "double" | "float" | "Double" | "Float");
    for outer in around(node) {
        if let Some(parts) = view::assignment(site.file, outer) {
            let declared = outer.parent().and_then(|parent| parent.child_by_field_name("type"));
            return declared.is_some_and(|ty| real(site.text(ty)))
                || types::of(site, parts.target).is_some_and(|ty| real(&ty));
        }
        match site.role(outer) {
            NodeRole::Return => return site.returns().as_deref().is_some_and(real),
            NodeRole::Cast => return true,
            role if role.is_statement() => return false,
            _ => {}
        }
    }
    false
}
