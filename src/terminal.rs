//! A person at the terminal: asks on stderr, reads from standard input.

use std::io::Write;
use std::sync::LazyLock;

use async_trait::async_trait;
use patchwright_agent::Terminal;
use patchwright_prompts::visible;
use patchwright_session::{Decision, ProposedCall, Reviewer, command_line};
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};
use tokio::sync::Mutex;

use crate::cancel::Pause;

/// Standard input. There is one for the whole process: what a buffer has read ahead belongs to whoever asks
/// next.
static INPUT: LazyLock<Mutex<Lines<BufReader<Stdin>>>> =
    LazyLock::new(|| Mutex::new(BufReader::new(tokio::io::stdin()).lines()));

/// Standard input and stderr.
#[derive(Clone, Copy, Debug, Default)]
pub struct Console;

impl Console {
    /// Asks until one of `words` or its letter is typed; `None` at the end of the input.
    async fn choice(&mut self, prompt: &str, words: &[(&'static str, char)]) -> Option<&'static str> {
        loop {
            let typed = self.line(prompt).await?.trim().to_lowercase();
            let found = words.iter().find(|(word, letter)| typed == *word || typed == letter.to_string());
            if let Some((word, _)) = found {
                return Some(word);
            }
            let all: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            self.show(&format!("please type one of: {}", all.join(", ")));
        }
    }

    /// Asks what somebody makes of a patch; `None` at the end of the input.
    pub async fn judgement(&mut self) -> Option<&'static str> {
        let words = [("correct", 'c'), ("wrong", 'w'), ("skip", 's'), ("quit", 'q')];
        self.choice("correct, wrong, skip or quit? ", &words).await
    }

    /// Asks a question that is answered with yes or no; the end of the input is a no.
    pub async fn confirm(&mut self, question: &str) -> bool {
        self.choice(&format!("{question} [yes/no] "), &[("yes", 'y'), ("no", 'n')]).await == Some("yes")
    }
}

#[async_trait]
impl Terminal for Console {
    fn show(&mut self, text: &str) {
        crate::say(text);
    }

    async fn line(&mut self, prompt: &str) -> Option<String> {
        let _ = write!(std::io::stderr(), "{}", visible(prompt));
        let _ = std::io::stderr().flush();
        INPUT.lock().await.next_line().await.ok().flatten()
    }
}

/// Shows each command before it runs, and asks.
#[derive(Debug, Default)]
pub struct TerminalReviewer {
    terminal: Console,
    alone: bool,
    pause: Pause,
}

impl TerminalReviewer {
    /// A reviewer who can be called while something runs.
    pub fn new(pause: Pause) -> Self {
        Self { pause, ..Self::default() }
    }

    async fn edited(&mut self, arguments: &serde_json::Value) -> Option<serde_json::Value> {
        let pretty = serde_json::to_string_pretty(arguments).unwrap_or_default();
        self.terminal
            .show(&format!("arguments now:\n{pretty}\ntype the new ones as JSON, then an empty line"));
        loop {
            let mut text = String::new();
            while let Some(line) = self.terminal.line("> ").await {
                if line.trim().is_empty() {
                    break;
                }
                text.push_str(&line);
                text.push('\n');
            }
            if text.is_empty() {
                return None;
            }
            match serde_json::from_str(&text) {
                Ok(value @ serde_json::Value::Object(_)) => return Some(value),
                Ok(_) => self
                    .terminal
                    .show("the arguments are a JSON object; try again, or an empty line to go back"),
                Err(error) => {
                    self.terminal
                        .show(&format!("that is no JSON ({error}); try again, or an empty line to go back"));
                }
            }
        }
    }
}

#[async_trait]
impl Reviewer for TerminalReviewer {
    fn wants_previews(&self) -> bool {
        !self.alone
    }

    async fn review(&mut self, proposal: &ProposedCall<'_>) -> Decision {
        if self.alone {
            return Decision::Run;
        }
        self.decide(proposal).await
    }

    async fn interrupted(&mut self) {
        self.pause.asked_for().await;
    }

    async fn resume(&mut self) -> Decision {
        // Whoever stopped it wants to be asked.
        self.alone = false;
        let words = [("go on", 'g'), ("hint", 'h'), ("alone", 'a'), ("quit", 'q')];
        match self.terminal.choice("  paused: [g]o on, [h]int, [a]lone, [q]uit> ", &words).await {
            Some("go on") => Decision::Run,
            Some("hint") => match self.terminal.line("  hint for the model> ").await {
                Some(hint) => Decision::Hint(hint),
                None => Decision::Quit,
            },
            Some("alone") => {
                self.alone = true;
                Decision::RunAlone
            }
            Some(_) | None => Decision::Quit,
        }
    }
}

impl TerminalReviewer {
    async fn decide(&mut self, proposal: &ProposedCall<'_>) -> Decision {
        if let Some(thoughts) = proposal.thoughts {
            self.terminal.show(&format!("  thoughts: {thoughts}"));
        }
        self.terminal.show(&format!("  next: {}", command_line(proposal.tool, proposal.arguments)));
        if let Some(change) = &proposal.preview {
            crate::output::say_diff(change);
        }
        loop {
            let words =
                [("run", 'r'), ("edit", 'e'), ("hint", 'h'), ("refuse", 'f'), ("alone", 'a'), ("quit", 'q')];
            let typed =
                self.terminal.choice("  [r]un, [e]dit, [h]int, re[f]use, [a]lone, [q]uit> ", &words).await;
            match typed {
                Some("run") => return Decision::Run,
                Some("edit") => {
                    if let Some(arguments) = self.edited(proposal.arguments).await {
                        return Decision::Edit(arguments);
                    }
                }
                Some("hint") => match self.terminal.line("  hint for the model> ").await {
                    Some(hint) if !hint.trim().is_empty() => return Decision::Hint(hint),
                    Some(_) => {}
                    None => return Decision::Quit,
                },
                Some("refuse") => match self.terminal.line("  reason> ").await {
                    Some(reason) => return Decision::Refuse(reason),
                    None => return Decision::Quit,
                },
                Some("alone") => {
                    self.alone = true;
                    return Decision::RunAlone;
                }
                // Nobody is there any more: going on alone would not be what the user asked for.
                Some(_) | None => return Decision::Quit,
            }
        }
    }
}
