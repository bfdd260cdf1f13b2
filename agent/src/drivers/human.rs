//! A person as the driver: the same prompt, the same JSON.

use async_trait::async_trait;
use patchwright_edits::{Edit, EditRules};
use patchwright_protocol::Remark;
use patchwright_session::{Answer, Driver, DriverError, DriverProfile, Question, WaitCategory};
use patchwright_syntax::Project;
use patchwright_trajectory::Purpose;

/// The name in reports.
const NAME: &str = "human";

/// Where a person reads and types. The program implements it for the terminal.
#[async_trait]
pub trait Terminal: Send {
    /// Shows a text.
    fn show(&mut self, text: &str);

    /// Asks for one line; `None` at the end of the input.
    async fn line(&mut self, prompt: &str) -> Option<String>;
}

/// Shows each prompt to a person and reads the reply, which ends with an empty line.
pub struct HumanDriver<T> {
    profile: DriverProfile,
    terminal: T,
    shown: Vec<String>,
}

impl<T: Terminal> HumanDriver<T> {
    /// A driver that talks over `terminal`.
    pub fn new(terminal: T) -> Self {
        Self { profile: DriverProfile::free(NAME, WaitCategory::Model), terminal, shown: Vec::new() }
    }

    /// Shows the messages that differ from those of the prompt before: a person has read the others.
    fn show(&mut self, question: &Question<'_>) {
        for (place, message) in question.prompt.messages.iter().enumerate() {
            if self.shown.get(place) == Some(&message.text) {
                continue;
            }
            let earlier = self.shown.get(place).map_or("", String::as_str);
            let new = message.text.strip_prefix(earlier).unwrap_or(&message.text);
            self.terminal.show(new);
        }
        self.shown = question.prompt.messages.iter().map(|message| message.text.clone()).collect();
    }
}

#[async_trait]
impl<T: Terminal> Driver for HumanDriver<T> {
    fn profile(&self) -> &DriverProfile {
        &self.profile
    }

    fn begin(&mut self, _project: &Project, _rules: &EditRules) {}

    async fn answer(&mut self, question: &Question<'_>) -> Result<Vec<Answer>, DriverError> {
        match question.purpose {
            Purpose::Command => {}
            // Thirty variants are not a thing to ask of a person.
            Purpose::Variants | Purpose::MethodBody | Purpose::Stage => return Ok(Vec::new()),
        }
        self.show(question);
        let mut text = String::new();
        loop {
            let prompt = if text.is_empty() { "your command (JSON, then an empty line)> " } else { "> " };
            match self.terminal.line(prompt).await {
                None if text.is_empty() => return Err(DriverError::Left),
                None => break,
                Some(line) if line.trim().is_empty() && !text.is_empty() => break,
                Some(line) if line.trim().is_empty() => {}
                Some(line) => {
                    text.push_str(&line);
                    text.push('\n');
                    if serde_json::from_str::<serde_json::Value>(&text).is_ok() {
                        break;
                    }
                }
            }
        }
        Ok(vec![Answer::free(text, NAME)])
    }

    fn notices(&mut self) -> Vec<String> {
        Vec::new()
    }

    fn remark(&self, _edits: &[Edit]) -> Option<Remark> {
        None
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use patchwright_prompts::Prompt;

    use std::sync::LazyLock;

    use patchwright_protocol::{Message, Role};

    use super::*;
    use patchwright_session::Memory;

    #[derive(Default)]
    struct Script {
        lines: std::collections::VecDeque<&'static str>,
        shown: std::sync::Arc<std::sync::Mutex<Vec<String>>>,
    }

    #[async_trait]
    impl Terminal for Script {
        fn show(&mut self, text: &str) {
            self.shown.lock().unwrap().push(text.to_owned());
        }

        async fn line(&mut self, _prompt: &str) -> Option<String> {
            self.lines.pop_front().map(str::to_owned)
        }
    }

    fn prompt(texts: &[&str]) -> Prompt {
        let message = |text: &&str| Message::new(Role::User, *text);
        Prompt { messages: texts.iter().map(message).collect(), tokens: 0 }
    }

    fn question(prompt: &Prompt, purpose: Purpose) -> Question<'_> {
        static MEMORY: LazyLock<Memory> = LazyLock::new(Memory::default);
        Question {
            cycle: 1,
            purpose,
            prompt,
            memory: &MEMORY,
            tools: &[],
            max_output_tokens: 100,
            effort: None,
            sampling: None,
        }
    }

    #[tokio::test]
    async fn a_person_sees_what_is_new_and_answers_in_json() {
        let shown = std::sync::Arc::default();
        let script = Script {
            lines: ["", "{\"command\":", " {}}", "not json", "", "{}"].into(),
            shown: std::sync::Arc::clone(&shown),
        };
        let mut driver = HumanDriver::new(script);
        let first = prompt(&["rules", "log: a"]);
        let answer = driver.answer(&question(&first, Purpose::Command)).await.unwrap().remove(0);
        assert_eq!(answer.reply.text, "{\"command\":\n {}}\n");
        let second = prompt(&["rules", "log: a, b"]);
        let answer = driver.answer(&question(&second, Purpose::Command)).await.unwrap().remove(0);
        assert_eq!(answer.reply.text, "not json\n");
        assert_eq!(*shown.lock().unwrap(), ["rules", "log: a", ", b"]);
        assert!(driver.answer(&question(&second, Purpose::Variants)).await.unwrap().is_empty());
        assert_eq!(
            driver.answer(&question(&second, Purpose::Command)).await.unwrap().remove(0).reply.text,
            "{}\n"
        );
        let end = driver.answer(&question(&second, Purpose::Command)).await;
        assert!(matches!(end, Err(DriverError::Left)));
    }
}
