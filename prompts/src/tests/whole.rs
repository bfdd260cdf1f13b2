//! Every prompt as a model reads it. What changes in a text shows in the snapshots.

use patchwright_protocol::{FailingTest, Message, TestId};

use super::*;
use crate::sample::stage_questions;

const STATES: [&str; 4] = ["understand_bug", "reproduce", "collect_information", "try_fix"];

/// The sample's session in a state, its bug in Python or in Java.
fn session(state: &'static str, language: &str) -> Session {
    let mut session = Session { state, ..Session::full() };
    let path = if language == "Java" { "src/main/java/stock/Order.java" } else { "stock/order.py" };
    let found = Finding {
        content: FindingContent::Text(format!("{path}: Order.total (lines 3-8)")),
        ..session.findings[1].clone()
    };
    session.findings = vec![read(1, path, 1..=6), found, read(3, path, 4..=9)];
    for candidate in &mut session.candidates {
        candidate.record.diff = Some(candidate.diff().replace("stock/order.py", path));
    }
    let task = &mut session.task;
    if state == "reproduce" {
        // An issue alone tells of the bug.
        task.failing.clear();
        task.test_code.clear();
        session.candidates.clear();
    }
    task.files = vec![path.to_owned()];
    task.localization = Some(format!("- {path}, line 12"));
    if language == "Java" {
        task.language = language.to_owned();
        task.failing = vec![FailingTest {
            id: TestId::new("stock.OrderTest::total"),
            message: Some(
                "expected:<0> but was:<3>\n\tat stock.OrderTest.total(OrderTest.java:21)".to_owned(),
            ),
        }];
        task.test_code = "20: @Test public void total() {\n21:     assertEquals(0, total(none));".to_owned();
    }
    session
}

/// The messages one after the other, each under who speaks and whether the prompt is cached up to it.
fn shown(prompt: &Prompt) -> String {
    let message = |message: &Message| {
        let cached = if message.cache_here { ", cached" } else { "" };
        format!("<<< {:?}{cached} >>>\n{}\n", message.role, message.text)
    };
    let messages: String = prompt.messages.iter().map(message).collect();
    format!("{messages}<<< {} tokens >>>", prompt.tokens)
}

fn check(name: &str, prompt: &Prompt) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, shown(prompt));
    });
}

#[test]
fn the_loop_asks_in_every_layout_state_and_language() {
    for (layout, layout_name) in [(Layout::Cache, "cache"), (Layout::Paper, "paper")] {
        let settings = settings(layout, Protocol::Json);
        for state in STATES {
            for language in ["Python", "Java"] {
                let name = format!("{layout_name}_{state}_{}", language.to_lowercase());
                check(&name, &prompt(&session(state, language), &settings));
            }
        }
    }
    let machine = machine();
    let open: Vec<&str> =
        machine.states().iter().filter(|state| !state.terminal).map(|state| state.name.as_str()).collect();
    assert_eq!(open, STATES);
}

#[test]
fn native_calling_leaves_the_schemas_out() {
    for (layout, name) in [(Layout::Cache, "cache_native"), (Layout::Paper, "paper_native")] {
        check(name, &prompt(&session("try_fix", "Python"), &settings(layout, Protocol::Native)));
    }
}

#[test]
fn tools_and_the_pipeline_ask_beside_the_loop() {
    let session = Session::full();
    let settings = PromptSettings::default();
    for (name, prompt) in session.side_questions(&settings).unwrap() {
        check(&format!("tool_{name}"), &prompt);
    }
    for (name, prompt) in stage_questions(&session.task, &settings).unwrap() {
        check(&format!("stage_{name}"), &prompt);
    }
    // Where an issue alone tells of the bug, a variant may be asked for all the same.
    let told_by_issue = self::session("reproduce", "Python");
    let [(_, variants), _] = told_by_issue.side_questions(&settings).unwrap();
    check("tool_variants_of_issue", &variants);
}
