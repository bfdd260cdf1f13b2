//! The files that a fix may change.

use globset::GlobMatcher;
use patchwright_folder::{SHOWN_OF_GLOB, read_glob};
use patchwright_syntax::{ProjectPath, shorten};

use crate::edit::{EditRules, Rule};
use crate::obeyed;
use crate::refusal::EditError;

/// The rules of a fix, ready to be asked.
#[derive(Default)]
pub(crate) struct CompiledRules<'r> {
    forbidden: Vec<(GlobMatcher, &'r str)>,
    bug: Option<&'r str>,
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
        let compile = |rule: &Rule| {
            let glob = read_glob(&rule.glob, true).map(|glob| glob.compile_matcher());
            glob.map_err(|message| EditError::BadRule { glob: shorten(&rule.glob, SHOWN_OF_GLOB), message })
        };
        let forbidden = rules.forbidden.iter().map(|rule| Ok((compile(rule)?, rule.reason.as_str())));
        Ok(Self { forbidden: forbidden.collect::<Result<_, EditError>>()?, bug: rules.bug.as_deref() })
    }

    /// Refuses a file that a rule is about.
    pub(crate) fn allow_change(&self, file: &ProjectPath) -> Result<(), EditError> {
        match self.forbidden.iter().find(|(matcher, _)| matcher.is_match(file.as_path())) {
            Some((_, reason)) => {
                Err(EditError::NotAllowed { file: file.clone(), reason: (*reason).to_owned() })
            }
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
