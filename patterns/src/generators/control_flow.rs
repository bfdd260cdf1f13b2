//! Branches and loops: another word at their head, an `else` more.

use crate::file::children;
use crate::grammar::NodeRole;
use crate::mutation::{Mutations, splice, wrapped};
use crate::site::Site;
use crate::view;

super::generators!(add_else, comprehension_filter, replace_keyword);

/// `if` for `while` and the like, `elif` for `if`.
pub(crate) fn replace_keyword(site: &Site, mutations: &mut Mutations) {
    let file = site.file;
    let python = site.grammar.keywords.no_op.is_some();
    for &statement in &site.statements {
        let Some(first) = statement.child(0) else { continue };
        let before = statement.prev_named_sibling().filter(|node| site.role(*node) == NodeRole::If);
        let mut word = |text: &str, rank: f64| {
            let what = format!("`{}` becomes `{text}`", first.kind());
            mutations.add(vec![splice(first.byte_range(), text)], rank, what);
        };
        match first.kind() {
            "if" => {
                let plain = statement.child_by_field_name("alternative").is_none();
                if plain {
                    word("while", 0.4);
                }
                if before.is_some_and(|before| before.child_by_field_name("alternative").is_none())
                    && file.begins_row(statement)
                {
                    word(if python { "elif" } else { "else if" }, 0.9);
                }
                // `else if` becomes an `if` of its own.
                if !python
                    && let Some(parent) = statement
                        .parent()
                        .filter(|parent| parent.child_by_field_name("alternative") == Some(statement))
                    && let Some(consequence) = parent.child_by_field_name("consequence")
                {
                    let indentation = file.indentation(parent.start_position().row);
                    let range = consequence.end_byte()..statement.start_byte();
                    let splices = vec![splice(range, &format!("\n{indentation}"))];
                    mutations.add(splices, 0.8, "`else if` becomes an `if` of its own");
                }
            }
            "elif" => word("if", 0.9),
            "while" if statement.child_by_field_name("alternative").is_none() => word("if", 0.5),
            "break" => word("continue", 0.8),
            "continue" => word("break", 0.8),
            _ => {}
        }
    }
}

/// What follows an `if` belongs into its `else`, or the branches are exchanged.
pub(crate) fn add_else(site: &Site, mutations: &mut Mutations) {
    let file = site.file;
    let python = site.grammar.keywords.no_op.is_some();
    for &statement in &site.statements {
        if let Some(before) = statement.prev_named_sibling()
            && site.role(before) == NodeRole::If
            && site.grammar.is_statement(statement)
            && before.child_by_field_name("alternative").is_none()
            && site.role(statement) != NodeRole::Declaration
            && let (Some(rows), Some(before_rows)) = (file.whole_rows(statement), file.whole_rows(before))
            && before_rows.end == rows.start
            && let Some(body) = wrapped(file, rows, "else")
        {
            let what = "the statement runs only if the condition before it does not hold";
            if python {
                mutations.add(vec![body], 0.9, what);
            } else if site.text(before).ends_with('}') {
                let text = format!(" {}", body.text.trim_start());
                mutations.add(vec![splice(before.end_byte()..body.range.end, &text)], 0.9, what);
            }
        }
        if site.role(statement) == NodeRole::If
            && let (Some(yes), Some(no)) =
                (statement.child_by_field_name("consequence"), statement.child_by_field_name("alternative"))
        {
            let no =
                if site.role(no) == NodeRole::Clause { no.child_by_field_name("body") } else { Some(no) };
            if let Some(no) =
                no.filter(|no| site.role(*no) == NodeRole::Block && site.role(yes) == NodeRole::Block)
            {
                mutations.exchange(yes, no, 0.6, "the branches change places");
            }
        }
    }
    for (node, [_, yes, no]) in site.each(view::ternary) {
        mutations.exchange(yes, no, 0.9, "the two values of the choice change places");
        mutations.replace(node, site.text(yes), 0.4);
        mutations.replace(node, site.text(no), 0.4);
    }
}

/// Collections are built of other elements: another filter, the other order.
pub(crate) fn comprehension_filter(site: &Site, mutations: &mut Mutations) {
    for node in site.expressions.iter().filter(|node| site.role(**node) == NodeRole::Collection) {
        for child in children(site.file, *node) {
            if site.role(child) == NodeRole::ComprehensionFilter {
                let range = child.start_byte().saturating_sub(1)..child.end_byte();
                if site.file.slice(range.start..child.start_byte()) == " " {
                    mutations.replace_range(range, "", 0.4);
                }
            }
            if site.role(child) == NodeRole::ForEach
                && let Some(left) = child.child_by_field_name("left")
                && node.kind().contains("comprehension")
                && !children(site.file, *node)
                    .iter()
                    .any(|part| site.role(*part) == NodeRole::ComprehensionFilter)
            {
                let name = site.text(left);
                if left.named_child_count() == 0 {
                    for condition in [name.to_owned(), format!("{name} is not None")] {
                        let text = format!(" if {condition}");
                        mutations.add(
                            vec![splice(child.end_byte()..child.end_byte(), &text)],
                            0.6,
                            format!("only elements with `{condition}` are taken"),
                        );
                    }
                }
            }
        }
    }
}
