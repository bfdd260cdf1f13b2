//! A session as it was asked for: what was typed, given its meaning. All errors of usage come up here,
//! before anything is written or run.

mod recorded;
pub mod writing;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use patchwright_agentless::{EmbeddingRanker, Weights};
use patchwright_command_line::options::{
    BudgetOptions, HumanDuration, LayoutChoice, MemoryChoice, ModelOptions, NameMatchingChoice,
    ProjectOptions, ProtocolChoice, SandboxChoice, SandboxOptions, SessionOptions, VariantsOfChoice,
};
use patchwright_command_line::settings::{self, Layered};
use patchwright_detection::DEFAULT_TIMEOUT;
use patchwright_fault_localization::Localization;
use patchwright_lanes::{Activity, CopyRules, PROJECT as LANE_PROJECT};
use patchwright_llm::{ModelLimits, Provider};
use patchwright_prompts::{Layout, PromptSettings, Protocol, Recall, Templates};
use patchwright_protocol::{Bug, BugInput, Failure, Mode, Overrides, TestCommand};
use patchwright_replies::NameMatching;
use patchwright_sandbox::{ProjectPlace, RequestedSandbox, SandboxRequest, SandboxSetup};
use patchwright_session::{
    AnswerSettings, Driver, Limits, RecordedReviewer, RecordedStages, Reviewer, Unattended, WholeSuite,
};
use patchwright_state_machine::StateMachine;
use patchwright_test_results::read_results_format;
use patchwright_test_writing::WritingSettings;
use patchwright_tools::VariantsOf;
use patchwright_trajectory::{Event, Log};
use patchwright_validation::TestHarness;

pub use self::recorded::shared_with_replay;
use self::recorded::{asks_before_tests, earlier, is_measured, nearest_of, recorded};
use crate::bug_input::{given, localization};
use crate::model::Choice;

/// Cycles of a session, as in the paper.
pub const CYCLES: u32 = 40;
const VARIANTS: u32 = 30;
/// Tokens that the instructions and a small bug need.
const LEAST_PROMPT_TOKENS: usize = 10_000;
const MAX_OUTPUT_TOKENS: u32 = 4_096;
/// The same for the fix patterns, whose cycles and replies cost nothing but the tests' time.
const PATTERN_CYCLES: u32 = 4_000;
const PATTERN_VARIANTS: u32 = 60;
const PATTERN_TIME: Duration = Duration::from_mins(15);
/// How long a question waits for tests that it can do without.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long a fix waits for all tests before any change, where an issue tells of the bug: after that the nearest do.
const SUITE_PATIENCE: Duration = Duration::from_secs(10);
/// Samples of one kind, at most: more are a typo, and paid for.
const SAMPLES: usize = 1_000;
/// Lanes by default, at most.
const LANES: usize = 16;
/// Memory that a lane may need: builds and tests of some size.
const LANE_BYTES: u64 = 3 << 30;

/// A session as it was asked for.
pub struct Plan {
    /// The options in force.
    pub options: SessionOptions,
    /// The bug, in a folder that is absolute; only a benchmark says more of it than its input.
    pub bug: Bug,
    /// Who decides.
    pub choice: Choice,
    /// Which tools may be called when.
    pub machine: StateMachine,
    /// The limits of the session.
    pub limits: Limits,
    /// The settings of prompts.
    pub prompts: PromptSettings,
    /// The settings of tools.
    pub tools: patchwright_tools::ToolSettings,
    /// The tolerance for names.
    pub matching: NameMatching,
    /// Suspicious lines.
    pub localization: Localization,
    /// The numbers of the fixed pipeline.
    pub pipeline: patchwright_agentless::PipelineSettings,
    /// How a test is written, where that is the goal.
    pub writing: Option<WritingSettings>,
    /// Who ranks files by meaning in the fixed pipeline.
    pub meaning: EmbeddingRanker,
    /// The findings of an earlier session, by stage.
    pub earlier: RecordedStages,
    /// The recording of an interrupted session whose answers a fixed method that writes a test takes over.
    pub resumed: Option<Box<Log>>,
    /// The test command of the user, of a benchmark or of a recording: it may name programs and environments of the host, which the project's own
    /// settings file may not.
    pub trusted_test: Option<String>,
}

