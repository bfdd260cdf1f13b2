//! From edits to the files that result: everything that can be wrong with a fix is found here, before a test runs.

use patchwright_syntax::{Language, PathError, Project, ProjectPath, Source, SyntaxError, new_syntax_error};

use crate::applied::{Applied, ApplyReport, FileChange};
use crate::draft::Draft;
use crate::edit::{Edit, EditRules};
use crate::located::{Located, MatchFailure};
use crate::outcome::{EditOutcome, EditStatus};
use crate::refusal::{ApplyProblem, EditError, broken_line};
use crate::rules::CompiledRules;

/// Works out what a set of edits makes of the files of a project. Nothing is written, and either all edits apply or
/// none.
///
/// Several edits of one file are merged: line numbers are those of the original file, texts are looked for in it first,
/// and then in what the edits before made of it. Deleted lines are really removed. New lines end as most lines of the
/// file do; what an edit does not change stays byte for byte. A line that is both deleted and modified is modified,
/// with a note.
///
/// # Errors
/// All that does not fit the files ([`EditError::DoesNotApply`]), or the first other thing that is wrong.
pub fn apply(project: &Project, edits: &[Edit], rules: &EditRules) -> Result<Applied, EditError> {
    attempt(project, edits, rules).result
}

/// As [`apply()`], with what became of every single change.
pub fn attempt(project: &Project, edits: &[Edit], rules: &EditRules) -> ApplyReport {
    let mut work = Work::default();
    let result = work.run(project, edits, rules);
    // Files are worked on one after the other, whatever the order of the edits.
    work.outcomes.sort_by_key(|(edit, _)| *edit);
    ApplyReport { outcomes: work.outcomes.into_iter().map(|(_, outcome)| outcome).collect(), result }
}

/// A file that edits are for.
struct Target<'e> {
    path: ProjectPath,
    source: Option<Source>,
    /// Each with its place among all edits.
    edits: Vec<(usize, &'e Edit)>,
}

#[derive(Default)]
struct Work<'r> {
    rules: CompiledRules<'r>,
    /// Each with the place of its edit among all edits.
    outcomes: Vec<(usize, EditOutcome)>,
    /// The edit that is worked on.
    edit: usize,
    notes: Vec<String>,
    problems: Vec<ApplyProblem>,
    /// The places of texts that an edit would bring, and that are there already.
    already: Vec<String>,
    /// The places of single lines that an edit would bring: no proof that it was applied.
    perhaps: Vec<String>,
    files: Vec<FileChange>,
}

impl<'r> Work<'r> {
    fn run(&mut self, project: &Project, edits: &[Edit], rules: &'r EditRules) -> Result<Applied, EditError> {
        self.rules = CompiledRules::new(rules)?;
        for target in self.targets(project, edits)? {
            self.one_file(project, &target)?;
        }
        if !self.problems.is_empty() {
            return Err(EditError::DoesNotApply(std::mem::take(&mut self.problems)));
        }
        let mut files = std::mem::take(&mut self.files);
        files.sort_by(|left, right| left.path.cmp(&right.path));
        if let Some(two) = files.windows(2).find(|two| two[0].path == two[1].path) {
            return Err(EditError::DoesNotApply(vec![ApplyProblem::Exists { file: two[0].path.clone() }]));
        }
        for file in &files {
            if let Some(error) = broken(file) {
                self.mark(&file.path, EditStatus::SyntaxError, &broken_line(&error));
                return Err(EditError::SyntaxError { file: file.path.clone(), error });
            }
        }
        // What may have been applied counts only where nothing else is left to do.
        let mut places = if files.is_empty() { std::mem::take(&mut self.already) } else { Vec::new() };
        places.append(&mut self.perhaps);
        if !places.is_empty() {
            return Err(EditError::AlreadyApplied(places));
        }
        if files.is_empty() {
            return Err(EditError::NoChange);
        }
        let comment_only = files.iter().all(FileChange::is_comment_only);
        Ok(Applied { files, notes: std::mem::take(&mut self.notes), comment_only })
    }

    /// Gives all changes of a file another status.
    fn mark(&mut self, file: &ProjectPath, status: EditStatus, note: &str) {
        for outcome in self.of_file(file) {
            outcome.status = status;
            outcome.note = Some(note.to_owned());
        }
    }

