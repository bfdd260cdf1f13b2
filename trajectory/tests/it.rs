//! Trajectories as their users see them: files on a disk.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};

use patchwright_protocol::schema::{faults, unread};
use patchwright_protocol::{
    CandidateCounts, CandidateRecord, ChatReply, Confirmation, Effort, FailingTest, Message, Mode, Origin,
    RankedPatch, Remark, ReproductionOutcome, ReproductionRecord, ReproductionVerdict, Role, RunCounts,
    Seconds, SessionResult, Status, Tally, TestCounts, TestsRun, ToolCall, ToolOutcome, Unconfirmable, Usage,
    ValidationResult, Verdict,
};
use patchwright_trajectory::{
    Change, DeltaError, Event, InterventionKind, Level, PromptDelta, PromptStore, Purpose, Record, Redactor,
    RefusalReason, TrajectoryReadError, TrajectoryWriteError, Writer, read, schema, schema_text,
};
use proptest::prelude::*;
use serde_json::json;

fn started() -> Event {
    Event::session_started(
        "2026-11-21T08-00-00-1a2b",
        "2026-11-21T08:00:00Z",
        json!({"project": "calendar", "issue": null}),
        json!({"cycles": 40}),
        Mode::Agent,
        "openai/gpt-4.1",
    )
}

/// What ran of the tests of [`every_event`].
fn tests_run() -> TestsRun {
    TestsRun::Counted(Box::new(RunCounts {
        showing: Tally { passed: 1, ..Tally::default() },
        others: Tally { passed: 29, failed: 0, not_run: 1 },
        flaky: 1,
        ..RunCounts::default()
    }))
}

