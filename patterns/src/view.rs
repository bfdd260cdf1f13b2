//! The parts of nodes, alike for all languages: what generators read instead of a grammar's fields.

use std::ops::Range;

use tree_sitter::Node;

use crate::file::{File, children};
use crate::grammar::NodeRole;

/// Two operands and what stands between them.
#[derive(Clone)]
pub(crate) struct Binary<'t> {
    pub left: Node<'t>,
    pub operator: String,
    /// The range of the operator.
    pub at: Range<usize>,
    pub right: Node<'t>,
}

/// A call, of a function, a method or a constructor.
#[derive(Clone)]
pub(crate) struct Call<'t> {
    pub receiver: Option<Node<'t>>,
    pub name: Node<'t>,
    pub arguments: Vec<Node<'t>>,
    /// The list with its brackets.
    pub list: Node<'t>,
}

/// A variable and what it becomes.
#[derive(Clone)]
pub(crate) struct Assignment<'t> {
    pub target: Node<'t>,
    /// `=`, `+=`, …, and where it stands.
    pub operator: String,
    pub at: Range<usize>,
    pub value: Node<'t>,
}

/// The child in the first of some fields that a node has.
pub(crate) fn field<'t>(node: Node<'t>, names: &[&str]) -> Option<Node<'t>> {
    names.iter().find_map(|name| node.child_by_field_name(name))
}

/// All pairs of operands of a node: a chain of comparisons has several.
pub(crate) fn binaries<'t>(file: &File, node: Node<'t>) -> Vec<Binary<'t>> {
    if file.role(node) != NodeRole::BinaryOperation {
        return Vec::new();
    }
    let operands = children(file, node);
    operands
        .windows(2)
        .filter_map(|two| {
            let between = file.slice(two[0].end_byte()..two[1].start_byte());
            // A comment between the operands is no part of the operator.
            let operator = between.trim();
            let at = two[0].end_byte() + (between.len() - between.trim_start().len());
            (!operator.is_empty() && operator.len() <= 8 && !operator.contains('\n')).then(|| Binary {
                left: two[0],
                operator: operator.split_whitespace().collect::<Vec<_>>().join(" "),
                at: at..at + operator.len(),
                right: two[1],
            })
        })
        .collect()
}

/// The one pair of operands of a node.
pub(crate) fn binary<'t>(file: &File, node: Node<'t>) -> Option<Binary<'t>> {
    let mut all = binaries(file, node);
    if all.len() == 1 { all.pop() } else { None }
}

/// Operator and operand of a node.
pub(crate) fn unary<'t>(file: &File, node: Node<'t>) -> Option<(&'t str, Node<'t>)> {
    if file.role(node) != NodeRole::UnaryOperation {
        return None;
    }
    let operand = field(node, &["operand", "argument"])?;
    Some((node.child(0)?.kind(), operand))
}

/// The parts of a call.
pub(crate) fn call<'t>(file: &File, node: Node<'t>) -> Option<Call<'t>> {
    if !matches!(file.role(node), NodeRole::Call | NodeRole::ObjectCreation) {
        return None;
    }
    let list = field(node, &["arguments"])?;
    let arguments = match file.role(list) {
        NodeRole::Arguments => children(file, list),
        // `all(x for x in y)`: the brackets belong to both, so that there is no argument by itself.
        NodeRole::Collection => Vec::new(),
        _ => return None,
    };
    if let Some(function) = field(node, &["function"]) {
        let (receiver, name) = match member(file, function) {
            Some((object, name)) => (Some(object), name),
            None if file.role(function) == NodeRole::Name => (None, function),
            None => return None,
        };
        return Some(Call { receiver, name, arguments, list });
    }
    let name = field(node, &["name", "type"])?;
    Some(Call { receiver: field(node, &["object"]), name, arguments, list })
}

/// Object and name of a member.
pub(crate) fn member<'t>(file: &File, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    if file.role(node) != NodeRole::MemberAccess {
        return None;
    }
    Some((field(node, &["object"])?, field(node, &["field", "attribute"])?))
}

/// The object of which a node asks for a member, an element or a method.
pub(crate) fn dereferenced<'t>(file: &File, node: Node<'t>) -> Option<Node<'t>> {
    member(file, node)
        .map(|(object, _)| object)
        .or_else(|| call(file, node).and_then(|call| call.receiver))
        .or_else(|| subscript(file, node).map(|(object, _)| object))
}

