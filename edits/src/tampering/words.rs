//! Expressions of a method that compares two values, with the one told from the other.

use patchwright_syntax::{ComparisonRules, NodeShape, OperatorRole};
use tree_sitter::Node;

use super::names::{Names, Source, child};
use super::origin::Origin;

/// How deep an expression is read; a deeper one is taken for none that one expects.
pub(super) const MAX_STEPS: usize = 30;

/// One word of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Word<'t> {
    /// The object whose method it is.
    Own,
    /// The value that it is compared with.
    Other,
    /// The name of a member or function.
    Named(&'t str),
    /// Part of what stands around them.
    Sign(&'static str),
}

impl Word<'_> {
    pub(super) fn exchanged(self) -> Self {
        match self {
            Self::Own => Self::Other,
            Self::Other => Self::Own,
            Self::Named(_) | Self::Sign(_) => self,
        }
    }
}

/// A method that compares, or a function that is one.
pub(super) struct Method<'m, 't> {
    pub(super) names: &'m Names<'t>,
    pub(super) function: Node<'t>,
    /// The name of the class around it.
    pub(super) class: &'t str,
    /// The name of the object, where it is given to a function.
    pub(super) subject: Option<&'t str>,
    /// The name of the value that is compared.
    pub(super) other: Option<&'t str>,
    /// How many functions that call one another are read on.
    pub(super) depth: usize,
}

