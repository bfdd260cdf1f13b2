//! What a session can be told: one declaration per option gives the parser, the help text, the key in
//! `patchwright.toml` and the completion.

mod layers;
mod values;

use std::path::PathBuf;

use clap::Args;
use patchwright_llm::Provider;
use patchwright_protocol::{Effort, Mode, TestMethod};
use serde::{Deserialize, Serialize};

pub use self::values::{
    HumanDuration, LayoutChoice, MemoryChoice, NameMatchingChoice, ProtocolChoice, SandboxChoice,
    VariantsOfChoice,
};
use self::values::{finite, finite_setting, mode};

/// The options of a repair session, in groups. Every field is optional here: what is not given is layered in from
/// the settings files and the defaults (see [`crate::settings`]) or detected from the project. In settings files and
/// trajectories all groups are one table.
#[derive(Args, Clone, Debug, Default, Serialize)]
pub struct SessionOptions {
    /// How the project is built and tested, and what shows the bug.
    #[command(flatten)]
    #[serde(flatten)]
    pub project: ProjectOptions,

    /// How the session works, and who decides.
    #[command(flatten)]
    #[serde(flatten)]
    pub approach: ApproachOptions,

    /// The limits of the session.
    #[command(flatten)]
    #[serde(flatten)]
    pub budget: BudgetOptions,

    /// Where builds and tests run.
    #[command(flatten)]
    #[serde(flatten)]
    pub sandbox: SandboxOptions,

    /// How the model is reached and asked.
    #[command(flatten)]
    #[serde(flatten)]
    pub model: ModelOptions,

    /// The content of prompts, and how replies are read.
    #[command(flatten)]
    #[serde(flatten)]
    pub prompt: PromptOptions,

    /// The numbers of the fixed pipeline.
    #[command(flatten)]
    #[serde(flatten)]
    pub agentless: AgentlessOptions,

    /// How a test is written, where that is the goal: the options of `patchwright test` and of `bench run`. No other command takes them.
    #[arg(skip)]
    #[serde(flatten)]
    pub writing: WritingOptions,

    /// Where the session is recorded.
    #[command(flatten)]
    #[serde(flatten)]
    pub output: OutputOptions,
}

/// How the project is built and tested, and what shows the bug.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[command(next_help_heading = "Project")]
#[serde(rename_all = "kebab-case", default)]
pub struct ProjectOptions {
    /// Command that runs all tests, in the project's root [default: detected]
    #[arg(long, value_name = "CMD")]
    pub test: Option<String>,

    /// Command that runs selected tests; `{tests}` or `{test}` stands for their names [default: detected]
    #[arg(long, value_name = "CMD")]
    pub test_one: Option<String>,

    /// Command that compiles the project [default: detected]
    #[arg(long, value_name = "CMD")]
    pub build: Option<String>,

    /// How outcomes are read: pytest, unittest, junit-xml:GLOB, junit-text, exit-status [default: detected]
    #[arg(long, value_name = "FORMAT")]
    pub results: Option<String>,

    /// Tests that show the bug, comma-separated or one by one; `none` where an --issue alone tells of it [default: all that
    /// fail now]
    #[arg(long, value_name = "TEST")]
    pub failing: Option<Vec<String>>,

    /// File with the text of the issue, a folder with an issue.md, or `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub issue: Option<String>,

    /// Files that a session must not see, as globs relative to the project, comma-separated or one by one
    #[arg(long, value_name = "GLOB")]
    pub hidden: Option<Vec<String>>,

    /// Folders of production code, relative to the project; a key of settings files alone
    #[arg(skip)]
    pub source: Option<Vec<String>>,

    /// Folders of tests, relative to the project; a key of settings files alone
    #[arg(skip)]
    pub tests: Option<Vec<String>>,

    /// Environment variables of builds and tests; a key of settings files alone
    #[arg(skip)]
    pub env: Option<std::collections::BTreeMap<String, String>>,

    /// Time limit of one build or test command, such as `90s` or `10m` [default: 10m]
    #[arg(long, value_name = "TIME")]
    pub timeout: Option<HumanDuration>,
}