/// Object and indices of a subscript.
pub(crate) fn subscript<'t>(file: &File, node: Node<'t>) -> Option<(Node<'t>, Vec<Node<'t>>)> {
    if file.role(node) != NodeRole::Subscript {
        return None;
    }
    let object = field(node, &["array", "value"])?;
    let indices = children(file, node).into_iter().filter(|child| *child != object).collect();
    Some((object, indices))
}

/// Target and value of an assignment or of a declaration.
pub(crate) fn assignment<'t>(file: &File, node: Node<'t>) -> Option<Assignment<'t>> {
    if !matches!(file.role(node), NodeRole::Assign | NodeRole::AugmentedAssign | NodeRole::Declarator) {
        return None;
    }
    let target = field(node, &["left", "name"])?;
    let value = field(node, &["right", "value"])?;
    let between = file.slice(target.end_byte()..value.start_byte());
    let begin = between.rfind(|letter: char| letter == ' ' || letter.is_alphanumeric() || letter == ']');
    let trimmed = between.trim_end();
    let from =
        trimmed.rfind(|letter: char| letter.is_whitespace() || letter.is_alphanumeric() || letter == ']');
    let operator = trimmed.get(from.map_or(0, |from| from + 1)..).unwrap_or_default().trim();
    if operator.is_empty() || begin.is_some() && !operator.ends_with('=') {
        return None;
    }
    let at = target.end_byte() + trimmed.len() - operator.len();
    Some(Assignment { target, operator: operator.to_owned(), at: at..at + operator.len(), value })
}

/// Condition, first and second value of a choice.
pub(crate) fn ternary<'t>(file: &File, node: Node<'t>) -> Option<[Node<'t>; 3]> {
    if file.role(node) != NodeRole::Ternary {
        return None;
    }
    let part = |name| node.child_by_field_name(name);
    if let (Some(condition), Some(yes), Some(no)) =
        (part("condition"), part("consequence"), part("alternative"))
    {
        return Some([condition, yes, no]);
    }
    match children(file, node)[..] {
        [yes, condition, no] => Some([condition, yes, no]),
        _ => None,
    }
}

/// An expression without the brackets around it.
pub(crate) fn bare<'t>(file: &File, node: Node<'t>) -> Node<'t> {
    let mut inner = node;
    while file.role(inner) == NodeRole::Parenthesized {
        match children(file, inner)[..] {
            [only] => inner = only,
            _ => break,
        }
    }
    inner
}

/// The condition of a node that has one, without the brackets that belong to the statement.
pub(crate) fn condition<'t>(file: &File, node: Node<'t>) -> Option<Node<'t>> {
    match file.role(node) {
        NodeRole::If | NodeRole::While => {
            let found = node.child_by_field_name("condition")?;
            Some(if node.child_by_field_name("init").is_some() { found } else { bare(file, found) })
        }
        NodeRole::ComprehensionFilter => children(file, node).first().copied(),
        NodeRole::Ternary => ternary(file, node).map(|[condition, _, _]| condition),
        _ => None,
    }
}

/// The value that a statement returns or raises.
pub(crate) fn value_of<'t>(file: &File, node: Node<'t>) -> Option<Node<'t>> {
    if !matches!(file.role(node), NodeRole::Return | NodeRole::Throw) {
        return None;
    }
    children(file, node).first().copied()
}

/// The operands of a chain of the same logical operator, from left to right.
pub(crate) fn joined<'t>(file: &File, node: Node<'t>, operator: &str) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let mut open = vec![node];
    while let Some(next) = open.pop() {
        match binary(file, next) {
            Some(parts) if parts.operator == operator => open.extend([parts.right, parts.left]),
            _ => found.push(next),
        }
    }
    found
}

/// Is true if an expression holds together when an operator is put beside it.
pub(crate) fn is_tight(file: &File, node: Node) -> bool {
    !matches!(
        file.role(node),
        NodeRole::BinaryOperation
            | NodeRole::Ternary
            | NodeRole::Assign
            | NodeRole::Lambda
            | NodeRole::TypeTest
            | NodeRole::Cast
            | NodeRole::UnaryOperation
    )
}

