//! Models of today: each wire format with its conversation, and what a service may do to a session without ending it.

use patchwright_protocol::{ChatReply, ToolCall};
use serde_json::{Value, json};

use crate::kit::{Model, call, events, goal, good_fix, hypothesis, named, project, replayed};
use crate::scripted::Step;

/// One model a format: Responses, messages, chat completions.
const EACH: [&str; 3] = ["openai/gpt-5.4", "anthropic/claude-opus-4-6", "compatible/scripted"];

/// A reply with native calls, which was reasoned about.
fn calls(calls: &[(&str, Value)]) -> Step {
    let call = |(name, arguments): &(&str, Value)| ToolCall::new(*name, arguments.to_string());
    let tool_calls = calls.iter().map(call).collect();
    Step::Reply(ChatReply { reasoning: "Let me think.".to_owned(), tool_calls, ..ChatReply::default() })
}

fn edit() -> Value {
    json!({"edits": [{"file_path": "bank/account.py",
        "modifications": [{"line_number": 6, "modified_line": "        if amount > self.balance:"}]}]})
}

/// The parts of the conversation that a request holds.
fn conversation(body: &Value) -> Vec<Value> {
    let list = body.get("messages").or_else(|| body.get("input"));
    list.and_then(Value::as_array).cloned().unwrap_or_default()
}

