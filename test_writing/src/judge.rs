//! Whether the failure of a test is the one that the issue tells of, as the model sees it.

use patchwright_prompts::TestQuestion;
use patchwright_session::{Sampling, Stop};
use serde::Serialize;
use serde_json::json;

use crate::tried_test::TriedTest;
use crate::writer::TestWriter;

/// Characters of a reason that are kept.
const REASON: usize = 600;

/// What was said of a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Judgement {
    /// The test.
    test: u32,
    /// Whether its failure is the issue's; none where the answer does not say.
    pub(crate) matches: Option<bool>,
    /// Why.
    pub(crate) reason: String,
}

impl TestWriter<'_> {
    /// Asks whether a test fails for the issue's reason.
    pub(crate) async fn judge(&mut self, place: usize) -> Result<Judgement, Stop> {
        let TriedTest { test, report, .. } = &self.tried[place];
        let (id, tests, failure) = (test.id, self.tried[place].excerpts(), report.clone());
        let stage = self.stages.begin("judge", json!({ "test": id }))?;
        let prompt = self.prompt(&TestQuestion::Matches { tests: &tests, failure: failure.trim() }, None)?;
        let sampling = Sampling { count: 1, temperature: 0.0 };
        let answers = self.stages.sample(&prompt, sampling, self.settings.short_answer_tokens).await?;
        let text = answers.first().map(|answer| answer.reply.text.as_str()).unwrap_or_default();
        let (matches, reason) = read(text);
        let judgement = Judgement { test: id, matches, reason };
        let word = match matches {
            Some(true) => "yes",
            Some(false) => "no",
            None => "no answer that can be read",
        };
        self.stages.finish(&stage, format!("test {id}: {word}: {}", judgement.reason), &judgement)?;
        self.tried[place].matches = matches;
        Ok(judgement)
    }
}

/// The last word of an answer, and the reason before it.
fn read(text: &str) -> (Option<bool>, String) {
    let bare = |line: &str| line.trim().trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let said = |line: &str| match bare(line).as_str() {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    };
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(char::is_alphanumeric)).collect();
    // Some say it first, or end a sentence with it.
    let ends = |line: &&str| line.rsplit([' ', ':', ',']).next().and_then(said);
    let begins = |line: &&str| line.split([',', '.', ':', ' ']).next().and_then(said);
    let matches = lines
        .last()
        .and_then(|line| said(line).or_else(|| ends(line)))
        .or_else(|| lines.first().and_then(begins));
    let reason: Vec<&str> = lines.iter().copied().filter(|line| said(line).is_none()).collect();
    let reason = reason.join(" ");
    let end = reason.char_indices().nth(REASON).map_or(reason.len(), |(end, _)| end);
    (matches, reason[..end].trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_counts() {
        let check = |text: &str, matches: Option<bool>, reason: &str| {
            assert_eq!(read(text), (matches, reason.to_owned()), "{text}");
        };
        check("It asserts the total.\n\nyes", Some(true), "It asserts the total.");
        check("The import is wrong.\n**No.**\n", Some(false), "The import is wrong.");
        check("It is the same.\n```\nyes\n```", Some(true), "It is the same.");
        check("Yes, the total is asserted.", Some(true), "Yes, the total is asserted.");
        check("The answer is: no", Some(false), "The answer is: no");
        check("I cannot tell.", None, "I cannot tell.");
        check("", None, "");
    }
}