/// One of every event.
fn every_event() -> Vec<Event> {
    let usage = Usage { input: 1200, cached_input: 1000, output: 90, ..Usage::default() };
    vec![
        started(),
        Event::Detected {
            spec: json!({"language": "python", "test": "pytest"}),
            reasons: vec!["pyproject.toml names pytest".into()],
            sandbox: "namespaces: no network".into(),
            notes: vec!["no Docker daemon".into()],
        },
        Event::NamedTests {
            failing: vec![FailingTest { id: "tests/test_a.py::test_b".into(), message: None }],
            report: "1 failed".into(),
            seconds: 0.5,
        },
        Event::Baseline {
            total: 31,
            passed: 30,
            failing: vec![FailingTest {
                id: "tests/test_a.py::test_b".into(),
                message: Some("1 != 2".into()),
            }],
            known_failing: vec![],
            flaky: vec!["tests/test_a.py::test_clock".into()],
            nearest: vec!["tests/test_a.py".into()],
            all_tests: Some(3),
            report: "1 failed".into(),
            seconds: 1.25,
            suite_seconds: Some(0.5),
            traced: Some(["tests/test_a.py::test_b".into()].into()),
        },
        Event::Prompt {
            cycle: 1,
            purpose: Purpose::Command,
            prompt: PromptStore::default().delta(Purpose::Command, &[message(Role::User, "Hello\n")]),
            tokens: 2,
        },
        Event::Reply {
            cycle: 1,
            purpose: Purpose::Command,
            reply: ChatReply {
                text: "{\"thoughts\": \"…\"}".into(),
                reasoning: "First look.".into(),
                tool_calls: vec![ToolCall::new("read_range", "{}")],
                usage: Some(usage),
                model: "gpt-4.1".into(),
                items: vec![json!({"type": "reasoning", "encrypted_content": "sealed"})],
                first_piece_seconds: Some(0.5),
                ..ChatReply::default()
            },
            cost_usd: None,
            seconds: 2.5,
            effort: Some(Effort::High),
        },
        Event::Call {
            cycle: 1,
            tool: "read_range".into(),
            arguments: json!({"file_path": "a.py", "start_line": 1}),
            thoughts: Some("look first".into()),
            repairs: vec!["`filepath` read as `file_path`".into()],
        },
        Event::Refusal {
            cycle: 1,
            reason: RefusalReason::Forbidden,
            tool: Some("write_fix".into()),
            message: "not here".into(),
        },
        Event::Observation {
            cycle: 1,
            tool: "read_range".into(),
            text: "1: import os".into(),
            data: json!({"lines": 1}),
            outcome: ToolOutcome::Finish {
                reason: "it counts".into(),
                outdated_tests: vec!["test_a".into()],
            },
            advance: true,
            seconds: 0.001,
        },
        Event::Transition { cycle: 1, from: "understand_bug".into(), to: "collect_information".into() },
        Event::Hypothesis { cycle: 1, text: "off by one".into() },
        Event::HypothesisDiscarded { cycle: 2, reason: "the bound is right".into() },
        Event::Candidate {
            cycle: 2,
            candidate: CandidateRecord {
                id: 2,
                origin: Origin::Variant,
                variant_of: Some(1),
                edits: json!([{"file_path": "a.py", "deletions": [3]}]),
                diff: Some("--- a/a.py\n".into()),
                fingerprint: Some("ab12".into()),
                remark: Some(remark()),
            },
        },
        Event::Verdict {
            cycle: 2,
            candidate: 2,
            result: ValidationResult {
                tests_run: Some(tests_run()),
                verdict: Verdict::Failing,
                still_failing: vec!["tests/test_a.py::test_b".into()],
                newly_failing: vec![],
                outdated: vec!["tests/test_a.py::test_old".into()],
                duplicate_of: None,
                message: None,
                reproductions: vec![ReproductionOutcome { test: 1, passes: false }],
                confirmation: None,
                seconds: 0.5,
            },
        },
        Event::Reproduction {
            cycle: 2,
            test: ReproductionRecord {
                id: 1,
                path: "tests/test_new.py".into(),
                text: "--- /dev/null\n".into(),
                verdict: ReproductionVerdict::Fails,
                tests: vec!["tests/test_new.py::test_a".into()],
                failure: Some("assert 1 == 2".into()),
                replaces: Some(3),
            },
        },
        Event::Intervention { cycle: 2, kind: InterventionKind::Hint, text: "look at the loop".into() },
        Event::AskedAgain {
            cycle: 2,
            purpose: Purpose::Command,
            error: "the prompt is too long".into(),
            change: Change::Shortening { prompt_tokens: 6_000, reply_tokens: 1_024, window: Some(8_192) },
        },
        Event::Notice { level: Level::Warning, text: "the price of this model is unknown".into() },
        Event::SessionEnded(SessionResult {
            status: Status::Plausible,
            reason: "candidate 2 passes all tests".into(),
            hint: None,
            model: "m".into(),
            hypothesis: Some("off by one".into()),
            candidate: Some(2),
            patch: Some("--- a/a.py\n".into()),
            partial: None,
            reproductions: Vec::new(),
            outdated: vec!["tests/test_a.py::test_old".into()],
            written: None,
            patches: vec![
                RankedPatch {
                    candidate: 2,
                    patch: "--- a/a.py\n".into(),
                    remark: Some(remark()),
                    tampering: Vec::new(),
                    confirmation: Some(Confirmation::Yes),
                    tests_run: Some(tests_run()),
                },
                RankedPatch {
                    candidate: 1,
                    patch: "--- a/b.py\n".into(),
                    remark: None,
                    tampering: vec!["a/b.py:3 ends the process".into()],
                    confirmation: Some(Confirmation::No { because: Unconfirmable::UserCommand }),
                    tests_run: None,
                },
            ],
            cycles: 2,
            candidates: CandidateCounts { tried: 2, duplicates: 0, plausible: 1, unverified: 0 },
            tests: TestCounts { failing_before: 1, failing_after: 0 },
            tokens: usage,
            cost_usd: Some(0.01),
            seconds: Seconds { total: 9.0, model: 5.0, planning: 0.0, tests: 3.0, tools: 0.5 },
        }),
    ]
}

fn remark() -> Remark {
    Remark {
        pattern: "change operator".into(),
        what: "`<` becomes `<=`".into(),
        place: "a.py:3".into(),
        overfit: Some("constant_condition".into()),
    }
}

fn message(role: Role, text: &str) -> Message {
    Message::new(role, text)
}

