//! From edits to the files that result: everything that can be wrong with a fix is found here, before a test runs.

use std::collections::{BTreeMap, BTreeSet};

use globset::{GlobBuilder, GlobMatcher};

use crate::applied::{Applied, FileChange};
use crate::edit::{Edit, EditError, EditRules, Rule};
use crate::language::Language;
use crate::path::ProjectPath;
use crate::project::Project;
use crate::source::Source;
use crate::splice::{Merged, Spliced};
use crate::syntax::{SyntaxError, syntax_errors};

/// Works out what a set of edits makes of the files of a project. Nothing is written, and either all edits apply or
/// none.
///
/// Several edits of one file are merged. Deleted lines are really removed. Inserted lines end as most lines of the
/// file do. A line that is both deleted and modified is modified, with a note.
///
/// # Errors
/// All that does not fit the files ([`EditError::DoesNotApply`]), or the first other thing that is wrong.
pub fn apply(project: &Project, edits: &[Edit], rules: &EditRules) -> Result<Applied, EditError> {
    let forbidden = matchers(rules)?;
    let mut notes = Vec::new();
    let mut by_file: BTreeMap<ProjectPath, Vec<&Edit>> = BTreeMap::new();
    for edit in edits.iter().filter(|edit| !edit.is_empty()) {
        let resolved = project.resolve(&edit.file_path)?;
        notes.extend(resolved.note.filter(|note| !notes.contains(note)));
        by_file.entry(resolved.path).or_default().push(edit);
    }
    for file in by_file.keys() {
        if let Some((_, reason)) = forbidden.iter().find(|(matcher, _)| matcher.is_match(file.as_path())) {
            return Err(EditError::NotAllowed { file: file.clone(), reason: (*reason).to_owned() });
        }
    }
    let mut problems = Vec::new();
    let mut results = Vec::new();
    for (file, edits) in by_file {
        let source = project.read(&file)?;
        let (merged, conflicts) = Merged::of(&file, &edits);
        notes.extend(
            merged
                .kept()
                .map(|line| format!("line {line} of `{file}` is both deleted and modified; it was modified")),
        );
        problems.extend(conflicts);
        match merged.splice(&file, &source) {
            Ok(spliced) => results.push((file, source, spliced)),
            Err(misfits) => problems.extend(misfits),
        }
    }
    if !problems.is_empty() {
        return Err(EditError::DoesNotApply { problems });
    }
    let mut files = Vec::new();
    for (path, source, spliced) in results {
        if spliced.bytes == source.bytes() {
            notes.push(format!("`{path}` stays as it is: the edits of it change nothing"));
            continue;
        }
        if let Some(SyntaxError { line, text, problem }) = new_syntax_error(&path, &source, &spliced) {
            return Err(EditError::SyntaxError { file: path, line, text, problem });
        }
        files.push(FileChange { path, before: Some(source.bytes().to_vec()), after: Some(spliced.bytes) });
    }
    if files.is_empty() {
        return Err(EditError::NoChange);
    }
    let comment_only = files.iter().all(FileChange::is_comment_only);
    Ok(Applied { files, notes, comment_only })
}

fn matchers(rules: &EditRules) -> Result<Vec<(GlobMatcher, &str)>, EditError> {
    let compile = |rule: &Rule| {
        let glob = GlobBuilder::new(&rule.glob).literal_separator(true).build();
        glob.map(|glob| glob.compile_matcher()).map_err(|error| EditError::BadRule {
            glob: rule.glob.clone(),
            message: error.kind().to_string(),
        })
    };
    rules.forbidden.iter().map(|rule| Ok((compile(rule)?, rule.reason.as_str()))).collect()
}

impl EditRules {
    /// Those of some files that a fix may change.
    ///
    /// # Errors
    /// A pattern of the rules is not valid.
    pub fn allowed(&self, mut files: Vec<ProjectPath>) -> Result<Vec<ProjectPath>, EditError> {
        let forbidden = matchers(self)?;
        files.retain(|file| !forbidden.iter().any(|(matcher, _)| matcher.is_match(file.as_path())));
        Ok(files)
    }
}

/// A syntax error that the edits brought in: one that the file did not have, in a file that has more of them now. A file
/// that the parser never understood is thus not a file that can never be edited.
fn new_syntax_error(path: &ProjectPath, before: &Source, spliced: &Spliced) -> Option<SyntaxError> {
    let language = Language::of_path(path.as_path())?;
    let after = Source::decode(spliced.bytes.clone())?;
    let errors = syntax_errors(language, after.text());
    if errors.is_empty() {
        return None;
    }
    let known = syntax_errors(language, before.text());
    if errors.len() <= known.len() {
        return None;
    }
    // Lines move, so errors are told apart by their text.
    let known: BTreeSet<(&str, &str)> =
        known.iter().map(|error| (error.text.as_str(), error.problem.as_str())).collect();
    let mut new =
        errors.iter().filter(|error| !known.contains(&(error.text.as_str(), error.problem.as_str())));
    let first = new.clone().next();
    // An error may surface far from its cause; one on a line that was edited says most.
    new.find(|error| spliced.touched.contains(&error.line)).or(first).or(errors.first()).cloned()
}
