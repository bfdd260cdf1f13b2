//! Reports in the official layout.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use patchwright_folder::atomic::replace;
use patchwright_suites::python_json;
use serde_json::{Map, Value, json};

use super::grade::{Graded, Judged, Resolution};
use super::log::NoResult;
use super::predictions::folder_of;
use super::rules::Rules;
use super::signs::{Sign, Tier};

/// The outcome of a case, more finely than the official reports tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvaluationClass {
    /// All required tests pass.
    Resolved,
    /// They do not.
    Unresolved,
    /// The patch could not be applied.
    PatchFailed,
    /// The tests took too long.
    TimedOut,
    /// There is no log, or none of tests that ran, or one that shows a broken environment: nothing is said
    /// about the patch.
    Infrastructure,
    /// The patch is empty.
    Empty,
    /// There is no prediction.
    Missing,
}

impl EvaluationClass {
    /// All classes, in the order in which they are shown.
    pub const ALL: [Self; 7] = [
        Self::Resolved,
        Self::Unresolved,
        Self::PatchFailed,
        Self::TimedOut,
        Self::Infrastructure,
        Self::Empty,
        Self::Missing,
    ];

    /// `resolved`, `patch_failed`, ….
    pub fn name(self) -> &'static str {
        match self {
            Self::Resolved => "resolved",
            Self::Unresolved => "unresolved",
            Self::PatchFailed => "patch_failed",
            Self::TimedOut => "timed_out",
            Self::Infrastructure => "infrastructure",
            Self::Empty => "empty",
            Self::Missing => "missing",
        }
    }

    /// The class of a verdict.
    pub fn of(graded: &Graded) -> Self {
        match (&graded.result, graded.resolution()) {
            (Ok(_), Resolution::Full) => Self::Resolved,
            (Ok(_), Resolution::Partial | Resolution::No) => Self::Unresolved,
            (Err(reason), _) => Self::without_tests(*reason),
        }
    }

    /// The class of a case whose log holds no result.
    pub(super) fn without_tests(reason: NoResult) -> Self {
        match reason {
            NoResult::PatchFailed => Self::PatchFailed,
            NoResult::TimedOut => Self::TimedOut,
            // Where the exit code disagrees, somebody prints statuses: that is the patch's doing.
            NoResult::ExitCodeDisagrees => Self::Unresolved,
            NoResult::RunFailed | NoResult::NoMarkers | NoResult::OfVersion1 | NoResult::NothingRan => {
                Self::Infrastructure
            }
        }
    }
}

/// The outcome of one case of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseReport {
    /// The case.
    pub instance_id: String,
    /// The outcome.
    pub class: EvaluationClass,
    /// The log that was graded.
    pub log: Option<PathBuf>,
    /// The verdict, which is the `report.json` of the case; `None` where the official program writes none: there is no log of
    /// tests, the patch could not be applied, the tests were ended because they took too long.
    pub graded: Option<Graded>,
    /// The sign of a broken environment in all logs of a case that is not resolved.
    pub sign: Option<Sign>,
    /// Notes that people should know before they believe the verdict.
    pub notes: Vec<String>,
}

impl CaseReport {
    /// A case of which nothing is known but its class.
    pub fn of(instance_id: &str, class: EvaluationClass) -> Self {
        Self {
            instance_id: instance_id.to_owned(),
            class,
            log: None,
            graded: None,
            sign: None,
            notes: Vec::new(),
        }
    }
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// The rules by which it was graded.
    pub rules: Rules,
    /// The model, as predictions name it.
    pub model: String,
    /// The run; a part of paths.
    pub run_id: String,
    /// The cases of the dataset, in its order, but for those whose logs nothing can read.
    pub cases: Vec<CaseReport>,
    /// Oddities of predictions and logs.
    pub warnings: Vec<String>,
}

impl RunReport {
    /// The number of cases of a class.
    pub fn count(&self, class: EvaluationClass) -> usize {
        self.cases.iter().filter(|case| case.class == class).count()
    }

    /// The file of the whole run: `<model>.<run>.json`.
    pub fn file_name(&self) -> String {
        format!("{}.{}.json", folder_of(&self.model), self.run_id)
    }

