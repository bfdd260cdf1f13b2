//! Statements: one less, one more, in another place.

use tree_sitter::Node;

use super::best;
use super::names::known;
use crate::OverfitReason;
use crate::file::{File, ancestors, children};
use crate::grammar::NodeRole;
use crate::ingredients::Fragment;
use crate::mutation::{InsertionPoint, Mutations, Splice, in_block, removed, shown, splice};
use crate::site::Site;
use crate::view;

super::generators!(append_copy, insert_copy, move_statement, remove);

/// A statement is taken away, or the condition around it. Tests are often silenced like that.
pub(crate) fn remove(site: &Site, mutations: &mut Mutations) {
    for &statement in &site.statements {
        if !site.grammar.is_statement(statement)
            || matches!(site.role(statement), NodeRole::Declaration | NodeRole::Field)
        {
            continue;
        }
        if let Some(splice) = removed(site.file, statement) {
            let what = format!("`{}` is removed", shown(site.text(statement)));
            mutations.add_overfitting(vec![splice], 1.0, Some(OverfitReason::Deletion), what);
        }
        if site.role(statement) == NodeRole::If
            && let Some(body) = statement.child_by_field_name("consequence")
            && let Some(text) = unwrapped(site.file, statement, body)
        {
            let condition = view::condition(site.file, statement).map(|condition| site.text(condition));
            let what = format!("what stood under `{}` runs always", shown(condition.unwrap_or_default()));
            mutations.add_overfitting(vec![text], 0.8, Some(OverfitReason::Deletion), what);
        }
    }
}

/// The body of a statement in its place.
fn unwrapped(file: &File, statement: Node, body: Node) -> Option<Splice> {
    let parts = children(file, body);
    let (first, last) = (parts.first()?, parts.last()?);
    if !in_block(file, statement)
        || statement.child_by_field_name("alternative").is_some()
        || file.role(body) != NodeRole::Block
    {
        return None;
    }
    let rows = file.whole_rows(*first)?.start..file.whole_rows(*last)?.end;
    let indentation = file.indentation(statement.start_position().row);
    let deeper = file.indentation(rows.start).strip_prefix(indentation)?.to_owned();
    let mut text = String::new();
    for row in rows {
        let line = file.row(row);
        let shifted = line.strip_prefix(indentation).and_then(|rest| rest.strip_prefix(&deeper));
        text.push_str(&shifted.map_or_else(|| line.to_owned(), |rest| format!("{indentation}{rest}")));
        text.push('\n');
    }
    let outer = file.whole_rows(statement)?;
    Some(splice(file.start_of(outer.start)..file.start_of(outer.end), &text))
}

/// Statements of other functions that stand further away are only copied as they are.
const RENAMED_ROWS: usize = 100;

/// A statement of the file is missing here, as it is or with a name of this place.
pub(crate) fn insert_copy(site: &Site, mutations: &mut Mutations) {
    let tails = site.tails();
    for beside in site.anchors() {
        if !tails.contains(&beside.statement()) {
            copy_to(site, beside, mutations);
        }
    }
}

/// The last statement of a block is missing.
pub(crate) fn append_copy(site: &Site, mutations: &mut Mutations) {
    for tail in site.tails() {
        copy_to(site, InsertionPoint::After(tail), mutations);
    }
}

