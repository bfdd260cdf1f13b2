#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use patchwright_protocol::BugEvidence;
use std::collections::BTreeSet;

use super::*;

/// The tools of the program, in the order of the design.
const TOOLS: [&str; 17] = [
    "run_tests",
    "extract_tests",
    "run_fault_localization",
    "read_range",
    "express_hypothesis",
    "search_code_base",
    "find_similar_api_calls",
    "generate_method_body",
    "get_classes_and_methods",
    "extract_method",
    "write_fix",
    "discard_hypothesis",
    "collect_more_information",
    "goal_accomplished",
    "run_code",
    "history",
    "write_test",
];

const SHOWN: BugEvidence = BugEvidence::FailingTests;

const SMALL: &str = r#"
start = "think"
[[state]]
name = "think"
purpose = "Think."
tools = ["read_range", "write_fix"]
[[state]]
name = "done"
purpose = "Over."
terminal = true
[transitions]
write_fix = "done"
"#;

fn parse(toml: &str) -> Result<StateMachine, StatesError> {
    StateMachine::parse(toml, "my.toml", &TOOLS)
}

/// Every (state × tool) of the embedded machine: `-` forbidden, `=` allowed and stays, `?` by what is known, else the state entered.
#[test]
fn embedded_machine_over_every_state_and_tool() {
    let table = "
        tool                     understand_bug       reproduce            collect_information  try_fix              done
        run_tests                =                    -                    -                    =                    -
        extract_tests            =                    =                    =                    -                    -
        run_fault_localization   =                    -                    -                    -                    -
        read_range               =                    =                    =                    =                    -
        express_hypothesis       ?                    -                    -                    -                    -
        search_code_base         =                    =                    =                    -                    -
        find_similar_api_calls   -                    -                    =                    -                    -
        generate_method_body     -                    -                    =                    -                    -
        get_classes_and_methods  =                    -                    =                    -                    -
        extract_method           =                    -                    =                    -                    -
        write_fix                try_fix              try_fix              try_fix              =                    -
        discard_hypothesis       -                    understand_bug       understand_bug       understand_bug       -
        collect_more_information -                    collect_information  -                    collect_information  -
        goal_accomplished        -                    -                    -                    done                 -
        run_code                 =                    =                    =                    =                    -
        history                  =                    -                    =                    -                    -
        write_test               =                    collect_information  =                    =                    -
        no_such_tool             -                    -                    -                    -                    -";
    let machine = StateMachine::embedded();
    let mut rows =
        table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>()).filter(|row| !row.is_empty());
    let header = rows.next().unwrap();
    assert_eq!(machine.states().iter().map(|state| state.name.as_str()).collect::<Vec<_>>(), header[1..]);
    let mut tools = BTreeSet::new();
    let next = |state: &str, tool: &str, evidence: BugEvidence| {
        machine.next(state, tool, evidence).map_or("=", |target| target.name.as_str())
    };
    for row in rows {
        let tool = row[0];
        tools.insert(tool);
        for (state, expect) in header[1..].iter().zip(&row[1..]) {
            let got = match machine.gate(state, tool) {
                Gate::Allowed => {
                    let [first, others @ ..] = BugEvidence::ALL.map(|evidence| next(state, tool, evidence));
                    if others.iter().all(|other| *other == first) { first } else { "?" }
                }
                Gate::Forbidden { here, elsewhere } => {
                    assert_eq!(here, machine.state(state).unwrap().tools);
                    let others = header[1..]
                        .iter()
                        .zip(&row[1..])
                        .filter(|(_, cell)| **cell != "-")
                        .map(|(state, _)| *state);
                    assert_eq!(elsewhere, others.collect::<Vec<_>>(), "{state} × {tool}");
                    assert_eq!(machine.next(state, tool, SHOWN), None, "{state} × {tool}");
                    "-"
                }
            };
            assert_eq!(got, *expect, "{state} × {tool}");
        }
    }
    assert!(TOOLS.iter().all(|tool| tools.contains(tool)), "the table leaves a tool out");
    assert_eq!(next("understand_bug", "express_hypothesis", SHOWN), "collect_information");
    assert_eq!(next("understand_bug", "express_hypothesis", BugEvidence::Issue), "reproduce");
}

