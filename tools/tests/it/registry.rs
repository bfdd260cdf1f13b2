//! The list of tools, their schemas, and the state machine's view of them.

use std::collections::BTreeSet;

use patchwright_protocol::Goal;
use patchwright_protocol::schema::{faults, unread};
use patchwright_state_machine::{Gate, StateMachine};
use patchwright_tools::{all, of_goal};
use serde_json::{Value, json};

/// The paper's Table II, and three of ours.
const NAMES: [&str; 17] = [
    "read_range",
    "get_classes_and_methods",
    "extract_method",
    "extract_tests",
    "search_code_base",
    "find_similar_api_calls",
    "generate_method_body",
    "run_tests",
    "run_fault_localization",
    "write_fix",
    "express_hypothesis",
    "collect_more_information",
    "discard_hypothesis",
    "goal_accomplished",
    "run_code",
    "history",
    "write_test",
];

/// Every state with every tool that it allows; all else is forbidden.
const ALLOWED: [(&str, &[&str]); 5] = [
    (
        "understand_bug",
        &[
            "run_tests",
            "extract_tests",
            "run_fault_localization",
            "read_range",
            "get_classes_and_methods",
            "extract_method",
            "search_code_base",
            "run_code",
            "history",
            "write_test",
            "express_hypothesis",
            "write_fix",
        ],
    ),
    (
        "reproduce",
        &[
            "write_test",
            "write_fix",
            "run_code",
            "read_range",
            "search_code_base",
            "extract_tests",
            "collect_more_information",
            "discard_hypothesis",
        ],
    ),
    (
        "collect_information",
        &[
            "run_code",
            "history",
            "search_code_base",
            "find_similar_api_calls",
            "generate_method_body",
            "read_range",
            "get_classes_and_methods",
            "extract_method",
            "extract_tests",
            "write_test",
            "write_fix",
            "discard_hypothesis",
        ],
    ),
    (
        "try_fix",
        &[
            "write_fix",
            "write_test",
            "run_code",
            "read_range",
            "run_tests",
            "collect_more_information",
            "discard_hypothesis",
            "goal_accomplished",
        ],
    ),
    ("done", &[]),
];

#[test]
fn the_tools_are_those_of_the_paper_and_three_of_ours() {
    assert_eq!(all().iter().map(|tool| tool.name()).collect::<Vec<_>>(), NAMES);
}

#[test]
fn where_a_test_is_the_goal_no_tool_speaks_of_candidates() {
    let (of_fixes, of_tests) = (of_goal(Goal::Fix), of_goal(Goal::Test));
    let names = |tools: &[std::sync::Arc<dyn patchwright_tools::Tool>]| {
        tools.iter().map(|tool| tool.name()).collect::<Vec<_>>()
    };
    assert_eq!((names(&of_fixes), names(&of_tests)), (NAMES.to_vec(), NAMES.to_vec()));
    let machine = StateMachine::for_tests();
    let offered = of_tests.iter().filter(|tool| machine.offers(tool.name()));
    let told = offered.map(|tool| {
        let keeps =
            tool.name() == "goal_accomplished" && tool.schema(None)["properties"]["candidate"].is_object();
        assert!(!keeps, "{}", tool.schema(None));
        format!("{}: {}", tool.name(), tool.description())
    });
    insta::assert_snapshot!(told.collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_state_and_tool_is_as_in_the_state_machine() {
    let machine = StateMachine::embedded();
    assert_eq!(
        machine.states().iter().map(|state| state.name.as_str()).collect::<Vec<_>>(),
        ALLOWED.map(|(name, _)| name)
    );
    for (state, allowed) in ALLOWED {
        for tool in all() {
            let gate = machine.gate(state, tool.name());
            assert_eq!(gate == Gate::Allowed, allowed.contains(&tool.name()), "{state} × {}", tool.name());
        }
    }
    // No state names a tool that does not exist, and no tool is out of reach.
    let in_states: BTreeSet<&str> =
        machine.states().iter().flat_map(|state| state.tools.iter().map(String::as_str)).collect();
    assert_eq!(in_states, BTreeSet::from(NAMES));
}

#[test]
fn schemas_are_closed_and_without_references() {
    for tool in all() {
        let schema = tool.schema(None);
        assert_eq!(schema["type"], "object", "{schema}");
        assert!(schema["properties"].is_object(), "{schema}");
        assert_eq!(unread(&schema), [""; 0], "{schema}");
        check(&schema, tool.name());
        assert!(!tool.description().is_empty());
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].is_string(), "{}: {name} has no description", tool.name());
            assert!(!name.contains("path") || name == "file_path", "{}: {name}", tool.name());
        }
    }
}

fn check(schema: &Value, tool: &str) {
    match schema {
        Value::Object(fields) => {
            assert!(!fields.contains_key("$ref") && !fields.contains_key("$defs"), "{tool}: {schema}");
            if fields.get("type") == Some(&json!("object")) {
                assert_eq!(fields.get("additionalProperties"), Some(&json!(false)), "{tool}: {schema}");
            }
            fields.values().for_each(|field| check(field, tool));
        }
        Value::Array(items) => items.iter().for_each(|item| check(item, tool)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn the_schema_of_a_fix_is_the_papers_json_and_texts_to_replace() {
    let schema = patchwright_tools::find("write_fix").unwrap().schema(None);
    assert_eq!(schema["required"], json!(["edits"]));
    let edit = &schema["properties"]["edits"]["items"];
    let names: Vec<&String> = edit["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["file_path", "insertions", "deletions", "modifications", "replacements", "content"]);
    let fits = |fix: Value| faults(&schema, &schema, &fix).is_empty();
    assert!(fits(
        json!({"edits": [{"file_path": "a.py", "insertions": [{"line_number": 3, "new_lines": ["x"]}], "deletions": [1], "modifications": [{"line_number": 4, "modified_line": "y"}]}]})
    ));
    assert!(fits(json!({"edits": [{"file_path": "a.py"}]})));
    assert!(fits(
        json!({"edits": [{"file_path": "a.py", "replacements": [{"search": "a", "replace": "b"}]}]})
    ));
    assert!(!fits(json!({"edits": [{"deletions": [1]}]})));
    assert!(!fits(json!({"edits": [{"file_path": "a.py", "delete": [1]}]})));
}
