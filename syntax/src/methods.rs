//! The text of methods, found by name.

use serde::Serialize;

use crate::language::Language;
use crate::outline::{Method, Outline, Span};
use crate::reading::outline;
use crate::source::Source;

/// A method with its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MethodText {
    /// The method.
    pub method: Method,
    /// Its lines with their numbers, from the comment above to the end of the body.
    pub lines: Vec<(u32, String)>,
}

/// The methods of this name, in the order of the file: `name`, `Class.name`, `Class::name` or `Class#name`, with as
/// many outer classes as wanted. A class name stands for its constructors.
pub fn methods_named(language: Language, source: &Source, name: &str) -> Vec<MethodText> {
    let outline = outline(language, source);
    let lines = source.lines();
    let wanted = name_parts(name);
    let fits = |method: &Method| {
        let mut own: Vec<&str> = method.qualified.split('.').map(bare).collect();
        ends_with(&own, &wanted) || {
            // `Foo` and `Foo.Foo` mean the constructor, which Python calls `Foo.__init__`.
            let constructor = method.kind == crate::MethodKind::Constructor && own.pop().is_some();
            let doubled = wanted.len() > 1 && wanted.last() == wanted.get(wanted.len() - 2);
            constructor && ends_with(&own, if doubled { &wanted[..wanted.len() - 1] } else { &wanted })
        }
    };
    let found = outline.all_methods().into_iter().map(|(_, method)| method).filter(|method| fits(method));
    found.map(|method| MethodText { method: method.clone(), lines: numbered(&lines, method.lines) }).collect()
}

/// The parts of a name as someone writes it; parameters behind it do not count.
pub fn name_parts(name: &str) -> Vec<&str> {
    let name = name.trim().trim_matches(['`', '"', '\'']);
    let name = name.split('(').next().unwrap_or(name);
    name.split(['.', '#', ':', '$']).map(|part| bare(part.trim())).filter(|part| !part.is_empty()).collect()
}

/// The name of an anonymous class without its brackets.
pub fn bare(part: &str) -> &str {
    part.strip_prefix('<').and_then(|part| part.strip_suffix('>')).unwrap_or(part)
}

fn ends_with(own: &[&str], wanted: &[&str]) -> bool {
    !wanted.is_empty() && own.ends_with(wanted)
}

/// Lines of a file with their numbers.
pub fn numbered(lines: &[&str], span: Span) -> Vec<(u32, String)> {
    (span.first..=span.last)
        .filter_map(|number| {
            let line = lines.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
            Some((number, (*line).to_owned()))
        })
        .collect()
}

/// All names that methods of a file have, for a message that offers them.
pub fn method_names(outline: &Outline) -> Vec<String> {
    let mut names: Vec<String> =
        outline.all_methods().into_iter().map(|(_, method)| method.qualified.clone()).collect();
    names.dedup();
    names
}