#[test]
fn embedded_machine_keeps_the_rules_for_files_of_users() {
    let text = include_str!("../states.toml");
    assert_eq!(StateMachine::parse(text, "states.toml", &TOOLS).unwrap(), StateMachine::embedded());
    let machine = StateMachine::embedded();
    assert_eq!(machine.start().name, "understand_bug");
    assert_eq!(
        machine
            .states()
            .iter()
            .filter(|state| state.terminal)
            .map(|state| state.name.as_str())
            .collect::<Vec<_>>(),
        ["done"]
    );
    for state in machine.states() {
        assert!(!state.purpose.contains('\n'), "a purpose is one paragraph: {}", state.purpose);
    }
}

#[test]
fn the_machine_for_tests_lets_nobody_try_a_fix() {
    let text = include_str!("../test_states.toml");
    let machine = StateMachine::for_tests();
    assert_eq!(StateMachine::parse(text, "test_states.toml", &TOOLS).unwrap(), machine);
    for tool in
        ["write_fix", "run_tests", "run_fault_localization", "express_hypothesis", "discard_hypothesis"]
    {
        assert!(!machine.offers(tool), "{tool}");
    }
    let check = |state: &str, tool: &str, expect: Option<&str>| {
        let next = machine.next(state, tool, SHOWN).map(|target| target.name.as_str());
        assert_eq!(next, expect, "{state} × {tool}");
    };
    check("study_issue", "write_test", Some("review_test"));
    check("study_issue", "goal_accomplished", None);
    check("review_test", "write_test", None);
    check("review_test", "goal_accomplished", Some("done"));
    for state in machine.states() {
        assert!(!state.purpose.contains('\n'), "a purpose is one paragraph: {}", state.purpose);
    }
}

#[test]
fn a_state_that_does_not_exist_allows_nothing() {
    let machine = StateMachine::embedded();
    assert_eq!(
        machine.gate("elsewhere", "run_tests"),
        Gate::Forbidden { here: &[], elsewhere: vec!["understand_bug", "try_fix"] }
    );
    assert_eq!(machine.next("elsewhere", "run_tests", SHOWN), None);
    assert_eq!(machine.state("elsewhere"), None);
}

#[test]
fn ungated_allows_every_tool_and_ends_with_goal_accomplished() {
    let machine = StateMachine::ungated(&TOOLS);
    assert_eq!(machine.start().name, "free");
    for tool in TOOLS {
        assert_eq!(machine.gate("free", tool), Gate::Allowed, "{tool}");
        let expect = if tool == "goal_accomplished" { Some("done") } else { None };
        assert_eq!(machine.next("free", tool, SHOWN).map(|state| state.name.as_str()), expect, "{tool}");
        assert_eq!(machine.gate("done", tool), Gate::Forbidden { here: &[], elsewhere: vec!["free"] });
    }
    assert!(machine.state("done").unwrap().terminal);
}

#[test]
fn tools_can_be_left_out_as_long_as_the_session_can_go_on_and_end() {
    let machine =
        StateMachine::embedded().without(&["search_code_base", "collect_more_information"]).unwrap();
    assert!(!machine.offers("search_code_base") && machine.offers("read_range"));
    assert_eq!(machine.next("try_fix", "collect_more_information", SHOWN), None);
    let error = StateMachine::embedded().without(&["goal_accomplished"]).unwrap_err().to_string();
    assert!(error.contains("done"), "{error}");
}

/// A machine in which something is replaced is refused with this message.
fn refused(machine: &str, from: &str, to: &str, expect: &str) {
    assert!(machine.contains(from), "the machine does not contain {from:?}");
    let error = parse(&machine.replacen(from, to, 1)).expect_err(expect).to_string();
    assert_eq!(error, format!("my.toml: {expect}"));
}

