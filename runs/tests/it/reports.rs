#![allow(clippy::unwrap_used)]

use std::path::Path;

use patchwright_protocol::SessionResult;
use patchwright_runs::report::{Report, RunComparison, compared, html, html_tables, markdown, tables, text};
use patchwright_runs::{
    EventRecord, Grade, GradedAttempt, Places, Redo, RunEvent, RunFolder, RunRecord, Shape, add_grades,
};
use patchwright_suites::{Case, Suite, Truth};
use patchwright_trajectory::Redactor;

use crate::runs::{by_name, quick, run};
use crate::scripted::{Act, Cases, Scripted, create, runner};

const IDS: [&str; 6] = ["plausible-1", "plausible-2", "no_fix-1", "model-1", "panic-1", "<b>&\"quoted\"</b>"];

/// Judges first attempts.
pub async fn add(root: &Path, grades: &[(&str, Grade)]) -> RunRecord {
    let graded = |(case, grade): &(&str, Grade)| GradedAttempt {
        case: (*case).to_owned(),
        attempt: 1,
        grade: grade.clone(),
    };
    let graded = grades.iter().map(graded).collect();
    add_grades(&Places::new(root), graded, &Redactor::default()).await.unwrap();
    RunRecord::read(root).unwrap()
}

async fn graded(root: &Path) -> RunRecord {
    run(root, &IDS, quick(2)).await;
    let grade = |correct| Grade { correct: Some(correct), by: "normal form".to_owned(), ..Grade::default() };
    add(root, &[("plausible-1", grade(true)), ("plausible-2", grade(false))]).await
}

#[tokio::test]
async fn a_report_has_the_numbers_of_the_run_and_can_be_made_anew() {
    let root = tempfile::tempdir().unwrap();
    let run = graded(root.path()).await;
    let report = Report::of(&run, Cases::named(IDS).cases());
    let total = report.total;
    assert_eq!(
        (total.cases, total.answered, total.plausible, total.correct, total.unjudged),
        (6, 4, 2, 1, 0)
    );
    assert_eq!(report.projects.values().map(|group| group.cases).sum::<u64>(), 6);
    assert_eq!(report.projects["project-0"].cases, 2);
    assert_eq!(report.shapes[&Shape::SingleLine].cases, 6);
    assert_eq!((report.patched.compared, report.patched.functions, report.located.compared), (2, 2, 0));
    assert_eq!((report.spent.attempts, report.spent.cost.tokens), (6, 6 * 330));
    let calls = report.calls.iter().map(|row| (row.tool.as_str(), row.fixed, row.unfixed));
    assert_eq!(calls.collect::<Vec<_>>(), [("read_range", Some(3.0), Some(3.0))]);
    let tokens = &report.spreads[1];
    assert_eq!((tokens.measure.as_str(), tokens.fixed.unwrap().count), ("tokens", 2));
    assert!((tokens.fixed.unwrap().median - 330.0).abs() < 1e-9);

    report.write(&run.places.report()).unwrap();
    let read: Report = serde_json::from_str(&std::fs::read_to_string(run.places.report()).unwrap()).unwrap();
    assert_eq!(read, report);
    // Without the suite, only what it alone knows is missing.
    let alone = Report::of(&run, &[]);
    assert_eq!((alone.total, alone.shapes[&Shape::SingleLine].cases), (total, 2));
}

#[tokio::test]
async fn a_run_writes_its_report_and_a_resume_with_nothing_to_do_keeps_it() {
    let root = tempfile::tempdir().unwrap();
    let summary = run(root.path(), &["plausible-1"], quick(1)).await;
    let path = summary.run.places.report();
    let report: Report = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(report.total.plausible, 1);
    let resume = async || {
        let folder = RunFolder::open(root.path()).unwrap();
        runner(Cases::named(["plausible-1"]), Scripted::new(by_name), quick(1)).run(folder).await.unwrap();
    };
    std::fs::write(&path, "kept").unwrap();
    resume().await;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "kept");
    std::fs::remove_file(&path).unwrap();
    resume().await;
    assert!(path.is_file());
    let grade = Grade { correct: Some(true), ..Grade::default() };
    add(root.path(), &[("plausible-1", grade)]).await;
    resume().await;
    let report: Report = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!((report.total.correct, report.ended.as_deref()), (1, Some("every case was tried")));
}

