//! Types as far as they are known: enough to leave out what cannot compile, and no more.

use tree_sitter::Node;

use crate::file::File;
use crate::grammar::NodeRole;
use crate::site::Site;
use crate::view;

const WHOLE: &[&str] = &["int", "long", "short", "byte", "char", "Integer", "Long"];
const REAL: &[&str] = &["double", "float", "Double", "Float"];

/// Is true if a type looks like one whose values are no objects: neither a class, nor one by its whole name, nor an array.
pub(crate) fn is_primitive(ty: &str) -> bool {
    ty.starts_with(char::is_lowercase) && !ty.contains(['[', '.'])
}

/// The type of a literal, or of a value that shows its type.
pub(crate) fn of_literal(file: &File, node: Node) -> Option<String> {
    let statically_typed = file.grammar.statically_typed;
    let name = match file.role(node) {
        NodeRole::IntegerLiteral if statically_typed && file.text_of(node).ends_with(['l', 'L']) => "long",
        NodeRole::IntegerLiteral => "int",
        NodeRole::FloatLiteral if statically_typed => "double",
        NodeRole::FloatLiteral => "float",
        NodeRole::StringLiteral if statically_typed => "String",
        NodeRole::StringLiteral => "str",
        NodeRole::CharLiteral => "char",
        NodeRole::BooleanLiteral if statically_typed => "boolean",
        NodeRole::BooleanLiteral => "bool",
        NodeRole::Collection if !statically_typed => match node.kind() {
            "dictionary" | "dictionary_comprehension" => "dict",
            "set" | "set_comprehension" => "set",
            "tuple" => "tuple",
            _ => "list",
        },
        NodeRole::BinaryOperation if !statically_typed => return of_operation(file, node),
        NodeRole::ObjectCreation | NodeRole::Cast => {
            return Some(file.text_of(node.child_by_field_name("type")?).to_owned());
        }
        NodeRole::Call if !statically_typed => {
            let call = view::call(file, node)?;
            let name = file.text_of(call.name);
            return match name {
                "len" | "sum" | "count" | "index" | "find" => Some("int".to_owned()),
                "split" | "sorted" | "readlines" => Some("list".to_owned()),
                "join" | "strip" | "lower" | "upper" | "format" | "replace" => Some("str".to_owned()),
                "int" | "float" | "str" | "list" | "dict" | "set" | "tuple" | "bool" => Some(name.to_owned()),
                _ if name.starts_with(char::is_uppercase) => Some(name.to_owned()),
                _ => None,
            };
        }
        _ => return None,
    };
    Some(name.to_owned())
}

/// The type that an operation shows by itself or by its operands, where names have no types.
fn of_operation(file: &File, node: Node) -> Option<String> {
    let parts = view::binary(file, node)?;
    match parts.operator.as_str() {
        "//" | "-" | "**" | "<<" | ">>" => Some("int".to_owned()),
        "/" => Some("float".to_owned()),
        "+" | "*" => of_literal(file, parts.left).or_else(|| of_literal(file, parts.right)),
        "and" | "or" | "%" | "|" | "&" | "^" => None,
        _ => Some("bool".to_owned()),
    }
}

/// The type of an expression, as far as it is plain.
pub(crate) fn of(site: &Site, node: Node) -> Option<String> {
    let file = site.file;
    // Chains are followed to their left end only.
    let mut node = node;
    for _ in 0..16 {
        match file.role(node) {
            NodeRole::Parenthesized => node = view::bare(file, node),
            NodeRole::BinaryOperation => {
                let parts = view::binary(file, node)?;
                match parts.operator.as_str() {
                    "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" | "<<" | ">>" | "//" | "**" => {
                        if file.grammar.statically_typed
                            && [parts.left, parts.right]
                                .iter()
                                .any(|side| file.role(*side) == NodeRole::StringLiteral)
                        {
                            return Some("String".to_owned());
                        }
                        node = parts.left;
                    }
                    _ => return Some(truth(file).to_owned()),
                }
            }
            NodeRole::UnaryOperation => {
                let (operator, operand) = view::unary(file, node)?;
                if operator == file.grammar.keywords.not.trim() {
                    return Some(truth(file).to_owned());
                }
                node = operand;
            }
            NodeRole::TypeTest => return Some(truth(file).to_owned()),
            NodeRole::Update => node = node.named_child(0)?,
            NodeRole::Ternary => node = view::ternary(file, node)?[1],
            NodeRole::Name => return site.type_of_name(file.text_of(node), node.start_byte()),
            NodeRole::MemberAccess => {
                let (object, name) = view::member(file, node)?;
                if site.is_self(object) {
                    return site.type_of_field(file.text_of(name));
                }
                return (file.grammar.statically_typed && file.text_of(name) == "length")
                    .then(|| "int".to_owned());
            }
            NodeRole::Subscript => {
                let (object, indices) = view::subscript(file, node)?;
                if indices.iter().any(|index| file.role(*index) == NodeRole::Slice) {
                    return of(site, object);
                }
                let ty = of(site, object)?;
                return ty.strip_suffix("[]").map(str::to_owned);
            }
            NodeRole::Call if file.grammar.statically_typed => {
                let call = view::call(file, node)?;
                let name = file.text_of(call.name);
                let known = match name {
                    "length" | "size" | "indexOf" | "lastIndexOf" | "compareTo" | "hashCode" | "intValue"
                    | "parseInt" => "int",
                    "equals" | "isEmpty" | "contains" | "startsWith" | "endsWith" | "hasNext"
                    | "containsKey" | "equalsIgnoreCase" | "matches" => "boolean",
                    "substring" | "trim" | "toString" | "toLowerCase" | "toUpperCase" | "replace"
                    | "concat" | "getName" => "String",
                    "charAt" => "char",
                    "sqrt" | "pow" | "floor" | "ceil" | "sin" | "cos" | "log" | "exp" | "doubleValue" => {
                        "double"
                    }
                    _ => "",
                };
                return if known.is_empty() { site.returned_by(name) } else { Some(known.to_owned()) };
            }
            _ => return of_literal(file, node),
        }
    }
    None
}

