//! Drawings of a machine: text for a terminal, Mermaid for Markdown, DOT for Graphviz.

use std::fmt::Write as _;

use crate::{State, StateMachine, Transition};

/// Columns of the text drawing.
const WIDTH: usize = 96;

impl StateMachine {
    /// The machine as text for a terminal: each state with its purpose, its tools, and where they lead.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for state in &self.states {
            if !text.is_empty() {
                text.push('\n');
            }
            let _ = writeln!(text, "{}{}", state.name, self.mark(state));
            for line in wrapped(&state.purpose, WIDTH - 2) {
                let _ = writeln!(text, "  {line}");
            }
            for tool in &state.tools {
                let targets: Vec<String> = self
                    .targets(state, tool)
                    .map(|(target, when)| format!(" → {}{}", target.name, in_brackets(when.as_deref())))
                    .collect();
                let _ = writeln!(text, "  - {tool}{}", targets.join(","));
            }
        }
        text
    }

    /// The machine as a Mermaid `stateDiagram-v2`: arrows for tools that lead on, the other tools inside the state.
    pub fn to_mermaid(&self) -> String {
        let mut text = String::from("stateDiagram-v2\n");
        let _ = writeln!(text, "    [*] --> {}", self.start().name);
        for state in &self.states {
            let staying = self.staying(state);
            // The first description of a state is its title, the others are listed below it.
            if !staying.is_empty() {
                let _ = writeln!(text, "    {0} : {0}", state.name);
            }
            for tool in staying {
                let _ = writeln!(text, "    {} : {tool}", state.name);
            }
            for (label, target) in self.leaving(state) {
                let _ = writeln!(text, "    {} --> {} : {label}", state.name, target.name);
            }
            if state.terminal {
                let _ = writeln!(text, "    {} --> [*]", state.name);
            }
        }
        text
    }

    /// The machine as a Graphviz digraph: arrows for tools that lead on, the other tools inside the node.
    pub fn to_dot(&self) -> String {
        let mut text =
            String::from("digraph states {\n    rankdir = LR;\n    node [shape = box, style = rounded];\n");
        text.push_str("    START [shape = point, label = \"\"];\n");
        for state in &self.states {
            let mut label = state.name.clone();
            for tool in self.staying(state) {
                label.push_str("\\n");
                label.push_str(tool);
            }
            let ending = if state.terminal { ", peripheries = 2" } else { "" };
            let _ = writeln!(text, "    \"{}\" [label = \"{label}\"{ending}];", state.name);
        }
        let _ = writeln!(text, "    START -> \"{}\";", self.start().name);
        for state in &self.states {
            for (label, target) in self.leaving(state) {
                let _ =
                    writeln!(text, "    \"{}\" -> \"{}\" [label = \"{label}\"];", state.name, target.name);
            }
        }
        text.push_str("}\n");
        text
    }

    fn mark(&self, state: &State) -> &'static str {
        match (state.name == self.start().name, state.terminal) {
            (true, _) => " (start)",
            (false, true) => " (end)",
            (false, false) => "",
        }
    }

    /// The tools of a state after which the session stays in it, whatever it knows.
    fn staying<'a>(&self, state: &'a State) -> Vec<&'a str> {
        let tools = state.tools.iter().map(String::as_str);
        tools.filter(|tool| self.targets(state, tool).next().is_none()).collect()
    }

    /// The tools of a state that lead to another one, with when they do, and that state.
    fn leaving<'a>(&'a self, state: &'a State) -> impl Iterator<Item = (String, &'a State)> {
        let labelled = |tool: &'a String| {
            self.targets(state, tool)
                .map(move |(target, when)| (format!("{tool}{}", in_brackets(when.as_deref())), target))
        };
        state.tools.iter().flat_map(labelled)
    }

    /// The other states that a tool may lead to from a state, and when.
    fn targets<'a>(
        &'a self,
        state: &'a State,
        tool: &str,
    ) -> impl Iterator<Item = (&'a State, Option<String>)> + use<'a> {
        let targets = self.transition(state, tool).map(Transition::targets).unwrap_or_default();
        let named = targets.into_iter().map(|(target, when)| (&self.states[target], when));
        named.filter(|(target, _)| target.name != state.name)
    }
}

fn in_brackets(when: Option<&str>) -> String {
    when.map(|when| format!(" ({when})")).unwrap_or_default()
}

/// Breaks a paragraph at white space into lines of at most `width` characters where words allow.
fn wrapped(paragraph: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in paragraph.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            Some(_) | None => lines.push(word.to_owned()),
        }
    }
    lines
}