/// How the session works, and who decides.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[command(next_help_heading = "Session")]
#[serde(rename_all = "kebab-case", default)]
pub struct ApproachOptions {
    /// How the session works [default: agent]
    #[arg(long, value_parser = mode())]
    pub mode: Option<Mode>,

    /// Who decides.
    #[arg(long, value_name = "MODEL", help = decider_help())]
    pub model: Option<String>,

    /// Suspicious lines: `spectrum` (found by running the tests with coverage), `given` (with --line),
    /// `perfect:FILE` (a golden patch, or `path#line` a line; marked in every report) or `none`
    /// [default: given where --line is used, else spectrum]
    #[arg(long, value_name = "SOURCE")]
    pub localization: Option<String>,

    /// Suspicious lines as `path#line`, comma-separated or one by one
    #[arg(long, value_name = "PATH#LINE", value_delimiter = ',')]
    pub line: Option<Vec<String>>,
}

/// The limits of the session.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[command(next_help_heading = "Budget")]
#[serde(rename_all = "kebab-case", default)]
pub struct BudgetOptions {
    /// Cycles at most: one is a prompt, a reply, and what it asks for [default: 40; patterns: 4000]
    #[arg(long, value_name = "N")]
    pub cycles: Option<u32>,

    /// Variants asked for around a fix; 0 turns them off [default: 30; patterns: 60]
    #[arg(long, value_name = "N")]
    pub variants: Option<u32>,

    /// Of which fixes variants are asked [default: near-misses; patterns: all]
    #[arg(long, value_enum)]
    pub variants_of: Option<VariantsOfChoice>,

    /// Tokens at most, sent and received together [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_tokens_total: Option<u64>,

    /// US dollars at most; needs a known price [default: no limit]
    #[arg(long, value_name = "USD", value_parser = finite::<f64>)]
    #[serde(deserialize_with = "finite_setting")]
    pub max_usd: Option<f64>,

    /// Wall-clock time at most, such as `30m` [default: no limit; patterns: 15m]
    #[arg(long, value_name = "TIME")]
    pub time_limit: Option<HumanDuration>,

    /// Where an issue tells of the bug: how long all tests are waited for before a fix is judged, at most a quarter of --time-limit;
    /// after that the tests nearest to the change stand for them, and a fix that passes is "plausible, partial" [default: 10s]
    #[arg(long, value_name = "TIME")]
    pub baseline_time: Option<HumanDuration>,

    /// Judges each fix by all tests, however long they take
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub thorough: Option<bool>,
}

/// Where builds and tests run.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[command(next_help_heading = "Sandbox")]
#[serde(rename_all = "kebab-case", default)]
pub struct SandboxOptions {
    /// Where builds and tests run; `host` gives no isolation [default: auto]
    #[arg(id = "sandbox", long, value_name = "SANDBOX", value_enum)]
    #[serde(rename = "sandbox")]
    pub kind: Option<SandboxChoice>,

    /// Container image to run builds and tests in (implies --sandbox docker)
    #[arg(long, value_name = "IMAGE")]
    pub image: Option<String>,

    /// Running container of yours to run builds and tests in (implies --sandbox docker)
    #[arg(long, value_name = "NAME")]
    pub container: Option<String>,

    /// Lets builds and tests use the network
    #[arg(long, num_args = 0..=1, default_missing_value = "true", require_equals = true, value_name = "BOOL")]
    pub network: Option<bool>,

    /// Isolated copies of the project in which candidates are validated, all at once [default: one for each core, as far as
    /// the memory goes]
    #[arg(long, value_name = "N")]
    pub lanes: Option<usize>,
}

/// How the model is reached and asked.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[command(next_help_heading = "Model")]
#[serde(rename_all = "kebab-case", default)]
pub struct ModelOptions {
    /// Base URL of an OpenAI-compatible service, such as `http://127.0.0.1:8000/v1`
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,

    /// File with API keys (`NAME=value` a line), readable by you alone
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,

    /// File with prices that replaces or adds entries of the built-in table
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,