impl<'t> Method<'_, 't> {
    pub(super) fn rules(&self) -> &'static ComparisonRules {
        &self.names.rules.comparisons
    }

    /// What the operators of an expression say, in order; none where it has no operator.
    pub(super) fn operators(&self, node: Node<'t>) -> Vec<OperatorRole> {
        // The `in` of a loop is none.
        let is_loop = matches!(self.names.shape(node), Some(NodeShape::Each(..)));
        let mut cursor = node.walk();
        let signs = node.children(&mut cursor).filter(|child| !is_loop && !child.is_named());
        signs.filter_map(|sign| self.rules().operators.get(self.names.text(sign)).copied()).collect()
    }

    /// The words of an expression that does nothing but to name members and call functions; none of any other.
    pub(super) fn words(&self, node: Node<'t>, steps: usize) -> Option<Vec<Word<'t>>> {
        let steps = steps.checked_sub(1)?;
        if self.is_own(node) {
            return Some(vec![Word::Own]);
        }
        if self.names.language.kinds().call(node).is_some() {
            return self.call_words(node, steps);
        }
        match self.names.shape(node)? {
            NodeShape::Name => self.name_words(node, steps),
            NodeShape::Member(object, name) => {
                let mut words = self.words(child(node, object)?, steps)?;
                words.push(Word::Named(self.names.text(child(node, name)?)));
                Some(words)
            }
            NodeShape::Item(object, key) => {
                let mut words = self.words(child(node, object)?, steps)?;
                let key = child(node, key)?;
                let is_plain = matches!(self.names.shape(key), Some(NodeShape::Text | NodeShape::Literal));
                words.extend(is_plain.then(|| Word::Named(self.names.text(key))));
                is_plain.then_some(words)
            }
            NodeShape::Holder => self.list_words(&self.names.children(node), steps),
            NodeShape::Through if self.operators(node).is_empty() => {
                let [inner] = *self.names.children(node) else { return None };
                self.words(inner, steps)
            }
            // A cast.
            NodeShape::Choice(kind) => match *self.names.children(node) {
                [first, second] => self.words(if kind == 0 { second } else { first }, steps),
                _ => None,
            },
            _ => None,
        }
    }

    fn list_words(&self, nodes: &[Node<'t>], steps: usize) -> Option<Vec<Word<'t>>> {
        let mut words = vec![Word::Sign("(")];
        for node in nodes {
            if self.names.shape(*node) == Some(NodeShape::Text) {
                words.push(Word::Named(self.names.text(*node)));
            } else {
                words.extend(self.words(*node, steps)?);
            }
            words.push(Word::Sign(","));
        }
        words.push(Word::Sign(")"));
        Some(words)
    }

    fn call_words(&self, call: Node<'t>, steps: usize) -> Option<Vec<Word<'t>>> {
        let (_, callee) = self.names.callee(call)?;
        let is_named = matches!(self.names.shape(callee), Some(NodeShape::Name | NodeShape::Member(..)));
        let name = self.names.last_name(callee).filter(|_| is_named)?;
        let arguments = self.names.arguments(call);
        let mut words = match self.names.receiver(call) {
            Some(receiver) if self.is_library(receiver) => vec![Word::Named(self.names.text(receiver))],
            Some(receiver) => self.words(receiver, steps)?,
            None if self.rules().implies_object && arguments.is_empty() => vec![Word::Own],
            None if self.local(callee).is_none() => Vec::new(),
            None => return None,
        };
        words.push(Word::Named(name));
        words.extend(self.list_words(&arguments, steps)?);
        Some(words)
    }

    fn name_words(&self, node: Node<'t>, steps: usize) -> Option<Vec<Word<'t>>> {
        let name = self.names.text(node);
        let Some(sources) = self.local(node) else {
            let is_member = self.rules().implies_object;
            return is_member.then(|| vec![Word::Own, Word::Named(name)]);
        };
        let mut values = sources.iter().filter(|source| !matches!(source, Source::Typed(_)));
        match (values.next()?, values.next()) {
            (Source::Parameter(..), None) if Some(name) == self.other => Some(vec![Word::Other]),
            (Source::Value(value), None) => self.words(*value, steps),
            _ => None,
        }
    }

    /// What a name of this method, or of one around it, is bound to; none for a name of the file.
    pub(super) fn local(&self, node: Node<'t>) -> Option<&[Source<'t>]> {
        let name = self.names.text(node);
        let mut next = Some(self.names.places.get(&node.id())?.scope);
        while let Some(number) = next.filter(|number| *number > 0) {
            let scope = self.names.scopes.get(number)?;
            if let Some(binding) = scope.names.get(name).filter(|binding| binding.is_declared) {
                return Some(&binding.sources);
            }
            next = scope.above;
        }
        None
    }

    /// The values that a name of this method is given, or given part of; none where it is given anything else.
    pub(super) fn local_values(&self, name: Node<'t>) -> Vec<Node<'t>> {
        let sources = self.local(name).unwrap_or_default().iter();
        let sources = sources.filter(|source| !matches!(source, Source::Typed(_)));
        let values: Option<Vec<_>> = sources
            .map(|source| match source {
                Source::Value(value) | Source::Element(value, _) => Some(*value),
                _ => None,
            })
            .collect();
        values.unwrap_or_default()
    }

    /// Whether an expression is the object itself, which the method gave no other value.
    pub(super) fn is_own(&self, node: Node<'t>) -> bool {
        let is_given = |sources: &[Source<'t>]| {
            let mut given = sources.iter().filter(|source| !matches!(source, Source::Typed(_)));
            matches!((given.next(), given.next()), (Some(Source::Parameter(_, 0)), None))
        };
        let receivers = &self.names.language.entry().tests.own_receivers;
        let text = self.names.text(node);
        (receivers.contains(&text) || self.subject == Some(text))
            && !self.is_above(node)
            && self.local(node).map_or(self.subject != Some(text), is_given)
    }

    /// Whether an expression is the object as the class above sees it.
    pub(super) fn is_above(&self, node: Node<'t>) -> bool {
        let text = self.names.text(node);
        let name = text.split('(').next().unwrap_or_default();
        self.rules().above.contains(&name) && self.local(node).is_none()
    }

    /// Whether an expression names something that the language or others bring along.
    pub(super) fn is_library(&self, node: Node<'t>) -> bool {
        let is_name =
            matches!(self.names.shape(node), Some(NodeShape::Name | NodeShape::Path | NodeShape::Member(..)));
        let is_bound = self.names.shape(node) == Some(NodeShape::Name) && self.is_bound(node);
        is_name && !is_bound && matches!(self.names.origin(node), Origin::Foreign(_) | Origin::Free(_))
    }

    /// Whether this method or the file itself gives a name its value; not where it imports it.
    fn is_bound(&self, node: Node<'t>) -> bool {
        let in_file = self.names.scopes.first().and_then(|scope| scope.names.get(self.names.text(node)));
        let is_own = |source: &Source<'t>| !matches!(source, Source::Import(_));
        self.local(node).is_some() || in_file.is_some_and(|binding| binding.sources.iter().any(is_own))
    }

    /// Whether words name what is the same for most values: what the tables say, and what this file makes so.
    pub(super) fn are_coarse(&self, words: &[Word<'t>]) -> bool {
        !self.are_class(words)
            && words.iter().any(|word| match word {
                Word::Named(name) => self.is_coarse(name) || self.is_constant(name),
                Word::Own | Word::Other | Word::Sign(_) => false,
            })
    }

    pub(super) fn is_coarse(&self, name: &str) -> bool {
        self.rules().coarse.contains(&name)
    }

    /// Whether words name the class of a value.
    fn are_class(&self, words: &[Word<'t>]) -> bool {
        let words = words.iter().filter(|word| !matches!(word, Word::Sign(_)));
        match words.collect::<Vec<_>>().as_slice() {
            [Word::Named(name), Word::Own | Word::Other] | [Word::Own | Word::Other, Word::Named(name)] => {
                self.rules().class_of.contains(name)
            }
            _ => false,
        }
    }

    /// Whether an expression names the class around this method.
    pub(super) fn is_own_class(&self, node: Node<'t>) -> bool {
        let name = self.names.text(node).split('<').next().unwrap_or_default();
        let is_class = |words: Vec<Word<'t>>| words.contains(&Word::Own) && self.are_class(&words);
        let bound = self.names.scopes.iter().filter_map(|scope| scope.names.get(name));
        let mut sources = bound.flat_map(|binding| &binding.sources);
        let is_only_class = sources.all(|source| match source {
            Source::Made => true,
            // A constructor.
            Source::Function(function) => {
                let class = self.names.above(*function).and_then(|body| self.names.above(body));
                class.is_some_and(|class| self.names.shape(class) == Some(NodeShape::Class))
                    && self.rules().implies_object
            }
            _ => false,
        });
        !self.class.is_empty() && name == self.class && is_only_class
            || self.words(node, MAX_STEPS).is_some_and(is_class)
    }
}
