//! Whether a call may run: the state's gate, forced steps, and repetitions. It is decided before a tool
//! runs, for every driver alike.

use patchwright_protocol::ToolOutcome;
use std::collections::BTreeSet;

use patchwright_session::{Memory, command_line};
use patchwright_state_machine::{Gate, State, StateMachine};
use patchwright_syntax::shorten;
use patchwright_tools::interpretation::Refusal;
use patchwright_trajectory::RefusalReason;
use serde_json::Value;

/// Letters of the name of a tool that is recorded where there is none of that name.
const LONGEST_NAME: usize = 100;

/// Bytes at the end of reasoning that are told.
const REASONING_SHOWN: usize = 300;

/// Refusals in a row after which only another kind of step is accepted.
pub const FORCE_AFTER: usize = 3;

/// Refusals in a row after which a session counts as stuck.
pub const STUCK_AFTER: usize = 12;

/// A call that does not run, and the message to the model.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct RejectedCall {
    /// The kind of refusal.
    pub reason: RefusalReason,
    /// The tool that was asked for, as far as it could be read.
    pub tool: Option<String>,
    /// What the model is told.
    pub message: String,
}

impl RejectedCall {
    /// The refusal of a reply that holds reasoning and nothing else.
    pub fn only_reasoned(reasoning: &str) -> Self {
        let start = reasoning.ceil_char_boundary(reasoning.trim_end().len().saturating_sub(REASONING_SHOWN));
        let end = reasoning[start..].trim();
        let message = format!(
            "The reply held reasoning and no answer, so nothing ran. Answer with one command in the given format. The reasoning ended: {end}"
        );
        Self { reason: RefusalReason::Empty, tool: None, message }
    }

    /// The refusal of native calls that stand behind one that changed something.
    pub fn behind(first: &str, left: Vec<String>) -> Self {
        let names = left.join(", ");
        let message = format!(
            "{first} ran, and what your reply asked for behind it did not: {names}. Ask again for what is still needed."
        );
        Self { reason: RefusalReason::SeveralCalls, tool: left.into_iter().next(), message }
    }

    /// The refusal of a reply that is no call.
    pub fn unread(refusal: &Refusal, state: &State) -> Self {
        let (reason, tool) = match refusal {
            Refusal::Empty => (RefusalReason::Empty, None),
            Refusal::NoCall => (RefusalReason::NoCall, None),
            Refusal::SeveralCalls { .. } => (RefusalReason::SeveralCalls, None),
            Refusal::Cut { .. } => (RefusalReason::Cut, None),
            Refusal::TwoReadings { .. } | Refusal::NotClosed { .. } | Refusal::RepeatedParameter { .. } => {
                (RefusalReason::TwoReadings, None)
            }
            Refusal::Unreadable { .. } => (RefusalReason::Unreadable, None),
            Refusal::UnknownTool { asked, .. } => (RefusalReason::UnknownTool, Some(asked)),
            Refusal::AmbiguousTool { asked, .. } => (RefusalReason::AmbiguousTool, Some(asked)),
            Refusal::AmbiguousArgument { tool, .. } => (RefusalReason::AmbiguousArgument, Some(tool)),
            Refusal::BadArguments { tool, .. } => (RefusalReason::BadArguments, Some(tool)),
        };
        let tool = tool.map(|name| shorten(name, LONGEST_NAME));
        Self { reason, tool, message: refusal.message(&state.tools) }
    }
}

/// Decides whether the call of `tool` may run in `state`.
pub fn admit(
    tool: &str,
    arguments: &Value,
    state: &State,
    machine: &StateMachine,
    memory: &Memory,
) -> Result<(), RejectedCall> {
    let refuse = |reason, message| Err(RejectedCall { reason, tool: Some(tool.to_owned()), message });
    if let Gate::Forbidden { here, elsewhere } = machine.gate(&state.name, tool) {
        let where_allowed = match elsewhere.as_slice() {
            [] => String::new(),
            states => format!(" ({tool} is allowed in {})", states.join(", ")),
        };
        let message = format!(
            "{tool} is not allowed in the state {}{where_allowed}. Allowed now: {}.",
            state.name,
            here.join(", ")
        );
        return refuse(RefusalReason::Forbidden, message);
    }
    if needs_hypothesis(tool, arguments, state, memory) {
        let message = format!(
            "{tool} in the state {} needs the argument `hypothesis` (which code is wrong, why it is wrong, and how that leads \
             to the failure), or express_hypothesis before it.",
            state.name
        );
        return refuse(RefusalReason::Forbidden, message);
    }
    let barred = barred(state, memory);
    if barred.contains(tool) {
        let others: Vec<_> = open_tools(state, &barred);
        let message = format!(
            "{tool} was refused again and again; this cycle needs a different kind of step: {}.",
            others.join(", ")
        );
        return refuse(RefusalReason::Forced, message);
    }
    if let Some(cycle) = repeated(tool, arguments, memory) {
        let message = format!(
            "{} already ran in cycle {cycle} with the same arguments, and nothing that it depends on has \
             changed. Use what it showed, or do something else.",
            command_line(tool, arguments)
        );
        return refuse(RefusalReason::Repeated, message);
    }
    Ok(())
}

