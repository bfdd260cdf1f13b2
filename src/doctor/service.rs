//! `patchwright doctor --model`: what a model's service can do.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use patchwright_command_line::cli::DoctorArgs;
use patchwright_command_line::options::{ApproachOptions, ModelOptions, SessionOptions};
use patchwright_command_line::settings;
use patchwright_llm::{
    ChatModel, ChatRequest, ModelError, ModelLimits, ModelName, ModelNotice, Prices, RetryPolicy,
};
use patchwright_protocol::{ChatReply, Effort, Failure, Usage};

use super::judgement;
use super::questions::{self, LongPrompt, Words};
use super::report::{Check, ServiceReport};
use crate::failure::ExitCode;
use crate::model::Choice;

/// The room for the answer of a model that reasons, in tokens.
const MORE_ANSWER_TOKENS: u32 = 4_096;

/// Asks the service of `word` what sessions need of it, and prints what was found.
pub async fn run(word: &str, args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let Choice::Service(name) = Choice::read(Some(word))? else {
        return Err(Failure::user(format!(
            "--model {word}: no service answers for it, so there is nothing to check"
        ))
        .hint("name the model of a service, such as compatible/NAME with --base-url"));
    };
    let typed = SessionOptions {
        approach: ApproachOptions { model: Some(word.to_owned()), ..ApproachOptions::default() },
        model: ModelOptions {
            base_url: args.base_url.clone(),
            key_file: args.key_file.clone(),
            ..ModelOptions::default()
        },
        ..SessionOptions::default()
    };
    let options = settings::users(&typed)?;
    crate::output::redact_with(crate::secrets::redactor(&options)?);
    let report = asked(&name, &options).await?;
    if args.json {
        let object = serde_json::to_string(&report).map_err(Failure::defect)?;
        crate::print(&format!("{object}\n"))?;
    } else {
        crate::print(&report.text())?;
    }
    if report.usable {
        return Ok(ExitCode::Done);
    }
    let failure = match report.obstacle() {
        Some(Check { name, detail, cure, .. }) => {
            let failure =
                Failure::provider(format!("{word} cannot drive a repair session: {name}: {detail}"));
            Failure { hint: cure.clone(), ..failure }
        }
        None => Failure::provider(format!("{word} cannot drive a repair session")),
    };
    Err(failure)
}

/// A service that is asked, and what that took.
struct Questioner {
    model: Arc<dyn ChatModel>,
    prices: Prices,
    tokens: Usage,
    cost: Option<f64>,
    answered: Vec<Answered>,
    began: Instant,
}

/// An answer and its time.
struct Answered {
    reply: ChatReply,
    seconds: f64,
}

impl Questioner {
    /// Asks once; an answer that was cut off while the model was still reasoning is asked for again with more room.
    async fn ask(&mut self, what: &str, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        crate::say(&format!("asking for {what}"));
        let reply = self.ask_once(request).await?;
        if !questions::is_cut_while_reasoning(&reply) {
            return Ok(reply);
        }
        self.ask_once(&ChatRequest { max_output_tokens: MORE_ANSWER_TOKENS, ..request.clone() }).await
    }

    async fn ask_once(&mut self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let asked = Instant::now();
        let reply = self.model.complete(request).await?;
        let cost = reply.usage.and_then(|usage| self.prices.cost(self.model.name(), &usage));
        self.cost = self.cost.zip(cost).map(|(sum, cost)| sum + cost);
        self.tokens += reply.usage.unwrap_or_default();
        self.answered.push(Answered { reply: reply.clone(), seconds: asked.elapsed().as_secs_f64() });
        Ok(reply)
    }

    /// Asks for a command as JSON with an effort; whether the effort was accepted stands beside the answer.
    async fn command(&mut self, limits: &ModelLimits) -> (Result<ChatReply, ModelError>, Option<bool>) {
        let what = "a command as JSON";
        if !limits.takes_effort() {
            return (self.ask(what, &questions::command(None)).await, None);
        }
        match self.ask(what, &questions::command(Some(Effort::Low))).await {
            // Whether it was the effort that was refused shows without it.
            Err(ModelError::Refused { .. }) => {
                let without = self.ask(what, &questions::command(None)).await;
                let refused = without.is_ok().then_some(false);
                (without, refused)
            }
            Ok(reply) => (Ok(reply), Some(!self.model.facts().refuses_effort)),
            Err(error) => (Err(error), None),
        }
    }

    /// The tokens a second that all answers were written with, from their first pieces on.
    fn tokens_per_second(&self) -> Option<f64> {
        let (mut tokens, mut seconds) = (0, 0.0);
        for Answered { reply, seconds: took } in &self.answered {
            if let (Some(usage), Some(first)) = (reply.usage, reply.first_piece_seconds) {
                // What is reasoned out of sight comes before the first piece.
                let hidden = if reply.reasoning.is_empty() { usage.reasoning } else { 0 };
                // The first token is the end of the wait.
                tokens += usage.output.saturating_sub(hidden).saturating_sub(1);
                seconds += (took - first).max(0.0);
            }
        }
        (tokens > 0 && seconds > 0.0).then(|| tokens as f64 / seconds)
    }

