//! How much of each request is the same as the beginning of an earlier one, which a service then has in its cache: the sessions that
//! `samples/` holds, in each wire format; those of an agent with its commands in JSON, as they were recorded, and as native calls, too.
//!
//! The bodies are those that the client sends, to a service on this machine. A body is compared byte by byte, and once more with its parts in
//! the order in which services put them before a model, whatever their order in the body: tools, instructions, conversation. Cache marks are
//! no part of that. Beside the shares stands the most that they could be: what the request before had, as a part of this one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use patchwright_llm::{ChatModel, ChatRequest, KeySource, RetryPolicy, connect};
use patchwright_protocol::{ChatReply, Goal, Message, Role, ToolCall, ToolSchema, Turn, cut_text};
use patchwright_replies::recover;
use patchwright_trajectory::{Event, Log, Purpose, RebuiltPrompt};
use serde_json::Value;

use crate::quantile;
use crate::scripted::{Server, Step};

/// A model of each wire format.
const MODELS: [(&str, &str); 3] = [
    ("responses", "openai/gpt-5.4"),
    ("chat", "compatible/deepseek-v4-pro"),
    ("messages", "anthropic/claude-opus-4-8"),
];
/// Bytes of a result that a native call is answered where nothing of it is gathered, as sessions have it.
const TOLD_BYTES: usize = 600;
/// The mark after a block, which is moved from request to request.
const CACHE_MARK: &str = r#","cache_control":{"type":"ephemeral"}"#;
/// Bytes that are shown of the place at which two requests part.
const SHOWN_BYTES: usize = 48;

/// A request of a session.
#[derive(Clone)]
struct Asked {
    cycle: u32,
    purpose: Purpose,
    messages: Vec<Message>,
    /// The native calls of the answer; empty where it is a text.
    calls: Vec<ToolCall>,
    thoughts: String,
}

pub fn measure() {
    println!("share of a request's bytes that an earlier one begins with: median, least");
    println!(
        "{:<24} {:<7} {:<10} {:>3} {:>15} {:>15} {:>15} {:>8}  the least parts",
        "recording", "layout", "format", "", "body, before", "read, before", "read, any", "at most"
    );
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    for path in recordings() {
        let log = patchwright_trajectory::read(&path).unwrap();
        let name = path.strip_prefix(root()).unwrap().with_extension("").display().to_string();
        let recorded = recorded(&log);
        let mut layouts = vec![("json", recorded.clone())];
        if recorded.iter().any(|asked| asked.purpose == Purpose::Command) {
            layouts.push(("native", native(&log, &recorded)));
        }
        for (layout, session) in layouts {
            for (format, model) in MODELS {
                let bodies = runtime.block_on(bodies(model, &session));
                tell([name.trim_start_matches("samples/"), layout, format], &bodies);
            }
        }
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The recordings of `samples/`, in order.
fn recordings() -> Vec<PathBuf> {
    let folders = |folder: PathBuf| folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let samples = folders(root().join("samples")).filter(|folder| folder.is_dir()).flat_map(folders);
    let files = samples.filter(|folder| folder.is_dir()).flat_map(folders);
    let mut found: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|ending| ending == "jsonl")).collect();
    found.sort();
    found
}

/// The requests of a recording as they were.
fn recorded(log: &Log) -> Vec<Asked> {
    let asked = |prompt: RebuiltPrompt| {
        let RebuiltPrompt { cycle, purpose, messages, .. } = prompt;
        Asked { cycle, purpose, messages, calls: Vec::new(), thoughts: String::new() }
    };
    log.prompts().unwrap().into_iter().map(asked).collect()
}

/// The same session with native calls: each command stands as a call of its reply, and what it found as the call's result, where the
/// prompts with commands in JSON have a message of the program.
fn native(log: &Log, recorded: &[Asked]) -> Vec<Asked> {
    let commands = recorded.iter().filter(|asked| asked.purpose == Purpose::Command);
    let mut called: BTreeMap<u32, (String, ToolCall)> = BTreeMap::new();
    let mut told: BTreeMap<u32, String> = BTreeMap::new();
    for record in &log.records {
        match &record.event {
            Event::Reply { cycle, purpose: Purpose::Command, reply, .. } => {
                called.extend(command(&reply.text).map(|command| (*cycle, command)));
            }
            Event::Observation { cycle, text, .. } => {
                told.entry(*cycle).or_insert_with(|| cut_text(text, TOLD_BYTES));
            }
            Event::Refusal { cycle, .. } => {
                told.entry(*cycle)
                    .or_insert_with(|| "Refused, for the reason that the next prompt gave.".to_owned());
            }
            _ => {}
        }
    }
    commands
        .map(|asked| {
            let found = |cycle: u32| {
                let head = format!("## Cycle {cycle}:");
                asked.messages.iter().filter(move |message| message.text.starts_with(&head))
            };
            let (state, before) = asked.messages.split_last().unwrap();
            let is_of_a_call = |message: &&Message| {
                called
                    .range(..asked.cycle)
                    .any(|(cycle, _)| found(*cycle).any(|other| other.text == message.text))
            };
            let mut messages: Vec<Message> =
                before.iter().filter(|message| !is_of_a_call(message)).cloned().collect();
            for message in messages.iter_mut().skip(2) {
                message.cache_here = false;
            }
            for (cycle, (thoughts, call)) in called.range(..asked.cycle) {
                let turn = Some(Turn::Reply { cycle: *cycle });
                messages.push(Message {
                    turn,
                    ..Message::new(Role::Assistant, format!("{thoughts}\n{}", call.name))
                });
                let whole: Vec<&str> = found(*cycle).map(|message| message.text.as_str()).collect();
                let text = if whole.is_empty() {
                    told.get(cycle).cloned().unwrap_or_default()
                } else {
                    whole.join("\n\n")
                };
                let turn = Some(Turn::Result { cycle: *cycle, call: 0 });
                messages.push(Message { turn, ..Message::new(Role::Tool, text) });
            }
            messages.last_mut().unwrap().cache_here = true;
            messages.push(state.clone());
            let (thoughts, calls) = match called.get(&asked.cycle) {
                Some((thoughts, call)) => (thoughts.clone(), vec![call.clone()]),
                None => (String::new(), Vec::new()),
            };
            Asked { messages, calls, thoughts, ..asked.clone() }
        })
        .collect()
}