/// Is true if a call lacks the hypothesis that it rests on.
fn needs_hypothesis(tool: &str, arguments: &Value, state: &State, memory: &Memory) -> bool {
    let is_given = || arguments["hypothesis"].as_str().is_some_and(|text| !text.trim().is_empty());
    state.needs_hypothesis.iter().any(|needing| needing == tool)
        && memory.hypothesis().is_none()
        && !is_given()
}

/// What to add to a refusal's message when the refusals have become too many in a row.
pub fn repeated_refusal_notice(state: &State, memory: &Memory) -> Option<String> {
    // The refusal that is being worded counts too.
    if memory.refusals.len() + 1 < FORCE_AFTER {
        return None;
    }
    let barred = barred(state, memory);
    Some(format!(
        "{} replies in a row could not be used. Answer with one JSON object and nothing else, and take another \
         kind of step than before; now one of: {}.",
        memory.refusals.len() + 1,
        open_tools(state, &barred).join(", ")
    ))
}

fn open_tools<'a>(state: &'a State, barred: &BTreeSet<&str>) -> Vec<&'a str> {
    state.tools.iter().map(String::as_str).filter(|tool| !barred.contains(tool)).collect()
}

/// The tools of `state` that [`FORCE_AFTER`] of the last refusals were about, each; none where that would leave nothing to do.
fn barred<'a>(state: &'a State, memory: &Memory) -> BTreeSet<&'a str> {
    let refused = |tool: &&str| {
        memory.refusals.iter().filter(|refusal| refusal.tool.as_deref() == Some(*tool)).count() >= FORCE_AFTER
    };
    let barred: BTreeSet<&str> = state.tools.iter().map(String::as_str).filter(refused).collect();
    if barred.len() < state.tools.len() { barred } else { BTreeSet::new() }
}

/// The cycle in which the same call ran, if it may not come again.
fn repeated(tool: &str, arguments: &Value, memory: &Memory) -> Option<u32> {
    if patchwright_tools::find(tool).is_some_and(|tool| tool.repeatable()) {
        // What was refused just now is refused again.
        let last = memory.calls.last().filter(|_| memory.last_outcome == ToolOutcome::Refused)?;
        return (last.tool == tool && same(&last.arguments, arguments)).then_some(last.cycle);
    }
    memory
        .calls
        .iter()
        .rev()
        .find(|call| call.tool == tool && same(&call.arguments, arguments))
        .filter(|call| !call.partial)
        .map(|call| call.cycle)
}

