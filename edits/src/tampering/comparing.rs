//! Methods that compare as one expects: each result refuses, or sets the same of both values side by side.

use patchwright_syntax::{NodeShape, OperatorRole, Tells};
use tree_sitter::Node;

use super::names::{Names, child};
use super::words::{MAX_STEPS, Method, Word};

/// How many functions that call one another are read for one comparison.
const MAX_DEPTH: usize = 3;

impl<'t> Names<'t> {
    /// Whether a method of a class compares as one expects: each result is a refusal, or what the same member of both values, their identity,
    /// the class or the one above says; of a method that tells what its object is worth, what its members say.
    pub(super) fn compares_members(&self, function: Node<'t>, name: &str, class: &'t str) -> bool {
        let Some(tells) = self.told_by(name) else { return false };
        let other = self.parameter_name(function, usize::from(self.takes_itself(function)));
        let method = Method { names: self, function, class, subject: None, other, depth: MAX_DEPTH };
        let mut is_worth = tells != Tells::Distance;
        let mut results = self.results(function).peekable();
        results.peek().is_some()
            && method.only_compares()
            && results.all(|result| {
                let refuses = method.refuses(result, tells);
                is_worth |= !refuses;
                refuses || method.is_plain(result, tells, MAX_STEPS) || method.is_guarded(result, tells)
            })
            && is_worth
    }

    /// What a method or function of a name tells, which may be written as a member of another (`[Symbol.toPrimitive]`).
    fn told_by(&self, name: &str) -> Option<Tells> {
        let name = name.trim_matches(['[', ']']).rsplit('.').next().unwrap_or(name);
        self.rules.comparisons.methods.get(name).copied()
    }
}

