//! The verdict on a case, from the logs of its six runs.

use crate::changes::{ChangeCoverage, ChangedLines, Traces};
use crate::log::RunLog;
use crate::strict::StrictVerdict;
use crate::transitions::{Added, Transitions, new_names};

/// A run of a case: which tests it has, and whether the golden patch is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunKind {
    /// The predicted tests without the golden patch.
    PredPre,
    /// The predicted tests with it.
    PredPost,
    /// The golden tests without it.
    GoldPre,
    /// The golden tests with it.
    GoldPost,
    /// No new tests, without it; the files that the prediction touches are run.
    BasePre,
    /// No new tests, with it.
    BasePost,
}

impl RunKind {
    /// All runs, in the order in which they are made and graded.
    ///
    /// Official place: `run_instance` in `src/run_evaluation.py`.
    pub const ALL: [Self; 6] =
        [Self::PredPre, Self::PredPost, Self::GoldPre, Self::GoldPost, Self::BasePre, Self::BasePost];

    /// The name in folders.
    pub fn name(self) -> &'static str {
        match self {
            Self::PredPre => "pred_pre",
            Self::PredPost => "pred_post",
            Self::GoldPre => "gold_pre",
            Self::GoldPost => "gold_post",
            Self::BasePre => "base_pre",
            Self::BasePost => "base_post",
        }
    }

    /// Is true if the golden patch is applied.
    pub fn has_fix(self) -> bool {
        match self {
            Self::PredPre | Self::GoldPre | Self::BasePre => false,
            Self::PredPost | Self::GoldPost | Self::BasePost => true,
        }
    }

    /// Is true if the run is the same for every prediction that touches the same files, so that its log is kept.
    pub fn is_shared(self) -> bool {
        match self {
            Self::PredPre | Self::PredPost => false,
            Self::GoldPre | Self::GoldPost | Self::BasePre | Self::BasePost => true,
        }
    }
}

/// What is known of a case whose predicted tests were run.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What the predicted tests add.
    pub added: Added,
    /// With the predicted tests.
    pub predicted: Transitions,
    /// With the golden tests.
    pub golden: Transitions,
    /// Without new tests.
    pub base: Transitions,
    /// None where no line of the golden patch can be executed, or nothing was traced.
    pub coverage: Option<ChangeCoverage>,
    /// The stricter look at the failures before, where it was asked for. No other measure depends on it.
    pub strict: Option<StrictVerdict>,
}

impl Verdict {
    /// W: the prediction did not break most of the tests that were there, as a new syntax error would. At least a tenth as many tests
    /// are named as without it.
    ///
    /// Official place: `no_error_filter` in `figures/util.py`. The paper says that the patch applies.
    pub fn is_well_formed(&self) -> bool {
        self.predicted.count() as f64 >= 0.1 * self.base.count() as f64
    }
}

/// Judges a case by its six runs, in the order of [`RunKind::ALL`]; none where the log of the first says that the prediction was not
/// applied. With the text of the issue the failures before are looked at strictly too; that needs logs read with
/// [`Reasons::Find`](crate::Reasons::Find).
///
/// Official place: `get_pred_report` in `src/grading.py`.
pub fn grade(changed: &ChangedLines, runs: &[RunLog; 6], issue: Option<&str>) -> Option<Verdict> {
    let [pred_pre, pred_post, gold_pre, gold_post, base_pre, base_post] = runs;
    if !pred_pre.applied {
        return None;
    }
    let between = |before: &RunLog, after: &RunLog| Transitions::between(&before.statuses, &after.statuses);
    let (predicted, base) = (between(pred_pre, pred_post), between(base_pre, base_post));
    let traces = Traces {
        predicted: [&pred_pre.trace, &pred_post.trace],
        golden: [&gold_pre.trace, &gold_post.trace],
        base: [&base_pre.trace, &base_post.trace],
    };
    let added = Added::of(&predicted, &base);
    let strict = issue.map(|issue| {
        let tests = new_names(&predicted.fail_to_pass, &base.fail_to_pass);
        StrictVerdict::of(added.resolved, &tests, pred_pre, issue)
    });
    Some(Verdict {
        added,
        coverage: ChangeCoverage::of(changed, &traces),
        golden: between(gold_pre, gold_post),
        predicted,
        base,
        strict,
    })
}