/// Equality of arguments; the order of an object's keys does not matter.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| same(value, other)))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        _ => left == right,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use patchwright_trajectory::Event;
    use serde_json::json;

    use super::*;

    fn call(cycle: u32, tool: &str, arguments: Value) -> Event {
        Event::Call { cycle, tool: tool.to_owned(), arguments, thoughts: None, repairs: Vec::new() }
    }

    fn observation(cycle: u32, tool: &str) -> Event {
        Event::Observation {
            cycle,
            tool: tool.to_owned(),
            text: "result".to_owned(),
            data: Value::Null,
            outcome: ToolOutcome::Done,
            advance: true,
            seconds: 0.0,
        }
    }

    fn refusal(cycle: u32, tool: Option<&str>) -> Event {
        Event::Refusal {
            cycle,
            reason: RefusalReason::Repeated,
            tool: tool.map(str::to_owned),
            message: "no".to_owned(),
        }
    }

    fn memory(events: &[Event]) -> Memory {
        let mut memory = Memory::default();
        for event in events {
            memory.apply(event);
        }
        memory
    }

    fn decide(tool: &str, arguments: &Value, memory: &Memory) -> Option<RefusalReason> {
        let machine = StateMachine::embedded();
        admit(tool, arguments, machine.start(), &machine, memory).err().map(|refused| refused.reason)
    }

    #[test]
    fn the_gate_decides_first() {
        let empty = Memory::default();
        assert_eq!(decide("write_fix", &json!({}), &empty), Some(RefusalReason::Forbidden));
        assert_eq!(decide("run_tests", &json!({}), &empty), None);
    }

    #[test]
    fn the_same_call_does_not_run_twice() {
        let first = json!({"file_path": "a.py", "start_line": 1});
        let reordered = json!({"start_line": 1, "file_path": "a.py"});
        let past = memory(&[call(1, "read_range", first.clone()), observation(1, "read_range")]);
        assert_eq!(decide("read_range", &first, &past), Some(RefusalReason::Repeated));
        assert_eq!(decide("read_range", &reordered, &past), Some(RefusalReason::Repeated));
        assert_eq!(decide("read_range", &json!({"file_path": "a.py", "start_line": 2}), &past), None);
    }

    #[test]
    fn a_call_whose_meaning_lies_in_the_moment_may_come_again() {
        let machine = StateMachine::embedded();
        let check = |state: &str, tool: &str, expect: Option<RefusalReason>| {
            let past = memory(&[call(1, tool, json!({})), observation(1, tool)]);
            let state = machine.state(state).unwrap();
            let refused = admit(tool, &json!({}), state, &machine, &past).err();
            assert_eq!(refused.map(|refused| refused.reason), expect, "{tool}");
        };
        check("try_fix", "collect_more_information", None);
        check("try_fix", "discard_hypothesis", None);
        check("try_fix", "goal_accomplished", None);
        check("try_fix", "run_tests", Some(RefusalReason::Repeated));
        check("understand_bug", "express_hypothesis", Some(RefusalReason::Repeated));
        let Event::Observation { cycle, tool, text, advance, seconds, .. } =
            observation(1, "goal_accomplished")
        else {
            unreachable!()
        };
        let (data, outcome) = (json!({}), ToolOutcome::Refused);
        let refused = Event::Observation { cycle, tool, text, data, outcome, advance, seconds };
        let past = memory(&[call(1, "goal_accomplished", json!({})), refused]);
        let state = machine.state("try_fix").unwrap();
        let again = |arguments| admit("goal_accomplished", &arguments, state, &machine, &past).err();
        assert_eq!(again(json!({})).map(|refused| refused.reason), Some(RefusalReason::Repeated));
        assert_eq!(again(json!({"candidate": 1})), None);
    }

    #[test]
    fn a_call_that_was_refused_may_come_again() {
        let arguments = json!({"tests": []});
        let past = memory(&[call(1, "run_tests", arguments.clone()), refusal(1, Some("run_tests"))]);
        assert_eq!(decide("run_tests", &arguments, &past), None);
    }

    #[test]
    fn three_refusals_in_a_row_force_another_kind_of_step() {
        let three: Vec<_> = (1..=3).map(|cycle| refusal(cycle, Some("read_range"))).collect();
        let past = memory(&three);
        assert_eq!(decide("read_range", &json!({"start_line": 9}), &past), Some(RefusalReason::Forced));
        assert_eq!(decide("run_tests", &json!({}), &past), None);
        let machine = StateMachine::embedded();
        let words = repeated_refusal_notice(machine.start(), &past).unwrap();
        assert!(words.contains("run_tests") && !words.contains("read_range"), "{words}");
        let mut after = past;
        after.apply(&call(4, "run_tests", json!({})));
        after.apply(&observation(4, "run_tests"));
        assert_eq!(decide("read_range", &json!({"start_line": 9}), &after), None);
    }

    #[test]
    fn a_tool_that_was_refused_once_among_others_may_be_called() {
        let past = memory(&[refusal(1, None), refusal(2, Some("run_tests")), refusal(3, Some("read_range"))]);
        assert_eq!(decide("read_range", &json!({"start_line": 9}), &past), None);
    }

    #[test]
    fn unreadable_replies_bar_nothing_but_are_insisted_upon() {
        let three: Vec<_> = (1..=3).map(|cycle| refusal(cycle, None)).collect();
        let past = memory(&three);
        assert_eq!(decide("read_range", &json!({}), &past), None);
        assert!(repeated_refusal_notice(StateMachine::embedded().start(), &past).is_some());
        assert!(repeated_refusal_notice(StateMachine::embedded().start(), &memory(&three[..1])).is_none());
    }
}