fn write_all(path: &Path, events: &[Event]) {
    let mut time = 0;
    let mut writer = Writer::create_with_clock(path, Redactor::default(), move || {
        time += 5;
        time
    })
    .unwrap();
    for event in events {
        writer.write(event.clone()).unwrap();
    }
    writer.close().unwrap();
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("trajectory.jsonl")
    }

    /// The message of the error that reading this content gives.
    fn error_of(&self, content: &[u8]) -> String {
        std::fs::write(self.file(), content).unwrap();
        read(&self.file()).unwrap_err().to_string().replace(self.0.path().to_str().unwrap(), "DIR")
    }
}

#[test]
fn what_is_written_is_read() {
    let folder = Folder::new();
    let events = every_event();
    write_all(&folder.file(), &events);
    let log = read(&folder.file()).unwrap();
    assert_eq!(log.cut, None);
    assert!(log.ended());
    for (index, (record, event)) in log.records.iter().zip(&events).enumerate() {
        assert_eq!((record.seq, record.ms), (index as u64, 5 * (index as u64 + 1)));
        assert_eq!(&record.event, event);
    }
    assert_eq!(log.records.len(), events.len());
}

#[test]
fn every_event_fits_the_published_schema_and_its_names() {
    let schema = schema();
    assert_eq!(unread(&schema), [""; 0], "all of the schema is looked at");
    let events = every_event();
    for event in &events {
        let line = serde_json::to_value(Record { seq: 0, ms: 0, event: event.clone() }).unwrap();
        assert_eq!(faults(&schema, &schema, &line), [], "{line}");
        assert_eq!(line["event"], event.name());
        assert_eq!(line.get("cycle").and_then(serde_json::Value::as_u64), event.cycle().map(u64::from));
    }
    let known = schema["oneOf"].as_array().unwrap().len();
    assert_eq!(events.len(), known, "every event has an example");
}

#[test]
fn the_committed_schema_is_fresh() {
    let committed = include_str!("../schema.json");
    assert!(committed == schema_text(), "run: cargo run -p patchwright-trajectory --example schema");
}

#[test]
fn a_trajectory_is_never_overwritten() {
    let folder = Folder::new();
    write_all(&folder.file(), &[started()]);
    let error = Writer::create(&folder.file(), Redactor::default()).unwrap_err();
    assert!(matches!(error, TrajectoryWriteError::Exists { .. }), "{error}");
    let error = Writer::create(&folder.0.path().join("no/such/folder"), Redactor::default()).unwrap_err();
    assert!(matches!(error, TrajectoryWriteError::Create { .. }), "{error}");
    assert_eq!(read(&folder.file()).unwrap().records.len(), 1);
}

#[test]
fn a_session_killed_at_any_byte_leaves_a_readable_trajectory() {
    let folder = Folder::new();
    write_all(&folder.file(), &every_event()[..3]);
    let whole = std::fs::read(folder.file()).unwrap();
    let ends: Vec<usize> =
        whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(index, _)| index + 1).collect();
    for length in 0..whole.len() {
        std::fs::write(folder.file(), &whole[..length]).unwrap();
        // A line that lacks nothing but its end is whole.
        let lines = ends.iter().filter(|end| length + 1 >= **end).count();
        if lines == 0 {
            let error = read(&folder.file()).unwrap_err();
            assert!(matches!(error, TrajectoryReadError::Empty { .. }), "{error}");
            continue;
        }
        let log = read(&folder.file()).unwrap();
        assert_eq!(log.records.len(), lines, "{length}");
        assert!(!log.ended());
        let rest = length.saturating_sub(ends[lines - 1]);
        assert_eq!(
            log.cut.as_ref().map(|cut| (cut.line, cut.bytes)),
            (rest > 0).then_some((lines as u64 + 1, rest as u64))
        );
    }
}

