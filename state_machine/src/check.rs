//! The rules that a machine as a whole must keep: it starts, every state can be reached and left, and it can end.

use std::collections::BTreeSet;

use crate::{State, StateMachine, StatesError};

/// Finds the first rule that the machine breaks.
pub(crate) fn check(machine: &StateMachine, origin: &str) -> Result<(), StatesError> {
    let origin = || origin.to_owned();
    if let Some(state) = machine.states.iter().find(|state| state.terminal && !state.tools.is_empty()) {
        return Err(StatesError::TerminalWithTools { origin: origin(), state: state.name.clone() });
    }
    if machine.start().terminal {
        return Err(StatesError::StartIsTerminal { origin: origin(), state: machine.start().name.clone() });
    }
    if !machine.states.iter().any(|state| state.terminal) {
        return Err(StatesError::NoTerminalState { origin: origin() });
    }
    for (tool, &target) in &machine.transitions {
        if !machine.states.iter().any(|state| state.allows(tool)) {
            let target = machine.states[target].name.clone();
            return Err(StatesError::TransitionNeverTaken { origin: origin(), tool: tool.clone(), target });
        }
    }
    for (position, state) in machine.states.iter().enumerate() {
        if !state.terminal && followers(machine, state).is_empty() {
            let leaving = machine
                .transitions
                .iter()
                .filter(|&(_, &target)| target != position)
                .map(|(tool, _)| tool.clone());
            return Err(StatesError::CannotBeLeft {
                origin: origin(),
                state: state.name.clone(),
                leaving: leaving.collect(),
            });
        }
    }
    let reached = reachable(machine, machine.start);
    if let Some(position) = (0..machine.states.len()).find(|position| !reached.contains(position)) {
        return Err(StatesError::Unreachable {
            origin: origin(),
            state: machine.states[position].name.clone(),
            start: machine.start().name.clone(),
        });
    }
    for (position, state) in machine.states.iter().enumerate() {
        if !reachable(machine, position).iter().any(|&reached| machine.states[reached].terminal) {
            return Err(StatesError::NeverEnds { origin: origin(), state: state.name.clone() });
        }
    }
    Ok(())
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