fn copy_to(site: &Site, beside: InsertionPoint, mutations: &mut Mutations) {
    let class = site.class();
    let at = beside.byte();
    let around = neighbours(site.file, beside.statement());
    let used: Vec<String> = around.iter().flat_map(|node| view::variables_in(site.file, *node)).collect();
    for piece in site.statements_near() {
        let own = site.shares_function(piece);
        let near = if own {
            1.0 / (1.0 + site.rows_to(piece) / 15.0)
        } else if class.is_some_and(|class| class.byte_range().contains(&piece.range.start)) {
            0.35
        } else {
            0.2
        };
        let there = around.iter().any(|node| site.text(*node) == piece.text);
        let inside = piece.range.contains(&at) && piece.role == NodeRole::If;
        // What leaves the block has nothing to leave it for here, unless it is the last.
        let leaves = piece.role.ends_flow();
        if inside || leaves && (!own || matches!(beside, InsertionPoint::Before(_))) {
            continue;
        }
        let assigns = piece.role == NodeRole::ExpressionStatement && piece.text.contains(" = ");
        // After a loop, what was done for each of its elements is often missing for the rest.
        let rest = own && is_behind_loop_with(site, beside, piece);
        let nearby = near >= 0.3 || piece.row.abs_diff(site.row) <= RENAMED_ROWS;
        for (text, share) in adapted(site, piece, at, &used, nearby) {
            if there && text == piece.text {
                continue;
            }
            // A value that is kept once more is rarely another.
            let again = assigns && own && text == piece.text;
            let share = if again { 0.5 * share } else { share } * if rest { 1.8 } else { 1.0 };
            let code = undented(site.file, piece, &text);
            mutations.insert(beside, &code, if leaves { 0.4 } else { 1.0 } * near * share, None);
        }
    }
}

/// Is true if a place is just behind a loop that a piece stands in.
fn is_behind_loop_with(site: &Site, beside: InsertionPoint, piece: &Fragment) -> bool {
    let looped = match beside {
        InsertionPoint::Before(statement) => statement.prev_named_sibling(),
        InsertionPoint::After(statement) => Some(statement),
    };
    looped
        .is_some_and(|looped| site.role(looped).is_loop() && looped.byte_range().contains(&piece.range.start))
}

/// A statement and those beside it.
fn neighbours<'t>(file: &File, statement: Node<'t>) -> Vec<Node<'t>> {
    let siblings = statement.parent().map(|parent| children(file, parent)).unwrap_or_default();
    let at = siblings.iter().position(|node| *node == statement).unwrap_or(0);
    let from = at.saturating_sub(1);
    siblings.into_iter().skip(from).take(3).collect()
}

/// A piece as it is; if it stands `nearby`, also with one name changed for one that is used here.
fn adapted(site: &Site, piece: &Fragment, at: usize, used: &[String], nearby: bool) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    let fits = known(site, &piece.names, at);
    let shares = piece.names.iter().filter(|name| used.contains(name)).count() as f64;
    let all = piece.names.len().max(1) as f64;
    if fits {
        found.push((piece.text.clone(), 0.4 + 0.6 * shares / all));
    }
    let strange: Vec<&String> =
        piece.names.iter().filter(|name| !known(site, std::slice::from_ref(name), at)).collect();
    if !nearby || piece.text.len() > 120 || strange.len() > 1 {
        return found;
    }
    for name in &piece.names {
        if !fits && !strange.contains(&name) {
            continue;
        }
        // What is only asked to do something may be of any type that can.
        let asked = piece.text.contains(&format!("{name}."));
        let wanted = if asked { None } else { site.type_of_name(name, usize::MAX) };
        let others = site.names(at).filter(|variable| {
            variable.name != *name
                && (!fits
                    || variable.class.is_some() && piece.names.len() == 1
                    || used.contains(&variable.name))
        });
        let ranked = others.filter_map(|variable| {
            let rank = site.fit_above(0.12, variable, wanted.as_deref(), name, at)?;
            Some((variable.name.as_str(), rank))
        });
        for (other, rank) in best(ranked.collect(), 3) {
            found.push((renamed(&piece.text, name, other), rank * 0.6));
        }
    }
    found
}

/// A text with one name in the place of another.
fn renamed(text: &str, name: &str, other: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    let joins = |letter: char| letter.is_alphanumeric() || letter == '_';
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let part = before.ends_with(|letter| joins(letter) || letter == '.')
            || result.ends_with(joins) && before.is_empty()
            || after.starts_with(joins);
        result.push_str(before);
        result.push_str(if part { name } else { other });
        rest = after;
    }
    result.push_str(rest);
    result
}

