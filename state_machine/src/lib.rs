//! The states of a repair session, the tools each allows, and the transitions between them.
//!
//! A [`StateMachine`] is data plus pure functions: it is read from TOML ([`StateMachine::parse`], or the file
//! that the program carries, [`StateMachine::embedded`]), checked once, and never changes afterwards. The loop asks it
//! two questions: may this tool be called here ([`StateMachine::gate`]), and where does the session stand after
//! the tool succeeded ([`StateMachine::next`]), given what shows the bug ([`BugEvidence`]).

mod check;
mod draw;
mod error;
mod load;
mod transition;

use std::collections::BTreeMap;

use patchwright_protocol::{BugEvidence, Effort};
use serde::Serialize;

pub use error::StatesError;
use transition::Transition;

/// The tool that ends a session in the machine of [`StateMachine::ungated`].
const FINISHING_TOOL: &str = "goal_accomplished";

/// A validated, immutable state machine: every state can be reached and left, and every tool exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateMachine {
    start: usize,
    states: Vec<State>,
    /// Tool name → where it leads, unless the state says otherwise.
    transitions: BTreeMap<String, Transition>,
}

/// One state: what it is for and what may be called in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct State {
    /// The name, as in transitions, events and prompts (`understand_bug`).
    pub name: String,
    /// A paragraph for the prompt: what to do in this state and when to leave it.
    pub purpose: String,
    /// The tools that may be called here, in the order in which they are offered.
    pub tools: Vec<String>,
    /// Those of the tools that may only be called while a hypothesis stands, or with one in their argument `hypothesis`.
    pub needs_hypothesis: Vec<String>,
    /// How much a model that reasons is to reason here; `None` = as its service does by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
    /// The session ends on entering this state; such a state allows no tool.
    pub terminal: bool,
    /// Tool name → where it leads from this state, whatever it leads to from others.
    #[serde(skip)]
    transitions: BTreeMap<String, Transition>,
}

/// The answer to whether a tool may be called in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gate<'a> {
    /// The state allows the tool.
    Allowed,
    /// The state does not allow the tool.
    Forbidden {
        /// The tools that the state does allow.
        here: &'a [String],
        /// The states that allow the tool, in the order of the file; empty for a tool that no state knows.
        elsewhere: Vec<&'a str>,
    },
}

impl StateMachine {
    /// The machine that the program carries (`state_machine/states.toml`).
    ///
    /// # Panics
    /// Never: the tests load the file that is compiled in.
    #[expect(clippy::expect_used, reason = "the file is part of the program and the tests load it")]
    pub fn embedded() -> Self {
        load::load(include_str!("../states.toml"), "states.toml", None)
            .expect("the embedded states are valid")
    }

    /// The machine of sessions that write a test and no fix (`state_machine/test_states.toml`).
    ///
    /// # Panics
    /// Never: the tests load the file that is compiled in.
    #[expect(clippy::expect_used, reason = "the file is part of the program and the tests load it")]
    pub fn for_tests() -> Self {
        load::load(include_str!("../test_states.toml"), "test_states.toml", None)
            .expect("the embedded states are valid")
    }

    /// Reads and checks a machine.
    ///
    /// `origin` names the file in errors; `known_tools` are the tools that exist in the program.
    ///
    /// # Errors
    /// The first thing that is wrong with the file, with its place and what to do about it.
    pub fn parse(toml: &str, origin: &str, known_tools: &[&str]) -> Result<Self, StatesError> {
        load::load(toml, origin, Some(known_tools))
    }

    /// The same machine, in which the tools that no state names may be called in every state that allows any, after those that it names.
    #[must_use]
    pub fn with_unnamed(mut self, tools: &[&str]) -> Self {
        let unnamed: Vec<String> =
            tools.iter().filter(|tool| !self.offers(tool)).map(|tool| (*tool).to_owned()).collect();
        for state in self.states.iter_mut().filter(|state| !state.terminal) {
            state.tools.extend(unnamed.iter().cloned());
        }
        self
    }

    /// Is true if any state allows the tool.
    pub fn offers(&self, tool: &str) -> bool {
        self.states.iter().any(|state| state.allows(tool))
    }