impl Plan {
    /// Gives what was typed its meaning, with the settings files below it.
    pub fn new(dir: &Path, typed: &SessionOptions) -> Result<Self, Failure> {
        let dir = project(dir)?;
        let layered = settings::layer(&dir, typed)?;
        let options = layered.options.for_a_fix();
        Self::of(dir, Layered { options, ..layered })
    }

    /// The plan of a session that writes a test and no fix.
    pub fn for_tests(dir: &Path, typed: &SessionOptions) -> Result<Self, Failure> {
        let dir = project(dir)?;
        let mut layered = settings::layer(&dir, typed)?;
        let options = &mut layered.options;
        writing::refuse_of_fixes(typed)?;
        // Nobody runs the project's tests to learn which fail: the issue tells of the bug.
        options.project.failing = Some(vec!["none".to_owned()]);
        if options.project.issue.is_none() && layered.issue.is_none() {
            return Err(Failure::user("a test is written for an issue, and none is given")
                .hint("give --issue FILE, or `--issue -` for standard input"));
        }
        writing::for_tests(options)?;
        Self::of(dir, layered)
    }

    /// The plan of a session that repeats a recording: what the recording says, and what was typed.
    pub fn replay(dir: &Path, typed: &SessionOptions) -> Result<Self, Failure> {
        let users_test = typed.project.test.clone();
        Self::of(project(dir)?, Layered { options: typed.clone(), users_test, ..Layered::default() })
    }

    fn of(dir: PathBuf, layered: Layered) -> Result<Self, Failure> {
        let Layered { options, users_test, issue, limits } = layered;
        let choice = Choice::read(options.approach.model.as_deref())?;
        let resumed = recorded::taken_up(&options, &choice)?;
        let (options, recorded, trusted_test) = match choice.recording().or(resumed.as_deref()) {
            None => (options, None, users_test),
            Some(log) => {
                let (below, bug) = recorded(log)?;
                // The user chose the recording, and its commands send nothing anywhere.
                let trusted_test = users_test.or(below.project.test.clone());
                (below.overlaid(&options)?, Some(bug), trusted_test)
            }
        };
        let mut options = defaults(options, &choice);
        limits.tighten(&mut options, &default_limits());
        if let (Choice::Patterns, Some("none")) = (&choice, options.approach.localization.as_deref()) {
            return Err(Failure::user("--localization none leaves the fix patterns no place to begin at")
                .hint("leave it out, or give lines with --line"));
        }
        check(&options, &choice)?;
        let input = given(&dir, &options, issue.as_ref(), recorded)?;
        let plan = Self::made(options, choice, Bug { dir, input, ..Bug::default() })?;
        Ok(Self { trusted_test, resumed: resumed.or(plan.resumed), ..plan })
    }

    /// The plan of a session on a case of a benchmark. `options` hold the user's settings already.
    pub fn of_case(mut options: SessionOptions, bug: Bug) -> Result<Self, Failure> {
        let choice = Choice::read(options.approach.model.as_deref())?;
        options.sandbox.image = bug.image.clone().or(options.sandbox.image);
        let resumed = recorded::taken_up(&options, &choice)?;
        let plan = Self::made(options, choice, Bug { dir: project(&bug.dir)?, ..bug })?;
        let trusted_test = plan.overrides()?.test_line().map(str::to_owned);
        Ok(Self { trusted_test, resumed: resumed.or(plan.resumed), ..plan })
    }

