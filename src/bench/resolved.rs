//! The options of the sessions of a run: the options as they were typed, given their meaning for all cases at once.

use std::collections::BTreeMap;
use std::path::Path;

use patchwright_agent::GOLDEN;
use patchwright_command_line::bench::OF_CASES;
use patchwright_command_line::options::{ApproachOptions, PromptOptions, SessionOptions};
use patchwright_command_line::settings;
use patchwright_protocol::{Failure, Goal};
use patchwright_runs::Fingerprint;

use crate::model::Choice;
use crate::plan::{self, writing};

/// The value of `--localization` when each case says itself where its bug is.
const PERFECT: &str = "perfect";

/// The options of sessions.
#[derive(Clone, Debug)]
pub struct ResolvedSettings {
    /// The options of each session.
    pub options: SessionOptions,
    /// Is true if sessions are told where their bug is.
    pub perfect: bool,
}

impl ResolvedSettings {
    /// The options of sessions that look for this, with the user's settings file below them.
    pub fn of_sessions(typed: &SessionOptions, goal: Goal) -> Result<Self, Failure> {
        let mut options = settings::users(typed)?;
        options.project.env = None;
        refuse_of_cases(&options)?;
        match goal {
            Goal::Fix => options = options.for_a_fix(),
            Goal::Test => writing::for_tests(&mut options)?,
        }
        let choice = Choice::read(options.approach.model.as_deref())?;
        if let (Choice::Human | Choice::Recording(..), Some(model)) = (&choice, &options.approach.model) {
            return Err(Failure::user(format!("--model {model} answers one session, not a run")));
        }
        let mut options = anchored(plan::defaults(options, &choice))?;
        options.output.out = None;
        if options.approach.localization.as_deref().is_some_and(|word| word.starts_with("perfect:")) {
            return Err(Failure::user("--localization perfect:FILE is about one bug, and a run has many")
                .hint("give --localization perfect: the suite knows the lines of each case"));
        }
        let resolved = Self::of_frozen(options);
        match resolved.options.approach.localization.as_deref() {
            None | Some("spectrum") => {}
            Some("none") if !matches!(choice, Choice::Patterns) => {}
            Some("none") => {
                return Err(Failure::user(
                    "--localization none leaves the fix patterns no place to begin at",
                ));
            }
            Some(word) => {
                return Err(Failure::user(format!("--localization {word}: not known here"))
                    .hint("give spectrum, none, or perfect where the cases say where their bug is"));
            }
        }
        Ok(resolved)
    }

    /// Looks whether sessions with these options can begin: key, prices, prompts, states. What is wrong with the suite comes before it.
    pub fn check(&self) -> Result<(), Failure> {
        let model = self.options.approach.model.as_deref().filter(|_| !self.is_golden());
        plan::check_for_all(&self.options, &Choice::read(model)?)
    }

    /// Looks whether the settings go together, where sessions begin on other machines, which have the keys.
    #[cfg(feature = "postgres")]
    pub fn check_settings(&self) -> Result<(), Failure> {
        plan::check_settings(&self.options, &Choice::read(self.options.approach.model.as_deref())?)
    }

    /// The options of a run that tries the developers' fixes: what a model is told does not matter.
    pub fn of_golden(typed: &SessionOptions) -> Result<Self, Failure> {
        let mut options = anchored(settings::users(typed)?.for_a_fix())?;
        refuse_of_cases(&options)?;
        options.approach = ApproachOptions { line: options.approach.line, ..ApproachOptions::default() };
        options.project.env = None;
        options.approach.model = Some(GOLDEN.to_owned());
        options.output.out = None;
        Ok(Self { options, perfect: false })
    }

    /// The options that `run.toml` keeps, read again.
    pub fn of_frozen(mut options: SessionOptions) -> Self {
        let perfect = options.approach.localization.take_if(|word| word == PERFECT).is_some();
        Self { options, perfect }
    }

    /// The options that shape the sessions, as `run.toml` keeps them: not where the run lies or where the user's keys do.
    pub fn frozen(&self) -> SessionOptions {
        let mut options = self.options.clone();
        if self.perfect {
            options.approach.localization = Some(PERFECT.to_owned());
        }
        options.model.key_file = None;
        options.output.out = None;
        options
    }

