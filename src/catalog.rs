//! Built-in knowledge of the program: its tools, its patterns, its states, its completions, its manual pages.

use clap::CommandFactory;
use patchwright_command_line::cli::{
    Cli, CompletionsArgs, GoalChoice, ManArgs, PatternsArgs, StatesArgs, ToolsArgs,
};
use patchwright_protocol::{Failure, Goal};
use patchwright_state_machine::StateMachine;
use serde_json::json;

use crate::failure::ExitCode;

/// The tools that search and generate code (RepairAgent, arXiv 2403.17134, section III-C).
const SEARCH_TOOLS: [&str; 3] = ["search_code_base", "find_similar_api_calls", "generate_method_body"];

/// `patchwright tools`
pub fn tools(args: &ToolsArgs) -> Result<ExitCode, Failure> {
    let tools = patchwright_tools::all();
    let text = if args.schema {
        let schemas: Vec<_> = tools
            .iter()
            .map(|tool| {
                json!({"name": tool.name(), "description": tool.description(), "parameters": tool.schema(None)})
            })
            .collect();
        let mut text = serde_json::to_string_pretty(&schemas).map_err(Failure::defect)?;
        text.push('\n');
        text
    } else {
        let machine = machine(Goal::Fix, None, &[])?;
        let mut text = String::new();
        for tool in &tools {
            let states: Vec<_> = machine
                .states()
                .iter()
                .filter(|state| state.tools.iter().any(|name| name == tool.name()))
                .map(|state| state.name.as_str())
                .collect();
            text.push_str(&format!(
                "{}\n    {}\n    in: {}\n",
                tool.name(),
                tool.description(),
                states.join(", ")
            ));
        }
        text
    };
    crate::print(&text)?;
    Ok(ExitCode::Done)
}

/// `patchwright patterns`
pub fn patterns(args: &PatternsArgs) -> Result<ExitCode, Failure> {
    if args.json {
        let text = serde_json::to_string_pretty(patchwright_patterns::all()).map_err(Failure::defect)?;
        crate::print(&format!("{text}\n"))?;
        return Ok(ExitCode::Done);
    }
    let set_in = |code: &str| format!("        {}\n", code.replace('\n', "\n        "));
    let mut text = String::new();
    for pattern in patchwright_patterns::all() {
        text.push_str(&format!(
            "{} (weight {})\n    {}\n    instead of\n{}    it should be\n{}",
            pattern.name,
            pattern.weight,
            pattern.sentence,
            set_in(pattern.buggy),
            set_in(pattern.fixed)
        ));
    }
    crate::print(&text)?;
    Ok(ExitCode::Done)
}

/// `patchwright states`
pub fn states(args: &StatesArgs) -> Result<ExitCode, Failure> {
    let goal = match args.goal {
        GoalChoice::Fix => Goal::Fix,
        GoalChoice::Test => Goal::Test,
    };
    let machine = machine(goal, args.states.as_deref(), &[])?;
    let text = match (args.mermaid, args.dot) {
        (true, _) => machine.to_mermaid(),
        (_, true) => machine.to_dot(),
        _ => machine.to_text(),
    };
    crate::print(&text)?;
    Ok(ExitCode::Done)
}

/// `patchwright completions`
pub fn completions(args: &CompletionsArgs) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "patchwright", &mut script);
    crate::print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::Done)
}

/// `patchwright man`
pub fn man(args: &ManArgs) -> Result<ExitCode, Failure> {
    let unwritable = |error: std::io::Error| {
        Failure::environment(format!("cannot write the pages into {}: {error}", args.out.display()))
            .hint("name a folder that may be written with --out")
    };
    crate::files::create_folder(&args.out).map_err(unwritable)?;
    clap_mangen::generate_to(Cli::command(), &args.out).map_err(unwritable)?;
    Ok(ExitCode::Done)
}

/// The machine that `--states` names for sessions with a goal: a file, `none`, or the built-in one.
pub fn machine(goal: Goal, states: Option<&str>, without: &[String]) -> Result<StateMachine, Failure> {
    let tools = patchwright_tools::of_goal(goal);
    let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
    let mut left_out: Vec<&str> = Vec::new();
    for tool in without {
        match tool.as_str() {
            "search-tools" => left_out.extend(SEARCH_TOOLS),
            name if names.contains(&name) => left_out.push(name),
            name => {
                return Err(Failure::user(format!("--without {name}: there is no such tool"))
                    .hint(format!("give search-tools or some of {}", names.join(", "))));
            }
        }
    }
    let machine = all_states(goal, states, &names)?;
    if left_out.is_empty() {
        return Ok(machine);
    }
    machine.without(&left_out).map_err(|error| {
        let left_out = left_out.join(" ");
        Failure::user(format!("--without {left_out}: {error}")).hint("the session could not go on or end")
    })
}

fn all_states(goal: Goal, states: Option<&str>, names: &[&str]) -> Result<StateMachine, Failure> {
    match states {
        None => match goal {
            Goal::Fix => Ok(StateMachine::embedded().with_unnamed(names)),
            Goal::Test => Ok(StateMachine::for_tests()),
        },
        Some("none") => Ok(StateMachine::ungated(names)),
        Some(file) => {
            let text = crate::files::read_text(std::path::Path::new(file))
                .map_err(|error| Failure::user(format!("--states {file}: {error}")))?;
            StateMachine::parse(&text, file, names).map_err(Failure::user)
        }
    }
}
