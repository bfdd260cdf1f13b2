//! The place of a fix: the statements that lie on its line, their expressions, and the names that are known there.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tree_sitter::Node;

use crate::file::{File, ancestors, around, visit};
use crate::grammar::{Grammar, NodeRole};
use crate::ingredients::{Fragment, Ingredients, Method, Variable, near};
use crate::mutation::{InsertionPoint, in_block};
use crate::name_usage::NameUsage;
use crate::{scope, similarity, types, view};

/// A mutation site: a row of a file, and all that generators ask about it.
pub(crate) struct Site<'a> {
    pub file: &'a File,
    pub grammar: &'static Grammar,
    pub ingredients: &'a Ingredients,
    /// The row that was asked for.
    pub row: usize,
    /// Is true if code is missing before the row.
    pub omission: bool,
    /// The statements on the row, outer ones first.
    pub statements: Vec<Node<'a>>,
    /// The expressions in them, outer ones first.
    pub expressions: Vec<Node<'a>>,
    /// The function around them, or that is declared there.
    pub function: Option<Node<'a>>,
    /// Names that are known at the end of the statements' heads.
    scope: Vec<Variable>,
    /// The places of each name there.
    by_name: BTreeMap<String, Vec<usize>>,
    /// From which byte on each name may be written, the first parts of `self.name` too.
    known: BTreeMap<String, usize>,
    methods: OnceCell<Vec<(f64, &'a Method)>>,
    usage: OnceCell<Option<Arc<NameUsage>>>,
}

/// More expressions than this are a table of data.
const MAX_EXPRESSIONS: usize = 160;

impl<'a> Site<'a> {
    /// Looks at a row, from 0.
    pub(crate) fn at(file: &'a File, ingredients: &'a Ingredients, row: usize, omission: bool) -> Self {
        let grammar = file.grammar;
        let statements = statements_at(file, row);
        let mut expressions = Vec::new();
        for statement in &statements {
            visit(*statement, |node| {
                let other = node != *statement && (grammar.is_statement(node) || is_head(file, node));
                if other || expressions.len() >= MAX_EXPRESSIONS || node.is_error() {
                    return false;
                }
                let role = file.role(node);
                if role.is_expression()
                    || matches!(role, NodeRole::Slice | NodeRole::AugmentedAssign | NodeRole::Declarator)
                {
                    expressions.push(node);
                }
                // What stands in a text is no code, but for the holes in it.
                role != NodeRole::Comment
            });
        }
        // What an outer statement on the row holds is seen once.
        let mut seen = BTreeSet::new();
        expressions.retain(|node| seen.insert(node.id()));
        let anchor = statements.first().copied();
        let function =
            anchor.and_then(|anchor| around(anchor).find(|node| file.role(*node) == NodeRole::Function));
        let scope = anchor.map(|anchor| scope::of(file, ingredients, anchor)).unwrap_or_default();
        Self {
            file,
            grammar,
            ingredients,
            row,
            omission,
            statements,
            expressions,
            function,
            known: known(file, &scope),
            by_name: by_name(&scope),
            scope,
            methods: OnceCell::new(),
            usage: OnceCell::new(),
        }
    }

    /// The expressions of one form, with their parts.
    pub(crate) fn each<T>(
        &self,
        parts: impl Fn(&File, Node<'a>) -> Option<T>,
    ) -> impl Iterator<Item = (Node<'a>, T)> {
        self.expressions.iter().filter_map(move |node| Some((*node, parts(self.file, *node)?)))
    }

    /// The text of a node.
    pub(crate) fn text(&self, node: Node) -> &'a str {
        self.file.text_of(node)
    }

    /// The role of a node.
    pub(crate) fn role(&self, node: Node) -> NodeRole {
        self.file.role(node)
    }

    /// The names that are known before a byte, the nearest first.
    pub(crate) fn names(&self, before: usize) -> impl Iterator<Item = &Variable> {
        self.scope.iter().filter(move |variable| variable.from <= before)
    }

    /// Those of them that are local to the function.
    pub(crate) fn local_names(&self, before: usize) -> impl Iterator<Item = &Variable> {
        self.names(before).filter(|variable| variable.from > 0 && variable.class.is_none())
    }

