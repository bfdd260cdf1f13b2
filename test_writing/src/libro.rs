//! `libro`: several samples, run and grouped by how they fail; the group whose failure is the is preferred, and of it the
//! shortest test is taken.

use patchwright_prompts::TestQuestion;
use patchwright_protocol::decimal;
use patchwright_session::{Sampling, Stop};
use serde_json::json;

use crate::cluster::{Cluster, clusters, rank};
use crate::draft::{self, AnswerForm, Draft};
use crate::writer::{TestWriter, WrittenStage, nothing};

impl TestWriter<'_> {
    /// Draws, runs, groups, asks, selects.
    pub(crate) async fn libro(&mut self) -> Result<(), Stop> {
        self.draw().await?;
        let failing: Vec<usize> = (0..self.tried.len()).filter(|place| self.tried[*place].fails()).collect();
        if failing.is_empty() {
            return Err(nothing("none of the tests that were drawn fails on the original code"));
        }
        let failures: Vec<(String, usize)> = failing
            .iter()
            .map(|place| {
                let tried = &self.tried[*place];
                (tried.record.failure.clone().unwrap_or_default(), tried.test.text().len())
            })
            .collect();
        let clusters = clusters(&failures);
        for cluster in &clusters {
            if let Some(first) = cluster.members.first() {
                let judgement = self.judge(failing[*first]).await?;
                for member in &cluster.members {
                    self.tried[failing[*member]].matches = judgement.matches;
                }
            }
        }
        self.select(&failing, clusters).await
    }

    /// Draws samples and runs those that differ.
    async fn draw(&mut self) -> Result<(), Stop> {
        let (count, temperature) = (self.settings.samples, self.settings.temperature);
        let arguments = json!({ "samples": count, "temperature": decimal(temperature) });
        let stage = self.stages.begin("sample", arguments)?;
        let prompt = self.prompt(&TestQuestion::Blocks, None)?;
        let sampling = Sampling { count, temperature };
        let answers = self.stages.sample(&prompt, sampling, self.max_output_tokens()).await?;
        let mut drafts: Vec<Draft> = Vec::new();
        let mut found: Vec<WrittenStage> = Vec::new();
        let first = self.next_id();
        for answer in &answers {
            let id = first + u32::try_from(drafts.len()).unwrap_or(u32::MAX);
            match draft::read(self.harness, id, AnswerForm::Blocks, &answer.reply.text).await? {
                Ok(draft) => {
                    let fingerprint =
                        |draft: &Draft| draft.test.added().map(patchwright_edits::Applied::fingerprint);
                    let is_known = drafts.iter().any(|known| fingerprint(known) == fingerprint(&draft));
                    if is_known {
                        found.push(WrittenStage::problem("the same as a sample before it".to_owned()));
                    } else {
                        drafts.push(draft);
                    }
                }
                Err(problem) => found.push(WrittenStage::problem(problem)),
            }
        }
        let drawn = answers.len();
        let places = self.try_all(drafts).await?;
        found.splice(0..0, places.iter().map(|place| WrittenStage::of(&self.tried[*place])));
        let failing = places.iter().filter(|place| self.tried[**place].fails()).count();
        let mut text =
            format!("{drawn} tests drawn, {} run, {failing} fail on the original code", places.len());
        for one in &found {
            text.push_str(&format!("\n- {one}"));
        }
        self.stages.finish(&stage, text, &found)
    }

    /// Takes the first test, in the order of the groups, that fails when it is run again.
    async fn select(&mut self, failing: &[usize], mut clusters: Vec<Cluster>) -> Result<(), Stop> {
        let stage = self.stages.begin("select", json!({ "clusters": clusters.len() }))?;
        let matches = |writer: &Self, cluster: &Cluster| {
            cluster.members.first().and_then(|first| writer.tried[failing[*first]].matches)
        };
        clusters.sort_by_key(|cluster| rank(matches(self, cluster)));
        let ranked: Vec<u32> = clusters
            .iter()
            .flat_map(|cluster| &cluster.members)
            .map(|member| self.tried[failing[*member]].test.id)
            .collect();
        let lines = clusters.iter().map(|cluster| {
            let word = match matches(self, cluster) {
                Some(true) => "the issue's failure",
                Some(false) => "another failure",
                None => "nobody can tell",
            };
            format!("{} of {} tests: {} ({word})", cluster.members.len(), failing.len(), cluster.failure)
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        self.stages.finish(&stage, text, &ranked)?;
        for cluster in &clusters {
            let said = match matches(self, cluster) {
                Some(true) => None,
                Some(false) => Some("the model does not take that for the issue's failure".to_owned()),
                None => Some("nobody could say whether that is the issue's failure".to_owned()),
            };
            let why = format!("{} of {} tests that fail do so alike", cluster.members.len(), failing.len());
            for member in &cluster.members {
                match self.conclude(failing[*member], &why, said.clone()).await {
                    Err(Stop::Driver(_)) => {}
                    ended => return ended,
                }
            }
        }
        Err(nothing("none of the tests that fail does so again"))
    }
}
