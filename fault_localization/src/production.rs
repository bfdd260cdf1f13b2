//! The files that a candidate may change, read once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use patchwright_edits::EditRules;
use patchwright_protocol::Failure;
use patchwright_syntax::{
    Language, MethodKind, Outline, Project, ProjectPath, Source, StatementKind, Statements, outline,
    parallel, statements,
};
use patchwright_validation::TestHarnessError;

/// The files that a candidate may change, by path.
pub(crate) type Production = BTreeMap<String, ProductionFile>;

/// A file that a candidate may change.
pub(crate) struct ProductionFile {
    pub(crate) language: Language,
    pub(crate) source: Source,
    pub(crate) statements: Statements,
    outline: OnceLock<Outline>,
    /// For each line, from 1: is true if it is part of a method.
    in_method: OnceLock<Vec<bool>>,
}

/// Reads the files of a project, or those that are `wanted`; one that cannot be read holds nothing to rank. Reads no more once nobody
/// waits.
pub(crate) fn production(
    project: &Project,
    rules: &EditRules,
    wanted: Option<&BTreeSet<String>>,
    cancelled: &AtomicBool,
) -> Result<Production, TestHarnessError> {
    // Rules that cannot be compiled come from our own detection.
    let mut files = rules.allowed(project.files()?).map_err(Failure::defect)?;
    files.retain(|path| wanted.is_none_or(|wanted| wanted.contains(path.as_str())));
    let read = |path: &ProjectPath| {
        let language = Language::of_path(path.as_path()).filter(|_| !cancelled.load(Ordering::Relaxed))?;
        let source = project.read(path).ok()?;
        let file = ProductionFile {
            language,
            statements: statements(language, &source),
            source,
            outline: OnceLock::new(),
            in_method: OnceLock::new(),
        };
        Some((path.to_string(), file))
    };
    Ok(parallel::over(&files, read).into_iter().flatten().collect())
}

impl ProductionFile {
    /// The declarations of the file.
    pub(crate) fn outline(&self) -> &Outline {
        self.outline.get_or_init(|| outline(self.language, &self.source))
    }

    /// Is true if a line is part of a method; an initialiser of a class is none, it runs once for many tests.
    pub(crate) fn in_method(&self, line: u32) -> bool {
        let lines = self.in_method.get_or_init(|| {
            let mut lines = vec![false; self.source.line_count() + 1];
            // A method inside of another follows it.
            for (_, method) in self.outline().all_methods() {
                for line in method.lines.first..=method.lines.last {
                    if let Some(place) = lines.get_mut(line as usize) {
                        *place = method.kind != MethodKind::Initializer;
                    }
                }
            }
            lines
        });
        lines.get(line as usize).copied().unwrap_or(false)
    }

    /// The line at which the statement of a line begins; `None` where nothing runs.
    pub(crate) fn statement_line(&self, line: u32) -> Option<u32> {
        let statement = self.statements.at(line)?;
        (statement.kind != StatementKind::Header).then_some(statement.lines.first)
    }
}