/// The texts of a part, results of tools included.
fn texts(part: &Value) -> String {
    ["content", "reasoning_content", "output", "summary", "arguments"]
        .iter()
        .map(|key| part[key].to_string())
        .collect()
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn native_calls_and_their_results_stand_in_the_conversation() {
    for name in EACH {
        let project = project();
        let lines = json!({"file_path": "bank/account.py", "start_line": 1, "end_line": 9});
        let model = Model::of(vec![
            calls(&[("read_range", lines), ("search_code_base", json!({"terms": ["withdraw"]}))]),
            // The first that changes what is believed is the last of its reply.
            calls(&[
                ("express_hypothesis", json!({"hypothesis": "the bound is off by one"})),
                ("write_fix", edit()),
            ]),
            calls(&[("write_fix", edit())]),
            calls(&[("goal_accomplished", json!({"reason": "passes"}))]),
        ]);
        let run = model.repair_by(name, project.path(), &["--protocol", "native"]);
        assert_eq!(run.code, 0, "{name}: {run:?}");
        let events = events(project.path());
        let tools: Vec<_> = named(&events, "call").iter().map(|event| event["tool"].clone()).collect();
        let ran = ["read_range", "search_code_base", "express_hypothesis", "write_fix", "goal_accomplished"];
        assert_eq!(tools, ran, "{name}");
        assert_eq!(run.json()["cycles"], 4, "{name}");
        assert_eq!(named(&events, "reply")[0]["reasoning"], "Let me think.", "{name}");
        assert_eq!(
            named(&events, "reply")[0]["effort"],
            if name == EACH[2] { Value::Null } else { json!("high") }
        );

        replayed(project.path());

        let conversations: Vec<Vec<Value>> = model.requests().iter().map(conversation).collect();
        assert_eq!(conversations.len(), 4, "{name}: nothing was refused");
        let second: String = conversations[1].iter().map(texts).collect();
        assert!(second.contains("def withdraw") && second.contains("Let me think."), "{name}: {second}");
        let third: String = conversations[2].iter().map(texts).collect();
        let refusals = named(&events, "refusal");
        assert_eq!((refusals.len(), &refusals[0]["reason"]), (1, &json!("several_calls")), "{name}");
        assert!(third.contains(refusals[0]["message"].as_str().unwrap()), "{name}: {third}");
        // All but the part that changes goes on from the conversation before. Anthropic's marks of the cache move on.
        let unmarked =
            |part: &Value| part.to_string().replace(r#","cache_control":{"type":"ephemeral"}"#, "");
        for pair in conversations.windows(2) {
            let kept = pair[0].len() - 1;
            let [before, after] =
                [&pair[0], &pair[1]].map(|all| all[..kept].iter().map(unmarked).collect::<Vec<_>>());
            assert_eq!(before, after, "{name}");
        }
    }
}

#[test]
fn an_effort_is_asked_for_by_option_or_state() {
    let asked = |name: &str, words: &[&str]| {
        let project = project();
        let model = Model::saying(&[hypothesis(), good_fix(), goal()]);
        let run = model.repair_by(name, project.path(), words);
        assert_eq!(run.code, 0, "{run:?}");
        let effort = |body: &Value| match name {
            "anthropic/claude-opus-4-6" => body["output_config"]["effort"].clone(),
            "openai/gpt-5.4" => body["reasoning"]["effort"].clone(),
            _ => body["reasoning_effort"].clone(),
        };
        model.requests().iter().map(effort).collect::<Vec<_>>()
    };
    let by_state = [json!("high"), json!("low"), json!("high")];
    assert_eq!(asked(EACH[0], &[]), by_state);
    assert_eq!(asked(EACH[1], &[]), by_state);
    assert_eq!(asked(EACH[2], &[]), [json!(null), json!(null), json!(null)], "not known to reason");
    assert_eq!(asked(EACH[2], &["--effort", "medium"]), [json!("medium"), json!("medium"), json!("medium")]);
}

#[test]
fn an_answer_that_was_cut_while_reasoning_is_asked_for_again() {
    let project = project();
    let cut = Step::Reply(ChatReply {
        reasoning: "On the one hand".to_owned(),
        stop: patchwright_protocol::FinishReason::Length,
        ..ChatReply::default()
    });
    let answers = [hypothesis(), good_fix(), goal()].map(Step::answer);
    let model = Model::of(std::iter::once(cut).chain(answers).collect());
    let run = model.repair_by(EACH[0], project.path(), &[]);
    assert_eq!((run.code, &run.json()["cycles"]), (0, &json!(3)), "{run:?}");
    let asked: Vec<_> = model
        .requests()
        .iter()
        .take(2)
        .map(|body| {
            (body["max_output_tokens"].as_u64(), body["reasoning"]["effort"].as_str().map(str::to_owned))
        })
        .collect();
    assert_eq!(asked, [(Some(32_768), Some("high".to_owned())), (Some(65_536), Some("medium".to_owned()))]);
    assert_eq!(named(&events(project.path()), "asked_again")[0]["change"]["by"], "extending", "{run:?}");
}

#[test]
fn what_came_as_reasoning_alone_is_read_or_told() {
    let project = project();
    let reasoned = |text: String| Step::Reply(ChatReply { reasoning: text, ..ChatReply::default() });
    let model = Model::of(vec![
        reasoned("I wonder what to do next.".to_owned()),
        reasoned(format!("I write the hypothesis. {}", hypothesis())),
        Step::answer(good_fix()),
        Step::answer(goal()),
    ]);
    let run = model.repair(project.path(), &[]);
    assert_eq!((run.code, &run.json()["cycles"]), (0, &json!(4)), "{run:?}");
    let events = events(project.path());
    let refusals = named(&events, "refusal");
    let message = refusals[0]["message"].as_str().unwrap();
    assert!(message.ends_with("The reasoning ended: I wonder what to do next."), "{message}");
}

#[test]
fn a_session_that_lost_answers_is_replayed() {
    let project = project();
    let lost = || Step::Status { code: 200, headers: Vec::new(), body: "{\"choices\": null}".to_owned() };
    let broken = Step::error(400, "tool_use_failed", "The call is no JSON");
    let answers = [hypothesis(), good_fix(), goal()].map(Step::answer);
    let model = Model::of([lost(), lost(), broken].into_iter().chain(answers).collect());
    let run = model.repair(project.path(), &[]);
    assert_eq!((run.code, &run.json()["cycles"]), (0, &json!(5)), "{run:?}");
    replayed(project.path());
}

/// What cannot be answered pauses the session; another one goes on with it, and asks nothing again that was answered.
#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn a_paused_session_is_resumed() {
    for name in EACH {
        let project = project();
        let broken = || Step::Status { code: 200, headers: Vec::new(), body: "[]".to_owned() };
        let begun = calls(&[("express_hypothesis", json!({"hypothesis": "the bound is off by one"}))]);
        let model = Model::of(std::iter::once(begun).chain(std::iter::repeat_with(broken).take(6)).collect());
        let run = model.repair_by(name, project.path(), &["--protocol", "native"]);
        assert_eq!((run.code, &run.json()["status"]), (4, &json!("model")), "{run:?}");
        assert!(run.json()["reason"].as_str().unwrap().starts_with("the session is paused"), "{run:?}");
        assert!(run.json()["hint"].as_str().unwrap().contains("--resume"), "{run:?}");
        let trajectory = run.json()["trajectory"].as_str().unwrap().to_owned();
        replayed(project.path());

        let model = Model::of(vec![
            calls(&[("write_fix", edit())]),
            calls(&[("goal_accomplished", json!({"reason": "passes"}))]),
        ]);
        let run = model.repair_by(name, project.path(), &["--resume", &trajectory, "--cycles", "50"]);
        assert_eq!(run.code, 0, "{name}: {run:?}");
        let requests = model.requests();
        assert_eq!(requests.len(), 2, "{name}: the first answer is known, and that two were lost");
        let first: String = conversation(&requests[0]).iter().map(texts).collect();
        assert!(first.contains("Let me think."), "{name}: what was reasoned goes back: {first}");
    }
}

#[test]
fn a_model_without_tools_is_asked_for_json() {
    let project = project();
    let refusal = Step::error(400, "error", "registry.example/phi does not support tools");
    let answers = [hypothesis(), good_fix(), goal()].map(Step::answer);
    let model = Model::of(std::iter::once(refusal).chain(answers).collect());
    let run = model.repair(project.path(), &["--protocol", "native"]);
    assert_eq!((run.code, &run.json()["cycles"]), (0, &json!(3)), "{run:?}");
    let with_tools: Vec<bool> = model.requests().iter().map(|body| body.get("tools").is_some()).collect();
    assert_eq!(with_tools, [true, false, false, false]);
    replayed(project.path());
}

/// A fault of a service, by what it does.
struct Fault(&'static str, Step);

fn raw(name: &'static str, code: u16, body: &str) -> Fault {
    Fault(name, Step::Status { code, headers: Vec::new(), body: body.to_owned() })
}

/// An error that may be asked again at once.
fn now(name: &'static str, status: u16, message: &str) -> Fault {
    let headers = vec![("retry-after".to_owned(), "0".to_owned())];
    Fault(name, Step::Error { status, headers, kind: "error".to_owned(), message: message.to_owned() })
}

fn events_of(name: &'static str, pieces: &[&str]) -> Fault {
    Fault(name, Step::pieces(pieces.iter().map(|piece| piece.as_bytes().to_vec())))
}

/// Faults that each format knows.
fn common() -> Vec<Fault> {
    vec![
        now("too many requests", 429, "slow down"),
        now("overloaded", 529, "Overloaded"),
        now("broken", 500, "oops"),
        now("not there", 503, "no backend"),
        now("took too long", 504, "gateway timeout"),
        now("a conflict", 409, "locked"),
        raw("a page in place of an answer", 200, "<html>Log in</html>"),
        raw("an empty body", 200, ""),
        raw("JSON cut in the middle", 200, "{\"choices\": [{\"mess"),
        raw("an error within status 200", 200, "{\"error\": {\"code\": 503, \"message\": \"upstream\"}}"),
        raw("a list", 200, "[]"),
        Fault("a stream cut in the middle", Step::Cut),
        events_of("a stream of comments", &[": ping\n\n", ": ping\n\n"]),
        events_of("a stream of no JSON", &["data: {oops\n\n"]),
        Fault("bytes that are no text", Step::pieces([b"data: \xff\xfe\n\n".to_vec()])),
        now("a prompt too long", 400, "This model's maximum context length is 8192 tokens"),
        now("a call that is no JSON", 400, "Failed to parse tool call arguments as JSON"),
        Fault("an answer that says nothing", Step::Empty),
        Fault("a refusal", Step::Refusal { text: "I can't help with that.".to_owned() }),
        Fault("an answer cut off", Step::LengthStop { text: "{\"command\": {\"na".to_owned() }),
    ]
}

/// Faults of one format.
fn own(name: &str) -> Vec<Fault> {
    match name {
        "openai/gpt-5.4" => vec![
            events_of(
                "a failed response",
                &[
                    "data: {\"type\": \"response.failed\", \"response\": {\"error\": {\"code\": \"server_error\", \"message\": \"broke\"}}}\n\n",
                ],
            ),
            events_of(
                "an error event",
                &[
                    "event: error\ndata: {\"type\": \"error\", \"code\": \"server_error\", \"message\": \"broke\"}\n\n",
                ],
            ),
            events_of(
                "reasoning alone, then silence",
                &["data: {\"type\": \"response.reasoning_summary_text.delta\", \"delta\": \"Hm\"}\n\n"],
            ),
            raw("null output", 200, "{\"output\": null}"),
            now("no choice whether answers are kept", 400, "Unsupported parameter: store"),
            now(
                "an effort that is not taken",
                400,
                "Unsupported value: 'high' is not supported with this model: reasoning.effort",
            ),
            now(
                "no summaries for this account",
                400,
                "Your organization must be verified to generate reasoning summaries.",
            ),
        ],
        "anthropic/claude-opus-4-6" => vec![
            events_of(
                "a rate that is told in a word",
                &[
                    "event: error\ndata: {\"type\": \"error\", \"error\": {\"type\": \"rate_limit_error\", \"message\": \"slow down\"}}\n\n",
                ],
            ),
            events_of(
                "an error event",
                &[
                    "event: error\ndata: {\"type\": \"error\", \"error\": {\"type\": \"overloaded_error\", \"message\": \"Overloaded\"}}\n\n",
                ],
            ),
            events_of(
                "a stream that ends within a block",
                &[
                    "data: {\"type\": \"message_start\", \"message\": {\"content\": []}}\n\n",
                    "data: {\"type\": \"content_block_start\", \"index\": 0, \"content_block\": {\"type\": \"text\", \"text\": \"I \"}}\n\n",
                ],
            ),
            raw("null content", 200, "{\"content\": null}"),
            now("thinking that is not taken", 400, "adaptive thinking is not supported on this model"),
        ],
        _ => vec![
            raw("null choices", 200, "{\"choices\": null}"),
            raw("no choices", 200, "{\"choices\": []}"),
            raw("a choice without message", 200, "{\"choices\": [{}]}"),
            raw(
                "a call without a name",
                200,
                "{\"choices\": [{\"message\": {\"tool_calls\": [{\"function\": {\"arguments\": \"{}\"}}]}}]}",
            ),
            events_of(
                "an error event in the middle",
                &[
                    "data: {\"choices\": [{\"delta\": {\"content\": \"I \"}}]}\n\n",
                    "data: {\"error\": {\"message\": \"upstream\", \"code\": 502}}\n\n",
                ],
            ),
            events_of(
                "an end without a reason",
                &["data: {\"choices\": [{\"delta\": {\"content\": \"I \"}}]}\n\n"],
            ),
            now("an unknown field", 400, "unknown field `stream_options`"),
            now("an argument not allowed", 422, "body.stream: Extra inputs are not permitted"),
            now(
                "tools that cannot be parsed",
                500,
                "error parsing tool call: raw='{', err=unexpected end of JSON input",
            ),
        ],
    }
}

/// Nothing that a service does ends a session that could go on: one session meets all faults of a format, and goes on to its fix.
fn goes_on(name: &str) -> String {
    let project = project();
    let faults: Vec<Fault> = common().into_iter().chain(own(name)).collect();
    let names: Vec<&str> = faults.iter().map(|fault| fault.0).collect();
    let mut steps = vec![Step::answer(hypothesis())];
    for (index, Fault(_, step)) in faults.into_iter().enumerate() {
        steps.push(step);
        // Another question each time: the same one would be refused as a repetition.
        let arguments = json!({"file_path": "bank/account.py", "start_line": 1, "end_line": index + 1});
        steps.push(Step::answer(call("read_range", arguments)));
    }
    steps.extend([good_fix(), goal()].map(Step::answer));
    let model = Model::of(steps);
    let run = model.repair_by(name, project.path(), &["--cycles", "100"]);
    assert_eq!(run.code, 0, "{name}: {run:?}");
    replayed(project.path());
    let did = answers_to_faults(&events(project.path()));
    let rows: Vec<String> = names.iter().zip(did).map(|(name, did)| format!("{name}: {did}")).collect();
    rows.join("\n")
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn faults_of_responses() {
    insta::assert_snapshot!(goes_on(EACH[0]));
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn faults_of_messages() {
    insta::assert_snapshot!(goes_on(EACH[1]));
}

#[test]
#[ignore = "long: run by --include-ignored, as CI does"]
fn faults_of_chat_completions() {
    insta::assert_snapshot!(goes_on(EACH[2]));
}

/// What a session did between its hypothesis and each range of lines that it read: a line a fault.
fn answers_to_faults(events: &[Value]) -> Vec<String> {
    let mut all = Vec::new();
    let mut since = Vec::new();
    let mut begun = false;
    for event in events {
        match event["event"].as_str().unwrap() {
            "notice" if begun && event["level"] == "retry" => {
                since.push(format!("asked again ({})", reason(event)));
            }
            "asked_again" if begun => {
                let change = event["change"]["by"].as_str().unwrap();
                let error: String = event["error"].as_str().unwrap().chars().take(100).collect();
                since.push(format!("asked again by {change} ({error})"));
            }
            "refusal" if begun => {
                since.push(format!("told the model ({})", event["reason"].as_str().unwrap()));
            }
            "observation" => {
                if begun {
                    all.push(if since.is_empty() { "went on".to_owned() } else { since.join(", ") });
                }
                since.clear();
                begun = true;
            }
            _ => {}
        }
    }
    all
}

/// The words of a notice without what differs from run to run.
fn reason(event: &Value) -> String {
    let text = event["text"].as_str().unwrap().lines().next().unwrap();
    let text = text.split_once(": request ").map_or(text, |(_, rest)| rest);
    let text = text.split_once(" failed (").map_or(text, |(_, rest)| rest);
    text.split("); again in").next().unwrap().chars().take(100).collect()
}
