//! The prompt as a whole: what stands where, that it never overflows, and that it begins like the one before.

use std::collections::BTreeSet;

use patchwright_protocol::{Candidate, FailingTest, SourceLines, TestId, ValidationResult, Verdict};
use patchwright_state_machine::StateMachine;
use proptest::prelude::*;

use crate::sample::{Session, record};
use crate::*;

mod untrusted;
mod whole;

fn machine() -> StateMachine {
    StateMachine::embedded()
}

fn settings(layout: Layout, protocol: Protocol) -> PromptSettings {
    PromptSettings { layout, protocol, ..PromptSettings::default() }
}

fn prompt(session: &Session, settings: &PromptSettings) -> Prompt {
    render(&session.view(&machine()), settings).unwrap()
}

fn whole(prompt: &Prompt) -> String {
    prompt.messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>().join("\n\n")
}

/// The headings, what marks that something is left out, and the last line.
fn outline(text: &str) -> String {
    let shown = |line| match line {
        line if str::starts_with(line, "[… ") => Some("[…]"),
        line => line.starts_with('#').then_some(line),
    };
    text.lines().filter_map(shown).chain(text.lines().last()).collect::<Vec<_>>().join("\n")
}

fn contains_in_order(text: &str, parts: &[&str]) {
    let mut from = 0;
    for part in parts {
        match text[from..].find(part) {
            Some(offset) => from += offset + part.len(),
            None => panic!("`{part}` is missing, or not in its place, in:\n{text}"),
        }
    }
}

fn lines(range: std::ops::RangeInclusive<u32>) -> Vec<(u32, String)> {
    range.map(|number| (number, format!("    statement_{number}(some, arguments)"))).collect()
}

fn read(cycle: u32, path: &str, range: std::ops::RangeInclusive<u32>) -> Finding {
    Finding {
        cycle,
        command: format!("read_range({path}, {}, {})", range.start(), range.end()),
        content: FindingContent::Lines(SourceLines {
            path: path.to_owned(),
            lines: lines(range),
            note: None,
        }),
    }
}

#[test]
fn a_memory_of_one_cycle_tells_of_the_last_command_alone() {
    let all = settings(Layout::Cache, Protocol::Json);
    let text = whole(&prompt(&Session::full(), &PromptSettings { recall: Recall::LastCycle, ..all }));
    insta::assert_snapshot!(outline(&text));
}

#[test]
fn only_the_papers_layout_leaves_out_commands_of_other_states() {
    let mut session = Session::full();
    session.state = "understand_bug";
    let paper = whole(&prompt(&session, &settings(Layout::Paper, Protocol::Json)));
    assert!(
        paper.contains("**read_range**")
            && !paper.contains("**generate_method_body**")
            && !paper.contains("**goal_accomplished**")
    );
    let cache = whole(&prompt(&session, &settings(Layout::Cache, Protocol::Json)));
    assert!(cache.contains("**read_range**") && cache.contains("**write_fix**"));
}

#[test]
fn the_example_is_a_call_that_the_state_allows() {
    for (state, layout) in
        [("try_fix", Layout::Cache), ("try_fix", Layout::Paper), ("understand_bug", Layout::Paper)]
    {
        let mut session = Session::full();
        session.state = state;
        let text = whole(&prompt(&session, &settings(layout, Protocol::Json)));
        let example = r#"{"thoughts":"…","command":{"name":"read_range","args":{"file_path":"path/of/the/file","first_line":20,"last_line":40}}}"#;
        assert!(text.contains(example), "{text}");
    }
}

#[test]
fn native_calling_names_the_tools_and_leaves_their_schemas_out() {
    for layout in [Layout::Cache, Layout::Paper] {
        let session = Session::full();
        let native = prompt(&session, &settings(layout, Protocol::Native));
        let text = whole(&native);
        assert!(!text.contains("JSON schema") && !text.contains("\"command\""), "{text}");
        // The schemas are counted all the same.
        assert!(native.tokens > estimate_tokens(&text) + 50);
    }
}

#[test]
fn the_first_prompt_of_a_session_says_that_nothing_happened_yet() {
    let session = Session {
        findings: Vec::new(),
        hypotheses: Vec::new(),
        candidates: Vec::new(),
        last: None,
        ..Session::full()
    };
    let text = whole(&prompt(&session, &settings(Layout::Cache, Protocol::Json)));
    insta::assert_snapshot!(&text[text.find("# Hypotheses").unwrap()..]);
    assert!(!text.contains("# Gathered information") && !text.contains("# Candidate fixes"));
}