/// Code of several rows without the indentation of its place, steps as tabs.
fn undented(file: &File, piece: &Fragment, text: &str) -> String {
    let indentation = file.indentation(piece.row);
    let lines = text.lines().enumerate().map(|(index, line)| {
        if index == 0 {
            return line.to_owned();
        }
        let line = line.strip_prefix(indentation).unwrap_or(line.trim_start());
        let mut rest = line;
        let mut steps = 0;
        while let Some(shorter) = rest.strip_prefix(file.unit.as_str()) {
            rest = shorter;
            steps += 1;
        }
        format!("{}{rest}", "\t".repeat(steps))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A statement stands in the wrong place.
pub(crate) fn move_statement(site: &Site, mutations: &mut Mutations) {
    let file = site.file;
    for statement in site.statements.iter().filter(|statement| in_block(file, **statement)) {
        if !site.grammar.is_statement(*statement) {
            continue;
        }
        let Some(parent) = statement.parent() else { continue };
        let Some(rows) = file.whole_rows(*statement) else { continue };
        let siblings = children(file, parent);
        let Some(at) = siblings.iter().position(|node| node == statement) else { continue };
        let text = file.slice(file.start_of(rows.start)..file.start_of(rows.end)).to_owned();
        let text = if text.ends_with('\n') { text } else { format!("{text}\n") };
        let gone = removed(file, *statement);
        let before = at.checked_sub(1).and_then(|index| siblings.get(index)).copied();
        let behind = siblings.get(at + 1).copied();
        let mut shift = |row: usize, indentation: &str, rank: f64, what: &str| {
            let Some(gone) = gone.clone() else { return };
            let target = file.start_of(row);
            let own = file.indentation(rows.start);
            let lines = text.lines().map(|line| {
                let rest = line.strip_prefix(own).unwrap_or(line);
                if rest.is_empty() { String::new() } else { format!("{indentation}{rest}") }
            });
            let code = lines.collect::<Vec<_>>().join("\n") + "\n";
            if target >= file.text.len() && !file.text.ends_with('\n') {
                return;
            }
            mutations.add(vec![gone, splice(target..target, &code)], rank, what);
        };
        let here = file.indentation(rows.start);
        for (index, other) in [before, behind].into_iter().enumerate() {
            let Some(other) = other.filter(|other| site.grammar.is_statement(*other)) else { continue };
            let Some(other_rows) = file.whole_rows(other) else { continue };
            let target = if index == 0 { other_rows.start } else { other_rows.end };
            if !site.role(*statement).ends_flow() || index == 0 {
                shift(target, here, 0.8, "the statement changes places with its neighbour");
            }
            // Into the block of the neighbour.
            for block in blocks_of(file, other) {
                let parts = children(file, block);
                let part = if index == 0 { parts.last() } else { parts.first() };
                let Some(part_rows) = part.and_then(|part| file.whole_rows(*part)) else { continue };
                if index == 0 && part.is_some_and(|part| site.role(*part).ends_flow()) {
                    continue;
                }
                let target = if index == 0 { part_rows.end } else { part_rows.start };
                let indentation = file.indentation(part_rows.start);
                shift(target, indentation, 0.7, "the statement moves into the block beside it");
            }
        }
        // Out of the block that it stands in.
        let outer = ancestors(*statement)
            .find(|node| site.grammar.is_statement(*node) || site.role(*node) == NodeRole::Function);
        let Some(outer) = outer.filter(|outer| site.grammar.is_statement(*outer) && in_block(file, *outer))
        else {
            continue;
        };
        let Some(outer_rows) = file.whole_rows(outer) else { continue };
        let indentation = file.indentation(outer_rows.start);
        if behind.is_none() || site.role(*statement).ends_flow() {
            shift(outer_rows.end, indentation, 0.9, "the statement moves behind the block around it");
        }
        if before.is_none() {
            shift(outer_rows.start, indentation, 0.7, "the statement moves before the block around it");
        }
    }
}

/// The blocks that belong to a statement itself.
fn blocks_of<'t>(file: &File, statement: Node<'t>) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    for child in children(file, statement) {
        match file.role(child) {
            NodeRole::Block => found.push(child),
            NodeRole::Clause | NodeRole::CatchClause | NodeRole::If => {
                let parts = children(file, child).into_iter();
                found.extend(parts.filter(|part| file.role(*part) == NodeRole::Block));
            }
            _ => {}
        }
    }
    found
}
