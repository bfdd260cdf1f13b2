//! The rules that a machine as a whole must keep: it starts, every state can be reached and left, and it can end, whatever a
//! session knows.

use std::collections::BTreeSet;

use patchwright_protocol::BugEvidence;

use crate::error::listed;
use crate::transition::Condition;
use crate::{State, StateMachine, StatesError};

/// Finds the first rule that the machine breaks.
pub(crate) fn check(machine: &StateMachine, origin: &str) -> Result<(), StatesError> {
    match broken_rule(machine) {
        Some(problem) => Err(StatesError::new(origin, problem)),
        None => Ok(()),
    }
}

fn broken_rule(machine: &StateMachine) -> Option<String> {
    let start = &machine.start().name;
    if let Some(state) = machine.states.iter().find(|state| state.terminal && !state.tools.is_empty()) {
        return Some(format!(
            "state `{}` is terminal but lists tools, and the session ends on entering it; remove `tools` or `terminal`",
            state.name
        ));
    }
    if machine.start().terminal {
        return Some(format!(
            "`start` names the terminal state `{start}`; let it name a state in which tools can be called"
        ));
    }
    if !machine.states.iter().any(|state| state.terminal) {
        let problem = "no state is terminal, so a session could never end; add one with `terminal = true` and a \
                       transition that leads to it";
        return Some(problem.to_owned());
    }
    if let Some((tool, transition)) = machine.transitions.iter().find(|(tool, _)| !machine.offers(tool)) {
        return Some(format!(
            "[transitions]: `{tool}` leads to `{}`, but no state allows `{tool}`; add it to the `tools` of the state \
             that it shall leave, or remove the transition",
            machine.states[transition.target(BugEvidence::default())].name
        ));
    }
    let stuck = |state: &State, evidence| !state.terminal && followers(machine, state, evidence).is_empty();
    for (position, state) in machine.states.iter().enumerate() {
        if let Some(evidence) = BugEvidence::ALL.into_iter().find(|evidence| stuck(state, *evidence)) {
            let leads_on = |tool: &String| {
                machine
                    .transitions
                    .get(tool)
                    .is_some_and(|transition| transition.target(evidence) != position)
            };
            let leaving = machine.transitions.keys().filter(|tool| leads_on(tool)).map(String::as_str);
            let when = only_while(evidence, |other| stuck(state, other));
            return Some(format!(
                "state `{}` cannot be left{when}: none of its tools leads to another state; add one of {} to its `tools`, or \
                 mark it `terminal = true`",
                state.name,
                listed(leaving)
            ));
        }
    }
    let reached: BTreeSet<usize> = BugEvidence::ALL
        .into_iter()
        .flat_map(|evidence| reachable(machine, machine.start, evidence))
        .collect();
    if let Some(position) = (0..machine.states.len()).find(|position| !reached.contains(position)) {
        return Some(format!(
            "state `{}` cannot be reached from `{start}`; add a transition that leads to it on a tool of a reachable \
             state, or remove the state",
            machine.states[position].name
        ));
    }
    let ends = |position, evidence| {
        reachable(machine, position, evidence).iter().any(|&reached| machine.states[reached].terminal)
    };
    let endless =
        |position: &usize| BugEvidence::ALL.into_iter().find(|evidence| !ends(*position, *evidence));
    let (position, evidence) =
        (0..machine.states.len()).find_map(|position| Some((position, endless(&position)?)))?;
    let when = only_while(evidence, |other| !ends(position, other));
    Some(format!(
        "from state `{}` no terminal state can be reached{when}; add to its `tools`, or to those of a state that follows \
         it, a tool whose transition leads towards the end",
        machine.states[position].name
    ))
}

/// The condition under which a fault is there, in words; nothing where it is always there.
fn only_while(evidence: BugEvidence, is_fault: impl Fn(BugEvidence) -> bool) -> String {
    if BugEvidence::ALL.into_iter().all(is_fault) {
        return String::new();
    }
    let condition = Condition::BugShown;
    format!(" while `{}` is {}", condition.word(), condition.holds(evidence))
}

/// The positions of the other states that a state's own tools lead to.
fn followers(machine: &StateMachine, state: &State, evidence: BugEvidence) -> BTreeSet<usize> {
    let targets =
        state.tools.iter().filter_map(|tool| Some(machine.transition(state, tool)?.target(evidence)));
    targets.filter(|&target| machine.states[target].name != state.name).collect()
}

/// The positions of all states that can be entered from `from`, itself included.
fn reachable(machine: &StateMachine, from: usize, evidence: BugEvidence) -> BTreeSet<usize> {
    let mut reached = BTreeSet::from([from]);
    let mut waiting = vec![from];
    while let Some(position) = waiting.pop() {
        for follower in followers(machine, &machine.states[position], evidence) {
            if reached.insert(follower) {
                waiting.push(follower);
            }
        }
    }
    reached
}