#[tokio::test]
async fn terminal_and_markdown_show_the_same_tables() {
    let root = tempfile::tempdir().unwrap();
    let run = graded(root.path()).await;
    let tables = tables(&Report::of(&run, Cases::named(IDS).cases()));
    let titles: Vec<&str> = tables.iter().map(|table| table.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Run r1",
            "Cases",
            "By project",
            "By what the fix touches",
            "Time, tokens and cost of a session",
            "Calls in a session, on average",
            "All of the developer's fix is there, by place",
            "How sessions ended",
        ]
    );
    let shown = text(&tables);
    for line in [
        "  plausible          2 of 6 (33.3%)",
        "  project-0      2         2           8          1        1",
        "  unfixed   no_fix         2  scripted no_fix (2)",
        "  internal  defect         1  a defect of this program: scripted (1)",
        "  plausible-2       plausible  no              1       3           4          1     330  $0.03  0:01  cases/plausible-2/attempt-1/trajectory.jsonl",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
    for line in [
        "  Cycles, 0 to 3",
        "    fixed   |                               █| median 3.0, 2 cases",
        "  read_range  fixed   ██████████████████████████████ 3.00",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
    let shown = markdown(&tables);
    assert!(shown.contains("\n```\nread_range  fixed   ███"), "{shown}");
    assert!(shown.contains(
        "\n## By project\n\n| project | cases | answered | candidates | plausible | correct |\n| --- | --: |"
    ));
    assert!(shown.contains("| \\<b\\>\\&\"quoted\"\\</b\\> | no\\_fix |"), "{shown}");
}

#[tokio::test]
async fn the_html_report_is_one_file_with_all_text_escaped() {
    let root = tempfile::tempdir().unwrap();
    let run = graded(root.path()).await;
    let cases = Cases::named(IDS);
    let mut out = Vec::new();
    let report = Report::of(&run, cases.cases());
    html(&report, &run, cases.cases(), Path::new("../r 1"), &mut out).unwrap();
    let page = String::from_utf8(out).unwrap();
    assert!(
        page.starts_with("<!doctype html>\n<!-- format: patchwright-report -->\n"),
        "copies leave it out"
    );
    for absent in ["<script", "http:", "https:", "src=", "@import", "url(", "<b>&", "<img"] {
        assert!(!page.contains(absent), "{absent}");
    }
    for present in [
        "prefers-color-scheme: dark",
        "<a href=\"#case-plausible-1\">plausible-1</a>",
        "id=\"case-plausible-1\"",
        "<h2>&lt;b&gt;&amp;&quot;quoted&quot;&lt;&#x2f;b&gt; <span",
        "<h3>The developer's fix</h3>",
        "<i class=\"a\">+print(2) </i>",
        "<h3>Cycle 3</h3>",
        "<a href=\"..&#x2f;r%201&#x2f;cases&#x2f;plausible-1&#x2f;attempt-1&#x2f;trajectory.jsonl\">file</a>",
        "href=\"..&#x2f;r%201&#x2f;cases&#x2f;%253Cb%253E%2526%2522quoted%2522%253C%252Fb%253E&#x2f;attempt-1&#x2f;trajectory.jsonl\"",
        "<figcaption>Time</figcaption>\n<svg viewBox=",
        "role=\"img\" aria-label=\"Tokens: fixed, 2 cases: median 330, half of them from 330 to 330, all from 330 to 330; unfixed, 2 cases:",
        "<title>Calls in a session, on average: read_range 3.00 fixed, 3.00 unfixed</title>",
        "<b>call: read_range</b>",
        "&lt;img onerror=alert(1)&gt;",
    ] {
        assert!(page.contains(present), "{present}");
    }
    let links = page.matches("href=\"#case-").count();
    let targets = page.matches("id=\"case-").count();
    assert_eq!((links, targets), (6, 6));
    assert_eq!(page.matches("<section").count(), page.matches("</section>").count());
    assert_eq!(page.matches("<details").count(), page.matches("</details>").count());
    assert_eq!((page.matches("<svg").count(), page.matches("</svg></figure>").count()), (5, 5));
    assert_eq!(page.matches("<h2>Run r1</h2>").count(), 0, "it is the title of the page");
}

#[tokio::test]
async fn runs_are_compared_over_the_cases_that_both_have_answered() {
    let ids: Vec<String> = (0..8).map(|number| format!("c{number}")).collect();
    let root = tempfile::tempdir().unwrap();
    let report = async |name: &str, solved: &'static [&'static str]| {
        let path = root.path().join(name);
        let cases = Cases::named(ids.iter().map(String::as_str));
        let folder = create(&path, &cases);
        let script = move |case: &str, _: u32| match case {
            "c7" if solved.len() < 6 => Act::Panic,
            case if solved.contains(&case) => by_name("plausible", 1),
            _ => by_name("no_fix", 1),
        };
        let mut options = quick(2);
        options.redo = Redo::default();
        let summary = runner(cases, Scripted::new(script), options).run(folder).await.unwrap();
        Report::of(&summary.run, &[])
    };
    let many = report("a", &["c0", "c1", "c2", "c3", "c4", "c5", "c7"]).await;
    let few = report("b", &["c0"]).await;
    let comparison = RunComparison::of(&[many.clone(), few.clone()]);
    assert_eq!(comparison.runs, ["r1 (1)", "r1 (2)"]);
    let [pair] = comparison.pairs[..] else { unreachable!("one pair") };
    assert_eq!(
        (pair.plausible.both, pair.plausible.only_a, pair.plausible.only_b, pair.plausible.neither),
        (1, 5, 0, 1)
    );
    assert!((pair.plausible.p - 0.0625).abs() < 1e-9);
    let json = serde_json::to_value(pair).unwrap();
    assert_eq!(
        (&json["both"], &json["only_a"], &json["resolved"]),
        (&1.into(), &5.into(), &serde_json::Value::Null)
    );
    let overlap: Vec<(Vec<usize>, u64)> =
        comparison.overlap.iter().map(|region| (region.runs.clone(), region.cases)).collect();
    assert_eq!(overlap, [(vec![0], 6), (vec![0, 1], 1)]);

    let mut other = many.clone();
    other.settings.insert("model".to_owned(), "patterns".into());
    other.cases.pop();
    let both = [many.clone(), other];
    let shown = text(&compared(&RunComparison::of(&both), &both));
    for line in ["  settings.model       –  patterns", "  c7    yes     no"] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }

    let tables = compared(&comparison, &[many, few]);
    let shown = text(&tables);
    for line in [
        "  r1 (1) and r1 (2)     1               5                0        1  0.0625",
        "  c7    plausible, correct, 3 cycles, 4 candidates, $0.03  defect, 3 cycles, 0 candidates, $0.03",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
    let mut out = Vec::new();
    html_tables("a & b", &tables, None, &mut out).unwrap();
    assert!(String::from_utf8(out).unwrap().contains("<title>a &amp; b</title>"));
}

