//! One question, one test: `direct`, `zero-shot` and `zero-shot-plus`.

use patchwright_prompts::TestQuestion;
use patchwright_session::{Sampling, Stop};
use serde_json::json;

use crate::draft::{self, AnswerForm};
use crate::tried_test::TriedTest;
use crate::writer::{TestWriter, WrittenStage, nothing};

impl TestWriter<'_> {
    /// Asks once, and takes the test as it comes.
    pub(crate) async fn single(&mut self, question: TestQuestion<'_>, form: AnswerForm) -> Result<(), Stop> {
        let stage = self.stages.begin("write", json!({ "form": format!("{form:?}").to_lowercase() }))?;
        let prompt = self.prompt(&question, None)?;
        let sampling = Sampling { count: 1, temperature: 0.0 };
        let answers = self.stages.sample(&prompt, sampling, self.max_output_tokens()).await?;
        let text = answers.first().map(|answer| answer.reply.text.clone()).unwrap_or_default();
        let found = match draft::read(self.harness, self.next_id(), form, &text).await? {
            Ok(draft) => {
                let place = self.try_out(draft).await?;
                WrittenStage::of(&self.tried[place])
            }
            Err(problem) => WrittenStage::problem(problem),
        };
        self.stages.finish(&stage, found.to_string(), &found)?;
        let Some(place) = self.tried.iter().position(TriedTest::fails) else {
            return Err(nothing(&found.to_string()));
        };
        let doubt = self.tried[place].doubt.clone();
        self.conclude(place, "nobody was asked whether that is the issue's reason", doubt).await
    }
}