    /// The same machine without some tools.
    ///
    /// # Errors
    /// The rule that the machine breaks without them: a state that cannot be left, for example.
    pub fn without(&self, tools: &[&str]) -> Result<Self, StatesError> {
        let mut machine = self.clone();
        for state in &mut machine.states {
            for list in [&mut state.tools, &mut state.needs_hypothesis] {
                list.retain(|tool| !tools.contains(&tool.as_str()));
            }
        }
        let own = machine.states.iter_mut().map(|state| &mut state.transitions);
        for transitions in own.chain([&mut machine.transitions]) {
            transitions.retain(|tool, _| !tools.contains(&tool.as_str()));
        }
        check::check(&machine, "the states that are left")?;
        Ok(machine)
    }

    /// The ablation `--states none`: one state `free`, in which every tool may be called, and `done`, which
    /// `goal_accomplished` leads to.
    pub fn ungated(tools: &[&str]) -> Self {
        let free = State {
            name: "free".to_owned(),
            purpose: "Find the cause of the bug and fix it. Every command may be used at any time, in the order that \
                      you find best. When a candidate passes the tests, and you believe that it repairs the cause and \
                      not only the symptom, finish with goal_accomplished."
                .to_owned(),
            tools: tools.iter().map(|&tool| tool.to_owned()).collect(),
            needs_hypothesis: Vec::new(),
            effort: None,
            terminal: false,
            transitions: BTreeMap::new(),
        };
        let done = State {
            name: "done".to_owned(),
            purpose: "The bug is repaired: a candidate passed the tests and was accepted as the fix."
                .to_owned(),
            tools: Vec::new(),
            needs_hypothesis: Vec::new(),
            effort: None,
            terminal: true,
            transitions: BTreeMap::new(),
        };
        let transitions = BTreeMap::from([(FINISHING_TOOL.to_owned(), Transition::To(1))]);
        Self { start: 0, states: vec![free, done], transitions }
    }

    /// The state in which a session begins.
    pub fn start(&self) -> &State {
        &self.states[self.start]
    }

    /// The state of this name.
    pub fn state(&self, name: &str) -> Option<&State> {
        self.states.iter().find(|state| state.name == name)
    }

    /// All states in the order of the file.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Decides whether `tool` may be called in `state`. A state that does not exist allows nothing.
    pub fn gate<'a>(&'a self, state: &str, tool: &str) -> Gate<'a> {
        let here: &[String] = self.state(state).map_or(&[], |state| &state.tools);
        if here.iter().any(|allowed| allowed == tool) {
            return Gate::Allowed;
        }
        let elsewhere =
            self.states.iter().filter(|state| state.allows(tool)).map(|state| state.name.as_str()).collect();
        Gate::Forbidden { here, elsewhere }
    }

    /// The state that the session enters after `tool` succeeded in `state`, judged by the tool's typed result and by what
    /// shows the bug then.
    ///
    /// `None` means that the session stays where it is: the tool leads nowhere, leads to `state` itself, or is
    /// not allowed in `state`.
    pub fn next(&self, state: &str, tool: &str, evidence: BugEvidence) -> Option<&State> {
        let from = self.state(state)?;
        let target = &self.states[self.transition(from, tool)?.target(evidence)];
        (target.name != state).then_some(target)
    }

    /// Whether it depends on the evidence where a tool leads from a state.
    pub fn depends_on_evidence(&self, state: &str, tool: &str) -> bool {
        let transition = self.state(state).and_then(|state| self.transition(state, tool));
        matches!(transition, Some(Transition::Depending { .. }))
    }

    /// Where a tool that `state` allows leads, if anywhere.
    fn transition(&self, state: &State, tool: &str) -> Option<Transition> {
        let leads = state.transitions.get(tool).or_else(|| self.transitions.get(tool)).copied();
        leads.filter(|_| state.allows(tool))
    }
}

impl State {
    /// Is true if `tool` may be called in this state.
    pub fn allows(&self, tool: &str) -> bool {
        self.tools.iter().any(|allowed| allowed == tool)
    }
}

#[cfg(test)]
mod tests;