/// Each row: what is replaced in the small machine, by what, and the whole message.
#[test]
fn errors_name_file_place_and_cure() {
    let check = |from: &str, to: &str, expect: &str| refused(SMALL, from, to, expect);
    check(
        "start =",
        "begin =",
        "top level: unknown field `begin`; the fields here are `start`, `state`, `transitions`",
    );
    check(
        "[transitions]",
        "[transition]",
        "top level: unknown field `transition`, did you mean `transitions`?; the fields here are `start`, `state`, \
         `transitions`",
    );
    check(
        "tools =",
        "tool =",
        "state `think`: unknown field `tool`, did you mean `tools`?; the fields here are `name`, `purpose`, `tools`, \
         `needs_hypothesis`, `effort`, `terminal`, `transitions`",
    );
    check(
        "name = \"think\"",
        "nam = \"think\"",
        "state number 1: unknown field `nam`, did you mean `name`?; the fields here are `name`, `purpose`, `tools`, \
         `needs_hypothesis`, `effort`, `terminal`, `transitions`",
    );
    check("start = \"think\"", "", "top level: the field `start` is missing; add `start = \"think\"`");
    check(
        "name = \"done\"",
        "",
        "state number 2: the field `name` is missing; add `name = \"understand_bug\"`",
    );
    check(
        "purpose = \"Think.\"",
        "",
        "state `think`: the field `purpose` is missing; add `purpose = \"what to do in this state\"`",
    );
    check(
        "tools = [\"read_range\", \"write_fix\"]",
        "",
        "state `think`: the field `tools` is missing; add `tools = [\"read_range\"]` or `terminal = true`",
    );
    check(
        "purpose = \"Over.\"",
        "purpose = \"\"",
        "state `done`: `purpose` must be a string that is not empty, but it is empty",
    );
    check(
        "name = \"done\"",
        "name = \"All done\"",
        "state number 2: `name` must be lowercase letters, digits and `_`, beginning with a letter, but it is the string \
         \"All done\"",
    );
    check(
        "terminal = true",
        "terminal = 1",
        "state `done`: `terminal` must be true or false, but it is the number 1",
    );
    check(
        "tools = [\"read_range\", \"write_fix\"]",
        "tools = \"write_fix\"",
        "state `think`: `tools` must be a list of tool names, but it is the string \"write_fix\"",
    );
    check(
        "\"read_range\", ",
        "7, ",
        "state `think`: `tools` must be a list of tool names, but it is the number 7",
    );
    check(
        "[transitions]\nwrite_fix = \"done\"",
        "[[transitions]]",
        "top level: `transitions` must be a table `tool = \"state\"`, but it is a list",
    );
    check(
        "name = \"done\"",
        "name = \"think\"",
        "state `think` is defined twice; rename one of the two or merge them",
    );
    check(
        "\"read_range\", ",
        "\"write_fix\", ",
        "state `think`: `tools` lists `write_fix` twice; remove one of the two",
    );
    let tools = TOOLS.map(|tool| format!("`{tool}`")).join(", ");
    check(
        "\"read_range\"",
        "\"read_rnage\"",
        &format!(
            "state `think`: there is no tool `read_rnage`, did you mean `read_range`?; the tools are {tools}"
        ),
    );
    check(
        "write_fix = \"done\"",
        "quit = \"done\"",
        &format!("[transitions]: there is no tool `quit`; the tools are {tools}"),
    );
    check(
        "start = \"think\"",
        "start = \"thinking\"",
        "`start`: there is no state `thinking`, did you mean `think`?; the states are `think`, `done`",
    );
    check(
        "write_fix = \"done\"",
        "write_fix = \"finished\"",
        "[transitions]: `write_fix`: there is no state `finished`; the states are `think`, `done`",
    );
    check(
        "terminal = true",
        "terminal = true\ntools = [\"read_range\"]",
        "state `done` is terminal but lists tools, and the session ends on entering it; remove `tools` or `terminal`",
    );
    check(
        "start = \"think\"",
        "start = \"done\"",
        "`start` names the terminal state `done`; let it name a state in which tools can be called",
    );
    check(
        "terminal = true",
        "tools = [\"read_range\"]",
        "no state is terminal, so a session could never end; add one with `terminal = true` and a transition that leads to \
         it",
    );
    check(
        "write_fix = \"done\"",
        "write_fix = \"done\"\nexpress_hypothesis = \"think\"",
        "[transitions]: `express_hypothesis` leads to `think`, but no state allows `express_hypothesis`; add it to the \
         `tools` of the state that it shall leave, or remove the transition",
    );
    check(
        "[transitions]",
        "[[state]]\nname = \"lost\"\npurpose = \"None.\"\ntools = [\"write_fix\"]\n[transitions]",
        "state `lost` cannot be reached from `think`; add a transition that leads to it on a tool of a reachable state, or \
         remove the state",
    );
    check(
        "[transitions]",
        "[[state]]\nname = \"trap\"\npurpose = \"None.\"\ntools = [\"run_tests\", \"extract_tests\"]\n\
         [transitions]\nextract_tests = \"trap\"",
        "state `trap` cannot be left: none of its tools leads to another state; add one of `write_fix` to its `tools`, or \
         mark it `terminal = true`",
    );
    check(
        "tools = [\"read_range\", \"write_fix\"]",
        "tools = []",
        "[transitions]: `write_fix` leads to `done`, but no state allows `write_fix`; add it to the `tools` of the state \
         that it shall leave, or remove the transition",
    );
}