/// What a reply in JSON says, and the command that it asks for.
fn command(text: &str) -> Option<(String, ToolCall)> {
    let reply =
        recover(text).into_iter().map(|read| read.value).find(|value| value["command"].is_object())?;
    let name = reply["command"]["name"].as_str()?;
    let thoughts = reply["thoughts"].as_str().unwrap_or_default().to_owned();
    Some((thoughts, ToolCall::new(name, reply["command"]["args"].to_string())))
}

fn tools() -> Vec<ToolSchema> {
    let schema = |tool: &Arc<dyn patchwright_tools::Tool>| ToolSchema {
        name: tool.name().to_owned(),
        description: tool.description().to_owned(),
        parameters: tool.schema(None),
        only_reads: tool.only_reads(),
    };
    patchwright_tools::of_goal(Goal::Fix).iter().map(schema).collect()
}

/// The bodies of a session's requests.
async fn bodies(model: &str, session: &[Asked]) -> Vec<Value> {
    let next = Arc::new(Mutex::new(ChatReply::default()));
    let answer = Arc::clone(&next);
    let server = Server::answering(move |_| {
        let reply = answer.lock().unwrap().clone();
        async move { Step::Reply(reply) }
    });
    let server = server.await.unwrap();
    let keys = KeySource::fixed([("", ""); 0]);
    let client =
        connect(&model.parse().unwrap(), Some(&server.base_url()), &keys, RetryPolicy::default(), |_| {});
    let client: Arc<dyn ChatModel> = client.unwrap();
    let mut replies = BTreeMap::new();
    let is_native = session.iter().any(|asked| !asked.calls.is_empty());
    let tools = if is_native { tools() } else { Vec::new() };
    for Asked { cycle, messages, calls, thoughts, .. } in session {
        *next.lock().unwrap() = ChatReply {
            text: if calls.is_empty() { "{}".to_owned() } else { String::new() },
            reasoning: if calls.is_empty() { String::new() } else { thoughts.clone() },
            tool_calls: calls.clone(),
            ..ChatReply::default()
        };
        let request = ChatRequest {
            messages: messages.clone(),
            replies: replies.clone(),
            tools: tools.clone(),
            max_output_tokens: 4_096,
            ..ChatRequest::default()
        };
        let reply = client.complete(&request).await.unwrap();
        if !calls.is_empty() {
            replies.insert(*cycle, Arc::new(reply));
        }
    }
    server.close().await.into_iter().map(|request| request.body).collect()
}

/// What a model reads of a request, in its order.
fn read(body: &Value) -> String {
    let parts = ["tools", "system", "messages", "input"].map(|part| body.get(part).map(Value::to_string));
    parts.into_iter().flatten().collect::<String>().replace(CACHE_MARK, "")
}

/// Bytes that two texts begin with alike.
fn shared(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

/// The bytes of each text but the first with which the one before, and with which any earlier one, begins, too.
fn prefixes(texts: &[String]) -> Vec<(usize, usize)> {
    let of = |index: usize| {
        let with = |other: &String| shared(&texts[index], other);
        (with(&texts[index - 1]), texts[..index].iter().map(with).max().unwrap_or_default())
    };
    (1..texts.len()).map(of).collect()
}

/// Median and least of shares in percent.
fn figures(shares: impl Iterator<Item = f64>) -> String {
    let mut shares: Vec<f64> = shares.map(|share| 100.0 * share).collect();
    format!("{:.1} %, {:.1} %", quantile(&mut shares, 0.5), quantile(&mut shares, 0.0))
}

fn tell([recording, layout, format]: [&str; 3], bodies: &[Value]) {
    let sent: Vec<String> = bodies.iter().map(Value::to_string).collect();
    let read: Vec<String> = bodies.iter().map(read).collect();
    let (of_sent, of_read) = (prefixes(&sent), prefixes(&read));
    let share = |bytes: usize, text: &String| bytes as f64 / text.len() as f64;
    let body = figures(of_sent.iter().zip(&sent[1..]).map(|((before, _), text)| share(*before, text)));
    let before = figures(of_read.iter().zip(&read[1..]).map(|((before, _), text)| share(*before, text)));
    let any = figures(of_read.iter().zip(&read[1..]).map(|((_, any), text)| share(*any, text)));
    let mut most: Vec<f64> = read.windows(2).map(|pair| share(pair[0].len(), &pair[1]).min(1.0)).collect();
    let most = 100.0 * quantile(&mut most, 0.5);
    let least = of_read.iter().zip(&read[1..]).map(|((_, any), text)| (*any, text));
    let least = least.min_by(|one, other| share(one.0, one.1).total_cmp(&share(other.0, other.1)));
    let (at, text) = least.unwrap();
    let start = text.floor_char_boundary(at.saturating_sub(SHOWN_BYTES / 2));
    let end = text.ceil_char_boundary((at + SHOWN_BYTES / 2).min(text.len()));
    println!(
        "{recording:<24} {layout:<7} {format:<10} {:>3} {body:>15} {before:>15} {any:>15} {most:>6.1} %  at {at} of {}: {:?}",
        bodies.len(),
        text.len(),
        &text[start..end]
    );
}