    /// Is true if a name may be written at a byte.
    pub(crate) fn knows(&self, name: &str, at: usize) -> bool {
        self.known.get(name).is_some_and(|from| *from <= at)
    }

    /// The type of a name, as it is known at a byte.
    pub(crate) fn type_of_name(&self, name: &str, at: usize) -> Option<String> {
        let visible = |known: &&Variable| known.from <= at;
        self.named(name)
            .find(visible)
            .or_else(|| self.fields(name).find(visible).filter(|known| known.name != name))
            .and_then(|known| known.ty.clone())
    }

    /// The type of a field of the object itself.
    pub(crate) fn type_of_field(&self, name: &str) -> Option<String> {
        self.fields(name).next().and_then(|known| known.ty.clone())
    }

    /// The variables that are written like this, the nearest first.
    fn named(&self, name: &str) -> impl Iterator<Item = &Variable> {
        self.by_name.get(name).into_iter().flatten().filter_map(|at| self.scope.get(*at))
    }

    /// The fields of a name, with the word for the object itself or without, the nearest first.
    fn fields(&self, name: &str) -> impl Iterator<Item = &Variable> {
        let own = self.grammar.keywords.self_prefix;
        let mut found: Vec<usize> = [name.to_owned(), format!("{own}{name}")]
            .iter()
            .filter_map(|name| self.by_name.get(name))
            .flatten()
            .copied()
            .collect();
        found.sort_unstable();
        found.dedup();
        let plain = move |known: &&Variable| {
            known.class.is_some() && known.name.strip_prefix(own).unwrap_or(&known.name) == name
        };
        found.into_iter().filter_map(|at| self.scope.get(at)).filter(plain)
    }

    /// All methods of the project, the nearest first, with how near.
    pub(crate) fn methods(&self) -> &[(f64, &'a Method)] {
        self.methods.get_or_init(|| {
            let own = self.file.facts.methods.iter().map(|method| (1.0, method));
            let others = self
                .ingredients
                .around(self.file)
                .into_iter()
                .flat_map(|(near, facts)| facts.methods.iter().map(move |method| (near, method)));
            own.chain(others).collect()
        })
    }

    /// The return type of the methods of a name, if they agree.
    pub(crate) fn returned_by(&self, name: &str) -> Option<String> {
        let mut found: Option<&str> = None;
        for (_, method) in self.methods().iter().filter(|(_, method)| method.name == name) {
            let returns = method.returns.as_deref()?;
            if found.is_some_and(|known| known != returns) {
                return None;
            }
            found = Some(returns);
        }
        found.map(str::to_owned)
    }

    /// The outermost function around the place.
    pub(crate) fn outermost_function(&self) -> Option<Node<'a>> {
        let function = self.function?;
        ancestors(function).filter(|node| self.role(*node) == NodeRole::Function).last().or(Some(function))
    }

    /// The name of the function around the place, with those of the classes and functions around it.
    pub(crate) fn qualified_function(&self) -> Option<String> {
        let named = |node: &Node| matches!(self.role(*node), NodeRole::Function | NodeRole::Class);
        let around = std::iter::successors(self.function, Node::parent).filter(named);
        let mut names: Vec<&str> =
            around.filter_map(|node| node.child_by_field_name("name")).map(|name| self.text(name)).collect();
        names.reverse();
        (!names.is_empty()).then(|| names.join("."))
    }