    /// The content of the files that shape the run: the suite's, where it is one file, and those that options name.
    pub fn fingerprints(&self, suite: &str) -> Result<BTreeMap<String, Fingerprint>, Failure> {
        let PromptOptions { states, prompts, .. } = &self.options.prompt;
        let suite = suite.split_once(':').map(|(_, path)| Path::new(path)).filter(|path| path.is_file());
        let states = states.as_deref().filter(|states| *states != "none").map(Path::new);
        let (prompts, prices) = (prompts.as_deref(), self.options.model.prices.as_deref());
        [("suite", suite), ("states", states), ("prompts", prompts), ("prices", prices)]
            .into_iter()
            .filter_map(|(option, path)| Some((option, path?)))
            .map(|(option, path)| {
                Ok((option.to_owned(), Fingerprint::of(path).map_err(Failure::environment)?))
            })
            .collect()
    }

    /// What sessions with these options look for.
    pub fn goal(&self) -> Goal {
        match self.options.writing.method {
            None => Goal::Fix,
            Some(_) => Goal::Test,
        }
    }

    /// Is true if the developers' fixes are tried.
    pub fn is_golden(&self) -> bool {
        self.options.approach.model.as_deref() == Some(GOLDEN)
    }
}

/// An error where the command line gives what each case answers itself.
pub fn refuse_of_cases(options: &SessionOptions) -> Result<(), Failure> {
    let given = serde_json::to_value(options).map_err(Failure::defect)?;
    let of_cases = |name: &&&str| given.get(name.replace('_', "-")).is_some_and(|value| !value.is_null());
    match OF_CASES.iter().find(of_cases) {
        None => Ok(()),
        Some(name) => {
            let option = name.replace('_', "-");
            Err(Failure::user(format!("--{option} belongs to a case, not to a run"))
                .hint("write it into a manifest, and give that with --suite manifest:FILE"))
        }
    }
}

/// The same with paths that lead to the same files wherever the run is resumed from.
fn anchored(mut options: SessionOptions) -> Result<SessionOptions, Failure> {
    let absolute = |option: &str, path: &Path| {
        path.canonicalize().map_err(|error| Failure::user(format!("--{option} {}: {error}", path.display())))
    };
    if let Some(states) = options.prompt.states.as_mut().filter(|states| *states != "none") {
        *states = absolute("states", Path::new(states))?.to_string_lossy().into_owned();
    }
    for (option, path) in [("prompts", &mut options.prompt.prompts), ("prices", &mut options.model.prices)] {
        if let Some(path) = path {
            *path = absolute(option, path)?;
        }
    }
    Ok(options)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn options(settings: &str) -> SessionOptions {
        toml::from_str(settings).unwrap()
    }

    #[test]
    fn what_belongs_to_a_case_is_refused() {
        let issue = options("issue = 'issue.md'");
        let message = crate::failure::told(&refuse_of_cases(&issue).unwrap_err());
        insta::assert_snapshot!(message);
        assert!(refuse_of_cases(&options("cycles = 3")).is_ok());
    }

    #[test]
    fn files_that_shape_the_run_leave_a_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, name).unwrap();
            path
        };
        let (suite, prices) = (path("bugs.toml"), path("prices.toml"));
        let check = |states: &str, suite: &Path, expect: &[&str]| {
            let options = options(&format!(
                "states = '{states}'\nprices = '{}'\nprompts = '{}'",
                prices.display(),
                folder.path().display()
            ));
            let resolved = ResolvedSettings { options, perfect: false };
            let found = resolved.fingerprints(&format!("manifest:{}", suite.display())).unwrap();
            assert_eq!(found.keys().collect::<Vec<_>>(), expect);
        };
        let states = path("states.toml").display().to_string();
        check(&states, &suite, &["prices", "prompts", "states", "suite"]);
        check("none", folder.path(), &["prices", "prompts"]);
    }

    #[test]
    fn settings_survive_run_toml() {
        let options = options("cycles = 7\nmode = 'agentless'\ntime-limit = '90s'");
        let table =
            toml::Table::try_from(ResolvedSettings { options: options.clone(), perfect: true }.frozen())
                .unwrap();
        let text = toml::to_string(&table).unwrap();
        let read: SessionOptions = toml::from_str(&text).unwrap();
        assert_eq!(read.budget.cycles, Some(7));
        assert_eq!(read.approach.localization.as_deref(), Some(PERFECT));
        assert_eq!(read.budget.time_limit, options.budget.time_limit);
    }
}
