//! The files that a fix may change.

use globset::{GlobBuilder, GlobMatcher};
use patchwright_syntax::ProjectPath;

use crate::edit::{EditRules, Rule};
use crate::refusal::EditError;

pub(crate) fn matchers(rules: &EditRules) -> Result<Vec<(GlobMatcher, &str)>, EditError> {
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
        files.retain(|file| allowed(file, &forbidden).is_ok());
        Ok(files)
    }
}

/// Refuses a file that a rule is about.
pub(crate) fn allowed(file: &ProjectPath, forbidden: &[(GlobMatcher, &str)]) -> Result<(), EditError> {
    match forbidden.iter().find(|(matcher, _)| matcher.is_match(file.as_path())) {
        Some((_, reason)) => Err(EditError::NotAllowed { file: file.clone(), reason: (*reason).to_owned() }),
        None => Ok(()),
    }
}
