//! `patchwright bench report` and `patchwright bench compare`: what runs came to.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

use patchwright_command_line::bench::{CompareArgs, ReportArgs, Views};
use patchwright_protocol::Failure;
use patchwright_runs::RunRecord;
use patchwright_runs::report::{
    Report, RunComparison, Table, compared, html, html_tables, markdown, tables, text,
};
use patchwright_suites::Case;

use crate::bench::graded::GradedFolder;
use crate::bench::suite::{self, Use};
use crate::failure::ExitCode;

/// `patchwright bench report`
pub fn report(args: &ReportArgs) -> Result<ExitCode, Failure> {
    if let Some(graded) = GradedFolder::read(&args.run) {
        return of_graded(&args.views, "What was graded", graded);
    }
    let (run, cases) = read(&args.run)?;
    let report = Report::of(&run, &cases);
    // What is only looked at need not be writable; and a poorer report does not take the place of a whole one.
    let kept = if cases.is_empty() {
        run.write_predictions()
    } else {
        run.write_predictions().and_then(|()| report.write(&run.places.report()))
    };
    if let Err(error) = kept {
        crate::say(&format!("warning: the derived files are not made anew: {error}"));
    }
    if let Some(file) = &args.views.html {
        let run_folder = seen_from(file, run.places.root());
        written(file, |out| html(&report, &run, &cases, &run_folder, out))?;
    }
    show(&args.views, &tables(&report), || serde_json::to_value(&report))
}

/// `patchwright bench compare`
pub fn compare(args: &CompareArgs) -> Result<ExitCode, Failure> {
    if let Some(graded) = GradedFolder::all(&args.runs)? {
        return of_graded(&args.views, "What was graded, side by side", graded);
    }
    let mut reports = Vec::new();
    for run in &args.runs {
        let (run, cases) = read(run)?;
        reports.push(Report::of(&run, &cases));
    }
    let comparison = RunComparison::of(&reports);
    let tables = compared(&comparison, &reports);
    if let Some(file) = &args.views.html {
        written(file, |out| html_tables("Runs side by side", &tables, None, out))?;
    }
    show(&args.views, &tables, || serde_json::to_value(&comparison))
}

/// Shows reports of `bench grade`, where there is no run.
fn of_graded(views: &Views, title: &str, graded: GradedFolder) -> Result<ExitCode, Failure> {
    let tables = graded.tables();
    if let Some(file) = &views.html {
        written(file, |out| html_tables(title, &tables, None, out))?;
    }
    show(views, &tables, || Ok(graded.json()))
}

/// A run, and the cases of its suite. Where the suite is gone, reports lack what it knows.
pub fn read(folder: &Path) -> Result<(RunRecord, Vec<Case>), Failure> {
    let run = RunRecord::read(folder).map_err(Failure::user)?;
    let cases = match suite::load(&run.file.suite, Use::default()) {
        Ok(suite) => suite.cases().to_vec(),
        Err(failure) => {
            crate::say(&format!(
                "warning: the suite cannot be read, so its golden patches are missing here: {}",
                failure.message
            ));
            Vec::new()
        }
    };
    Ok((run, cases))
}

/// The way from a page to the run's folder: as short as it can be, so that both may be moved together; an absolute one where a
/// folder cannot be found.
fn seen_from(page: &Path, run: &Path) -> PathBuf {
    let folder = page.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (Ok(folder), Ok(run)) = (folder.canonicalize(), run.canonicalize()) else { return run.to_owned() };
    let common = folder.components().zip(run.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(common).map(|_| OsString::from(".."));
    let way: PathBuf =
        up.chain(run.components().skip(common).map(|part| part.as_os_str().to_owned())).collect();
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}

/// Prints the view that is wanted.
pub fn show(
    views: &Views,
    tables: &[Table],
    json: impl FnOnce() -> serde_json::Result<serde_json::Value>,
) -> Result<ExitCode, Failure> {
    if views.json {
        let value = json().map_err(Failure::defect)?;
        crate::print(&format!("{value}\n"))?;
    } else if views.markdown {
        crate::print(&markdown(tables))?;
    } else {
        // Beside a page the summary is enough.
        let shown = if views.html.is_some() { &tables[..tables.len().min(1)] } else { tables };
        crate::print(&text(shown))?;
    }
    Ok(ExitCode::Done)
}

/// Writes a file and says so.
fn written(file: &Path, write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Failure> {
    crate::files::write_whole(file, write)?;
    crate::say(&format!("written {}", file.display()));
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn pages_lead_to_the_run_wherever_they_lie() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("runs/first")).unwrap();
        std::fs::create_dir_all(root.join("pages/old")).unwrap();
        let check = |page: &str, expect: &str| {
            let way = seen_from(&root.join(page), &root.join("runs/first"));
            assert_eq!(way, Path::new(expect), "{page}");
        };
        check("runs/first/report.html", ".");
        check("runs/report.html", "first");
        check("pages/old/report.html", "../../runs/first");
        let nowhere = root.join("nowhere");
        assert_eq!(seen_from(&root.join("a.html"), &nowhere), nowhere);
    }
}
