//! The plan of a session of the fix patterns: which edits are tried, in which order, under which hypotheses.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use patchwright_code::{EditRules, Language, Outline, Project, outline};
use patchwright_patterns::{Ingredients, Place, Proposal, combine, propose};
use serde::Deserialize;

/// Suspicious lines that are looked at.
const LINES: usize = 120;
/// How many of the likeliest edits each pass over the methods takes; further passes take as many as the last. The likeliest
/// edits of all methods come before the unlikely ones of the first.
const PASSES: [usize; 3] = [240, 480, 960];
/// Single edits that are tried; what is less likely than that is given up.
const SINGLES: usize = 2_400;
/// The likeliest single edits, which are combined in pairs.
const PAIRED: usize = 48;
/// Pairs that are tried.
const PAIRS: usize = 480;
/// Edits of a kind that often fits the tests and nothing else.
const MARKED: usize = 480;

/// A line that the localisation suspects.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Suspect {
    path: String,
    line: u32,
    /// From 0 to 1; lines that a person named are certain.
    #[serde(default = "certain")]
    suspiciousness: f64,
    #[serde(default)]
    omission: bool,
}

fn certain() -> f64 {
    1.0
}

/// A hypothesis and the edits that are tried under it.
#[derive(Debug)]
pub(super) struct Belief {
    /// The hypothesis.
    pub(super) text: String,
    /// Why it is stated.
    pub(super) why: String,
    /// The edits that are left, the likeliest first.
    pub(super) proposals: VecDeque<Proposal>,
    /// How many there were.
    pub(super) count: usize,
}

/// The hypotheses that are left.
pub(super) struct Campaign {
    beliefs: VecDeque<Belief>,
    edits: usize,
}

/// A proposal with what speaks for it.
struct Ranked {
    /// Suspiciousness of the line × frequency of the pattern × nearness of the ingredient.
    score: f64,
    suspiciousness: f64,
    proposal: Proposal,
}

/// What the edits of one hypothesis have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Single,
    Pair,
    Marked,
}

impl Campaign {
    /// Plans what to try for suspicious lines, which are given the most suspicious first.
    pub(super) fn plan(project: &Project, rules: &EditRules, suspects: &[Suspect]) -> Self {
        let open: BTreeSet<String> = project
            .files()
            .ok()
            .and_then(|files| rules.allowed(files).ok())
            .map(|files| files.iter().map(ToString::to_string).collect())
            .unwrap_or_default();
        let ingredients = Ingredients::gather(project, &|path| open.contains(path));
        let places = suspects.iter().filter(|suspect| open.contains(&suspect.path)).take(LINES);
        let mut seen = BTreeSet::new();
        let mut ranked: Vec<Ranked> = Vec::new();
        for suspect in places {
            let place = Place { path: suspect.path.clone(), line: suspect.line, omission: suspect.omission };
            for proposal in propose(project, &ingredients, &place) {
                // A statement of several lines is proposed for at each of them.
                if seen.insert(serde_json::to_string(&proposal.edit).unwrap_or_default()) {
                    let score = suspect.suspiciousness * proposal.likelihood;
                    ranked.push(Ranked { score, suspiciousness: suspect.suspiciousness, proposal });
                }
            }
        }
        ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
        let (marked, mut singles): (Vec<_>, Vec<_>) =
            ranked.into_iter().partition(|one| one.proposal.overfit.is_some());
        let pairs = pairs(project, &singles);
        singles.truncate(SINGLES);

        let mut methods = Methods { project, outlines: BTreeMap::new() };
        let mut beliefs = Vec::new();
        let mut sizes = PASSES.into_iter().chain(std::iter::repeat(PASSES[PASSES.len() - 1]));
        let mut singles = singles.into_iter().peekable();
        while singles.peek().is_some() {
            let size = sizes.next().unwrap_or(SINGLES);
            methods.group(singles.by_ref().take(size), Kind::Single, &mut beliefs);
        }
        methods.group(pairs.into_iter(), Kind::Pair, &mut beliefs);
        methods.group(marked.into_iter().take(MARKED), Kind::Marked, &mut beliefs);
        let edits = beliefs.iter().map(|belief| belief.count).sum();
        Self { beliefs: beliefs.into(), edits }
    }

