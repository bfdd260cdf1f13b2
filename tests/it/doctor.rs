//! `patchwright doctor --model` with scripted services, and sessions with a service that cuts prompts in silence.

use std::sync::atomic::{AtomicU64, Ordering};

use patchwright_protocol::{ChatReply, FinishReason, ToolCall, Usage};
use serde_json::{Value, json};

use crate::kit::{
    Model, Run, call, folder, hypothesis, program, project, prompt_text, run, without_numbers, write,
};
use crate::scripted::Step;

/// What a service of these tests can do.
#[derive(Clone, Copy)]
#[allow(clippy::struct_excessive_bools, reason = "each is an ability of its own")]
struct Abilities {
    /// The context in tokens, of which prompts are cut in silence.
    context: Option<u64>,
    /// Tokens are counted.
    counts: bool,
    /// Tools can be called.
    tools: bool,
    /// Commands are written as JSON.
    json: bool,
    /// An effort is accepted, and reasoning sent.
    reasons: bool,
}

const GOOD: Abilities = Abilities { context: None, counts: true, tools: true, json: true, reasons: false };

/// The word between `start` and the next full stop.
fn word_behind(prompt: &str, start: &str) -> String {
    let rest = prompt.split_once(start).map(|(_, rest)| rest).unwrap_or_default();
    rest.split('.').next().unwrap_or_default().to_owned()
}

/// A service with these abilities: it answers the doctor's questions as a model does that understands them.
fn service(abilities: Abilities) -> Model {
    Model::answering(move |request| answer(request, abilities))
}

fn answer(request: &Value, abilities: Abilities) -> Step {
    let prompt = prompt_text(request);
    let tokens = prompt.len() as u64 / 4;
    let kept = abilities.context.map_or(tokens, |context| context.min(tokens));
    // What does not fit is cut off at the beginning.
    let seen = &prompt[prompt.len() - prompt.len().min(4 * kept as usize + 3)..];
    let offers_tools = request.get("tools").is_some();
    if offers_tools && !abilities.tools {
        return Step::error(400, "invalid_request_error", "this model does not support tools");
    }
    if request.get("reasoning_effort").is_some() && !abilities.reasons {
        return Step::error(400, "invalid_request_error", "Unsupported parameter: 'reasoning_effort'");
    }
    let args = json!({ "file_path": "src/main.py", "first_line": 10, "last_line": 20 });
    let reasoning = if abilities.reasons { "Let me see." } else { "" };
    let mut reply =
        ChatReply { model: "scripted-1".to_owned(), reasoning: reasoning.to_owned(), ..ChatReply::default() };
    if offers_tools {
        reply.tool_calls = vec![ToolCall::new("read_range", args.to_string())];
        reply.stop = FinishReason::ToolCalls;
    } else if prompt.contains("JSON object") {
        let command = json!({ "thoughts": "I read", "command": { "name": "read_range", "args": args } });
        reply.text = if abilities.json { command.to_string() } else { "I cannot read files.".to_owned() };
    } else {
        let words = ["The first word is ", "The last word is "].map(|start| word_behind(seen, start));
        reply.text = words.join(" ");
    }
    reply.usage = abilities.counts.then(|| Usage { input: kept, output: 20, ..Usage::default() });
    Step::Reply(reply)
}

/// Runs the doctor on a service.
fn doctor(url: &str, words: &[&str]) -> Run {
    let all = ["doctor", "--model", "compatible/scripted", "--base-url", url];
    run(&[&all, words].concat())
}

/// The object of the doctor's report on a service with these abilities, the code, and what was told.
fn report(abilities: Abilities) -> (Value, i32, String) {
    let service = service(abilities);
    let run = doctor(&service.url(), &["--json"]);
    (run.json(), run.code, run.stderr)
}

/// The error and its hint.
fn failure(stderr: &str) -> String {
    without_numbers(&stderr[stderr.find("error: ").unwrap()..])
}

/// The mark of a finding.
fn mark<'a>(report: &'a Value, name: &str) -> &'a str {
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap()["mark"].as_str().unwrap()
}