    fn made(options: SessionOptions, choice: Choice, bug: Bug) -> Result<Self, Failure> {
        let localization = localization(&bug.input)?;
        let goal = writing::goal(&options);
        Ok(Self {
            writing: writing::settings(&options)?,
            machine: crate::catalog::machine(
                goal,
                options.prompt.states.as_deref(),
                options.prompt.without.as_deref().unwrap_or_default(),
            )?,
            limits: limits(&options)?,
            prompts: prompts(&options)?,
            pipeline: pipeline(&options)?,
            earlier: earlier(&options)?,
            resumed: writing::resumed(&options, &bug.input)?,
            meaning: meaning(&options, &choice)?,
            tools: patchwright_tools::ToolSettings {
                goal,
                variants: options.budget.variants.unwrap_or(VARIANTS),
                variants_of: match options.budget.variants_of {
                    None | Some(VariantsOfChoice::NearMisses) => VariantsOf::NearMisses,
                    Some(VariantsOfChoice::All) => VariantsOf::All,
                },
                ..patchwright_tools::ToolSettings::default()
            },
            matching: match options.prompt.name_matching {
                None | Some(NameMatchingChoice::Default) => NameMatching::default(),
                Some(NameMatchingChoice::Paper) => NameMatching::paper(),
            },
            options,
            bug,
            choice,
            localization,
            trusted_test: None,
        })
    }

    /// The recording that this session repeats or goes on with: what was decided by the clock is decided as it was then. One that ended
    /// before its tests had run decided nothing for a session that goes on.
    pub fn recorded(&self) -> Option<&Log> {
        self.choice.recording().or(self.resumed.as_deref().filter(|log| is_measured(log)))
    }

    /// Connects who decides.
    pub fn driver(&self, activity: &Activity) -> Result<Box<dyn Driver>, Failure> {
        self.limited_driver(activity, std::convert::identity)
    }

    /// The same, with a service asked by what `limited` makes of its driver.
    pub fn limited_driver(
        &self,
        activity: &Activity,
        limited: impl FnOnce(Box<dyn Driver>) -> Box<dyn Driver>,
    ) -> Result<Box<dyn Driver>, Failure> {
        let variants = self.tools.variants;
        self.choice.driver(&self.options, variants, activity, self.resumed.as_deref(), limited)
    }

    /// What replies may have.
    pub fn answers(&self) -> AnswerSettings {
        let ModelOptions { max_output_tokens, effort, .. } = self.options.model;
        match &self.choice {
            Choice::Service(name) => {
                AnswerSettings { max_tokens: max_output_tokens, effort, model: ModelLimits::of(name) }
            }
            // They were bounded when they were asked for, or are bounded by what they are.
            Choice::Patterns | Choice::Human | Choice::Recording(..) => {
                let max_tokens = Some(max_output_tokens.unwrap_or(MAX_OUTPUT_TOKENS));
                AnswerSettings { max_tokens, effort, ..AnswerSettings::default() }
            }
        }
    }

    /// The mode of the session.
    pub fn mode(&self) -> Mode {
        self.options.approach.mode.unwrap_or_default()
    }

    /// Is true if a test is written by one of the fixed methods.
    pub fn writes_by_fixed_method(&self) -> bool {
        self.writing.is_some() && self.mode() == Mode::Agentless
    }

    /// Is true if an issue tells of the bug, so that no failing test has to. The fix patterns do not read issues.
    pub fn needs_no_failing_test(&self) -> bool {
        let is_read = self.bug.input.issue_only || !matches!(self.choice, Choice::Patterns);
        is_read && self.bug.input.issue.is_some()
    }

    /// How long the first question waits for the tests before any change; `None` where it needs them. Where an issue tells of the bug and
    /// no test was named that shows it, tests that take a moment may still show more. A recording is repeated in its own order.
    pub fn patience(&self) -> Option<Duration> {
        let BugInput { issue, failing, issue_only, .. } = &self.bug.input;
        let is_told = issue.is_some() && failing.is_empty();
        let patience = if *issue_only { Duration::ZERO } else { PATIENCE };
        match (&self.choice, self.recorded()) {
            (_, Some(log)) => asks_before_tests(log).then_some(Duration::ZERO),
            (Choice::Service(_) | Choice::Human, None) => is_told.then_some(patience),
            (Choice::Recording(..) | Choice::Patterns, None) => None,
        }
    }