    fn of_file(&mut self, file: &ProjectPath) -> impl Iterator<Item = &mut EditOutcome> {
        self.outcomes.iter_mut().map(|(_, outcome)| outcome).filter(|outcome| outcome.file == file.as_str())
    }

    fn told(&mut self, file: &str, status: EditStatus, note: Option<String>) {
        self.outcomes.push((self.edit, EditOutcome { file: file.to_owned(), status, note }));
    }

    /// Refuses the change at hand.
    fn refuse(&mut self, path: &ProjectPath, problem: ApplyProblem) {
        self.told(path.as_str(), problem.status(), Some(problem.to_string()));
        self.problems.push(problem);
    }

    /// Refuses all changes of a file.
    fn refuse_all(&mut self, path: &ProjectPath, problem: ApplyProblem) {
        self.mark(path, problem.status(), &problem.to_string());
        self.problems.push(problem);
    }

    /// The files that the edits are for.
    fn targets<'e>(&mut self, project: &Project, edits: &'e [Edit]) -> Result<Vec<Target<'e>>, EditError> {
        let mut targets: Vec<Target> = Vec::new();
        let mut failed = None;
        for (place, edit) in edits.iter().enumerate() {
            self.edit = place;
            if edit.is_empty() {
                let note = "it names a file and nothing to do".to_owned();
                self.told(&edit.file_path, EditStatus::NoChange, Some(note));
                continue;
            }
            let vacant = project.vacant(&edit.file_path);
            // An earlier edit may make the file that this one is about.
            if let Ok(Some(path)) = &vacant
                && let Some(known) = targets.iter_mut().find(|known| known.path == *path)
            {
                known.edits.push((place, edit));
                continue;
            }
            match self.target(project, edit, vacant) {
                Ok((path, source)) => match targets.iter_mut().find(|known| known.path == path) {
                    Some(known) => known.edits.push((place, edit)),
                    None => targets.push(Target { path, source, edits: vec![(place, edit)] }),
                },
                Err(error) => {
                    self.told(&edit.file_path, error.status(), Some(error.to_string()));
                    failed = failed.or(Some(error));
                }
            }
        }
        targets.sort_by(|left, right| left.path.cmp(&right.path));
        failed.map_or(Ok(targets), Err)
    }

    /// The file of an edit: one that is there, or a place for a new one.
    fn target(
        &mut self,
        project: &Project,
        edit: &Edit,
        vacant: Result<Option<ProjectPath>, PathError>,
    ) -> Result<(ProjectPath, Option<Source>), EditError> {
        let vacant = match vacant {
            // An absolute path may mean a file of the project all the same, but no place for a new one.
            Err(PathError::Outside { .. }) if !creates(edit) => None,
            other => other?,
        };
        let found = match vacant {
            Some(path) if creates(edit) => {
                self.rules.allow_creation(&path)?;
                return Ok((path, None));
            }
            _ => project.resolve(&edit.file_path)?,
        };
        self.notes.extend(found.note.filter(|note| !self.notes.contains(note)));
        self.rules.allow_change(&found.path)?;
        let source = project.read(&found.path)?;
        Ok((found.path, Some(source)))
    }

    /// Works all edits of one file into it.
    fn one_file(&mut self, project: &Project, target: &Target) -> Result<(), EditError> {
        let path = &target.path;
        let before = target.source.as_ref().map(|source| source.bytes().to_vec());
        let known = self.problems.len();
        let mut draft = Draft::new(path.clone(), target.source.as_ref());
        if let Some(source) = &target.source {
            self.numbered(&mut draft, target, source);
        }
        let edits: Vec<&Edit> = target.edits.iter().map(|(_, edit)| *edit).collect();
        let mut plainly = draft.replace_plainly(&edits).map(Vec::into_iter);
        for (place, edit) in &target.edits {
            self.edit = *place;
            self.contents(&mut draft, target, edit);
            for definition in &edit.definitions {
                let outcome = draft.define(definition);
                let name = definition.name.as_deref().unwrap_or_else(|| first_line(&definition.code));
                self.located(path, name, outcome);
            }
            let numbers = draft.numbers(&edit.replacements);
            for replacement in &edit.replacements {
                if let Some(located) = plainly.as_mut().and_then(Iterator::next) {
                    self.located(path, first_line(&replacement.search), Ok(located));
                    continue;
                }
                let outcome = match (draft.is_missing(), replacement.search.is_empty()) {
                    (true, true) => {
                        draft.fill(&replacement.replace);
                        Ok(Located::new())
                    }
                    _ => draft.replace(replacement, numbers),
                };
                self.located(path, first_line(&replacement.search), outcome);
            }
        }
        if self.problems.len() > known {
            return Ok(());
        }
        let Ok(mut after) = draft.finish().map_err(|problem| self.refuse_all(path, problem)) else {
            return Ok(());
        };
        let written_anew = target.edits.iter().any(|(_, edit)| edit.content.is_some());
        if let Some((_, edit)) = target.edits.iter().find(|(_, edit)| edit.delete && !written_anew) {
            // A diff that deletes a file holds all of it.
            if !edit.replacements.is_empty() && after.is_some_and(|after| !after.is_empty()) {
                let reason = "the diff deletes the file but does not hold all of its lines".to_owned();
                self.refuse_all(path, ApplyProblem::Unclear { file: path.clone(), reason });
                return Ok(());
            }
            self.told(path.as_str(), EditStatus::Exact, Some("deleted".to_owned()));
            after = None;
        }
        if let Some(name) = target.edits.iter().find_map(|(_, edit)| edit.rename_to.as_deref()) {
            return self.renamed(project, path, name, (before, after));
        }
        if before == after {
            self.notes.push(format!("`{path}` stays as it is: the edits of it change nothing"));
            for outcome in self.of_file(path).filter(|outcome| outcome.status == EditStatus::Exact) {
                outcome.status = EditStatus::NoChange;
            }
        } else {
            self.files.push(FileChange { path: path.clone(), before, after });
        }
        Ok(())
    }

    /// The changes by line numbers, of all edits of a file together.
    fn numbered(&mut self, draft: &mut Draft, target: &Target, source: &Source) {
        let path = &target.path;
        let (places, by_lines): (Vec<usize>, Vec<&Edit>) =
            target.edits.iter().copied().filter(|(_, edit)| edit.has_numbers()).unzip();
        let Some(first) = places.first() else { return };
        self.edit = *first;
        match draft.lines(&by_lines, source) {
            Ok(kept) => {
                let kept: Vec<String> = kept
                    .iter()
                    .map(|line| {
                        format!("line {line} of `{path}` is both deleted and modified; it was modified")
                    })
                    .collect();
                for place in places {
                    self.edit = place;
                    self.told(path.as_str(), EditStatus::Exact, (!kept.is_empty()).then(|| kept.join("; ")));
                }
                self.notes.extend(kept);
            }
            Err(problems) => problems.into_iter().for_each(|problem| self.refuse(path, problem)),
        }
    }

    /// The whole text of a new file.
    fn contents(&mut self, draft: &mut Draft, target: &Target, edit: &Edit) {
        let Some(content) = &edit.content else { return };
        let path = &target.path;
        if edit.has_numbers() {
            let reason =
                "its whole text stands beside changes by line numbers; give one or the other".to_owned();
            return self.refuse(path, ApplyProblem::Unclear { file: path.clone(), reason });
        }
        let source = target.source.as_ref();
        if source.is_some_and(|source| source.text() == content || source.bytes() == content.as_bytes()) {
            self.already.push(format!("`{path}`"));
            let note = "the file exists with this very text".to_owned();
            return self.told(path.as_str(), EditStatus::AlreadyApplied, Some(note));
        }
        let exists = source.map_or(!draft.is_missing(), |source| {
            !source.text().is_empty() && !target.edits.iter().any(|(_, edit)| edit.delete)
        });
        if exists {
            return self.refuse(path, ApplyProblem::Exists { file: path.clone() });
        }
        draft.fill(content);
        self.told(path.as_str(), EditStatus::Exact, source.is_none().then(|| "new file".to_owned()));
    }

    /// Books what became of one change by its text.
    fn located(&mut self, path: &ProjectPath, text: &str, outcome: Result<Located, MatchFailure>) {
        let file = || path.clone();
        let problem = match outcome {
            Ok(located) => {
                if let Some(note) = &located.note {
                    self.notes.push(format!("`{text}` in `{path}`: {note}"));
                }
                return self.told(path.as_str(), located.level.into(), located.note);
            }
            Err(MatchFailure::NoChange) => {
                let note = "the text to find and its replacement are the same".to_owned();
                return self.told(path.as_str(), EditStatus::NoChange, Some(note));
            }
            Err(MatchFailure::PerhapsApplied(line)) => {
                self.perhaps.push(format!("`{path}` line {line}"));
                let note = format!("the file does not contain it, but its replacement stands at line {line}");
                return self.told(path.as_str(), EditStatus::AlreadyApplied, Some(note));
            }
            Err(MatchFailure::AlreadyApplied(line)) => {
                self.already.push(format!("`{path}` line {line}"));
                self.notes
                    .push(format!("what shall replace `{text}` stands in `{path}` at line {line} already"));
                let note = format!("the new text stands at line {line} already");
                return self.told(path.as_str(), EditStatus::AlreadyApplied, Some(note));
            }
            Err(MatchFailure::NotFound(nearest)) => {
                ApplyProblem::NotFound { file: file(), text: text.to_owned(), nearest }
            }
            Err(MatchFailure::Ambiguous(lines)) => {
                ApplyProblem::Ambiguous { file: file(), text: text.to_owned(), lines }
            }
            Err(MatchFailure::Missing(reason)) => ApplyProblem::Missing { file: file(), reason },
            Err(MatchFailure::Unclear(reason)) => ApplyProblem::Unclear { file: file(), reason },
        };
        self.refuse(path, problem);
    }

    /// A file moves, perhaps with changes.
    fn renamed(
        &mut self,
        project: &Project,
        path: &ProjectPath,
        name: &str,
        (before, after): (Option<Vec<u8>>, Option<Vec<u8>>),
    ) -> Result<(), EditError> {
        let new = project.vacant(name).map_err(EditError::from).and_then(|new| {
            new.as_ref().map_or(Ok(()), |new| self.rules.allow_creation(new))?;
            Ok(new)
        });
        let new = match new {
            Ok(Some(new)) => new,
            Ok(None) => {
                self.refuse(path, ApplyProblem::Exists { file: ProjectPath::new(name)? });
                return Ok(());
            }
            Err(error) => {
                self.told(path.as_str(), error.status(), Some(error.to_string()));
                return Err(error);
            }
        };
        self.told(path.as_str(), EditStatus::Exact, Some(format!("renamed to `{new}`")));
        self.files.push(FileChange { path: path.clone(), before, after: None });
        self.files.push(FileChange { path: new, before: None, after });
        Ok(())
    }
}

