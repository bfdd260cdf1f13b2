//! The files that may declare a class that a file uses.

use patchwright_syntax::{Language, ProjectPath};

use super::files::{Loaded, identifiers};

/// A module that an import names.
struct Module {
    /// The folder it is relative to; `None` for one that may stand anywhere.
    base: Option<String>,
    /// Its path below, `/` between the parts.
    path: String,
}

/// Files that may declare the class that `file` calls `written`, likeliest first.
///
/// Where files name their package, that is what counts (see [`visible`]) and the path is only the order to try. Where
/// they do not, the path must be one that an import leads to.
pub(super) fn likely(file: &Loaded, all: &[ProjectPath], written: &str) -> Vec<ProjectPath> {
    let head = written.split('.').next().unwrap_or(written);
    let simple = written.rsplit('.').next().unwrap_or(written);
    let imports = file.outline.imports.iter().map(|import| file.text(*import)).filter(|text| {
        let names = identifiers(text);
        text.contains('*') || names.contains(simple) || names.contains(head)
    });
    let modules: Vec<Module> = imports.flat_map(|text| modules(&text, file)).collect();
    let score = |path: &ProjectPath| {
        let module = file.language.module_of(path);
        let imported = modules.iter().filter_map(|one| one.leads_to(module)).max();
        let near = usize::from(path.folder() == file.path.folder());
        if file.outline.package.is_none() {
            return imported.map(|score| score + near);
        }
        let stem = module.rsplit('/').next().unwrap_or_default();
        let named = if stem == simple || stem == head { 16 } else { 0 };
        Some(named + imported.unwrap_or(0) + 2 * near).filter(|score| *score > 0)
    };
    let fits =
        |path: &&ProjectPath| Language::of_path(path.as_path()) == Some(file.language) && **path != file.path;
    let mut ranked: Vec<(usize, &ProjectPath)> =
        all.iter().filter(fits).filter_map(|path| Some((score(path)?, path))).collect();
    ranked.sort_by(|left, right| right.0.cmp(&left.0).then_with(|| left.1.cmp(right.1)));
    ranked.into_iter().map(|(_, path)| path.clone()).collect()
}

/// Is true if `file` can see what `other` declares, by their packages.
pub(super) fn visible(file: &Loaded, other: &Loaded) -> bool {
    let Some(package) = &other.outline.package else { return file.outline.package.is_none() };
    let prefix = format!("{package}.");
    let imported = |text: &str| text.split_whitespace().any(|word| word.starts_with(&prefix));
    file.outline.package.as_ref() == Some(package)
        || file.outline.imports.iter().any(|import| imported(&file.text(*import)))
}

/// The modules that an import statement may name: every dotted name in it.
fn modules(statement: &str, file: &Loaded) -> Vec<Module> {
    let pieces = statement.split([' ', '\t', '\n', ',', ';', '(', ')', '\\']);
    let module = |piece: &str| {
        let path = piece.trim_start_matches('.');
        let up = piece.len() - path.len();
        let base = (up > 0).then(|| {
            let folders: Vec<&str> = file.path.folder().split('/').collect();
            folders.get(..(folders.len() + 1).saturating_sub(up)).unwrap_or_default().join("/")
        });
        Module { base, path: path.trim_end_matches(['.', '*']).replace('.', "/") }
    };
    pieces.filter(|piece| !piece.is_empty()).map(module).collect()
}

impl Module {
    /// The certainty with which the import means this module or one below it, which it may pass on.
    fn leads_to(&self, module: &str) -> Option<usize> {
        let within = format!("/{module}/");
        let parts = self.path.split('/').filter(|part| !part.is_empty()).count();
        let found = match &self.base {
            Some(base) => {
                let whole = format!("/{base}/{}/", self.path).replace("//", "/");
                within.starts_with(&whole).then_some(within == whole)
            }
            None if parts == 0 => None,
            None => {
                let part = format!("/{}/", self.path);
                within.contains(&part).then_some(within.ends_with(&part))
            }
        };
        found.map(|exact| 4 * parts + if exact { 2 } else { 0 } + usize::from(self.base.is_some()))
    }
}
