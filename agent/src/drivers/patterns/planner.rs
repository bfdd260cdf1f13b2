//! The plan of a session of the fix patterns: which edits are tried, in which order, under which hypotheses. It is thought of on a
//! thread of its own, a pass ahead of what is being tried.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, OnceLock};

use patchwright_blocking::BlockingTask;
use patchwright_edits::{Edit, EditRules};
use patchwright_patterns::{Ingredients, Pass, PassKind, PlannedEdit, Proposal, RepairPlan, SuspiciousLine};
use patchwright_session::DriverError;
use patchwright_syntax::Project;
use tokio::sync::mpsc;

/// A hypothesis and the edits that are tried under it.
#[derive(Debug)]
pub(super) struct Hypothesis {
    /// The hypothesis.
    pub(super) text: String,
    /// Why it is stated.
    pub(super) why: String,
    /// The edits that are left, the likeliest first.
    pub(super) proposals: VecDeque<Proposal>,
    /// How many there were.
    pub(super) count: usize,
}

/// Gatherer of the fix ingredients of a project: once, while other things go on.
#[derive(Clone)]
pub(super) struct IngredientGatherer {
    project: Project,
    rules: EditRules,
    gathered: Arc<OnceLock<Gathered>>,
    /// The gathering; it ends with the last of those who may need it.
    _gathering: Option<Arc<BlockingTask<()>>>,
}

/// The files and ingredients found in a project.
struct Gathered {
    /// The files that may be changed.
    open: BTreeSet<String>,
    ingredients: Arc<Ingredients>,
}

impl IngredientGatherer {
    /// Begins to gather.
    pub(super) fn open(project: &Project, rules: &EditRules) -> Self {
        let gatherer = Self {
            project: project.clone(),
            rules: rules.clone(),
            gathered: Arc::default(),
            _gathering: None,
        };
        let own = gatherer.clone();
        // Whoever needs it first waits for it, or does it.
        let gathering = patchwright_blocking::spawn(move |_| {
            own.gathered();
        });
        Self { _gathering: Some(Arc::new(gathering)), ..gatherer }
    }

    /// What was gathered; waits for it where that is not done yet.
    fn gathered(&self) -> &Gathered {
        self.gathered.get_or_init(|| {
            let files = self.project.files().unwrap_or_default();
            let open: BTreeSet<String> = self
                .rules
                .allowed(files)
                .map(|files| files.iter().map(ToString::to_string).collect())
                .unwrap_or_default();
            let ingredients = Ingredients::gather(&self.project, &|path| open.contains(path));
            Gathered { open, ingredients: Arc::new(ingredients) }
        })
    }
}

/// The hypotheses that are left. Dropping it ends the planning.
pub(super) struct Planner {
    passes: mpsc::Receiver<Pass>,
    /// The planning; `None` once it has ended.
    planning: Option<BlockingTask<()>>,
    hypotheses: VecDeque<Hypothesis>,
    /// How many hypotheses there were so far, and how many edits.
    stated: usize,
    edits: usize,
}

impl Planner {
    /// Plans what to try for suspicious lines, which are given the most suspicious first, but for edits that were `tried` before.
    /// `stated` hypotheses came before.
    pub(super) fn start(
        gatherer: &IngredientGatherer,
        lines: Vec<SuspiciousLine>,
        tried: Vec<Edit>,
        stated: usize,
    ) -> Self {
        // One pass waits while the one before it is tried.
        let (sender, passes) = mpsc::channel(1);
        let gatherer = gatherer.clone();
        let planning = patchwright_blocking::spawn(move |cancelled| {
            let Gathered { open, ingredients } = gatherer.gathered();
            let lines = lines.into_iter().filter(|line| open.contains(&line.path)).collect();
            let mut plan = RepairPlan::new(gatherer.project.clone(), Arc::clone(ingredients), lines, &tried);
            while let Some(pass) = plan.next_pass(cancelled) {
                // Nobody waits for it any more.
                if sender.blocking_send(pass).is_err() {
                    break;
                }
            }
        });
        let hypotheses = VecDeque::new();
        Self { passes, planning: Some(planning), hypotheses, stated, edits: 0 }
    }

    /// The next hypothesis; `None` when nothing is left to try.
    pub(super) async fn next(&mut self) -> Result<Option<Hypothesis>, DriverError> {
        self.wait().await?;
        Ok(self.hypotheses.pop_front())
    }

    /// Is true if nothing is left to try.
    pub(super) async fn is_over(&mut self) -> Result<bool, DriverError> {
        self.wait().await?;
        Ok(self.hypotheses.is_empty())
    }

    /// Waits for the next pass, where the last one is used up.
    async fn wait(&mut self) -> Result<(), DriverError> {
        while self.hypotheses.is_empty() {
            let Some(pass) = self.passes.recv().await else {
                // It has let go of its end, so this takes no time.
                return match self.planning.take() {
                    Some(planning) => planning.await.map_err(DriverError::from),
                    None => Ok(()),
                };
            };
            self.edits += pass.edits.len();
            for group in by_method(pass.edits) {
                self.stated += 1;
                self.hypotheses.push_back(hypothesis(self.stated, group, pass.kind));
            }
        }
        Ok(())
    }

    /// How many hypotheses there were so far.
    pub(super) fn stated(&self) -> usize {
        self.stated
    }

    /// What to say when nothing is left to try.
    pub(super) fn farewell(&self) -> String {
        match self.edits {
            0 => "the fix patterns have nothing to propose for the suspicious lines".to_owned(),
            edits => format!("all {edits} edits that the fix patterns propose were tried"),
        }
    }
}

/// Edits of one method, or of the lines of a file outside of any.
struct Group {
    path: String,
    method: Option<String>,
    edits: Vec<PlannedEdit>,
}

/// Edits of the same method together, in the order of the likeliest edit of each.
fn by_method(edits: Vec<PlannedEdit>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for edit in edits {
        let is_of = |group: &&mut Group| group.path == edit.proposal.path && group.method == edit.method;
        match groups.iter_mut().find(is_of) {
            Some(group) => group.edits.push(edit),
            None => groups.push(Group {
                path: edit.proposal.path.clone(),
                method: edit.method.clone(),
                edits: vec![edit],
            }),
        }
    }
    groups
}

fn hypothesis(number: usize, group: Group, kind: PassKind) -> Hypothesis {
    let Group { path, method, edits } = group;
    let lines: BTreeSet<u32> = edits.iter().map(|edit| edit.proposal.line).collect();
    let (first, last) = (lines.first().copied().unwrap_or(1), lines.last().copied().unwrap_or(1));
    let lines = if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
    let place = match method {
        Some(method) => format!("`{method}` ({path}, {lines})"),
        None => format!("{path}, {lines},"),
    };
    let change = match kind {
        PassKind::Single => "one small change there repairs it",
        PassKind::Pair => "two small changes repair it together",
        PassKind::Overfitting => {
            "something there is too much: removing it or fixing its outcome repairs the bug"
        }
    };
    let suspiciousness = edits.iter().map(|edit| edit.suspiciousness).fold(0.0, f64::max);
    let likeliest = edits.first().map(|edit| edit.proposal.what.clone()).unwrap_or_default();
    let count = edits.len();
    let plural = if count == 1 { "edit" } else { "edits" };
    Hypothesis {
        text: format!(
            "Hypothesis {number}: the bug is in {place} and {change}. Likeliest of {count} {plural}: {likeliest}."
        ),
        why: format!("Suspiciousness {suspiciousness:.2}."),
        proposals: edits.into_iter().map(|edit| edit.proposal).collect(),
        count,
    }
}