#[test]
fn a_good_service_can_drive_a_session() {
    let (report, code, stderr) = report(GOOD);
    assert_eq!((code, &report["usable"]), (0, &json!(true)), "{report}\n{stderr}");
    assert_eq!((&report["protocol"], &report["wire_format"]), (&json!("native"), &json!("chat completions")));
    assert_eq!((&report["tool_calls"], &report["json"]), (&json!(true), &json!(true)));
    let context = &report["context"];
    assert_eq!((&context["knows_beginning"], &context["cuts_in_silence"]), (&json!(true), &json!(false)));
    assert!(context["counted"].as_u64().unwrap() > 7_000, "{context}");
    assert_eq!((&report["reasons"], &report["takes_effort"]), (&json!(false), &json!(false)));
    let streaming = &report["streaming"];
    assert!(streaming["in_pieces"] == true && streaming["first_piece_seconds"].is_number(), "{streaming}");
    assert_eq!((&report["price_known"], &report["cost_usd"]), (&json!(false), &json!(null)));
    assert_eq!(report["answered_by"], "scripted-1");
    for name in ["service", "context", "tool calls", "JSON", "reasoning", "streaming", "price"] {
        assert_eq!(mark(&report, name), "ok", "{report}");
    }
}

#[test]
fn the_report_for_people_has_a_line_for_each_finding() {
    let service = service(Abilities { reasons: true, ..GOOD });
    let run = doctor(&service.url(), &[]);
    assert_eq!(run.code, 0, "{run:?}");
    let begins = |start: &str| run.stdout.lines().any(|line| line.starts_with(start));
    for start in [
        "compatible/scripted at http://127.0.0.1:",
        "  ✓ service     scripted-1 answered in ",
        "  ✓ context     all of a prompt of ",
        "  ✓ tool calls  a native call with readable arguments",
        "  ✓ JSON        the command that was asked for",
        "  ✓ reasoning   reasoning was sent or counted; an effort is accepted, or ignored",
        "  ✓ streaming   answers come in pieces",
        "  ✓ price       none is known; the service is on this machine",
        "a repair session can be driven by it, with `--protocol native`",
    ] {
        assert!(begins(start), "{start} is missing in\n{}", run.stdout);
    }
    insta::assert_snapshot!("progress", without_numbers(&run.stderr));
}

#[test]
fn a_service_that_cuts_in_silence_cannot() {
    let (report, code, stderr) = report(Abilities { context: Some(4_096), ..GOOD });
    assert_eq!((code, &report["usable"]), (4, &json!(false)), "{report}");
    assert_eq!(mark(&report, "context"), "failure");
    let context = &report["context"];
    assert_eq!((&context["counted"], &context["window"]), (&json!(4_096), &json!(4_096)));
    assert_eq!((&context["knows_beginning"], &context["cuts_in_silence"]), (&json!(false), &json!(true)));
    insta::assert_snapshot!("cuts_in_silence", failure(&stderr));
    assert!(stderr.contains("OLLAMA_CONTEXT_LENGTH=32768"), "{stderr}");
}

#[test]
fn where_tokens_are_not_counted_the_words_tell() {
    let (whole, code, _) = report(Abilities { counts: false, ..GOOD });
    assert_eq!((code, &whole["context"]["counted"]), (0, &json!(null)), "{whole}");
    assert_eq!((mark(&whole, "context"), &whole["context"]["cuts_in_silence"]), ("ok", &json!(false)));
    let (cut, code, stderr) = report(Abilities { counts: false, context: Some(4_096), ..GOOD });
    assert_eq!((code, mark(&cut, "context")), (4, "failure"), "{cut}");
    insta::assert_snapshot!("words_tell", failure(&stderr));
}

#[test]
fn a_service_without_tools_is_asked_for_json() {
    let (found, code, stderr) = report(Abilities { tools: false, ..GOOD });
    assert_eq!(
        (code, &found["protocol"], &found["tool_calls"]),
        (0, &json!("json"), &json!(false)),
        "{stderr}"
    );
    assert_eq!((mark(&found, "tool calls"), mark(&found, "JSON")), ("warning", "ok"));
    let (found, code, _) = report(Abilities { json: false, ..GOOD });
    assert_eq!((code, &found["protocol"], mark(&found, "JSON")), (0, &json!("native"), "warning"));
    let (found, code, stderr) = report(Abilities { tools: false, json: false, ..GOOD });
    assert_eq!((code, &found["protocol"], mark(&found, "JSON")), (4, &json!(null), "failure"));
    insta::assert_snapshot!("neither_tools_nor_json", failure(&stderr));
}

