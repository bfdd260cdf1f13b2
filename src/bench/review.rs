//! `patchwright bench review`: a person judges patches that tests find plausible and no rule finds correct.

use std::io::IsTerminal;
use std::path::Path;

use patchwright_agent::Terminal;
use patchwright_command_line::bench::ReviewArgs;
use patchwright_protocol::Failure;
use patchwright_runs::plain;
use patchwright_runs::{Grade, GradedAttempt, RunRecord, add_grades, check_gradable};
use patchwright_suites::Case;

use crate::bench::report::read;
use crate::failure::ExitCode;
use crate::terminal::Console;

/// Columns of a diff, of two side by side.
const COLUMNS: usize = 78;

/// A patch that waits for a judgement.
struct Waiting<'a> {
    case: &'a str,
    attempt: u32,
    resolved: Option<bool>,
    patch: &'a str,
    /// The tests that it passes, in words.
    passes: Option<String>,
    golden: Option<&'a str>,
}

/// Shows both diffs of each case that waits, and stores what the person says.
pub async fn run(args: &ReviewArgs) -> Result<ExitCode, Failure> {
    let (run, cases) = read(&args.run)?;
    if let Some(unknown) = args.case.iter().find(|id| !run.file.cases.contains(id)) {
        return Err(Failure::user(format!("the run has no case `{unknown}`")));
    }
    let waiting = waiting(&run, &cases, &args.case);
    // Whether it can be written at all is found out before anybody has judged anything.
    check_gradable(&run.places, waiting.iter().map(|patch| patch.case)).map_err(Failure::user)?;
    if waiting.is_empty() {
        crate::say(&format!(
            "no patch of {} waits for a judgement: {}",
            args.run.display(),
            none(&run, &args.case)
        ));
        return Ok(ExitCode::Done);
    }
    let mut count = 0;
    for (place, patch) in waiting.iter().enumerate() {
        crate::say(&format!("\n{} ({} of {})\n{}", patch.case, place + 1, waiting.len(), beside(patch)));
        let correct = match (args.correct, args.wrong) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            (false, false) => match Console.judgement().await {
                Some("correct") => Some(true),
                Some("wrong") => Some(false),
                Some("skip") => None,
                // Whoever is there to end the input knows how to answer.
                None if !std::io::stdin().is_terminal() => {
                    return Err(unasked(&args.run, patch.case, count, waiting.len()));
                }
                Some(_) | None => break,
            },
        };
        let Some(correct) = correct else { continue };
        let note = match &args.note {
            Some(note) => note.clone(),
            None if args.correct || args.wrong => String::new(),
            None => Console.line("why? (may be empty) ").await.unwrap_or_default().trim().to_owned(),
        };
        let grade = Grade {
            resolved: patch.resolved,
            correct: Some(correct),
            by: args.by.clone(),
            note,
            ..Grade::default()
        };
        let graded = GradedAttempt { case: patch.case.to_owned(), attempt: patch.attempt, grade };
        add_grades(&run.places, vec![graded], &crate::output::redactor())
            .await
            .map_err(Failure::environment)?;
        count += 1;
    }
    crate::say(&format!("{count} of {} patches judged", waiting.len()));
    Ok(ExitCode::Done)
}

/// The reason for which no patch waits.
fn none(run: &RunRecord, named: &[String]) -> String {
    let patches = run
        .file
        .cases
        .iter()
        .filter(|id| run.ledger.standing(id).is_some_and(|(_, outcome)| outcome.patch.is_some()));
    match (patches.count() as u64, named) {
        (0, _) if run.file.cases.len() == 1 => "its only case has no patch".to_owned(),
        (0, _) => format!("none of its {} cases has a patch", run.file.cases.len()),
        (_, [case]) => format!("{case} has no patch"),
        (_, [_, ..]) => "none of the named cases has a patch".to_owned(),
        (1, []) => "its only patch is judged; name the case with --case to judge it again".to_owned(),
        (count, []) => {
            format!("all {count} patches are judged; name cases with --case to judge them again")
        }
    }
}

/// Nobody is there to be asked.
fn unasked(run: &Path, case: &str, judged: usize, waiting: usize) -> Failure {
    let line = format!("patchwright bench review {} --case '{case}' --correct (or --wrong)", run.display());
    Failure::user(format!(
        "standard input is no terminal, so nobody can be asked; {judged} of {waiting} patches judged"
    ))
    .hint(format!("type `{line}`; --note TEXT says why"))
}