    /// The report of the whole run, as the official program writes it. For v1, which had another file, that of v4.
    pub fn json(&self) -> String {
        let ids = |holds: &dyn Fn(&CaseReport) -> bool| {
            let mut ids: Vec<&str> =
                self.cases.iter().filter(|case| holds(case)).map(|case| case.instance_id.as_str()).collect();
            ids.sort_unstable();
            ids
        };
        let tier = |tier: Tier| ids(&|case| case.sign.is_some_and(|sign| sign.tier == tier));
        let completed = ids(&|case| case.graded.is_some());
        let resolved = ids(&|case| case.graded.as_ref().is_some_and(Graded::resolved));
        let unresolved = ids(&|case| case.graded.as_ref().is_some_and(|graded| !graded.resolved()));
        let submitted = ids(&|case| case.class != EvaluationClass::Missing);
        let incomplete = ids(&|case| case.class == EvaluationClass::Missing);
        let empty = ids(&|case| case.class == EvaluationClass::Empty);
        let errors = ids(&|case| {
            !matches!(case.class, EvaluationClass::Missing | EvaluationClass::Empty) && case.graded.is_none()
        });
        let advises = self.rules.book().reports_infrastructure;
        let (broken, ambiguous) = (tier(Tier::Environment), tier(Tier::Ambiguous));
        let mut report = Map::new();
        let mut put = |key: &str, value: Value| drop(report.insert(key.to_owned(), value));
        put("total_instances", json!(self.cases.len()));
        put("submitted_instances", json!(submitted.len()));
        put("completed_instances", json!(completed.len()));
        put("resolved_instances", json!(resolved.len()));
        put("unresolved_instances", json!(unresolved.len()));
        if advises {
            put("infra_failure_instances", json!(broken.len()));
            put("ambiguous_failure_instances", json!(ambiguous.len()));
        }
        put("empty_patch_instances", json!(empty.len()));
        put("error_instances", json!(errors.len()));
        put("completed_ids", json!(completed));
        put("incomplete_ids", json!(incomplete));
        put("empty_patch_ids", json!(empty));
        put("submitted_ids", json!(submitted));
        put("resolved_ids", json!(resolved));
        put("unresolved_ids", json!(unresolved));
        if advises {
            let reasons: BTreeMap<&str, &str> = self
                .cases
                .iter()
                .filter_map(|case| Some((case.instance_id.as_str(), case.sign?.reason)))
                .collect();
            put("infra_failure_ids", json!(broken));
            put("ambiguous_failure_ids", json!(ambiguous));
            put("failure_reasons", json!(reasons));
        }
        put("error_ids", json!(errors));
        put("schema_version", json!(2));
        if !advises {
            // Without a Docker client, v4 says that nothing was left behind; v5 says it with one.
            put("unstopped_instances", json!(0));
            put("unstopped_containers", json!([]));
            put("unremoved_images", json!([]));
        }
        python_json::text(&Value::Object(report)) + "\n"
    }

    /// Writes `<folder>/<model>.<run>.json` and, for each case that was graded,
    /// `<folder>/logs/run_evaluation/<run>/<model>/<id>/report.json`. Gives the path of the former.
    ///
    /// # Errors
    /// A failure of the file system.
    pub fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        let model = folder_of(&self.model);
        let cases = folder.join("logs").join("run_evaluation").join(&self.run_id).join(model);
        for case in &self.cases {
            if let Some(graded) = &case.graded {
                let folder = cases.join(&case.instance_id);
                fs::create_dir_all(&folder)?;
                replace(&folder.join("report.json"), case_json(&case.instance_id, graded, self.rules))?;
            }
        }
        fs::create_dir_all(folder)?;
        let file = folder.join(self.file_name());
        replace(&file, self.json())?;
        Ok(file)
    }
}

/// The `report.json` of a case, as the official program writes it.
pub fn case_json(instance_id: &str, graded: &Graded, rules: Rules) -> String {
    let mut report = Map::new();
    let mut put = |key: &str, value: Value| drop(report.insert(key.to_owned(), value));
    put("patch_is_None", json!(false));
    put("patch_exists", json!(true));
    put("patch_successfully_applied", json!(graded.result.is_ok()));
    put("resolved", json!(graded.resolved()));
    if rules.book().reports_infrastructure {
        let broken = graded.sign.is_some_and(|sign| sign.tier == Tier::Environment);
        put("infra_failure", json!(broken));
        if let Some(sign) = graded.sign {
            put("infra_failure_reason", json!(sign.reason));
        }
    }
    if let Ok(tests) = &graded.result {
        let judged = |judged: &Judged| json!({"success": judged.success, "failure": judged.failure});
        let none = Judged::default();
        put(
            "tests_status",
            json!({
                "FAIL_TO_PASS": judged(&tests.fail_to_pass),
                "PASS_TO_PASS": judged(&tests.pass_to_pass),
                // These are never filled in, in the official program either.
                "FAIL_TO_FAIL": judged(&none),
                "PASS_TO_FAIL": judged(&none),
            }),
        );
    }
    python_json::text(&json!({ instance_id: report }))
}