#[test]
fn damage_names_file_line_and_field() {
    let folder = Folder::new();
    let check = |damaged: &str, expect: &str| {
        let first = serde_json::to_string(&Record { seq: 0, ms: 0, event: started() }).unwrap();
        let content = format!(
            "{first}\n{damaged}\n{{\"seq\":2,\"ms\":0,\"event\":\"notice\",\"level\":\"info\",\"text\":\"\"}}\n"
        );
        assert_eq!(folder.error_of(content.as_bytes()), format!("DIR/trajectory.jsonl:2: {expect}"));
    };
    check("{\"seq\":1,", "no JSON: EOF while parsing a value at line 2 column 0");
    check("[]", "field `/event`: is missing");
    check(r#"{"seq":1,"ms":0,"event":"party"}"#, "field `/event`: no such event: \"party\"");
    check(
        r#"{"seq":1,"ms":0,"event":"transition","cycle":"one","from":"a","to":"b"}"#,
        "field `/cycle`: a string instead of an integer",
    );
    check(r#"{"seq":1,"ms":0,"event":"transition","cycle":1,"from":"a"}"#, "`to` is missing");
    check(r#"{"ms":0,"event":"hypothesis","cycle":1,"text":"a"}"#, "`seq` is missing");
    check(
        r#"{"seq":5,"ms":0,"event":"hypothesis","cycle":1,"text":"a"}"#,
        "field `/seq`: 5 instead of 1; events are missing or doubled",
    );
    check(
        r#"{"seq":1,"ms":0,"event":"baseline","total":1,"passed":0,"failing":[{"id":"a","message":7}],"known_failing":[],"flaky":[],"report":"","seconds":0}"#,
        "field `/failing/0/message`: an integer instead of a string or null",
    );
}

#[test]
fn a_file_that_is_no_trajectory_is_refused() {
    let folder = Folder::new();
    let check = |content: &[u8], expect: &str| {
        assert_eq!(folder.error_of(content), format!("DIR/trajectory.jsonl{expect}"));
    };
    check(b"", " holds no event; the session ended before its first one");
    check(b"\x00\x00\x00", " holds no event; the session ended before its first one");
    check(
        b"{\"seq\":0,\"ms\":0,\"event\":\"hypothesis\",\"cycle\":1,\"text\":\"\"}\n",
        ":1: field `/event`: the first event is `hypothesis`, not `session_started`",
    );
    let newer = serde_json::to_string(&Record { seq: 0, ms: 0, event: started() })
        .unwrap()
        .replace("\"version\":1", "\"version\":9");
    check(
        newer.as_bytes(),
        ": format `patchwright-trajectory` version 9; this program reads patchwright-trajectory up to version 1",
    );
    let missing = read(&folder.0.path().join("none.jsonl")).unwrap_err().to_string();
    assert!(missing.starts_with("cannot read "), "{missing}");
}

#[test]
fn secrets_are_never_written() {
    let secrets =
        ["sk-abcdefgh12345678", "pass\"word\\ü/x", "sk-abcdefgh1234567890-long", "none"].map(String::from);
    let [key, odd, long, placeholder] = secrets.clone();
    let quoted = serde_json::to_string(&odd).unwrap();
    let folder = Folder::new();
    let mut writer = Writer::create(&folder.file(), Redactor::new(&secrets)).unwrap();
    writer.write(started()).unwrap();
    let record = writer
        .write(Event::Call {
            cycle: 1,
            tool: format!("tool {key}"),
            arguments: json!({"deep": [{"list": [format!("a {odd} b")]}], key.clone(): {"text": quoted}}),
            thoughts: Some(format!("nested {}", json!({"arguments": json!({"key": odd}).to_string()}))),
            repairs: vec!["pass\\\"word\\\\\\u00fc/x".into(), "pass\\\"word\\\\ü\\/x".into(), long.clone()],
        })
        .unwrap();
    let cut_apart = [
        message(Role::User, &format!("first half {}\n", &key[..9])),
        message(Role::User, placeholder.as_str()),
    ];
    writer.prompt(1, Purpose::Command, &cut_apart, 9).unwrap();
    let whole =
        [message(Role::User, &format!("first half {key}\n")), message(Role::User, placeholder.as_str())];
    writer.prompt(2, Purpose::Command, &whole, 9).unwrap();
    drop(writer);
    let text = std::fs::read_to_string(folder.file()).unwrap();
    for part in ["h12345678", "word", "-long"] {
        assert!(!text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("none"), "placeholders for a key are no secrets");
    assert_eq!(read(&folder.file()).unwrap().records[1], record, "the caller gets what is in the file");
    let prompts = read(&folder.file()).unwrap().prompts().unwrap();
    assert_eq!(prompts[1].messages[0].text, "first half [redacted]\n");
}

#[test]
fn what_is_found_everywhere_is_no_secret() {
    let check = |secret: &str, expect: &str| {
        let redactor = Redactor::new([secret]);
        let text = format!("<{secret}>");
        assert_eq!(redactor.text(&text), expect.replace('*', &text), "{secret}");
        assert_eq!(
            redactor.bytes(&[b"\xff", text.as_bytes()].concat()),
            [b"\xff", redactor.text(&text).as_bytes()].concat()
        );
    };
    check("12345", "*");
    check("123456", "<[redacted]>");
    check("testing", "*");
    check("correcthorsebattery", "<[redacted]>");
    check("Testing", "<[redacted]>");
    check("[redact", "*");
    let overlapping = Redactor::new(["secret-one", "one-after", "ret"]);
    assert_eq!(overlapping.text("a secret-one-after all"), "a [redacted] all");
}

#[test]
fn a_secret_is_found_where_characters_of_it_are_escaped() {
    let redactor = Redactor::new(["sk-correct-horse"]);
    let check = |text: &str, expect: &str| assert_eq!(redactor.text(text), expect);
    check(r#"{"key": "\u0073k-correct-horse"}"#, r#"{"key": "[redacted]"}"#);
    check(r"ä \u0073\u006B\u002dcorrect-hors\u0065 and \u00e4", r"ä [redacted] and \u00e4");
    check(r"\u0073k-correct-hors", r"\u0073k-correct-hors");
}

/// A session's prompts: a fixed head, information that grows and sometimes is trimmed, a changing end.
#[test]
fn no_part_of_a_secret_is_left_where_a_text_was_cut() {
    let redactor = Redactor::new(["correct-horse-battery"]);
    let check = |text: &str, expect: &str| assert_eq!(redactor.text(text), expect);
    check("key correct-hor\n[… 90 bytes left out …]\nse", "key [redacted]\n[… 90 bytes left out …]\nse");
    check("a\n[… 9 lines left out …]\nbattery b", "a\n[… 9 lines left out …]\n[redacted] b");
    check("correct-horse-batter[… 1 bytes left out …]-battery", "[redacted][… 1 bytes left out …][redacted]");
    check("correct\n[… 90 bytes left out …]\nrest", "[redacted]\n[… 90 bytes left out …]\nrest");
    check("corr\n[… 90 bytes left out …]\ntery", "corr\n[… 90 bytes left out …]\ntery");
    check("correct-hor and more", "correct-hor and more");
}

fn growing_prompts(cycles: usize) -> (Vec<Vec<Message>>, usize) {
    let head = (0..200)
        .map(|line| format!("Guideline {line}: look before you leap, and test.\n"))
        .collect::<Vec<_>>()
        .concat();
    let mut new = head.len();
    let mut gathered = String::new();
    let prompts = (0..cycles)
        .map(|cycle| {
            let entry = (0..20)
                .map(|line| format!("{line}: let value_{cycle}_{line} = compute({cycle}, {line});\n"))
                .collect::<Vec<_>>()
                .concat();
            let state = format!("State {} of cycle {cycle}\n", cycle % 3);
            let last = format!("Result of command {cycle}\n{entry}Cycles left: {}", cycles - cycle);
            new += state.len() + last.len();
            let text = format!("{head}{state}Tools: the same as ever, every time.\n{gathered}{last}");
            if cycle % 10 == 9 {
                gathered = gathered.split_inclusive('\n').skip(40).collect();
            }
            gathered.push_str(&entry);
            vec![message(Role::System, "You repair programs."), message(Role::User, &text)]
        })
        .collect();
    (prompts, new)
}

#[test]
fn the_log_grows_with_what_is_new() {
    let folder = Folder::new();
    let (prompts, new) = growing_prompts(40);
    let mut writer = Writer::create(&folder.file(), Redactor::default()).unwrap();
    writer.write(started()).unwrap();
    for (cycle, messages) in (1..).zip(&prompts) {
        writer.prompt(cycle, Purpose::Command, messages, 0).unwrap();
    }
    let bytes = std::fs::read(folder.file()).unwrap().len();
    let whole: usize = prompts.iter().flatten().map(|message| message.text.len()).sum();
    assert!(bytes * 2 < new * 3, "{bytes} bytes for {new} new ones");
    assert!(bytes * 10 < whole, "{bytes} bytes for {whole} sent");
    let rebuilt = read(&folder.file()).unwrap().prompts().unwrap();
    assert_eq!(rebuilt.into_iter().map(|prompt| prompt.messages).collect::<Vec<_>>(), prompts);
}

#[test]
fn one_growing_line_is_not_stored_again() {
    let mut store = PromptStore::default();
    let mut line = "é".repeat(5_000);
    for round in 0..10 {
        line.push_str("word ü ");
        let messages = vec![message(Role::User, &line)];
        let delta = store.delta(Purpose::Variants, &messages);
        let size = serde_json::to_string(&delta).unwrap().len();
        assert!(round == 0 || size < 200, "{size}");
        store.keep(Purpose::Variants, messages);
    }
}

#[test]
fn a_changed_prompt_event_is_noticed() {
    let (prompts, _) = growing_prompts(3);
    let folder = Folder::new();
    let mut writer = Writer::create(&folder.file(), Redactor::default()).unwrap();
    writer.write(started()).unwrap();
    for messages in &prompts {
        writer.prompt(1, Purpose::Command, messages, 0).unwrap();
    }
    drop(writer);
    let text = std::fs::read_to_string(folder.file()).unwrap();
    std::fs::write(folder.file(), text.replacen("Guideline 7:", "Guideline 8:", 1)).unwrap();
    let error = read(&folder.file()).unwrap().prompts().unwrap_err();
    let is_hash =
        matches!(error, TrajectoryReadError::Prompt { line: 2, source: DeltaError::Hash { .. }, .. });
    assert!(is_hash, "{error}");
    let lost = PromptStore::default().rebuild(Purpose::Command, &second_delta(&prompts)).unwrap_err();
    assert!(matches!(lost, DeltaError::Stretch { length: 0, .. }), "{lost}");
}

fn second_delta(prompts: &[Vec<Message>]) -> PromptDelta {
    let mut store = PromptStore::default();
    store.keep(Purpose::Command, prompts[0].clone());
    store.delta(Purpose::Command, &prompts[1])
}

fn any_prompt() -> impl Strategy<Value = Vec<Message>> {
    let line = prop_oneof![
        "[aäß🦀]{0,4}\n",
        Just("a line that is longer than a stretch\n".to_owned()),
        "[ab\\\\\"]{0,3}"
    ];
    let text = prop::collection::vec(line, 0..12).prop_map(|lines| lines.concat());
    let one = (prop_oneof![Just(Role::System), Just(Role::User), Just(Role::Assistant)], text, any::<bool>())
        .prop_map(|(role, text, cache_here)| Message { cache_here, ..Message::new(role, text) });
    prop::collection::vec(one, 0..4)
}

proptest! {
    #[test]
    fn no_secret_is_left_in_a_text(
        secrets in prop::collection::vec("[a-cA\"/]{6,9}", 1..4),
        around in prop::collection::vec("[a-cA\"/]{0,4}", 4),
    ) {
        let redactor = Redactor::new(&secrets);
        let text: String =
            around.iter().zip(secrets.iter().cycle()).flat_map(|(text, secret)| [text.as_str(), secret]).collect();
        let escaped = serde_json::to_string(&text).unwrap();
        for secret in secrets.iter().filter(|secret| secret.bytes().any(|byte| !byte.is_ascii_lowercase())) {
            prop_assert!(!redactor.text(&text).contains(secret.as_str()), "{}", redactor.text(&text));
            let inside = serde_json::to_string(secret).unwrap();
            prop_assert!(!redactor.text(&escaped).contains(inside.trim_matches('"')), "{}", redactor.text(&escaped));
        }
        prop_assert_eq!(redactor.text(&redactor.text(&text)), redactor.text(&text));
    }

    #[test]
    fn any_prompts_are_rebuilt(prompts in prop::collection::vec(any_prompt(), 1..6)) {
        let (mut written, mut reading) = (PromptStore::default(), PromptStore::default());
        for messages in prompts {
            let delta = written.delta(Purpose::Command, &messages);
            let line = serde_json::to_string(&delta).unwrap();
            let delta: PromptDelta = serde_json::from_str(&line).unwrap();
            prop_assert_eq!(&reading.rebuild(Purpose::Command, &delta).unwrap(), &messages);
            written.keep(Purpose::Command, messages);
        }
    }
}
