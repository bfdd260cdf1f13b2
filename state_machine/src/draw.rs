//! Drawings of a machine: text for a terminal, Mermaid for Markdown, DOT for Graphviz.

use std::fmt::Write as _;

use crate::{State, StateMachine};

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
                match self.next(&state.name, tool) {
                    Some(target) => {
                        let _ = writeln!(text, "  - {tool} → {}", target.name);
                    }
                    None => {
                        let _ = writeln!(text, "  - {tool}");
                    }
                }
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
            for (tool, target) in self.leaving(state) {
                let _ = writeln!(text, "    {} --> {} : {tool}", state.name, target.name);
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
            for (tool, target) in self.leaving(state) {
                let _ = writeln!(text, "    \"{}\" -> \"{}\" [label = \"{tool}\"];", state.name, target.name);
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

    /// The tools of a state after which the session stays in it.
    fn staying<'a>(&self, state: &'a State) -> Vec<&'a str> {
        state.tools.iter().map(String::as_str).filter(|tool| self.next(&state.name, tool).is_none()).collect()
    }

    /// The tools of a state that lead to another one, with that state.
    fn leaving<'a>(&'a self, state: &'a State) -> impl Iterator<Item = (&'a str, &'a State)> {
        state.tools.iter().filter_map(|tool| Some((tool.as_str(), self.next(&state.name, tool)?)))
    }
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