/// The patches that nobody has judged; of the named cases also those that somebody has.
fn waiting<'a>(run: &'a RunRecord, cases: &'a [Case], named: &[String]) -> Vec<Waiting<'a>> {
    let golden = |id: &str| cases.iter().find(|case| case.id == id)?.truth.patch.as_deref();
    let one = |id: &'a String| {
        let (tried, outcome) = run.ledger.standing(id)?;
        let judged = tried.grade.as_ref().is_some_and(|grade| grade.correct.is_some());
        let wanted = if named.is_empty() { !judged } else { named.contains(id) };
        let patch = outcome.patch.as_deref().filter(|_| wanted)?;
        let resolved = tried.grade.as_ref().and_then(|grade| grade.resolved);
        let passes = outcome.patches.first().and_then(|answer| outcome.passes_told(answer));
        Some(Waiting { case: id, attempt: tried.number, resolved, patch, passes, golden: golden(id) })
    };
    run.file.cases.iter().filter_map(one).collect()
}

/// The patch on the left, the developer's on the right; long lines go on below.
fn beside(patch: &Waiting<'_>) -> String {
    let (left, right) = (cells(patch.patch), cells(patch.golden.unwrap_or("(not known)")));
    let passes = patch.passes.as_ref().map(|told| format!("tests: {}\n", plain(told))).unwrap_or_default();
    let mut text = format!("{passes}{:<COLUMNS$} | {}\n", "the patch", "the developer's fix");
    for row in 0..left.len().max(right.len()) {
        let cell = |cells: &[String]| cells.get(row).cloned().unwrap_or_default();
        text.push_str(format!("{:<COLUMNS$} | {}", cell(&left), cell(&right)).trim_end());
        text.push('\n');
    }
    text
}

/// The lines of a diff, each cut into as many pieces as it needs.
fn cells(diff: &str) -> Vec<String> {
    let mut cells = Vec::new();
    for line in diff.lines() {
        let letters: Vec<char> = plain(&line.replace('\t', "    ")).chars().collect();
        cells.extend(letters.chunks(COLUMNS).map(|piece| piece.iter().collect::<String>()));
        if letters.is_empty() {
            cells.push(String::new());
        }
    }
    cells
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use patchwright_runs::{Places, RunEvent, RunFile};

    use patchwright_protocol::{SessionResult, Status};

    use super::*;

    #[test]
    fn when_no_patch_waits_it_is_said_why() {
        let patched =
            SessionResult { patch: Some("-x".to_owned()), ..SessionResult::early(Status::Plausible, "") };
        let run = |ends: &[(&str, &SessionResult)]| {
            let ids = ends.iter().map(|(case, _)| (*case).to_owned()).collect();
            let mut ledger = patchwright_runs::Ledger::default();
            for (case, outcome) in ends {
                let (case, outcome) = ((*case).to_owned(), Box::new((*outcome).clone()));
                let event =
                    RunEvent::AttemptEnded { case, attempt: 1, outcome, seconds: None, located: None };
                ledger.hear(&patchwright_runs::EventRecord { seq: 0, time: String::new(), event });
            }
            RunRecord { places: Places::new("r"), file: RunFile::new("r", "s", ids), ledger, parts: None }
        };
        let nothing = SessionResult::early(Status::NoFix, "");
        let check = |ends: &[(&str, &SessionResult)], named: &[&str], expect: &str| {
            let named: Vec<String> = named.iter().map(|case| (*case).to_owned()).collect();
            assert_eq!(none(&run(ends), &named), expect);
        };
        check(&[("a", &nothing)], &[], "its only case has no patch");
        check(&[("a", &nothing), ("b", &nothing)], &["a"], "none of its 2 cases has a patch");
        check(&[("a", &nothing), ("b", &patched)], &["a"], "a has no patch");
        check(
            &[("b", &patched)],
            &[],
            "its only patch is judged; name the case with --case to judge it again",
        );
        let both = [("a", &patched), ("b", &patched)];
        check(&both, &[], "all 2 patches are judged; name cases with --case to judge them again");
    }

    #[test]
    fn who_cannot_be_asked_is_told_what_to_type() {
        let failure = unasked(Path::new("runs/x"), "a-1", 0, 3);
        assert_eq!(ExitCode::from(failure.actor), ExitCode::Usage);
        assert!(failure.message.ends_with("0 of 3 patches judged"), "{failure}");
        insta::assert_snapshot!(failure.hint.unwrap());
    }

    #[test]
    fn diffs_stand_side_by_side() {
        let patch = Waiting {
            case: "a",
            attempt: 1,
            resolved: None,
            patch: "-x\n+\ty\n z",
            passes: None,
            golden: Some("-x\n+w"),
        };
        let row = |left: &str, right: &str| format!("{left:<COLUMNS$} | {right}").trim_end().to_owned();
        let rows: Vec<String> = beside(&patch).lines().map(str::to_owned).collect();
        let expect =
            [row("the patch", "the developer's fix"), row("-x", "-x"), row("+    y", "+w"), row(" z", "")];
        assert_eq!(rows, expect);
        assert_eq!(cells(&"x".repeat(COLUMNS + 2)), ["x".repeat(COLUMNS), "xx".to_owned()]);
    }
}