#[test]
fn a_prompt_that_is_refused_tells_the_context() {
    let model = Model::answering(|request| {
        let prompt = prompt_text(request);
        if prompt.len() > 20_000 {
            let message =
                "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens.";
            return Step::error(400, "context_length_exceeded", message);
        }
        answer(request, GOOD)
    });
    let run = doctor(&model.url(), &["--json"]);
    let report = run.json();
    assert_eq!((run.code, &report["context"]["window"]), (4, &json!(4_096)), "{run:?}");
    assert_eq!(report["context"]["cuts_in_silence"], false);
    insta::assert_snapshot!("prompt_is_refused", failure(&run.stderr));
}

/// As the server of llama-cpp-python: in a stream nothing is counted, and a prompt that is too long ends it without a word.
#[test]
fn a_server_that_counts_whole_answers_alone_is_asked_for_one() {
    let of_server = |context: u64| {
        Model::answering(move |request| {
            let is_streamed = request["stream"] == true;
            let is_long = prompt_text(request).len() as u64 / 4 > context;
            match (is_streamed, is_long) {
                (true, true) => Step::pieces([""; 0]),
                (false, true) => Step::error(
                    400,
                    "context_length_exceeded",
                    format!(
                        "This model's maximum context length is {context} tokens. However, you requested 10466 tokens"
                    ),
                ),
                (is_streamed, false) => answer(request, Abilities { counts: !is_streamed, ..GOOD }),
            }
        })
    };
    let run = doctor(&of_server(20_000).url(), &["--json"]);
    assert!(run.code == 0 && run.json()["context"]["counted"].as_u64().unwrap() > 7_000, "{run:?}");
    let run = doctor(&of_server(4_096).url(), &["--json"]);
    assert_eq!((run.code, &run.json()["context"]["window"]), (4, &json!(4_096)), "{run:?}");
}

#[test]
fn a_service_that_is_not_there_is_told_with_the_cure() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let run = doctor(&format!("http://127.0.0.1:{port}/v1"), &[]);
    assert_eq!(run.code, 4, "{run:?}");
    insta::assert_snapshot!("not_there", without_numbers(&[run.stdout, run.stderr].concat()));
}

#[test]
fn a_key_that_is_refused_is_told_and_not_shown() {
    let model = Model::answering(|_| Step::error(401, "invalid_api_key", "bad key sk-very-secret"));
    let words = ["doctor", "--model", "compatible/scripted", "--base-url", &model.url()];
    let output = program().args(words).env("PATCHWRIGHT_API_KEY", "sk-very-secret").output().unwrap();
    let run = Run::from(output);
    assert_eq!(run.code, 4, "{run:?}");
    insta::assert_snapshot!("key_is_refused", without_numbers(&run.stdout));
    assert!(!format!("{run:?}").contains("very-secret"), "{run:?}");
}

#[test]
fn wrong_usage_is_told() {
    let check = |words: &[&str], expect: &str| {
        let run = run(&[&["doctor"], words].concat());
        assert!(run.code == 2 && run.stderr.contains(expect), "{run:?}");
    };
    check(&["--model", "patterns"], "no service answers for it");
    check(&["--model", "strange"], "the provider is missing");
    check(&["--base-url", "http://127.0.0.1:1/v1"], "--model");
    check(&["--model", "openai/gpt-4.1", "--clean"], "--clean");
}

/// A reply with a count of the prompt that never exceeds `window`.
fn counted(text: String, window: u64) -> Step {
    Step::When(Box::new(move |request| {
        let tokens = request.texts().iter().map(|text| text.len() as u64).sum::<u64>() / 4;
        let usage = Usage { input: tokens.min(window), output: 50, ..Usage::default() };
        Step::Reply(ChatReply { text, usage: Some(usage), ..ChatReply::default() })
    }))
}

/// The result tells that the service cuts prompts, and the cure.
fn tells_of_cut_prompts(result: &Value) {
    let told = ["reason", "hint"].map(|field| result[field].as_str().unwrap());
    insta::assert_snapshot!("session_with_cut_prompts", without_numbers(&told.join("\n")));
}

