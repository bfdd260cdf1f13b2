//! Comparisons that accept any value.

use patchwright_syntax::{NodeShape, visit};
use tree_sitter::Node;

use super::names::{Names, Source};

impl<'t> Names<'t> {
    /// The function that an expression names or is.
    pub(super) fn function_behind(&self, node: Node<'t>) -> Option<Node<'t>> {
        match self.shape(node)? {
            NodeShape::Function => Some(node),
            NodeShape::Name => {
                let name = self.text(node);
                let mut next = Some(self.places.get(&node.id())?.scope);
                while let Some(scope) = next.and_then(|scope| self.scopes.get(scope)) {
                    let sources = scope.names.get(name).map(|binding| binding.sources.iter());
                    let found = sources.into_iter().flatten().find_map(|source| match source {
                        Source::Function(function) => Some(*function),
                        Source::Value(value) if self.shape(*value) == Some(NodeShape::Function) => {
                            Some(*value)
                        }
                        _ => None,
                    });
                    if found.is_some() {
                        return found;
                    }
                    next = scope.above;
                }
                None
            }
            _ => None,
        }
    }

    /// Whether a function under this name accepts any value: each result that it gives is the accepting one, or says nothing of the
    /// value.
    pub(super) fn accepts_anything(&self, function: Node<'t>, name: &str) -> bool {
        if !self.rules.equality.contains(&name) {
            return false;
        }
        let place = usize::from(self.takes_itself(function) || self.language.entry().indented);
        let Some(other) = self.parameter_name(function, place).or_else(|| self.parameter_name(function, 0))
        else {
            return self.final_results(function).into_iter().any(|result| self.accepts(result, name, ""));
        };
        let results = self.final_results(function);
        let body = function.child_by_field_name(self.language.entry().body);
        // Who looks at the value and then decides is not judged by one of the results.
        let decides = body.is_some_and(|body| self.branches_on(body, other));
        !decides && !results.is_empty() && results.into_iter().all(|result| self.accepts(result, name, other))
    }

    /// The values that a function returns; in the place of a function those that it returns in turn, as that of a getter does.
    fn final_results(&self, function: Node<'t>) -> Vec<Node<'t>> {
        let given = |result: Node<'t>| match self.function_behind(result) {
            Some(inner) if inner != function => self.results(inner).collect(),
            _ => vec![result],
        };
        self.results(function).flat_map(given).collect()
    }

    /// The values that a function returns.
    pub(super) fn results(&self, function: Node<'t>) -> impl Iterator<Item = Node<'t>> {
        self.returns.get(&function.id()).into_iter().flatten().copied()
    }

    /// Whether a statement that decides what runs next asks about a name.
    fn branches_on(&self, body: Node<'t>, name: &str) -> bool {
        let mut asks = false;
        visit(body, |node| {
            let condition = node.child_by_field_name("condition");
            asks |= condition.is_some_and(|condition| self.asks_about(condition, name));
            !asks
        });
        asks
    }

    /// Whether the value of an expression depends on a name: not where it is compared with itself, with nothing, or with the class of
    /// everything.
    fn asks_about(&self, node: Node<'t>, name: &str) -> bool {
        let mut asks = false;
        visit(node, |part| {
            let text: String = self.text(part).split_whitespace().collect();
            let is_void = [
                format!("{name}=={name}"),
                format!("{name}is{name}"),
                format!("{name}==={name}"),
                format!("{name}isnotNone"),
                format!("{name}!=null"),
                format!("{name}!==null"),
                format!("{name}!==undefined"),
                format!("isinstance({name},object)"),
                format!("{name}instanceofObject"),
            ];
            if is_void.contains(&text) {
                return false;
            }
            asks |= part.named_child_count() == 0 && text == name;
            !asks
        });
        asks
    }

    fn accepts(&self, result: Node<'t>, name: &str, other: &str) -> bool {
        let text = self.text(result);
        let text = text.trim_matches(['(', ')']).trim();
        let is_negated = name == "__ne__";
        let accepting = |text: &str| {
            if is_negated {
                matches!(text, "False" | "0" | "not True")
            } else {
                self.rules.accepting.contains(&text)
            }
        };
        if accepting(text) {
            return true;
        }
        // `… or True` accepts whatever stands before it.
        let last = text.rsplit([' ', '|']).next().unwrap_or_default();
        let is_either = text.contains(" or ") || text.contains("||");
        if is_either && accepting(last) {
            return true;
        }
        // A result that speaks of neither value is no comparison; the names of constants say what they are.
        let speaks = !other.is_empty() && self.asks_about(result, other);
        let is_refusal =
            matches!(text, "False" | "false" | "NotImplemented" | "None" | "null" | "0" | "1" | "-1");
        let is_call = self.language.kinds().call(result).is_some();
        !speaks
            && !is_refusal
            && !is_negated
            && (is_call
                || self.shape(result) == Some(NodeShape::Comparison)
                || self.shape(result) == Some(NodeShape::Join))
            && self.text(result).contains(other)
            && !other.is_empty()
    }
}