/// The text of an expression, in brackets where an operator beside it would tear it apart.
pub(crate) fn tight(file: &File, node: Node) -> String {
    let text = file.text_of(node);
    if is_tight(file, node) { text.to_owned() } else { format!("({text})") }
}

/// The text of a condition, fit to be joined to another by `operator`.
pub(crate) fn joinable(file: &File, node: Node, operator: &str) -> String {
    let text = file.text_of(node);
    let loose = match file.role(node) {
        NodeRole::Ternary | NodeRole::Assign | NodeRole::Lambda => true,
        NodeRole::BinaryOperation => binary(file, node).is_some_and(|parts| {
            let keywords = &file.grammar.keywords;
            (parts.operator == keywords.and || parts.operator == keywords.or) && parts.operator != operator
        }),
        _ => false,
    };
    // `a || b` need not be set off from `|| c`, but `a && b || c` reads well only without brackets.
    if loose && !(operator == file.grammar.keywords.or && file.role(node) == NodeRole::BinaryOperation) {
        format!("({text})")
    } else {
        text.to_owned()
    }
}

/// The opposite of a condition, as a person would write it.
pub(crate) fn negated(file: &File, node: Node) -> String {
    let keywords = &file.grammar.keywords;
    let text = file.text_of(node);
    if let Some((operator, operand)) = unary(file, node)
        && operator == keywords.not.trim()
    {
        return file.text_of(bare(file, operand)).to_owned();
    }
    if let Some(parts) = binary(file, node) {
        let opposite = match parts.operator.as_str() {
            "==" => "!=",
            "!=" => "==",
            "<" => ">=",
            ">=" => "<",
            ">" => "<=",
            "<=" => ">",
            "in" => "not in",
            "not in" => "in",
            "is" => "is not",
            "is not" => "is",
            _ => return format!("{}({text})", keywords.not),
        };
        return format!("{} {opposite} {}", file.text_of(parts.left), file.text_of(parts.right));
    }
    match file.role(node) {
        NodeRole::Ternary | NodeRole::TypeTest | NodeRole::Assign | NodeRole::Lambda => {
            format!("{}({text})", keywords.not)
        }
        _ => format!("{}{text}", keywords.not),
    }
}

/// Is true if a name stands for a value here, and is not that of a function, member, argument or declaration.
pub(crate) fn is_variable(file: &File, node: Node) -> bool {
    file.role(node) == NodeRole::Name
        && node.parent().is_some_and(|parent| is_variable_in(file, node, parent))
}

/// The same for a node whose parent is known.
pub(crate) fn is_variable_in(file: &File, node: Node, parent: Node) -> bool {
    if file.role(node) != NodeRole::Name {
        return false;
    }
    let is = |name: &str| parent.child_by_field_name(name) == Some(node);
    match file.role(parent) {
        NodeRole::MemberAccess => !is("field") && !is("attribute"),
        NodeRole::Call => !is("name") && !is("function"),
        NodeRole::KeywordArgument
        | NodeRole::Function
        | NodeRole::Class
        | NodeRole::Declarator
        | NodeRole::Parameter
        | NodeRole::ForEach => !is("name") && !is("left"),
        NodeRole::Parameters | NodeRole::ThrowsClause | NodeRole::Modifiers | NodeRole::Jump => false,
        NodeRole::Other => !matches!(
            parent.kind(),
            "dotted_name"
                | "method_reference"
                | "labeled_statement"
                | "scoped_identifier"
                | "annotation"
                | "marker_annotation"
                | "import_declaration"
                | "package_declaration"
                | "inferred_parameters"
                | "enum_constant"
                | "element_value_pair"
                | "aliased_import"
                | "keyword_separator"
                | "pattern_list"
                | "tuple_pattern"
                | "list_splat_pattern"
                | "dictionary_splat_pattern"
                | "as_pattern_target"
                | "type_parameter"
        ),
        _ => true,
    }
}

/// The names of the variables in an expression or statement, each once.
pub(crate) fn variables_in(file: &File, node: Node) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    crate::file::visit_below(node, node.parent().into_iter().collect(), |inner, above| {
        if above.last().is_some_and(|parent| is_variable_in(file, inner, *parent)) {
            let text = file.text_of(inner);
            if !names.iter().any(|known| known == text) {
                names.push(text.to_owned());
            }
        }
    });
    names
}