    /// How long all tests are waited for once a fix needs them: not at all where they took longer in an earlier session. A recording is repeated as it was.
    pub fn whole_suite(&self, started: Instant, harness: &TestHarness) -> WholeSuite {
        let BugInput { issue, failing, .. } = &self.bug.input;
        let is_told = issue.is_some() && failing.is_empty();
        match (&self.choice, self.recorded()) {
            (_, Some(log)) => nearest_of(log).map_or(WholeSuite::Wait, WholeSuite::Recorded),
            (Choice::Service(_) | Choice::Human, None)
                if is_told && !self.options.budget.thorough.unwrap_or(false) =>
            {
                let in_loop = self.options.agentless.regression_time.filter(|_| self.mode() == Mode::Agent);
                let given = self.options.budget.baseline_time.or(in_loop);
                let quarter = self.limits.time.map_or(Duration::MAX, |time| time / 4);
                let patience = given.map_or(SUITE_PATIENCE, |span| span.0).min(quarter);
                let wait = if harness.outlasts(patience) { Duration::ZERO } else { patience };
                let until = |deadline| WholeSuite::Until { deadline, patience };
                started.checked_add(wait).map_or(WholeSuite::Wait, until)
            }
            (_, None) => WholeSuite::Wait,
        }
    }

    /// Is true if the first question waits for no other tests than those that were named as showing the bug. The pipeline's first
    /// question is about files, which all tests rank.
    pub fn asks_after_named(&self) -> bool {
        match (&self.choice, self.recorded()) {
            (Choice::Service(_) | Choice::Human, None) => {
                self.mode() == Mode::Agent && !self.bug.input.failing.is_empty()
            }
            (_, Some(log)) => {
                log.records.iter().any(|record| matches!(record.event, Event::NamedTests { .. }))
            }
            (Choice::Recording(..) | Choice::Patterns, None) => false,
        }
    }

    /// The number of lanes.
    pub fn lanes(&self) -> usize {
        self.options.sandbox.lanes.unwrap_or_else(lanes).max(1)
    }

    /// The demands on the detection of the project.
    pub fn overrides(&self) -> Result<Overrides, Failure> {
        let results = self.options.project.results.as_deref().map(read_results_format).transpose();
        let results = results.map_err(|error| Failure::user(format!("--results: {error}")))?;
        let (typed, case) = (&self.options, self.bug.overrides.clone());
        Ok(Overrides {
            test: typed.project.test.clone().map(TestCommand::Shell).or(case.test),
            test_one: typed.project.test_one.clone().or(case.test_one),
            build: typed.project.build.clone().or(case.build),
            after_build: case.after_build.filter(|_| typed.project.build.is_none()),
            results: results.or(case.results),
            env: match (case.env, typed.project.env.clone()) {
                (Some(case), Some(typed)) => Some(case.into_iter().chain(typed).collect()),
                (case, typed) => typed.or(case),
            },
            timeout: typed.project.timeout.map(|span| span.0).or(case.timeout),
            network: typed.sandbox.network.or(case.network),
            source: typed.project.source.clone().or(case.source),
            tests: typed.project.tests.clone().or(case.tests),
        })
    }

    /// Is true if builds and tests run in containers, as far as that is known before a sandbox is chosen.
    pub fn wants_containers(&self) -> bool {
        self.sandbox("", &[]).wanted == RequestedSandbox::Docker
    }

