//! The rules that a machine as a whole must keep: it starts, every state can be reached and left, and it can end.

use std::collections::BTreeSet;

use crate::error::listed;
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
    if let Some((tool, target)) = machine.transitions.iter().find(|(tool, _)| !machine.offers(tool)) {
        return Some(format!(
            "[transitions]: `{tool}` leads to `{}`, but no state allows `{tool}`; add it to the `tools` of the state \
             that it shall leave, or remove the transition",
            machine.states[*target].name
        ));
    }
    for (position, state) in machine.states.iter().enumerate() {
        if !state.terminal && followers(machine, state).is_empty() {
            let leaving = machine.transitions.iter().filter(|&(_, &target)| target != position);
            return Some(format!(
                "state `{}` cannot be left: none of its tools leads to another state; add one of {} to its `tools`, or \
                 mark it `terminal = true`",
                state.name,
                listed(leaving.map(|(tool, _)| tool.as_str()))
            ));
        }
    }
    let reached = reachable(machine, machine.start);
    if let Some(position) = (0..machine.states.len()).find(|position| !reached.contains(position)) {
        return Some(format!(
            "state `{}` cannot be reached from `{start}`; add a transition that leads to it on a tool of a reachable \
             state, or remove the state",
            machine.states[position].name
        ));
    }
    let ends =
        |position| reachable(machine, position).iter().any(|&reached| machine.states[reached].terminal);
    (0..machine.states.len()).find(|&position| !ends(position)).map(|position| {
        format!(
            "from state `{}` no terminal state can be reached; add to its `tools`, or to those of a state that follows \
             it, a tool whose transition leads towards the end",
            machine.states[position].name
        )
    })
}

/// The positions of the other states that a state's own tools lead to.
fn followers(machine: &StateMachine, state: &State) -> BTreeSet<usize> {
    let targets = state.tools.iter().filter_map(|tool| machine.transitions.get(tool).copied());
    targets.filter(|&target| machine.states[target].name != state.name).collect()
}

/// The positions of all states that can be entered from `from`, itself included.
fn reachable(machine: &StateMachine, from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::from([from]);
    let mut waiting = vec![from];
    while let Some(position) = waiting.pop() {
        for follower in followers(machine, &machine.states[position]) {
            if reached.insert(follower) {
                waiting.push(follower);
            }
        }
    }
    reached
}