    /// The conditions of the file that are nearest to the place.
    pub(crate) fn conditions_near(&self) -> &'a [Fragment] {
        near(&self.file.fragments().conditions, self.row)
    }

    /// The short statements of the file that are nearest to the place.
    pub(crate) fn statements_near(&self) -> &'a [Fragment] {
        near(&self.file.fragments().statements, self.row)
    }

    /// The expressions of the file, more than names, that are nearest to the place.
    pub(crate) fn expressions_near(&self) -> &'a [Fragment] {
        near(&self.file.fragments().expressions, self.row)
    }

    /// The class around the place.
    pub(crate) fn class(&self) -> Option<Node<'a>> {
        around(*self.statements.first()?).find(|node| self.role(*node) == NodeRole::Class)
    }

    /// The name of that class.
    pub(crate) fn class_name(&self) -> Option<&'a str> {
        Some(self.text(self.class()?.child_by_field_name("name")?))
    }

    /// Is true if the function around the place is the one that a fragment stands in.
    pub(crate) fn shares_function(&self, piece: &Fragment) -> bool {
        piece.function == self.function.map(|function| function.start_byte())
    }

    /// The distance of a fragment from the place, in rows.
    pub(crate) fn rows_to(&self, piece: &Fragment) -> f64 {
        piece.row.abs_diff(self.row) as f64
    }

    /// Is true if a name stands for a value anywhere in the function around the place.
    pub(crate) fn uses(&self, name: &str) -> bool {
        let usage = self.usage.get_or_init(|| self.function.map(|function| self.file.name_usage(function)));
        usage.as_ref().is_some_and(|usage| usage.variables.contains(name))
    }

    /// See [`types::fit`].
    pub(crate) fn type_fit(&self, wanted: Option<&str>, offered: Option<&str>) -> f64 {
        types::fit(self.grammar.statically_typed, wanted, offered)
    }

    /// See [`types::suits`].
    pub(crate) fn type_suits(&self, types: &[&str], ty: Option<&str>) -> f64 {
        types::suits(self.grammar.statically_typed, types, ty)
    }

    /// The points at which new statements may go: beside those of the place, and at the end of blocks that end just before it.
    pub(crate) fn anchors(&self) -> Vec<InsertionPoint<'a>> {
        let mut found = Vec::new();
        for statement in self.statements.iter().filter(|statement| in_block(self.file, **statement)) {
            found.push(InsertionPoint::Before(*statement));
            if !self.omission && !self.role(*statement).ends_flow() {
                found.push(InsertionPoint::After(*statement));
            }
        }
        found.extend(self.tails().into_iter().map(InsertionPoint::After));
        found
    }

    /// The statements that end just before the place, deeper in than it: behind them something may be missing.
    pub(crate) fn tails(&self) -> Vec<Node<'a>> {
        let closing = matches!(self.file.row(self.row).trim(), "" | "}");
        if !self.omission && !closing {
            return Vec::new();
        }
        let Some(last) = (0..self.row).rev().find(|row| !self.file.row(*row).trim().is_empty()) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        visit(self.file.tree.root_node(), |node| {
            let end = self.file.row_of(node.end_byte().saturating_sub(1));
            if node.start_position().row > last || end < last {
                return false;
            }
            if end == last
                && self.grammar.is_statement(node)
                && in_block(self.file, node)
                && !self.role(node).ends_flow()
            {
                found.push(node);
            }
            true
        });
        found
    }

    /// The declared return type of the function.
    pub(crate) fn returns(&self) -> Option<String> {
        let function = self.function?;
        let ty =
            function.child_by_field_name("type").or_else(|| function.child_by_field_name("return_type"))?;
        Some(types::declared(self.file, ty))
    }

    /// The fit of a name in the place of another value: its type, its origin, its similarity, and how near it was used.
    pub(crate) fn fit(&self, candidate: &Variable, wanted: Option<&str>, word: &str, at: usize) -> f64 {
        self.fit_above(0.0, candidate, wanted, word, at).unwrap_or_default()
    }

    /// The same where it is above a bound; names that cannot be are not compared, which takes most of the time.
    pub(crate) fn fit_above(
        &self,
        bound: f64,
        candidate: &Variable,
        wanted: Option<&str>,
        word: &str,
        at: usize,
    ) -> Option<f64> {
        let fit = self.type_fit(wanted, candidate.ty.as_deref());
        let origin = match (&candidate.class, candidate.from) {
            (Some(_), _) => 0.75,
            (None, 0) => 0.5,
            (None, _) => 1.0,
        };
        let near = if candidate.from > 0 {
            let rows = self.file.row_of(at).abs_diff(self.file.row_of(candidate.from));
            1.0 / (1.0 + rows as f64 / 40.0)
        } else {
            0.9
        };
        let most = fit * origin * near;
        if most <= bound {
            return None;
        }
        let found = most * (0.5 + 0.5 * similarity::similarity(word, &candidate.name));
        (found > bound).then_some(found)
    }

    /// Is true if a node stands for the object itself.
    pub(crate) fn is_self(&self, node: Node) -> bool {
        self.role(node) == NodeRole::This || self.text(node) == self.grammar.self_name()
    }

    /// The proximity of an expression to the row that was asked for.
    pub(crate) fn proximity(&self, node: Node) -> f64 {
        let (first, last) = (node.start_position().row, node.end_position().row);
        if first <= self.row && self.row <= last { 1.0 } else { 0.7 }
    }

    /// The conditions of the statements: the node that has it, and the condition.
    pub(crate) fn conditions(&self) -> Vec<(Node<'a>, Node<'a>)> {
        let mut found: Vec<(Node, Node)> = Vec::new();
        let mut add = |holder: Node<'a>, condition: Node<'a>| {
            if !found.iter().any(|(_, known)| *known == condition) {
                found.push((holder, condition));
            }
        };
        for statement in &self.statements {
            if let Some(condition) = view::condition(self.file, *statement) {
                add(*statement, condition);
            }
            if let Some(value) = view::value_of(self.file, *statement)
                && self.is_boolean(value)
            {
                add(*statement, view::bare(self.file, value));
            }
        }
        for node in &self.expressions {
            if let Some(condition) = view::condition(self.file, *node) {
                add(*node, condition);
            }
            if let Some(parts) = view::assignment(self.file, *node)
                && self.is_boolean(parts.value)
            {
                add(*node, view::bare(self.file, parts.value));
            }
            if let Some(parent) =
                node.parent().filter(|parent| self.role(*parent) == NodeRole::ComprehensionFilter)
            {
                add(parent, *node);
            }
        }
        found
    }

    /// Is true if an expression is plainly a truth value.
    pub(crate) fn is_boolean(&self, node: Node) -> bool {
        let node = view::bare(self.file, node);
        !self.role(node).is_literal()
            && types::of(self, node).is_some_and(|ty| matches!(ty.as_str(), "boolean" | "Boolean" | "bool"))
    }
}