    /// The demands on the sandbox, in which these paths of the host can be read besides.
    pub fn sandbox(&self, session: &str, readable: &[PathBuf]) -> SandboxRequest {
        let readable = [readable, &self.bug.readable].concat();
        let request = sandbox(&self.options, readable, session);
        SandboxRequest {
            setup: SandboxSetup { lane_at: self.bug.lane_at.clone(), ..request.setup },
            project: self.bug.dir.canonicalize().ok().map(|at| ProjectPlace { at, in_lane: LANE_PROJECT }),
            ..request
        }
    }

    /// Who looks at each call when nobody asked to: a recording repeats its interventions.
    pub fn reviewer(&self) -> Box<dyn Reviewer> {
        match self.recorded() {
            Some(log) => Box::new(RecordedReviewer::new(log)),
            None => Box::new(Unattended),
        }
    }
}

/// The demands on a sandbox that may read these paths of the host besides.
pub fn sandbox(options: &SessionOptions, readable: Vec<PathBuf>, session: &str) -> SandboxRequest {
    let contained = options.sandbox.image.is_some() || options.sandbox.container.is_some();
    SandboxRequest {
        wanted: match options.sandbox.kind {
            None | Some(SandboxChoice::Auto) if contained => RequestedSandbox::Docker,
            None | Some(SandboxChoice::Auto) => RequestedSandbox::Auto,
            Some(SandboxChoice::Docker) => RequestedSandbox::Docker,
            Some(SandboxChoice::Namespaces) => RequestedSandbox::Namespaces,
            Some(SandboxChoice::Landlock) => RequestedSandbox::Landlock,
            Some(SandboxChoice::Host) => RequestedSandbox::Host,
        },
        image: options.sandbox.image.clone(),
        container: options.sandbox.container.clone(),
        readable,
        project: None,
        session: session.to_owned(),
        setup: SandboxSetup::default(),
    }
}

/// Is true if sessions with these options can begin, whatever their project: what a run has to know before its first case.
pub fn check_for_all(options: &SessionOptions, choice: &Choice) -> Result<(), Failure> {
    check_settings(options, choice)?;
    choice.driver(options, 0, &Activity::default(), None, std::convert::identity).map(drop)
}

/// The same but for what only a machine with the keys can tell.
pub fn check_settings(options: &SessionOptions, choice: &Choice) -> Result<(), Failure> {
    check(options, choice)?;
    crate::catalog::machine(
        writing::goal(options),
        options.prompt.states.as_deref(),
        options.prompt.without.as_deref().unwrap_or_default(),
    )?;
    limits(options)?;
    prompts(options)?;
    pipeline(options)?;
    meaning(options, choice)?;
    writing::settings(options).map(drop)
}

/// The first option that does not go with who decides, as an error.
fn check(options: &SessionOptions, choice: &Choice) -> Result<(), Failure> {
    let asks_a_model = matches!(choice, Choice::Service(_) | Choice::Recording(..));
    if options.approach.mode == Some(Mode::Agentless) && !asks_a_model {
        return Err(Failure::user(
            "--mode agentless asks a model, and neither the fix patterns nor a person can answer it",
        )
        .hint(format!("give --model {}", Provider::listed())));
    }
    if options.approach.mode == Some(Mode::Agentless) {
        for (option, given) in
            [("without", options.prompt.without.is_some()), ("memory", options.prompt.memory.is_some())]
        {
            if given {
                return Err(Failure::user(format!(
                    "--{option} is about the loop, and the fixed pipeline has none"
                ))
                .hint("leave it out, or give --mode agent"));
            }
        }
    }
    CopyRules::new(&options.project.hidden()).map_err(|error| {
        Failure::user(format!("--hidden: {error}"))
            .hint("give globs relative to the project, such as docs/**")
    })?;
    if options.agentless.embeddings_url.is_some() && options.agentless.embeddings.is_none() {
        return Err(Failure::user("--embeddings-url says where, and nothing says which model")
            .hint("give --embeddings compatible/NAME too"));
    }
    Ok(())
}