    fn reasons(&self) -> bool {
        let counted = |reply: &ChatReply| reply.usage.is_some_and(|usage| usage.reasoning > 0);
        self.answered.iter().any(|answered| !answered.reply.reasoning.is_empty() || counted(&answered.reply))
    }

    /// Puts into the report what all questions together took.
    fn book(&self, report: &mut ServiceReport) {
        report.tokens = self.tokens;
        report.price_known = self.prices.cost(self.model.name(), &Usage::default()).is_some();
        report.cost_usd = self.cost.filter(|_| report.price_known);
        report.seconds = self.began.elapsed().as_secs_f64();
    }
}

/// Less patient than a session: whoever asks waits for the answer.
fn policy() -> RetryPolicy {
    RetryPolicy {
        tries: 2,
        total_wait: Duration::from_secs(30),
        connect_timeout: Duration::from_secs(10),
        ..RetryPolicy::default()
    }
}

/// Asks all questions; after the first that brings no answer the others are not asked.
async fn asked(name: &ModelName, options: &SessionOptions) -> Result<ServiceReport, Failure> {
    let base_url = options.model.base_url.as_deref();
    let mut report = ServiceReport::new(name.to_string(), base_url.map(str::to_owned));
    let notify = |notice: ModelNotice| {
        if let ModelNotice::Retry(notice) = notice {
            crate::say(&crate::model::retried(&notice));
        }
    };
    let keys = crate::model::keys(options);
    let model = match patchwright_llm::connect(name, base_url, &keys, policy(), notify) {
        Ok(model) => model,
        Err(error) => {
            let check = Check::failure("service", error.to_string());
            report.checks.push(judgement::unanswered(check, &error));
            return Ok(report);
        }
    };
    let variable = name.provider.key_variable();
    let has_key = keys.find(variable).is_ok_and(|key| key.is_some());
    let key = if has_key { format!("with the key in {variable}") } else { "without a key".to_owned() };
    let mut questioner = Questioner {
        model,
        prices: crate::model::prices(options)?,
        tokens: Usage::default(),
        cost: Some(0.0),
        answered: Vec::new(),
        began: Instant::now(),
    };
    if let Err(problem) = questioner.all(&mut report, name, &key).await {
        let check = Check::failure("service", problem.to_string());
        report.checks.push(judgement::unanswered(check, &problem));
    }
    questioner.book(&mut report);
    if report.answered_by.is_some() {
        report.checks.push(judgement::price(&report, questioner.model.facts()));
    }
    Ok(report)
}

impl Questioner {
    /// Asks all questions and notes what was found.
    ///
    /// # Errors
    /// The service does not answer even the first.
    async fn all(
        &mut self,
        report: &mut ServiceReport,
        name: &ModelName,
        key: &str,
    ) -> Result<(), ModelError> {
        let limits = ModelLimits::of(name);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let words = Words::of(now.as_secs());
        self.model.check_key().await?;
        let first = self.ask("a word", &questions::short(words)).await?;
        let format = self.model.facts().wire_format;
        let took = self.answered.last().map(|answered| answered.seconds).unwrap_or_default();
        report.wire_format = Some(format);
        report.answered_by = Some(first.model.clone());
        report.streaming.first_piece_seconds = first.first_piece_seconds;
        let detail = format!("{} answered in {took:.1} s, by {format}, {key}", first.model);
        report.checks.push(Check::ok("service", detail));

        let LongPrompt { request, words: sent } = questions::long(words);
        // Some servers count, and refuse prompts that are too long, only where they answer at once.
        let request = ChatRequest { whole: first.usage.is_none(), ..request };
        let what =
            format!("two words of a prompt with {sent} words, which takes minutes where no GPU reads it");
        let long = self.ask(&what, &request).await;
        let knows_short = questions::names(&first, words.first);
        let base_url = report.base_url.clone();
        let (context, check) =
            judgement::context(&long, (words, sent), knows_short, limits.context, base_url.as_deref());
        let read = long.ok().and_then(|reply| Some((context.counted?, reply.first_piece_seconds?)));
        report.streaming.prompt_tokens_per_second =
            read.filter(|(_, seconds)| *seconds > 0.0).map(|(tokens, seconds)| tokens as f64 / seconds);
        report.context = context;
        let reads_prompts = check.mark != super::report::Mark::Failure;
        report.checks.push(check);

        let called = self.ask("a tool call", &questions::tool_call()).await;
        let (native, check) = judgement::tool_calls(&called);
        report.checks.push(check);
        let (written, takes_effort) = self.command(&limits).await;
        let (json, check) = judgement::json(&written, native);
        report.checks.push(check);
        (report.tool_calls, report.json, report.takes_effort) = (Some(native), Some(json), takes_effort);
        report.protocol = if native { Some("native") } else { json.then_some("json") };
        report.usable = reads_prompts && report.protocol.is_some();

        report.reasons = self.reasons();
        report.checks.push(judgement::reasoning(report.reasons, takes_effort));
        report.streaming.in_pieces =
            self.answered.iter().any(|answered| answered.reply.first_piece_seconds.is_some());
        report.streaming.tokens_per_second = self.tokens_per_second();
        report.checks.push(judgement::streaming(&report.streaming, self.model.facts()));
        Ok(())
    }
}