#[test]
fn states_that_only_lead_to_each_other_are_refused() {
    let toml = r#"
start = "think"
[[state]]
name = "think"
purpose = "Think."
tools = ["write_fix", "express_hypothesis"]
[[state]]
name = "ping"
purpose = "Ping."
tools = ["run_tests"]
[[state]]
name = "pong"
purpose = "Pong."
tools = ["express_hypothesis"]
[[state]]
name = "done"
purpose = "Over."
terminal = true
[transitions]
write_fix = "done"
express_hypothesis = "ping"
run_tests = "pong"
"#;
    assert_eq!(
        parse(toml).unwrap_err().to_string(),
        "my.toml: from state `ping` no terminal state can be reached; add to its `tools`, or to those of a state that \
         follows it, a tool whose transition leads towards the end"
    );
}

#[test]
fn damaged_toml_is_shown_with_its_line() {
    let message = parse("start = \"think\"\n[[state]\n").unwrap_err().to_string();
    assert!(message.starts_with("my.toml: this is not valid TOML: "), "{message}");
    assert!(message.contains("line 2"), "{message}");
    assert_eq!(
        parse("start = \"think\"").unwrap_err().to_string(),
        "my.toml: top level: the field `state` is missing; add a `[[state]]` with `name`, `purpose` and `tools`"
    );
}

#[test]
fn drawing_as_text() {
    let machine = parse(SMALL).unwrap();
    assert_eq!(
        machine.to_text(),
        "think (start)\n  Think.\n  - read_range\n  - write_fix → done\n\ndone (end)\n  Over.\n"
    );
    let text = StateMachine::embedded().to_text();
    assert!(text.lines().all(|line| line.chars().count() <= 96), "{text}");
    assert!(text.contains("  - discard_hypothesis → understand_bug\n"), "{text}");
}

#[test]
fn drawing_as_mermaid() {
    assert_eq!(
        parse(SMALL).unwrap().to_mermaid(),
        "stateDiagram-v2
    [*] --> think
    think : think
    think : read_range
    think --> done : write_fix
    done --> [*]
"
    );
}

#[test]
fn drawing_as_dot() {
    assert_eq!(
        parse(SMALL).unwrap().to_dot(),
        "digraph states {
    rankdir = LR;
    node [shape = box, style = rounded];
    START [shape = point, label = \"\"];
    \"think\" [label = \"think\\nread_range\"];
    \"done\" [label = \"done\", peripheries = 2];
    START -> \"think\";
    \"think\" -> \"done\" [label = \"write_fix\"];
}
"
    );
}