impl<'t> Method<'_, 't> {
    /// Whether a result says no, or leaves the answer to others.
    fn refuses(&self, result: Node<'t>, tells: Tells) -> bool {
        let text = self.names.text(result);
        let is_accepting = self.names.rules.accepting.contains(&text);
        self.rules().undecided.contains(&text)
            || match tells {
                Tells::Difference => is_accepting,
                Tells::Distance => text.parse::<i32>().is_ok_and(|distance| distance != 0),
                Tells::Sameness | Tells::Order | Tells::Membership | Tells::Value => {
                    self.rules().refusing.contains(&text)
                }
            }
    }

    /// Whether a result that accepts stands where a comparison has told that it may.
    fn is_guarded(&self, result: Node<'t>, tells: Tells) -> bool {
        let text = self.names.text(result);
        let (accepting, told) = match tells {
            Tells::Difference => (&self.rules().refusing, Tells::Sameness),
            Tells::Distance => (&self.names.rules.accepting, Tells::Sameness),
            Tells::Sameness | Tells::Order | Tells::Membership => (&self.names.rules.accepting, tells),
            Tells::Value => return false,
        };
        let is_told = |condition: Node<'t>| {
            accepting.contains(&text) && self.is_plain(condition, told, MAX_STEPS)
                || tells == Tells::Sameness && self.are_void(condition, result)
        };
        let (mut inner, mut around) = (result, self.names.above(result));
        while let Some(node) = around.filter(|node| *node != self.function) {
            let is_taken = child(node, "consequence") == Some(inner);
            let condition = child(node, "condition").filter(|_| is_taken);
            if condition.is_some_and(&is_told) {
                return true;
            }
            (inner, around) = (node, self.names.above(node));
        }
        false
    }

    /// Whether an expression compares the same of both values, and tells it in this way.
    fn is_plain(&self, node: Node<'t>, tells: Tells, steps: usize) -> bool {
        let Some(steps) = steps.checked_sub(1) else { return false };
        if tells == Tells::Value {
            return self.is_worth(node, steps);
        }
        let all = |nodes: Vec<Node<'t>>| {
            !nodes.is_empty() && nodes.into_iter().all(|node| self.is_plain(node, tells, steps))
        };
        let operators = self.operators(node);
        if !operators.is_empty() {
            return self.is_plain_operation(&operators, &self.names.children(node), tells, steps);
        }
        if self.names.language.kinds().call(node).is_some() {
            return self.is_plain_call(node, tells);
        }
        match self.names.shape(node) {
            Some(NodeShape::Through) => all(self.names.children(node)),
            Some(NodeShape::Choice(condition)) => {
                let mut values = self.names.children(node);
                let condition = (condition < values.len()).then(|| values.remove(condition));
                // `a < other.a ? -1 : 1`.
                let is_ordered = tells == Tells::Distance
                    && condition.is_some_and(|condition| self.is_plain(condition, Tells::Order, steps));
                let (refusals, rest): (Vec<_>, Vec<_>) = values
                    .into_iter()
                    .filter(|value| !condition.is_some_and(|condition| self.are_void(condition, *value)))
                    .partition(|value| self.refuses(*value, tells));
                if rest.is_empty() { is_ordered && !refusals.is_empty() } else { all(rest) }
            }
            Some(NodeShape::Name) => all(self.local_values(node)),
            _ => false,
        }
    }

    fn is_plain_operation(
        &self,
        operators: &[OperatorRole],
        operands: &[Node<'t>],
        tells: Tells,
        steps: usize,
    ) -> bool {
        use OperatorRole::{Before, Both, Differs, Distance, Either, Not, NotAfter, OfClass, Same, Within};
        let plain = |node: &Node<'t>| self.is_plain(*node, tells, steps);
        match (operators, operands, tells) {
            ([Not], [one], Tells::Sameness) => self.is_plain(*one, Tells::Difference, steps),
            // Where anything else that has to hold does not, the values differ.
            ([Not], [one], Tells::Difference) => {
                self.conditions(*one).into_iter().all(|one| self.is_plain(one, Tells::Sameness, steps))
            }
            ([Both], [low, high], Tells::Membership) if self.are_bounds(*low, *high) => true,
            // What else has to hold makes it accept less.
            ([Both], operands, Tells::Sameness | Tells::Order | Tells::Membership) => {
                operands.iter().any(plain)
            }
            ([Either], operands, Tells::Difference | Tells::Distance | Tells::Membership) => {
                operands.iter().all(plain)
            }
            ([Either], operands, Tells::Sameness) => {
                operands.iter().all(plain) && operands.iter().any(|node| self.is_identity(*node))
            }
            ([Same], [one, other], Tells::Sameness) | ([Differs], [one, other], Tells::Difference) => {
                let is_distance = |zero: Node<'t>, distance: Node<'t>| {
                    self.names.text(zero) == "0" && self.is_plain(distance, Tells::Distance, steps)
                };
                self.are_sides(*one, *other) || is_distance(*other, *one) || is_distance(*one, *other)
            }
            ([Before | NotAfter], [one, other], Tells::Order)
            | ([Distance], [one, other], Tells::Distance) => self.are_sides(*one, *other),
            ([OfClass], [value, class, ..], Tells::Sameness) => self.is_of_class(*value, *class),
            ([Within], [value, holder], Tells::Membership) => {
                self.is_of_other(*value) && self.is_own_member(*holder)
            }
            ([Before | NotAfter, Before | NotAfter], [low, value, high], Tells::Membership) => {
                self.is_of_other(*value) && self.are_different_members(*low, *high)
            }
            _ => false,
        }
    }

    /// The conditions that must all hold for an expression to be true.
    fn conditions(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let (mut open, mut conditions) = (vec![node], Vec::new());
        while let Some(node) = open.pop() {
            match *self.operators(node) {
                [OperatorRole::Both] => open.extend(self.names.children(node)),
                [] if self.names.shape(node) == Some(NodeShape::Through) => {
                    open.extend(self.names.children(node));
                }
                _ => conditions.push(node),
            }
        }
        conditions
    }

    fn is_plain_call(&self, call: Node<'t>, tells: Tells) -> bool {
        let Some((_, callee)) = self.names.callee(call) else { return false };
        let name = self.names.last_name(callee).unwrap_or_default();
        let (receiver, arguments) = (self.names.receiver(call), self.names.arguments(call));
        if tells == Tells::Sameness
            && self.rules().class_checks.contains(&self.names.text(callee))
            && self.is_library(callee)
        {
            return matches!(*arguments, [value, class] if self.is_of_class(value, class));
        }
        if self.names.told_by(name) != Some(tells) {
            return false;
        }
        match (receiver, &*arguments) {
            (Some(receiver), [value]) if self.is_above(receiver) => {
                self.is_other(*value) || tells == Tells::Membership && self.is_of_other(*value)
            }
            (Some(receiver), [value]) if tells == Tells::Membership => {
                self.is_own_member(receiver) && self.is_of_other(*value)
            }
            // What a member says by its own comparison is no worse than that.
            (Some(receiver), [value]) => {
                self.are_sides(receiver, *value) || self.is_own_member(receiver) && self.is_other(*value)
            }
            // Java leaves out the object: `compareTo(other) == 0`.
            (None, [value]) => self.rules().implies_object && self.is_other(*value),
            (Some(receiver), [one, other]) => self.is_library(receiver) && self.are_sides(*one, *other),
            (None, [one, other]) => self.is_library(callee) && self.are_sides(*one, *other),
            _ => false,
        }
    }

    /// Whether two expressions say the same of one of the values each.
    fn are_sides(&self, one: Node<'t>, other: Node<'t>) -> bool {
        let [Some(one), Some(other)] = [one, other].map(|node| self.words(node, MAX_STEPS)) else {
            return false;
        };
        one.contains(&Word::Own) != one.contains(&Word::Other)
            && one.iter().copied().map(Word::exchanged).eq(other.iter().copied())
            && !self.are_coarse(&one)
    }

    fn is_other(&self, node: Node<'t>) -> bool {
        self.words(node, MAX_STEPS).is_some_and(|words| words == [Word::Other])
    }

    /// Whether an expression is the other value, or what a method or function gives of it.
    fn is_of_other(&self, node: Node<'t>) -> bool {
        let words = self.words(node, MAX_STEPS).unwrap_or_default();
        words.contains(&Word::Other) && !words.contains(&Word::Own) && !self.are_coarse(&words)
    }

    /// Whether two comparisons set the other value beside two members of the object: `value >= this.low && value <= this.high`.
    fn are_bounds(&self, one: Node<'t>, other: Node<'t>) -> bool {
        let bound = |node: Node<'t>| {
            let is_order = matches!(*self.operators(node), [OperatorRole::Before | OperatorRole::NotAfter]);
            match *self.names.children(node) {
                [one, other] if is_order && self.is_of_other(one) => Some(other),
                [one, other] if is_order && self.is_of_other(other) => Some(one),
                _ => None,
            }
        };
        bound(one).zip(bound(other)).is_some_and(|(low, high)| self.are_different_members(low, high))
    }

    fn are_different_members(&self, one: Node<'t>, other: Node<'t>) -> bool {
        [one, other].into_iter().all(|node| self.is_own_member(node))
            && self.names.text(one) != self.names.text(other)
    }

    fn is_of_class(&self, value: Node<'t>, class: Node<'t>) -> bool {
        self.is_other(value) && self.is_own_class(class)
    }

    fn is_identity(&self, node: Node<'t>) -> bool {
        let [node] = *self.conditions(node) else { return false };
        let children = self.names.children(node);
        let words = |node: &Node<'t>| self.words(*node, MAX_STEPS).unwrap_or_default();
        let sides: Vec<_> = children.iter().map(words).collect();
        let is = |one: Word<'t>, other: Word<'t>| *sides == [vec![one], vec![other]];
        self.operators(node) == [OperatorRole::Same]
            && (is(Word::Own, Word::Other) || is(Word::Other, Word::Own))
    }

    /// Whether a member of one value is nothing, and the same of the other: `name == null ? other.name == null : …`.
    fn are_void(&self, condition: Node<'t>, result: Node<'t>) -> bool {
        let void = |node: Node<'t>| {
            let [node] = *self.conditions(node) else { return None };
            let [member, nothing] = *self.names.children(node) else { return None };
            let is_void = self.operators(node) == [OperatorRole::Same]
                && self.rules().refusing.contains(&self.names.text(nothing));
            self.words(member, MAX_STEPS).filter(|words| is_void && !self.are_coarse(words))
        };
        let [Some(one), Some(other)] = [condition, result].map(void) else { return false };
        one.contains(&Word::Own) != one.contains(&Word::Other)
            && one.len() > 1
            && one.iter().copied().map(Word::exchanged).eq(other)
    }

    /// Whether an expression is a member of the object, or what one of its methods or a function gives of it.
    fn is_own_member(&self, node: Node<'t>) -> bool {
        let words = self.words(node, MAX_STEPS).unwrap_or_default();
        words.len() > 1
            && words.contains(&Word::Own)
            && !words.contains(&Word::Other)
            && !self.are_coarse(&words)
    }
}
