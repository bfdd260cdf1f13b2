//! How much of each request is the same as the beginning of an earlier one, which a service then has in its cache: the sessions that
//! `samples/` holds, in each wire format; those of an agent with its commands in JSON, as they were recorded, and as native calls, too.
//!
//! The bodies are those that the client sends, to a service on this machine. Beside each share stands the most that it could be: what the
//! request before had, as a part of this one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use patchwright_llm::{ChatModel, ChatRequest, KeySource, RetryPolicy, connect};
use patchwright_protocol::{ChatReply, Goal, Message, Role, ToolCall, ToolSchema, Turn, cut_text};
use patchwright_replies::recover;
use patchwright_trajectory::{Event, Log, Purpose, RebuiltPrompt};

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
    println!(
        "share of a request's bytes that an earlier one begins with: median, least (median of the most that it could be)"
    );
    println!(
        "{:<28} {:<8} {:<10} {:>4}  {:<22} {:<22} the least parts at",
        "recording", "layout", "format", "", "the one before", "any earlier"
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
                tell(&[name.trim_start_matches("samples/"), layout, format], &bodies);
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
            messages.iter_mut().skip(2).for_each(|message| message.cache_here = false);
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
async fn bodies(model: &str, session: &[Asked]) -> Vec<String> {
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
    server.close().await.into_iter().map(|request| request.body.to_string()).collect()
}

/// Bytes that two texts begin with alike.
fn shared(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

fn tell(names: &[&str; 3], bodies: &[String]) {
    let (mut before, mut earlier, mut most) = (Vec::new(), Vec::new(), Vec::new());
    let mut least = (f64::MAX, String::new());
    for (index, body) in bodies.iter().enumerate().skip(1) {
        let length = body.len() as f64;
        let bytes = shared(body, &bodies[index - 1]);
        let best = bodies[..index].iter().map(|other| shared(body, other)).max().unwrap_or_default();
        before.push(bytes as f64 / length);
        earlier.push(best as f64 / length);
        most.push((bodies[index - 1].len() as f64 / length).min(1.0));
        if (best as f64 / length) < least.0 {
            let start = body.floor_char_boundary(best.saturating_sub(SHOWN_BYTES / 2));
            let end = body.ceil_char_boundary(best + SHOWN_BYTES / 2);
            least = (best as f64 / length, format!("byte {best} of {}: {:?}", body.len(), &body[start..end]));
        }
    }
    let figures = |shares: &mut Vec<f64>| {
        let (median, least) = (quantile(shares, 0.5), quantile(shares, 0.0));
        format!("{:.1} %, {:.1} %", 100.0 * median, 100.0 * least)
    };
    let limit = format!("({:.1} %)", 100.0 * quantile(&mut most, 0.5));
    println!(
        "{:<28} {:<8} {:<10} {:>4}  {:<22} {:<22} {}",
        names[0],
        names[1],
        names[2],
        bodies.len(),
        format!("{} {limit}", figures(&mut before)),
        figures(&mut earlier),
        least.1
    );
}