const DEPENDING: &str = r#"
start = "think"
[[state]]
name = "think"
purpose = "Think."
tools = ["express_hypothesis", "run_tests"]
[[state]]
name = "show"
purpose = "Show."
tools = ["write_test"]
transitions = { write_test = "fix" }
[[state]]
name = "fix"
purpose = "Fix."
tools = ["write_test", "write_fix"]
[[state]]
name = "done"
purpose = "Over."
terminal = true
[transitions]
express_hypothesis = { if = "bug_shown", then = "fix", else = "show" }
write_fix = "done"
"#;

#[test]
fn a_transition_may_depend_on_what_is_known_and_on_the_state() {
    let machine = parse(DEPENDING).unwrap();
    let next = |state, tool, evidence| machine.next(state, tool, evidence).map(|state| state.name.as_str());
    assert_eq!(next("think", "express_hypothesis", SHOWN), Some("fix"));
    assert_eq!(next("think", "express_hypothesis", BugEvidence::Issue), Some("show"));
    assert_eq!(next("show", "write_test", SHOWN), Some("fix"));
    assert!(machine.depends_on_evidence("think", "express_hypothesis"));
    assert!(
        !machine.depends_on_evidence("show", "write_test")
            && !machine.depends_on_evidence("fix", "write_fix")
    );
    assert_eq!(next("fix", "write_test", SHOWN), None);
    insta::assert_snapshot!(format!("{}\n{}", machine.to_text(), machine.to_mermaid()));
}

#[test]
fn every_state_is_left_and_leads_to_the_end_whatever_is_known() {
    let check = |from: &str, to: &str, expect: &str| refused(DEPENDING, from, to, expect);
    check(
        "then = \"fix\"",
        "then = \"think\"",
        "state `think` cannot be left while `bug_shown` is true: none of its tools leads to another state; add one of \
         `write_fix` to its `tools`, or mark it `terminal = true`",
    );
    check(
        "else = \"show\"",
        "else = \"fix\"",
        "state `show` cannot be reached from `think`; add a transition that leads to it on a tool of a reachable state, or \
         remove the state",
    );
    check(
        "{ write_test = \"fix\" }",
        "{ write_test = { if = \"bug_shown\", then = \"fix\", else = \"think\" } }",
        "from state `think` no terminal state can be reached while `bug_shown` is false; add to its `tools`, or to those of a \
         state that follows it, a tool whose transition leads towards the end",
    );
    check(
        "\"bug_shown\"",
        "\"bug_show\"",
        "[transitions]: `express_hypothesis`: there is no condition `bug_show`, did you mean `bug_shown`?; the conditions are \
         `bug_shown`",
    );
    check(
        ", else = \"show\"",
        "",
        "[transitions]: `express_hypothesis`: the field `else` is missing; add `{ if = \"bug_shown\", then = \"a_state\", else \
         = \"another\" }`",
    );
    check(
        "else = \"show\"",
        "otherwise = \"show\"",
        "[transitions]: `express_hypothesis`: unknown field `otherwise`; the fields here are `if`, `then`, `else`",
    );
    check(
        "{ write_test = \"fix\" }",
        "{ run_tests = \"fix\" }",
        "state `show`: `transitions` names `run_tests`, which is not among its `tools`; add it there or remove it here",
    );
}

#[test]
fn a_tool_that_no_state_names_may_be_called_in_each_that_allows_any() {
    let machine = StateMachine::embedded().with_unnamed(&["read_range", "count_lines"]);
    for state in machine.states() {
        assert_eq!(state.allows("count_lines"), !state.terminal, "{}", state.name);
    }
    assert_eq!(StateMachine::embedded().with_unnamed(&["read_range"]), StateMachine::embedded());
}

#[test]
fn a_long_name_is_compared_with_no_other() {
    for times in [1, 10] {
        let long = "t".repeat(times * 1_000_000);
        let error = StateMachine::parse(&format!("{long} = 1\n{SMALL}"), "states.toml", &TOOLS)
            .unwrap_err()
            .to_string();
        assert!(error.contains("unknown field") && !error.contains("did you mean"));
    }
}