fn by_name(scope: &[Variable]) -> BTreeMap<String, Vec<usize>> {
    let mut found: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, variable) in scope.iter().enumerate() {
        found.entry(variable.name.clone()).or_default().push(at);
    }
    found
}

fn known(file: &File, scope: &[Variable]) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let mut add = |name: &str, from: usize| {
        let known = found.entry(name.to_owned()).or_insert(from);
        *known = from.min(*known);
    };
    for variable in scope {
        add(&variable.name, variable.from);
        if let Some(plain) = variable.name.strip_prefix(file.grammar.keywords.self_prefix) {
            add(plain, variable.from);
        }
        if let Some((first, _)) = variable.name.split_once('.') {
            add(first, variable.from);
        }
    }
    file.facts.mentions.iter().for_each(|name| add(name, 0));
    file.facts.classes.iter().for_each(|class| add(&class.name, 0));
    found
}

/// Is true if a node has a head and blocks of its own without being a statement.
fn is_head(file: &File, node: Node) -> bool {
    matches!(file.role(node), NodeRole::Clause | NodeRole::CatchClause | NodeRole::Function | NodeRole::Class)
        || node.kind() == "elif_clause"
}

/// The statements and heads that begin on a row, or else the innermost one around it; then the one before it in its
/// block, for a row without code.
fn statements_at(file: &File, row: usize) -> Vec<Node<'_>> {
    let mut begin = Vec::new();
    let mut around = None;
    visit(file.tree.root_node(), |node| {
        let (first, last) = (node.start_position().row, node.end_position().row);
        if last < row || first > row {
            return false;
        }
        if file.grammar.is_statement(node) || is_head(file, node) {
            if first == row || name_row(node) == Some(row) {
                begin.push(node);
            } else if begin.is_empty() {
                around = Some(node);
            }
        }
        true
    });
    if begin.is_empty() { around.into_iter().collect() } else { begin }
}

fn name_row(node: Node) -> Option<usize> {
    node.child_by_field_name("name").map(|name| name.start_position().row)
}