fn truth(file: &File) -> &'static str {
    if file.grammar.statically_typed { "boolean" } else { "bool" }
}

/// The type that a declaration names. Where types are only hints, without arguments and what says that the value may be
/// missing: a hint and a value are then called alike.
pub(crate) fn declared(file: &File, ty: Node) -> String {
    let text = file.text_of(ty);
    if file.grammar.statically_typed { text.to_owned() } else { hinted(file, text.trim_matches(['"', '\''])) }
}

fn hinted(file: &File, text: &str) -> String {
    let text = text.split('|').map(str::trim).find(|part| *part != "None").unwrap_or(text);
    let (head, rest) = text.split_once('[').unwrap_or((text, ""));
    let name = head.rsplit('.').next().unwrap_or(head).trim();
    if name == "Optional" {
        return hinted(file, rest.strip_suffix(']').unwrap_or(rest));
    }
    file.grammar.type_names.get(name).copied().unwrap_or(name).to_owned()
}

/// A type without its arguments and its package.
pub(crate) fn base(ty: &str) -> &str {
    let end = ty.find(['<', '[']).unwrap_or(ty.len());
    let plain = if ty.contains('[') && !ty.contains('<') && ty.ends_with(']') { "[]" } else { &ty[..end] };
    plain.rsplit('.').next().unwrap_or(plain).trim()
}

/// The fit of a value of one type where one of another stood: 1 for the same, 0 for what cannot be.
pub(crate) fn fit(statically_typed: bool, wanted: Option<&str>, offered: Option<&str>) -> f64 {
    let (Some(wanted), Some(offered)) = (wanted, offered) else { return 0.6 };
    let (wanted, offered) = (wanted.trim(), offered.trim());
    if wanted == offered {
        return 1.0;
    }
    let is = |kinds: &[&str], ty: &str| kinds.contains(&base(ty));
    if is(WHOLE, wanted) && is(WHOLE, offered) || is(REAL, wanted) && is(REAL, offered) {
        return 0.8;
    }
    if (is(WHOLE, wanted) || is(REAL, wanted)) && (is(WHOLE, offered) || is(REAL, offered)) {
        return 0.4;
    }
    if !statically_typed {
        return 0.35;
    }
    let (from, to) = (base(wanted), base(offered));
    if from == to && wanted.contains('[') == offered.contains('[') {
        return if from == "[]" { 0.3 } else { 0.9 };
    }
    let kin = |family: &[&str]| family.contains(&from) && family.contains(&to);
    if kin(&["List", "ArrayList", "LinkedList", "Collection", "Iterable"])
        || kin(&["Set", "HashSet", "LinkedHashSet", "TreeSet", "Collection", "Iterable"])
        || kin(&["Map", "HashMap", "LinkedHashMap", "TreeMap"])
        || kin(&["String", "CharSequence"])
        || kin(&["boolean", "Boolean"])
    {
        return 0.7;
    }
    // A variable of a type parameter, or of a class above or below: seldom, but it compiles.
    let open = |ty: &str| ty == "Object" || (ty.len() == 1 && ty.starts_with(char::is_uppercase));
    if open(from) || open(to) { 0.4 } else { 0.0 }
}

/// Is true if an idiom is for a type: 1 for one that it names, less where the type is not known, 0 for another.
pub(crate) fn suits(statically_typed: bool, types: &[&str], ty: Option<&str>) -> f64 {
    match ty {
        _ if types.is_empty() => 0.8,
        Some(ty) if types.contains(&base(ty)) || types.contains(&ty) => 1.0,
        Some(_) if statically_typed => 0.0,
        Some(_) => 0.15,
        None if statically_typed => 0.1,
        None => 0.4,
    }
}