#[test]
fn where_an_issue_alone_tells_of_the_bug_nothing_speaks_of_failing_tests() {
    let mut session = Session { state: "understand_bug", ..Session::full() };
    let instructions = |session: &Session| {
        let prompt = prompt(session, &settings(Layout::Cache, Protocol::Native));
        let state = prompt.messages.last().unwrap().text.split("# Hypotheses").next().unwrap().to_owned();
        format!("{}\n{state}", prompt.messages[0].text)
    };
    let told = instructions(&session);
    session.task.failing.clear();
    let by_issue = instructions(&session);
    assert!(!by_issue.contains("failing test"), "{by_issue}");
    let own = |text: &str, other: &str| {
        let lines = text.lines().filter(|line| !other.lines().any(|known| known == *line));
        lines.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(format!(
        "With failing tests:\n{}\n\nWith an issue alone:\n{}",
        own(&told, &by_issue),
        own(&by_issue, &told),
    ));
}

#[test]
fn the_result_of_the_last_command_is_not_shown_twice() {
    let mut session = Session::full();
    session.last = Some(LastCommand {
        cycle: 3,
        command: "read_range".to_owned(),
        result: "41:     step_41()".to_owned(),
    });
    for layout in [Layout::Cache, Layout::Paper] {
        let text = whole(&prompt(&session, &settings(layout, Protocol::Json)));
        assert_eq!(text.matches("step_41()").count(), 1, "{text}");
    }
}

#[test]
fn the_budget_line_urges_where_there_is_reason() {
    let check = |used, tried: bool, expect: &str| {
        let mut session =
            Session { budget: BudgetLine { used, limit: 40, ..BudgetLine::default() }, ..Session::full() };
        session.candidates.retain(|candidate| tried && candidate.id() == 1);
        let text = whole(&prompt(&session, &settings(Layout::Cache, Protocol::Json)));
        let line = text.split("# Budget\n\n").nth(1).unwrap().lines().next().unwrap().to_owned();
        assert_eq!(line, expect);
    };
    check(0, false, "0 of 40 cycles used, 40 left.");
    check(
        20,
        false,
        "20 of 40 cycles used, 20 left. No fix has been tried yet, and half of the cycles are used: try one soon.",
    );
    check(20, true, "20 of 40 cycles used, 20 left.");
    check(33, true, "33 of 40 cycles used, 7 left. Little is left: spend it on your most promising fixes.");
    check(39, true, "39 of 40 cycles used, 1 left. This is the last cycle.");
    check(41, true, "41 of 40 cycles used, 0 left. This is the last cycle.");
}

#[test]
fn a_huge_report_and_issue_are_cut_and_say_so() {
    let mut session = Session::full();
    session.task.report = (1..200_000).map(|n| format!("report line {n}\n")).collect::<Vec<_>>().concat();
    session.task.issue = Some("An issue without a line end. ".repeat(40_000));
    session.last =
        Some(LastCommand { cycle: 4, command: "run_tests".to_owned(), result: session.task.report.clone() });
    for layout in [Layout::Cache, Layout::Paper] {
        let settings = settings(layout, Protocol::Json);
        let prompt = prompt(&session, &settings);
        assert!(prompt.tokens <= settings.prompt_tokens, "{}", prompt.tokens);
        let text = whole(&prompt);
        assert!(text.contains("line 1\n") && text.contains("line 199999\n"));
        // What a reply needs is still there.
        insta::assert_snapshot!(format!("huge_report_{layout:?}"), outline(&text));
    }
}

#[test]
fn a_limit_that_is_too_small_is_told() {
    let settings = PromptSettings { prompt_tokens: 1_000, ..PromptSettings::default() };
    let session = Session::full();
    let Err(PromptError::LimitTooSmall { needed, limit }) = render(&session.view(&machine()), &settings)
    else {
        panic!("a prompt was made");
    };
    assert_eq!(limit, 1_000);
    let settings = PromptSettings { prompt_tokens: needed, ..settings };
    assert!(prompt(&session, &settings).tokens <= needed);
}

#[test]
fn trimming_is_told_and_happens_in_big_steps() {
    let mut session = Session { findings: Vec::new(), last: None, ..Session::full() };
    let settings = PromptSettings { gathered_tokens: 4_000, ..PromptSettings::default() };
    let mut changes = 0;
    let mut before = String::new();
    for cycle in 1..=60 {
        session.findings.push(read(cycle, &format!("file_{cycle}.py"), 1..=30));
        let prompt = prompt(&session, &settings);
        let gathered =
            prompt.messages[2..prompt.messages.len() - 1].iter().map(|message| message.text.as_str());
        let gathered = gathered.collect::<Vec<_>>().join("\n\n");
        assert!(estimate_tokens(&gathered) <= 4_000);
        assert!(gathered.contains(&format!("## Cycle {cycle}:")), "the newest is kept");
        if !gathered.starts_with(&before) {
            changes += 1;
            assert!(gathered.lines().any(|line| line.starts_with('[')), "{gathered}");
        }
        before = gathered;
    }
    assert!(changes <= 15, "the log began anew {changes} times in 60 cycles");
    insta::assert_snapshot!(before.lines().find(|line| line.starts_with('[')).unwrap());
}

#[test]
fn repeats_are_dropped() {
    let text = "A long result that is worth leaving out when it comes again. ".repeat(4);
    let finding = |cycle| Finding {
        cycle,
        command: "search_code_base(a)".to_owned(),
        content: FindingContent::Text(text.clone()),
    };
    let session = Session { findings: vec![finding(1), finding(2)], last: None, ..Session::full() };
    let cache = whole(&prompt(&session, &settings(Layout::Cache, Protocol::Json)));
    assert_eq!(cache.matches(text.trim_end()).count(), 1);
    let (_, gathered) = cache.split_once("# Gathered information").unwrap();
    insta::assert_snapshot!(gathered.split_once("\n# ").unwrap().0);
    let paper = whole(&prompt(&session, &settings(Layout::Paper, Protocol::Json)));
    assert_eq!(paper.matches(text.trim_end()).count(), 1);
}

#[test]
fn many_candidates_are_cut_down_to_the_newest_and_the_plausible() {
    let mut session = Session::full();
    session.candidates = (1..=2_000)
        .map(|id| Candidate {
            record: record(id, format!("--- a/f.py\n+++ b/f.py\n-    old_{id}()\n+    new_{id}()\n")),
            validation: Some(ValidationResult::untested(
                if id == 7 { Verdict::Plausible } else { Verdict::Failing },
                None,
            )),
        })
        .collect();
    let text = whole(&prompt(&session, &settings(Layout::Cache, Protocol::Json)));
    assert!(
        text.contains("- #7 plausible") && text.contains("- #2000 failing") && !text.contains("- #8 failing")
    );
    let left_out = text.lines().find(|line| line.starts_with('(')).unwrap();
    insta::assert_snapshot!(left_out.replace(char::is_numeric, ""));
}

#[test]
fn a_message_of_several_tests_is_told_once() {
    let failing =
        |id: &str, message: &str| FailingTest { id: TestId::new(id), message: Some(message.to_owned()) };
    let long = "KeyError: 'tax'\nmore";
    let mut session = Session::full();
    session.task.failing =
        vec![failing("a", long), failing("b", long), failing("c", "other"), failing("d", long)];
    let text = whole(&prompt(&session, &settings(Layout::Cache, Protocol::Json)));
    assert!(
        text.contains("- a: KeyError: 'tax' …\n- b: the same\n- c: other\n- d: KeyError: 'tax' …\n"),
        "{text}"
    );
}

#[test]
fn a_duplicate_of_a_plausible_candidate_is_no_failure() {
    let mut session = Session::full();
    let repeats = |id, of| Candidate {
        record: record(id, format!("+++ b/f.py\n+    repeated_{id}()\n")),
        validation: Some(ValidationResult {
            duplicate_of: Some(of),
            ..ValidationResult::untested(Verdict::Duplicate, None)
        }),
    };
    session.candidates.extend([repeats(3, 2), repeats(4, 1)]);
    let text = whole(&prompt(&session, &settings(Layout::Cache, Protocol::Json)));
    contains_in_order(
        &text,
        &[
            "These are plausible; each says which tests ran with it:\n- #2 plausible",
            "They are no failures",
            "- #3 duplicate of candidate #2: f.py: +`repeated_3()`\n\nThese did not pass.",
            "- #4 duplicate of candidate 1: f.py: +`repeated_4()`",
        ],
    );
}

#[test]
fn a_huge_fix_and_report_are_cut_in_the_prompt_for_variants() {
    let session = Session::full();
    let sources = [SourceLines { path: "stock/order.py".to_owned(), lines: lines(8..=16), note: None }];
    let view = VariantsView {
        task: &session.task,
        hypothesis: Some("Empty orders are skipped."),
        diff: "-    step_12()\n+    step_13()\n",
        result: "test_total fails: assert 3 == 0",
        sources: &sources,
        tried: &session.candidates[..1],
        count: 30,
    };
    let long = "x".repeat(3_000_000);
    let prompt =
        variants_prompt(&VariantsView { result: &long, diff: &long, ..view }, &PromptSettings::default())
            .unwrap();
    assert!(prompt.tokens <= 60_000, "{}", prompt.tokens);
}

#[test]
fn the_prompt_for_a_method_keeps_what_stands_close_to_it() {
    let before = (1..50_000).map(|n| format!("line_{n}\n")).collect::<Vec<_>>().concat();
    let view = MethodBodyView {
        language: "Java",
        path: "src/Order.java",
        before: &before,
        signature: "    int total()",
        documentation: Some("Sums up."),
    };
    let prompt = method_body_prompt(&view, &PromptSettings::default()).unwrap();
    assert!(prompt.tokens <= 12_000 && prompt.tokens > 11_000, "{}", prompt.tokens);
    let text = whole(&prompt);
    contains_in_order(
        &text,
        &["src/Order.java", "bytes above left out", "line_49999\n", "Sums up.", "    int total()"],
    );
    assert!(!text.contains("line_1\n"));
}

mod templates {
    use super::*;

    fn load(files: &[(&str, &str)]) -> Result<Templates, String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        Templates::load(folder.path())
            .map_err(|error| error.to_string().replace(&*folder.path().to_string_lossy(), "F"))
    }

    #[test]
    fn a_folder_replaces_some() {
        let templates = load(&[
            ("role.md", "You are Fixer.\n{% include \"extra.md\" %}\n"),
            ("extra.md", "You mend {{ language }}."),
            ("notes.txt", "not a template"),
        ]);
        let settings = PromptSettings { templates: templates.unwrap(), ..PromptSettings::default() };
        let text = whole(&prompt(&Session::full(), &settings));
        assert!(text.starts_with("You are Fixer.\nYou mend Python.\n\n# Goals"), "{text}");
    }

    #[test]
    fn mistakes_are_told_with_file_and_line() {
        let check = |file: &str, text: &str, expect: &str| {
            let error = load(&[(file, text)]).unwrap_err();
            assert!(error.starts_with(expect), "{error}");
        };
        check("bug.md", "# Bug\n\n{% if %}\n", "F/bug.md, line 3: syntax error");
        check("tools.md", "# Tools\n{{ nothing }}\n", "F/tools.md, line 2: undefined value");
        check("rolle.md", "x", "F/rolle.md: no prompt uses this template; known names: role.md, goals.md,");
        check("role.md", "x\n{% include \"nothing.md\" %}", "F/role.md, line 2: ");
    }

    #[test]
    fn a_folder_that_is_not_there_is_told() {
        let error = Templates::load(std::path::Path::new("/nowhere/at/all")).unwrap_err();
        assert!(matches!(error, PromptError::Unreadable { .. }), "{error}");
    }
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9 `\n\"{}%äé]{0,80}",
        ("[a-z`\n]{1,20}", 1usize..4_000).prop_map(|(piece, times)| piece.repeat(times)),
    ]
}

