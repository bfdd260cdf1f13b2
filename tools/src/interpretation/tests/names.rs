//! Names of tools and arguments that are nearly right.

use super::*;

/// Names that are read as a tool, and names that must not be.
#[test]
fn misspelled_names_of_tools() {
    let tools = tools();
    let names: Vec<&str> = tools.iter().map(|(name, _)| *name).collect();
    let check = |asked: &str, expect: Option<&str>| {
        let got = match match_tool(asked, &names, &NameMatching::default()) {
            Match::Exact(name) | Match::Near(name) => Some(name),
            Match::Several(_) | Match::None { .. } => None,
        };
        assert_eq!(got, expect, "{asked}");
    };
    for (asked, tool) in [
        ("readrange", "read_range"),
        ("ReadRange", "read_range"),
        ("read-range", "read_range"),
        ("read_ranges", "read_range"),
        ("read_lines", "read_range"),
        ("raed_range", "read_range"),
        ("functions.read_range", "read_range"),
        ("search_codebase", "search_code_base"),
        ("searchCodeBase", "search_code_base"),
        ("search_code", "search_code_base"),
        ("serch_code_base", "search_code_base"),
        ("extract_test_code", "extract_tests"),
        ("extract_test", "extract_tests"),
        ("extract_tests_code", "extract_tests"),
        ("extract_method_code", "extract_method"),
        ("extract_methods", "extract_method"),
        ("goals_accomplished", "goal_accomplished"),
        ("goal_acomplished", "goal_accomplished"),
        ("get_methods_and_classes", "get_classes_and_methods"),
        ("get_class_and_methods", "get_classes_and_methods"),
        ("get_classes", "get_classes_and_methods"),
        ("extract_similar_functions_calls", "find_similar_api_calls"),
        ("find_similar_api_call", "find_similar_api_calls"),
        ("AI_generates_method_code", "generate_method_body"),
        ("go_back_to_collect_more_info", "collect_more_information"),
        ("collect_more_info", "collect_more_information"),
        ("collect_information", "collect_more_information"),
        ("run_test", "run_tests"),
        ("run_tests()", "run_tests"),
        ("run_fault_localisation", "run_fault_localization"),
        ("write_fixes", "write_fix"),
        ("wirte_fix", "write_fix"),
        ("bash", "run_code"),
        ("run_command", "run_code"),
        ("writefix", "write_fix"),
        ("express_hypotesis", "express_hypothesis"),
        ("express_an_hypothesis", "express_hypothesis"),
        ("discard_hypothesys", "discard_hypothesis"),
    ] {
        check(asked, Some(tool));
    }
    for asked in [
        "",
        "x",
        "python",
        "write_file",
        "read",
        "delete_file",
        "create_file",
        "list_files",
        "write_test",
        "extract",
        "hypothesis",
        "info",
        "run",
        "run_tests_and_write_fix",
        "done",
        "submit",
        "rewrite_prefix",
        "get_info",
        "test",
        "code",
        "fix",
        "change_state",
        "read_file",
        "search_web",
        "generate_tests",
        "discuss_hypothesis",
        "extract_text",
        "read_page",
        "write_range",
    ] {
        check(asked, None);
    }
}

#[test]
fn the_papers_matching_takes_two_steps() {
    let names = ["read_range", "run_tests", "extract_tests"];
    let check = |asked: &str, expect: Match| {
        assert_eq!(match_tool(asked, &names, &NameMatching::paper()), expect, "{asked}");
    };
    check("read_range", Match::Exact("read_range"));
    check("range", Match::Near("read_range"));
    check("please_run_tests_now", Match::Near("run_tests"));
    check("tests", Match::Several(vec!["run_tests", "extract_tests"]));
    check("extract_tosts", Match::Near("extract_tests"));
    check("raed_range", Match::None { nearest: vec!["read_range"] });
}