#[test]
fn a_case_without_any_attempt_is_shown_as_unfinished() {
    let root = tempfile::tempdir().unwrap();
    let cases = vec![Case { id: "a".into(), project: "p".into(), truth: Truth::default() }];
    drop(create(root.path(), &Cases(cases.clone())));
    let report = Report::of(&RunRecord::read(root.path()).unwrap(), &cases);
    let shown = text(&tables(&report));
    let lines: Vec<&str> = shown.lines().filter(|line| !line.starts_with("  started")).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

/// A run of these cases in which the benchmark's own tests accept these patches and refuse those.
async fn resolved(root: &Path, ids: &[&str], accepted: &[&str], refused: &[&str]) -> Report {
    run(root, ids, quick(2)).await;
    let grade = |resolved| Grade { resolved: Some(resolved), by: "swe-bench".to_owned(), ..Grade::default() };
    let accepted = accepted.iter().map(|case| (*case, grade(true)));
    let grades: Vec<_> = accepted.chain(refused.iter().map(|case| (*case, grade(false)))).collect();
    let run = add(root, &grades).await;
    Report::of(&run, Cases::named(ids.iter().copied()).cases())
}

#[tokio::test]
async fn what_the_benchmarks_own_tests_accept_is_told_beside_plausible_and_correct() {
    const IDS: [&str; 5] = ["plausible-1", "plausible-2", "no_fix-1", "plausible-3", "model-1"];
    let root = tempfile::tempdir().unwrap();
    let some = resolved(&root.path().join("a"), &IDS, &["plausible-1"], &["plausible-2"]).await;
    assert_eq!((some.total.graded, some.total.resolved), (2, 1));
    let shown = text(&tables(&some));
    for line in [
        "  resolved           1 of 5 (20.0%), 2 graded",
        "  project    cases  answered  candidates  plausible  correct  resolved",
        "  project-0      1         1           4          1        1         1",
        "  project-1      1         1           4          1        1         0",
        "  project-2      1         1           4          0        0         –",
        "  all            5         4          20          3        3         1",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
    let row = shown.lines().find(|line| line.starts_with("  plausible-2  ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[..5], ["plausible-2", "plausible", "yes", "no", "1"], "{row}");

    let other =
        resolved(&root.path().join("b"), &IDS, &["plausible-1", "plausible-2"], &["plausible-3"]).await;
    let ungraded = resolved(&root.path().join("c"), &IDS, &[], &[]).await;
    let reports = [some, other, ungraded];
    let comparison = RunComparison::of(&reports);
    let split = comparison.pairs[0].resolved.unwrap();
    // plausible-3 is judged in one run only; no_fix-1 has nothing to judge; model-1 has no answer.
    assert_eq!((split.both, split.only_a, split.only_b, split.neither), (1, 0, 1, 1));
    assert!((split.p - 1.0).abs() < 1e-9);
    assert_eq!((comparison.pairs[1].resolved, comparison.pairs[2].resolved), (None, None));
    let shown = text(&compared(&comparison, &reports));
    for line in [
        "Pairs: resolved patches",
        "  r1 (1) and r1 (2)     1               0                1        1  1.0000",
        "  r1 (3)      5         4          20          3        3         –  $0.15    1.6k",
        "  A: r1 (1), 3 solved",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line}\n{shown}");
    }
    assert!(shown.contains("correct, resolved, 3 cycles") && shown.contains("correct, not resolved, 3"));
}

#[tokio::test]
async fn a_reason_of_many_lines_stays_one_short_line_in_tables_and_keeps_its_lines_on_the_page() {
    let root = tempfile::tempdir().unwrap();
    let mut run = run(root.path(), &["no_fix-1"], quick(1)).await.run;
    let (_, outcome) = run.ledger.standing("no_fix-1").unwrap();
    let reason = format!("the build fails\n{}", "error <here>\n".repeat(1000));
    let outcome = Box::new(SessionResult { reason: reason.clone(), ..outcome.clone() });
    let event =
        RunEvent::AttemptEnded { case: "no_fix-1".into(), attempt: 1, outcome, seconds: None, located: None };
    run.ledger.hear(&EventRecord { seq: 9, time: String::new(), event });
    let report = Report::of(&run, &[]);
    let shown = text(&tables(&report));
    let row = shown.lines().find(|line| line.starts_with("  unfixed  no_fix  ")).unwrap();
    let begins = reason[..28].replace('\n', " ");
    assert!(row.contains(&begins) && row.ends_with("… (1)"), "{row}");
    assert!(row.chars().count() < 220, "{row}");
    let mut out = Vec::new();
    html(&report, &run, &[], Path::new("."), &mut out).unwrap();
    let page = String::from_utf8(out).unwrap();
    assert!(page.contains("<p class=\"reason\">the build fails\nerror &lt;here&gt;\nerror "));
    insta::assert_snapshot!(page.split_once("[… ").unwrap().1.split_once('\n').unwrap().0);
}