/// The defaults that depend on who decides. They are recorded, so a replay has them too.
pub fn defaults(mut options: SessionOptions, choice: &Choice) -> SessionOptions {
    if matches!(choice, Choice::Patterns) {
        let budget = &mut options.budget;
        budget.cycles.get_or_insert(PATTERN_CYCLES);
        budget.variants.get_or_insert(PATTERN_VARIANTS);
        budget.variants_of.get_or_insert(VariantsOfChoice::All);
        budget.time_limit.get_or_insert(HumanDuration(PATTERN_TIME));
    }
    if let Choice::Service(name) = choice
        && ModelLimits::of(name).is_known()
        && options.prompt.layout != Some(LayoutChoice::Paper)
    {
        options.model.protocol.get_or_insert(ProtocolChoice::Native);
    }
    if let Some(cycles) = writing::cycles(&options) {
        options.budget.cycles.get_or_insert(cycles);
    }
    options
}

/// The limits in force where nobody sets one and who decides does not matter.
fn default_limits() -> SessionOptions {
    SessionOptions {
        project: ProjectOptions {
            timeout: Some(HumanDuration(DEFAULT_TIMEOUT)),
            ..ProjectOptions::default()
        },
        budget: BudgetOptions { cycles: Some(CYCLES), variants: Some(VARIANTS), ..BudgetOptions::default() },
        sandbox: SandboxOptions { lanes: Some(lanes()), ..SandboxOptions::default() },
        ..SessionOptions::default()
    }
}

/// One lane for each core, as far as the memory goes.
fn lanes() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    // Where the system does not tell, the cores alone count.
    let memory = crate::files::read_text(Path::new("/proc/meminfo")).ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    });
    let fitting = memory.map_or(cores, |kib| usize::try_from(kib * 1024 / LANE_BYTES).unwrap_or(cores));
    cores.min(fitting).clamp(1, LANES)
}

fn project(dir: &Path) -> Result<PathBuf, Failure> {
    let full = dir.canonicalize().map_err(|error| {
        Failure::user(format!("{}: {error}", dir.display())).hint("give the folder of the project to repair")
    })?;
    if full.is_dir() {
        Ok(full)
    } else {
        Err(Failure::user(format!("{} is not a folder", dir.display()))
            .hint("give the folder of the project to repair"))
    }
}

fn limits(options: &SessionOptions) -> Result<Limits, Failure> {
    let positive = |name: &str, holds: bool| {
        if holds { Ok(()) } else { Err(Failure::user(format!("--{name} must be a number above zero"))) }
    };
    positive("cycles", options.budget.cycles != Some(0))?;
    positive("max-tokens-total", options.budget.max_tokens_total != Some(0))?;
    positive("max-usd", options.budget.max_usd.is_none_or(|usd| usd > 0.0 && usd.is_finite()))?;
    positive("temperature", options.model.temperature.is_none_or(|t| t >= 0.0 && t.is_finite()))?;
    positive("lanes", options.sandbox.lanes != Some(0))?;
    positive("max-output-tokens", options.model.max_output_tokens != Some(0))?;
    Ok(Limits {
        cycles: options.budget.cycles.unwrap_or(CYCLES),
        tokens: options.budget.max_tokens_total,
        usd: options.budget.max_usd,
        time: options.budget.time_limit.map(|span| span.0),
    })
}