    /// The next hypothesis.
    pub(super) fn next(&mut self) -> Option<Belief> {
        self.beliefs.pop_front()
    }

    /// Whether none is left.
    pub(super) fn is_over(&self) -> bool {
        self.beliefs.is_empty()
    }

    /// What to say when none is left.
    pub(super) fn farewell(&self) -> String {
        match self.edits {
            0 => "the fix patterns have nothing to propose for the suspicious lines".to_owned(),
            edits => format!("all {edits} edits that the fix patterns propose were tried"),
        }
    }
}

/// The likeliest pairs of the likeliest single edits.
fn pairs(project: &Project, singles: &[Ranked]) -> Vec<Ranked> {
    let best = &singles[..singles.len().min(PAIRED)];
    let mut pairs: Vec<Ranked> = best
        .iter()
        .enumerate()
        .flat_map(|(index, one)| best[index + 1..].iter().map(move |other| (one, other)))
        .filter_map(|(one, other)| {
            let proposal = combine(project, &one.proposal, &other.proposal)?;
            let suspiciousness = one.suspiciousness.max(other.suspiciousness);
            Some(Ranked { score: one.score * other.score, suspiciousness, proposal })
        })
        .collect();
    pairs.sort_by(|one, other| other.score.total_cmp(&one.score));
    pairs.truncate(PAIRS);
    pairs
}

/// Edits of one method, or of the lines of a file outside of any.
struct Group {
    path: String,
    method: Option<String>,
    edits: Vec<Ranked>,
}

/// Finds methods, reading each file once.
struct Methods<'a> {
    project: &'a Project,
    outlines: BTreeMap<String, Option<Outline>>,
}

impl Methods<'_> {
    /// Puts edits of the same method under one hypothesis, in the order of the likeliest edit of each.
    fn group(&mut self, edits: impl Iterator<Item = Ranked>, kind: Kind, beliefs: &mut Vec<Belief>) {
        let mut groups: Vec<Group> = Vec::new();
        for edit in edits {
            let path = edit.proposal.path.clone();
            let method = self.name(&path, edit.proposal.line);
            match groups.iter_mut().find(|group| group.path == path && group.method == method) {
                Some(group) => group.edits.push(edit),
                None => groups.push(Group { path, method, edits: vec![edit] }),
            }
        }
        for group in groups {
            beliefs.push(belief(beliefs.len() + 1, group, kind));
        }
    }

    /// The qualified name of the method around a line.
    fn name(&mut self, path: &str, line: u32) -> Option<String> {
        let project = self.project;
        let outline = self.outlines.entry(path.to_owned()).or_insert_with(|| {
            let path = project.resolve(path).ok()?.path;
            Some(outline(Language::of_path(path.as_ref())?, &project.read(&path).ok()?))
        });
        outline.as_ref()?.method_at(line).map(|method| method.qualified.clone())
    }
}

fn belief(number: usize, group: Group, kind: Kind) -> Belief {
    let Group { path, method, edits } = group;
    let lines: BTreeSet<u32> = edits.iter().map(|edit| edit.proposal.line).collect();
    let (first, last) = (lines.first().copied().unwrap_or(1), lines.last().copied().unwrap_or(1));
    let lines = if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
    let place = match method {
        Some(method) => format!("`{method}` ({path}, {lines})"),
        None => format!("{path}, {lines},"),
    };
    let change = match kind {
        Kind::Single => "one small change there repairs it",
        Kind::Pair => "two small changes repair it together",
        Kind::Marked => "something there is too much: removing it or fixing its outcome repairs the bug",
    };
    let suspiciousness = edits.iter().map(|edit| edit.suspiciousness).fold(0.0, f64::max);
    let likeliest = edits.first().map(|edit| edit.proposal.what.clone()).unwrap_or_default();
    let count = edits.len();
    let plural = if count == 1 { "edit" } else { "edits" };
    Belief {
        text: format!(
            "Hypothesis {number}: the bug is in {place} and {change}. Likeliest of {count} {plural}: {likeliest}."
        ),
        why: format!("Suspiciousness {suspiciousness:.2}."),
        proposals: edits.into_iter().map(|edit| edit.proposal).collect(),
        count,
    }
}