    /// How the model calls tools: a JSON object in its text, or its native tool calls [default: native for models that are known to have
    /// them, else json]
    #[arg(long, value_enum)]
    pub protocol: Option<ProtocolChoice>,

    /// Sampling temperature [default: the service's]
    #[arg(long, value_name = "T", value_parser = finite::<f32>)]
    #[serde(deserialize_with = "finite_setting")]
    pub temperature: Option<f32>,

    /// Seed of the service's sampling, where it takes one: OpenAI and services of its form. Runs with several seeds show how much
    /// depends on chance
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// How much a model that reasons is to reason: none, minimal, low, medium, high, xhigh or max [default: that of each state, where the
    /// model is known to reason]
    #[arg(long, value_name = "EFFORT")]
    pub effort: Option<Effort>,

    /// Tokens a single reply may have, reasoning included [default: by the model: 4096 for one that does not reason, else 16384 or
    /// 32768]
    #[arg(long, value_name = "N")]
    pub max_output_tokens: Option<u32>,
}

/// The content of prompts, and how replies are read.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[command(next_help_heading = "Prompt")]
#[serde(rename_all = "kebab-case", default)]
pub struct PromptOptions {
    /// Tokens a single prompt may have [default: 60000]
    #[arg(long, value_name = "N")]
    pub prompt_tokens: Option<usize>,

    /// Order of the prompt's sections: static ones first, or as in the paper [default: cache]
    #[arg(long, value_enum)]
    pub layout: Option<LayoutChoice>,

    /// Folder whose template files replace the built-in ones of the same name
    #[arg(long, value_name = "DIR")]
    pub prompts: Option<PathBuf>,

    /// State machine: a TOML file, or `none` for no gates [default: built in]
    #[arg(long, value_name = "FILE|none")]
    pub states: Option<String>,

    /// Tools that the model does not get, comma-separated or one by one; `search-tools` are those that search and generate code
    #[arg(long, value_name = "TOOL", value_delimiter = ',')]
    pub without: Option<Vec<String>>,

    /// What of earlier cycles prompts tell: all, or the last command and its result [default: all]
    #[arg(long, value_enum)]
    pub memory: Option<MemoryChoice>,

    /// How far a tool or argument name may be off: ours, or the paper's threshold [default: default]
    #[arg(long, value_enum)]
    pub name_matching: Option<NameMatchingChoice>,
}

/// The numbers of the fixed pipeline.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[command(next_help_heading = "Mode agentless")]
#[serde(rename_all = "kebab-case", default)]
pub struct AgentlessOptions {
    /// Samples of the lines to change; each different one is repaired by itself [default: 4]
    #[arg(long, value_name = "N")]
    pub location_samples: Option<usize>,

    /// Repairs drawn for each of them, the first greedy [default: 10]
    #[arg(long, value_name = "N")]
    pub repairs: Option<usize>,

    /// Tests drawn that reproduce the issue; 0 turns them off [default: 40]
    #[arg(long, value_name = "N")]
    pub reproduction_tests: Option<usize>,

    /// Temperature of samples [default: 0.8]
    #[arg(long, value_name = "T", value_parser = finite::<f32>)]
    #[serde(deserialize_with = "finite_setting")]
    pub sample_temperature: Option<f32>,

    /// What the project's tests may take for each candidate, such as `90s`; where all of them take longer, those are run that
    /// the candidates may break, and all for the answer alone [default: 5m]. In the loop the same as --baseline-time
    #[arg(long, value_name = "TIME")]
    pub regression_time: Option<HumanDuration>,

    /// Embedding model that ranks files by meaning too: `openai/NAME`, or `compatible/NAME` with its address
    #[arg(long, value_name = "MODEL")]
    pub embeddings: Option<String>,

    /// Base URL of the embedding model's service [default: --base-url]
    #[arg(long, value_name = "URL")]
    pub embeddings_url: Option<String>,

    /// How much each source of suspicious files counts [default: model=2,spectrum=2,words=1,meaning=1]
    #[arg(long, value_name = "SOURCE=N,...")]
    pub file_weights: Option<String>,