fn pipeline(options: &SessionOptions) -> Result<patchwright_agentless::PipelineSettings, Failure> {
    let defaults = patchwright_agentless::PipelineSettings::default();
    for (name, count, least) in [
        ("location-samples", options.agentless.location_samples, 1),
        ("repairs", options.agentless.repairs, 1),
        ("reproduction-tests", options.agentless.reproduction_tests, 0),
    ] {
        if count.is_some_and(|count| !(least..=SAMPLES).contains(&count)) {
            return Err(Failure::user(format!("--{name} must be a number from {least} to {SAMPLES}")));
        }
    }
    let temperature = options.agentless.sample_temperature.unwrap_or(defaults.temperature);
    if !(temperature >= 0.0 && temperature.is_finite()) {
        return Err(Failure::user("--sample-temperature must be a number from zero on"));
    }
    Ok(patchwright_agentless::PipelineSettings {
        location_samples: options.agentless.location_samples.unwrap_or(defaults.location_samples),
        repairs: options.agentless.repairs.unwrap_or(defaults.repairs),
        tests: options.agentless.reproduction_tests.unwrap_or(defaults.tests),
        temperature,
        regression_time: options.agentless.regression_time.map_or(defaults.regression_time, |span| span.0),
        weights: match &options.agentless.file_weights {
            None => defaults.weights,
            Some(text) => weights(text, defaults.weights)?,
        },
        ..defaults
    })
}

/// The weights of the sources of suspicious files: those that were given, laid over the defaults.
fn weights(text: &str, mut weights: Weights) -> Result<Weights, Failure> {
    for part in text.split(',') {
        let wrong = || {
            Failure::user(format!(
                "--file-weights {text}: `{part}` is not a source and a number from zero on"
            ))
            .hint("give some of model=2,spectrum=2,words=1,meaning=1")
        };
        let (source, number) = part.split_once('=').ok_or_else(wrong)?;
        let place = match source.trim() {
            "model" => &mut weights.model,
            "spectrum" => &mut weights.spectrum,
            "words" => &mut weights.words,
            "meaning" => &mut weights.meaning,
            _ => return Err(wrong()),
        };
        let number = number.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        *place = number.ok_or_else(wrong)?;
    }
    if weights.model + weights.spectrum + weights.words + weights.meaning == 0.0 {
        return Err(Failure::user(format!("--file-weights {text}: no source is left")));
    }
    Ok(weights)
}

/// Who ranks files by meaning: what a recording was told, or a model.
fn meaning(options: &SessionOptions, choice: &Choice) -> Result<EmbeddingRanker, Failure> {
    match (choice.recording(), options.approach.mode, &options.agentless.embeddings) {
        (Some(log), Some(Mode::Agentless), _) => Ok(EmbeddingRanker::of(log)),
        (None, Some(Mode::Agentless), Some(word)) => crate::model::embeddings(word, options),
        (_, _, Some(_)) => Err(Failure::user("--embeddings ranks files for the fixed pipeline")
            .hint("give --mode agentless, or leave it out")),
        (_, _, None) => Ok(EmbeddingRanker::Unasked),
    }
}

fn prompts(options: &SessionOptions) -> Result<PromptSettings, Failure> {
    let defaults = PromptSettings::default();
    let prompt_tokens = options.prompt.prompt_tokens.unwrap_or(defaults.prompt_tokens);
    if prompt_tokens < LEAST_PROMPT_TOKENS {
        return Err(Failure::user(format!(
            "--prompt-tokens {prompt_tokens}: the instructions alone take more"
        ))
        .hint(format!("give at least {LEAST_PROMPT_TOKENS}")));
    }
    let templates = match &options.prompt.prompts {
        None => Templates::embedded(),
        Some(folder) => Templates::load(folder)?,
    };
    Ok(PromptSettings {
        layout: match options.prompt.layout {
            None | Some(LayoutChoice::Cache) => Layout::Cache,
            Some(LayoutChoice::Paper) => Layout::Paper,
        },
        protocol: match options.model.protocol {
            None | Some(ProtocolChoice::Json) => Protocol::Json,
            Some(ProtocolChoice::Native) => Protocol::Native,
        },
        recall: match options.prompt.memory {
            None | Some(MemoryChoice::All) => Recall::All,
            Some(MemoryChoice::SingleCycle) => Recall::LastCycle,
        },
        prompt_tokens,
        gathered_tokens: defaults.gathered_tokens.min(prompt_tokens / 2),
        templates,
        ..defaults
    })
}