fn any_findings() -> impl Strategy<Value = Vec<Finding>> {
    let content = prop_oneof![
        3 => (0usize..3, 1u32..120, 0u32..80).prop_map(|(file, first, length)| {
            FindingContent::Lines(SourceLines { path: format!("file_{file}.py"), lines: lines(first..=first + length), note: None })
        }),
        1 => any_text().prop_map(FindingContent::Text),
    ];
    prop::collection::vec(content, 0..25).prop_map(|contents| {
        (1..)
            .zip(contents)
            .map(|(cycle, content)| Finding { cycle, command: format!("command_{cycle}"), content })
            .collect()
    })
}

/// The numbered lines that a text shows of the sample files, as far as they can be told apart from other text.
fn shown(text: &str) -> BTreeSet<&str> {
    text.lines().filter(|line| line.contains("statement_")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_prompt_never_overflows_and_is_pure(
        findings in any_findings(),
        (report, issue, result, notice) in (any_text(), any_text(), any_text(), any_text()),
        hypotheses in prop::collection::vec(any_text(), 0..6),
        limit in 6_000usize..20_000,
        paper in any::<bool>(),
        native in any::<bool>(),
    ) {
        let mut session = Session { findings, ..Session::full() };
        session.task.report = report;
        session.task.issue = Some(issue);
        session.last = Some(LastCommand { cycle: 90, command: result.clone(), result });
        session.notices = vec![notice];
        session.hypotheses = hypotheses.into_iter().map(|text| Hypothesis { text, refuted: None }).collect();
        let settings = PromptSettings {
            layout: if paper { Layout::Paper } else { Layout::Cache },
            protocol: if native { Protocol::Native } else { Protocol::Json },
            prompt_tokens: limit,
            ..PromptSettings::default()
        };
        let prompt = prompt(&session, &settings);
        prop_assert!(prompt.tokens <= limit, "{} of {}", prompt.tokens, limit);
        let text = whole(&prompt);
        prop_assert!(text.contains("cycles used") && text.contains("try_fix"));
        prop_assert_eq!(render(&session.view(&machine()), &settings).unwrap(), prompt);
    }

    /// All but the last message of a prompt is a prefix of the next one, as long as nothing was trimmed.
    #[test]
    fn a_prompt_begins_like_the_one_before(findings in any_findings()) {
        let settings = PromptSettings { gathered_tokens: 200_000, prompt_tokens: 1_000_000, ..PromptSettings::default() };
        let mut session = Session::full();
        session.findings.clear();
        session.candidates.clear();
        let mut before: Option<Prompt> = None;
        for finding in findings {
            session.last = Some(LastCommand { cycle: finding.cycle, command: finding.command.clone(), result: "…".to_owned() });
            session.budget.used = finding.cycle;
            session.hypotheses.push(Hypothesis { text: finding.command.clone(), refuted: None });
            session.findings.push(finding);
            let now = prompt(&session, &settings);
            if let Some(before) = before {
                let stable = before.messages.len() - 1;
                for (index, message) in before.messages[..stable].iter().enumerate() {
                    prop_assert_eq!(&message.text, &now.messages[index].text);
                }
            }
            before = Some(now);
        }
    }

    /// What is shown is the union of what was read, whatever the order and overlap; in both layouts.
    #[test]
    fn merging_is_set_union(findings in any_findings()) {
        let mut expect = BTreeSet::new();
        for finding in &findings {
            if let FindingContent::Lines(SourceLines { lines, .. }) = &finding.content {
                expect.extend(lines.iter().map(|(number, text)| format!("{number}: {text}")));
            }
        }
        let expect: BTreeSet<&str> = expect.iter().map(String::as_str).collect();
        let session = Session { findings, last: None, ..Session::full() };
        for layout in [Layout::Cache, Layout::Paper] {
            let settings = PromptSettings { layout, gathered_tokens: 500_000, prompt_tokens: 2_000_000, ..PromptSettings::default() };
            let prompt = prompt(&session, &settings);
            let text = whole(&prompt);
            prop_assert_eq!(shown(&text), expect.clone());
        }
    }

    /// Lines are not repeated: in the paper's layout each stands once for each file.
    #[test]
    fn merged_lines_stand_once(findings in any_findings()) {
        let mut expect = BTreeSet::new();
        for finding in &findings {
            if let FindingContent::Lines(SourceLines { path, lines, .. }) = &finding.content {
                expect.extend(lines.iter().map(|(number, _)| (path.clone(), *number)));
            }
        }
        let session = Session { findings, last: None, ..Session::full() };
        let settings = PromptSettings { layout: Layout::Paper, gathered_tokens: 500_000, prompt_tokens: 2_000_000, ..PromptSettings::default() };
        let prompt = prompt(&session, &settings);
        prop_assert_eq!(whole(&prompt).matches("statement_").count(), expect.len());
    }
}
