//! What is said of how a test is written, given its meaning.

use patchwright_command_line::options::SessionOptions;
use patchwright_llm::Provider;
use patchwright_protocol::{BugInput, Failure, Goal, Mode, TestMethod};
use patchwright_test_writing::WritingSettings;
use patchwright_trajectory::Log;

use super::{SAMPLES, recorded};
use crate::model::{Choice, read_log};

/// The most that a method may begin anew.
const REGENERATIONS: usize = 100;

/// What a session with these options is for.
pub(super) fn goal(options: &SessionOptions) -> Goal {
    match options.writing.method {
        None => Goal::Fix,
        Some(_) => Goal::Test,
    }
}

/// The mode of a session that writes a test by a method.
fn mode(method: TestMethod) -> Mode {
    match method {
        TestMethod::Agent => Mode::Agent,
        TestMethod::Direct
        | TestMethod::ZeroShot
        | TestMethod::ZeroShotPlus
        | TestMethod::Libro
        | TestMethod::AssertFlip => Mode::Agentless,
    }
}

/// The cycles that a fixed method needs at most: each of its stages is one. None for the loop, which has as many as it is given.
pub(super) fn cycles(options: &SessionOptions) -> Option<u32> {
    let defaults = WritingSettings::default();
    let samples = options.writing.samples.unwrap_or(defaults.samples);
    let regenerations = options.writing.regenerations.unwrap_or(defaults.regenerations);
    // Retrieving and writing; each test may have to be confirmed.
    let stages = match options.writing.method? {
        TestMethod::Agent => return None,
        TestMethod::Direct | TestMethod::ZeroShot | TestMethod::ZeroShotPlus => 3,
        // Each may be judged.
        TestMethod::Libro => 3 + 2 * samples,
        // A plan, a test that passes, one that fails, a judgement.
        TestMethod::AssertFlip => 2 + regenerations * (3 + 2 * (1 + defaults.refinements)),
    };
    u32::try_from(stages).ok()
}

/// Gives options the method by which sessions write tests, and the mode that goes with it.
pub fn for_tests(options: &mut SessionOptions) -> Result<(), Failure> {
    let method = *options.writing.method.get_or_insert_default();
    options.approach.mode = Some(mode(method));
    check(method, options, &Choice::read(options.approach.model.as_deref())?)
}

/// Refuses options that were typed and are about fixes.
pub fn refuse_of_fixes(typed: &SessionOptions) -> Result<(), Failure> {
    let fixes = [
        ("mode", typed.approach.mode.is_some(), "--method says how the test is written"),
        ("failing", typed.project.failing.is_some(), "the issue tells of the bug"),
        ("variants", typed.budget.variants.is_some(), "no fix is tried, so there are none of it"),
        ("variants-of", typed.budget.variants_of.is_some(), "no fix is tried, so there are none of it"),
    ];
    match fixes.iter().find(|(_, given, _)| *given) {
        None => Ok(()),
        Some((option, _, why)) => {
            Err(Failure::user(format!("--{option} is about repairs: {why}")).hint("leave it out"))
        }
    }
}

/// Refuses a method that whoever decides cannot carry out.
fn check(method: TestMethod, options: &SessionOptions, choice: &Choice) -> Result<(), Failure> {
    let models = format!("give --model {}", Provider::listed());
    match (choice, method) {
        (Choice::Patterns, _) => {
            let message = if options.approach.model.is_some() {
                "the fix patterns write no tests"
            } else {
                "a test is written by a model, and none is given"
            };
            return Err(Failure::user(message).hint(models));
        }
        (Choice::Human, TestMethod::Agent) | (Choice::Service(_) | Choice::Recording(..), _) => {}
        (Choice::Human, method) => {
            return Err(Failure::user(format!(
                "--method {method} asks a model, and a person cannot answer it"
            ))
            .hint(models));
        }
    }
    let of_loop = [
        ("without", options.prompt.without.is_some()),
        ("memory", options.prompt.memory.is_some()),
        ("states", options.prompt.states.is_some()),
    ];
    let given = of_loop.iter().find(|(_, given)| *given).filter(|_| method != TestMethod::Agent);
    if let Some((option, _)) = given {
        return Err(Failure::user(format!("--{option} is about the loop, and --method {method} has none"))
            .hint("leave it out, or give --method agent"));
    }
    for (option, given, fitting) in [
        ("samples", options.writing.samples.is_some(), TestMethod::Libro),
        ("regenerations", options.writing.regenerations.is_some(), TestMethod::AssertFlip),
    ] {
        if given && method != fitting {
            return Err(Failure::user(format!(
                "--{option} is about --method {fitting}, and the method is {method}"
            ))
            .hint("leave it out"));
        }
    }
    Ok(())
}

/// The recording that `--resume` names, if it is one of the same method on the same issue; none where a fix is the goal.
pub(super) fn resumed(options: &SessionOptions, bug: &BugInput) -> Result<Option<Box<Log>>, Failure> {
    let (Some(method), Some(file)) = (options.writing.method, &options.agentless.resume) else {
        return Ok(None);
    };
    let wrong = |why: String| Failure::user(format!("--resume {}: {why}", file.display()));
    let log = read_log(file)?;
    let (before, asked) = recorded(&log)?;
    match before.writing.method {
        Some(other) if other == method => {}
        Some(other) => {
            return Err(wrong(format!(
                "the recorded session is of --method {other}, and the method is {method}"
            ))
            .hint(format!("give --method {other}")));
        }
        None => {
            return Err(wrong("the recorded session looks for a fix, and writes no test".to_owned())
                .hint("give the trajectory of `patchwright test`"));
        }
    }
    if asked.issue != bug.issue {
        return Err(wrong("the recorded session is about another issue".to_owned())
            .hint("give its issue with --issue, or leave --resume out"));
    }
    Ok(Some(Box::new(log)))
}

/// The numbers of the method; none where a fix is the goal.
pub(super) fn settings(options: &SessionOptions) -> Result<Option<WritingSettings>, Failure> {
    let Some(method) = options.writing.method else { return Ok(None) };
    let defaults = WritingSettings::default();
    let counts = [
        ("samples", options.writing.samples, SAMPLES),
        ("regenerations", options.writing.regenerations, REGENERATIONS),
    ];
    for (name, count, most) in counts {
        if count.is_some_and(|count| !(1..=most).contains(&count)) {
            return Err(Failure::user(format!("--{name} must be a number from 1 to {most}")));
        }
    }
    let temperature = options.agentless.sample_temperature.unwrap_or(defaults.temperature);
    if !(temperature >= 0.0 && temperature.is_finite()) {
        return Err(Failure::user("--sample-temperature must be a number from zero on"));
    }
    Ok(Some(WritingSettings {
        method,
        samples: options.writing.samples.unwrap_or(defaults.samples),
        temperature,
        regenerations: options.writing.regenerations.unwrap_or(defaults.regenerations),
        ..defaults
    }))
}