/// Is true if an edit can stand for a file that does not exist.
fn creates(edit: &Edit) -> bool {
    edit.content.is_some()
        || edit.replacements.first().is_some_and(|first| first.search.is_empty())
        || edit.definitions.first().is_some_and(|first| first.place.is_new())
}

fn first_line(text: &str) -> &str {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.char_indices().nth(80).map_or(line, |(end, _)| &line[..end])
}

impl EditError {
    /// The status that the error gives its edit.
    fn status(&self) -> EditStatus {
        match self {
            Self::NoChange => EditStatus::NoChange,
            Self::AlreadyApplied { .. } => EditStatus::AlreadyApplied,
            Self::SyntaxError { .. } => EditStatus::SyntaxError,
            Self::Path(PathError::Ambiguous { .. }) => EditStatus::Ambiguous,
            Self::NotAllowed { .. }
            | Self::BadRule { .. }
            | Self::Read(_)
            | Self::Path(PathError::Outside { .. } | PathError::Private { .. }) => EditStatus::NotAllowed,
            Self::DoesNotApply { .. } | Self::Path(_) => EditStatus::NotFound,
        }
    }
}

/// The syntax error that a change brings into its file.
fn broken(file: &FileChange) -> Option<SyntaxError> {
    let language = Language::of_path(file.path.as_path())?;
    let after = Source::decode(file.after.clone()?)?;
    let before = Source::decode(file.before.clone().unwrap_or_default())?;
    new_syntax_error(language, before.text(), after.text())
}
