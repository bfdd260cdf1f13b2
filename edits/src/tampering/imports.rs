//! What imports bind.

use patchwright_syntax::{ModuleNames, NodeShape};
use tree_sitter::Node;

use super::names::{Names, child};

impl<'t> Names<'t> {
    /// The names that an import binds, each with the path of what it names.
    pub(super) fn imported(&self, import: Node<'t>) -> Vec<(&'t str, String)> {
        let source = import
            .child_by_field_name(self.rules.import_source)
            .map(|source| self.literal(source).unwrap_or_else(|| self.text(source)));
        let mut found = Vec::new();
        let mut open = self.children(import);
        while let Some(node) = open.pop() {
            let is_source = import.child_by_field_name(self.rules.import_source) == Some(node);
            match self.shape(node) {
                _ if is_source => {}
                Some(NodeShape::Specifier(name, alias)) => {
                    if let Some(name) = child(node, name) {
                        let alias = child(node, alias).unwrap_or(name);
                        found.push((self.text(alias), path_in(source, self.text(name))));
                    }
                }
                Some(NodeShape::Name) => found.push((self.text(node), self.whole(source, self.text(node)))),
                Some(NodeShape::Path) => found.push(self.dotted(source, self.text(node))),
                _ => open.extend(self.children(node)),
            }
        }
        if self.text(import).trim_end_matches([';', ')']).trim_end().ends_with('*')
            && let Some(source) = source
        {
            found.push(("*", path_in(Some(source), "*")));
        }
        found
    }

    /// The path of a name that stands for a whole module.
    fn whole(&self, source: Option<&str>, name: &str) -> String {
        match self.rules.modules {
            ModuleNames::Specifiers => source.unwrap_or(name).to_owned(),
            ModuleNames::Dotted | ModuleNames::Packages => path_in(source, name),
        }
    }

    /// What an import binds that gives a dotted path.
    fn dotted(&self, source: Option<&str>, path: &'t str) -> (&'t str, String) {
        let (first, last) = (path.split('.').next(), path.rsplit('.').next());
        match (self.rules.modules, source) {
            (ModuleNames::Dotted, None) => (first.unwrap_or(path), first.unwrap_or(path).to_owned()),
            (ModuleNames::Dotted | ModuleNames::Specifiers, _) => (path, path_in(source, path)),
            (ModuleNames::Packages, _) => (last.unwrap_or(path), path.to_owned()),
        }
    }
}

fn path_in(source: Option<&str>, name: &str) -> String {
    // A relative module keeps its leading dots.
    source.map_or_else(|| name.to_owned(), |source| format!("{source}.{name}"))
}
