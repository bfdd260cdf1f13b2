//! Declarations by the look of single lines: far cheaper than parsing, and possible where there is no tree.

use crate::assembly::DeclarationKind;
use crate::language::{Language, SyntaxRole};

/// The declaration that a line looks like, with its name.
pub fn declaration_on(language: Language, line: &str) -> Option<(DeclarationKind, &str)> {
    language.kinds().declaration_lines.iter().find_map(|(pattern, role)| {
        let groups = pattern.captures(line)?;
        let name = groups.name("name")?.as_str();
        let leading = groups.name("type").map_or(name, |found| found.as_str());
        if language.entry().statement_words.contains(&leading) {
            return None;
        }
        let what = match role {
            SyntaxRole::Class(kind) => DeclarationKind::Class(*kind),
            SyntaxRole::Constructor => DeclarationKind::Constructor,
            _ => DeclarationKind::Method,
        };
        Some((what, name))
    })
}

/// The column at which a line begins; a tab reaches to the next multiple of eight.
pub fn indentation(line: &str) -> usize {
    let mut column = 0;
    for letter in line.chars() {
        match letter {
            ' ' => column += 1,
            '\t' => column = (column / 8 + 1) * 8,
            _ => break,
        }
    }
    column
}