#[test]
fn a_session_with_a_service_that_cuts_prompts_ends_with_the_cure() {
    let project = project();
    let read = |first: u32| {
        let args = json!({ "file_path": "bank/account.py", "start_line": first, "end_line": first + 3 });
        call("read_range", args)
    };
    let replies = || vec![hypothesis(), read(1), read(4), call("run_tests", json!({}))];
    let model = Model::of(replies().into_iter().map(|text| counted(text, 1_500)).collect());
    let run = model.repair(project.path(), &["--cycles", "4"]);
    let result = run.json();
    assert_eq!((run.code, &result["status"]), (4, &json!("model")), "{run:?}");
    tells_of_cut_prompts(&result);
    let hint = result["hint"].as_str().unwrap();
    assert!(hint.contains("OLLAMA_CONTEXT_LENGTH=32768") && run.stderr.contains(hint), "{run:?}");

    // With room for all of it, or without a count, the same session goes on to its end.
    for window in [u64::MAX, 0] {
        let model = Model::of(replies().into_iter().map(|text| counted(text, window)).collect());
        let run = model.repair(project.path(), &["--cycles", "4"]);
        assert_eq!((run.code, &run.json()["status"]), (1, &json!("budget")), "{run:?}");
    }
}

/// A model that reads on and on, behind a service that cuts prompts in silence.
fn cutting() -> Model {
    let line = AtomicU64::new(1);
    Model::answering(move |request| {
        let first = line.fetch_add(1, Ordering::Relaxed) % 8 + 1;
        let args = json!({ "file_path": "bank/account.py", "start_line": first, "end_line": first + 1 });
        let tokens = prompt_text(request).len() as u64 / 4;
        let usage = Usage { input: tokens.min(1_500), output: 50, ..Usage::default() };
        let text = call("read_range", args);
        Step::Reply(ChatReply { text, usage: Some(usage), ..ChatReply::default() })
    })
}

#[test]
fn the_writing_of_a_test_ends_so_too() {
    let project = crate::writing_tests::bank();
    let issue = project.path().join("issue.md");
    // Small prompts fit into any context, so that nothing is said of them.
    let story = "I opened an account for my daughter and put some money into it. ".repeat(60);
    write(&issue, format!("{}\n{story}\n", crate::writing_tests::ISSUE).as_bytes());
    let run = cutting().test(project.path(), &["--issue", issue.to_str().unwrap(), "--cycles", "6"]);
    assert_eq!((run.code, &run.json()["status"]), (4, &json!("model")), "{run:?}");
    tells_of_cut_prompts(&run.json());
}

#[test]
fn a_case_of_a_batch_run_ends_so_too() {
    let project = project();
    let manifest = "[[bug]]\nid = \"first\"\nlanguage = \"python\"\ndir = \".\"\n";
    write(&project.path().join("bugs.toml"), manifest.as_bytes());
    let out = folder(&[]);
    let suite = format!("manifest:{}", project.path().join("bugs.toml").display());
    let place = out.path().join("run");
    let words =
        ["bench", "run", "--suite", &suite, "--out", place.to_str().unwrap(), "--json", "--cycles", "6"];
    let done: Run = program().args(words).args(cutting().of_runs()).output().unwrap().into();
    assert_eq!(done.json()["statuses"], json!({ "model": 1 }), "{done:?}");
    let result = std::fs::read_to_string(place.join("cases/first/attempt-1/result.json")).unwrap();
    tells_of_cut_prompts(&serde_json::from_str(&result).unwrap());
}

/// A real server, such as one of llama.cpp: `PATCHWRIGHT_LLAMA_SERVER` names its base URL.
#[test]
#[ignore = "needs a server of one's own, which PATCHWRIGHT_LLAMA_SERVER names"]
fn a_real_server_is_looked_at() {
    let Ok(url) = std::env::var("PATCHWRIGHT_LLAMA_SERVER") else {
        println!("skipped: PATCHWRIGHT_LLAMA_SERVER names no server");
        return;
    };
    let run = doctor(&url, &["--json"]);
    let report = run.json();
    println!("{report:#}");
    assert!(run.code == 0 || run.code == 4, "{run:?}");
    assert_eq!((mark(&report, "service"), &report["wire_format"]), ("ok", &json!("chat completions")));
}
