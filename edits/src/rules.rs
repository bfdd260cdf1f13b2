//! The files that a fix may change.

use std::sync::{Arc, Mutex, PoisonError};

use globset::GlobMatcher;
use patchwright_folder::{SHOWN_OF_GLOB, read_glob};
use patchwright_syntax::{ProjectPath, shorten};

use crate::edit::{EditRules, Rule};
use crate::obeyed;
use crate::refusal::EditError;

/// The compiled globs of rules, in their order.
type Matchers = Arc<[GlobMatcher]>;

/// The rules of a fix, ready to be asked.
#[derive(Default)]
pub(crate) struct CompiledRules<'r> {
    rules: &'r [Rule],
    matchers: Matchers,
    bug: Option<&'r str>,
}

/// The rules compiled last. All fixes of a session share them, and compiling takes longer than applying most fixes.
static LAST: Mutex<Option<(Vec<Rule>, Matchers)>> = Mutex::new(None);

/// The matchers of some rules.
fn compiled(rules: &[Rule]) -> Result<Matchers, EditError> {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, matchers)) = last.as_ref().filter(|(of, _)| of == rules) {
        return Ok(Arc::clone(matchers));
    }
    let compile = |rule: &Rule| {
        let glob = read_glob(&rule.glob, true).map(|glob| glob.compile_matcher());
        glob.map_err(|message| EditError::BadRule { glob: shorten(&rule.glob, SHOWN_OF_GLOB), message })
    };
    let matchers: Matchers = rules.iter().map(compile).collect::<Result<_, _>>()?;
    *last = Some((rules.to_vec(), Arc::clone(&matchers)));
    Ok(matchers)
}

impl EditRules {
    /// Those of some files that a fix may change.
    ///
    /// # Errors
    /// A pattern of the rules is not valid.
    pub fn allowed(&self, mut files: Vec<ProjectPath>) -> Result<Vec<ProjectPath>, EditError> {
        let rules = CompiledRules::new(self)?;
        files.retain(|file| rules.allow_change(file).is_ok());
        Ok(files)
    }
}

impl<'r> CompiledRules<'r> {
    pub(crate) fn new(rules: &'r EditRules) -> Result<Self, EditError> {
        let matchers = compiled(&rules.forbidden)?;
        Ok(Self { rules: &rules.forbidden, matchers, bug: rules.bug.as_deref() })
    }

    /// Refuses a file that a rule is about.
    pub(crate) fn allow_change(&self, file: &ProjectPath) -> Result<(), EditError> {
        let mut rules = self.rules.iter().zip(&*self.matchers);
        match rules.find(|(_, matcher)| matcher.is_match(file.as_path())) {
            Some((rule, _)) => Err(EditError::NotAllowed { file: file.clone(), reason: rule.reason.clone() }),
            None => Ok(()),
        }
    }

    /// The same for a file that is not there yet.
    pub(crate) fn allow_creation(&self, file: &ProjectPath) -> Result<(), EditError> {
        self.allow_change(file)?;
        match (obeyed::obeyed_by(file), self.bug) {
            (Some(who), Some(bug)) if !obeyed::names(bug, file) => Err(EditError::NotAllowed {
                file: file.clone(),
                reason: format!("{who} obeys such a file without being asked, and the bug is not about it"),
            }),
            (Some(_) | None, _) => Ok(()),
        }
    }
}