    /// Trajectory of an earlier session on the same bug, which this one goes on with: what was asked and answered there is not asked again,
    /// and its options are taken over. With --mode agentless its stages are, as far as it came
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
}

/// How a test is written.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[command(next_help_heading = "Method")]
#[serde(rename_all = "kebab-case", default)]
pub struct WritingOptions {
    /// How the test is written: `direct` (one question), `zero-shot` and `zero-shot-plus` (one question that shows the nearest files;
    /// the answer is a diff, or whole functions), `libro` (several samples, grouped by how they fail), `assert-flip` (a passing test
    /// first, then its assertion turned over) or `agent` (the loop, with tools) [default: agent]
    #[arg(long, value_name = "METHOD")]
    pub method: Option<TestMethod>,

    /// Samples that `libro` draws [default: 5]
    #[arg(long, value_name = "N")]
    pub samples: Option<usize>,

    /// How often `assert-flip` begins anew at most [default: 10]
    #[arg(long, value_name = "N")]
    pub regenerations: Option<usize>,
}

/// Where the session is recorded.
#[derive(Args, Clone, Debug, Default, Deserialize, Serialize)]
#[command(next_help_heading = "Output")]
#[serde(rename_all = "kebab-case", default)]
pub struct OutputOptions {
    /// Folder for the trajectory, the patch and the result
    /// [default: .patchwright/sessions/TIME-ID in the project]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

impl WritingOptions {
    /// The first option that was given.
    pub fn given(&self) -> Option<&'static str> {
        let Self { method, samples, regenerations } = self;
        let all = [
            (method.is_some(), "method"),
            (samples.is_some(), "samples"),
            (regenerations.is_some(), "regenerations"),
        ];
        all.into_iter().find_map(|(given, name)| given.then_some(name))
    }
}

impl SessionOptions {
    /// The same for a session that looks for a fix: how a test would be written is not its business.
    pub fn for_a_fix(self) -> Self {
        Self { writing: WritingOptions::default(), ..self }
    }
}

impl ProjectOptions {
    /// The tests that were given, each by itself.
    pub fn failing(&self) -> Option<Vec<String>> {
        self.failing.as_deref().map(separated)
    }

    /// The globs of hidden files, each by itself.
    pub fn hidden(&self) -> Vec<String> {
        separated(self.hidden.as_deref().unwrap_or_default())
    }
}

/// The values of lists that are separated by commas: those inside of brackets belong to the name of a test, or to a glob.
fn separated(lists: &[String]) -> Vec<String> {
    let values = lists.iter().flat_map(|list| {
        let count = |brackets: &[char]| list.matches(brackets).count();
        // Where brackets do not come in pairs they are part of a name.
        let is_paired = count(&['(', '[', '{']) == count(&[')', ']', '}']);
        let mut depth = 0_usize;
        list.split(move |character| {
            match character {
                '(' | '[' | '{' if is_paired => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            character == ',' && depth == 0
        })
    });
    values.map(str::trim).filter(|value| !value.is_empty()).map(str::to_owned).collect()
}

/// The help of `--model`.
fn decider_help() -> String {
    format!(
        "Who decides: patterns (the built-in fix patterns: no key, no network), {}, replay:FILE (a recorded trajectory) or human [default: patterns]",
        Provider::listed()
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn commas_inside_of_brackets_separate_nothing() {
        let check = |lists: &[&str], expect: &[&str]| {
            let lists: Vec<String> = lists.iter().map(|list| (*list).to_owned()).collect();
            assert_eq!(separated(&lists), expect, "{lists:?}");
        };
        check(&["a::b,c::d", "e"], &["a::b", "c::d", "e"]);
        check(&["t.py::test[1, 2], u.py::test[a,b]"], &["t.py::test[1, 2]", "u.py::test[a,b]"]);
        check(&["**/*.{md,txt},docs/**"], &["**/*.{md,txt}", "docs/**"]);
        check(&["t.py::test[(],u.py::test"], &["t.py::test[(]", "u.py::test"]);
        check(&["", ","], &[]);
    }
}
