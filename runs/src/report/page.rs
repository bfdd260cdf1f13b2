//! The report as one HTML file that needs nothing else: no scripts, no other files, light or dark as the reader's system is.

use std::collections::HashMap;
use std::error::Error as _;
use std::io::{self, Write};
use std::path::Path;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, Value, context, escape_formatter};
use patchwright_protocol::counted;
use patchwright_protocol::{RankedPatch, SessionResult};
use patchwright_suites::Case;
use serde::Serialize;

use super::case_row::CaseRow;
use super::draw;
use super::numbers::Report;
use super::table::Table;
use super::tables;
use super::text::is_numeric;
use super::trajectory;
use crate::words::turns_text;
use crate::{RunRecord, escape};

const TEMPLATES: [(&str, &str); 7] = [
    ("page.html", include_str!("templates/page.html")),
    ("style.css", include_str!("templates/style.css")),
    ("table.html", include_str!("templates/table.html")),
    ("case.html", include_str!("templates/case.html")),
    ("spreads.html", include_str!("templates/spreads.html")),
    ("calls.html", include_str!("templates/calls.html")),
    ("overlap.html", include_str!("templates/overlap.html")),
];

/// Writes the report of a run, with a section for each case that shows its trajectory. Trajectories are read and written
/// one after the other, so that memory does not grow with them; of long ones the page has the beginning, and leads to the file.
/// `folder` is the run's folder as seen from the page: `.` where it stands in it.
///
/// # Errors
/// When `out` cannot be written.
pub fn html(
    report: &Report,
    run: &RunRecord,
    cases: &[Case],
    folder: &Path,
    out: &mut dyn Write,
) -> io::Result<()> {
    let golden: HashMap<&str, &str> =
        cases.iter().filter_map(|case| Some((case.id.as_str(), case.truth.patch.as_deref()?))).collect();
    let section = |row: &CaseRow| Section {
        row: row.clone(),
        patches: run.ledger.standing(&row.case).map(|(_, outcome)| patches(outcome)).unwrap_or_default(),
        golden: golden.get(row.case.as_str()).map(|&patch| patch.to_owned()),
    };
    let sections: Vec<Section> = report.cases.iter().map(section).collect();
    let root = run.places.root().to_owned();
    let sections = Value::make_object_iterable((sections, root), |(sections, root)| {
        Box::new(sections.iter().map(|section| section.shown(root, trajectory::room(sections.len()))))
    });
    let title = format!("Run {}", report.run);
    write(
        &title,
        &tables::tables(report),
        context! { folder => folder.to_string_lossy(), cases => sections, reload => None::<u64> },
        out,
    )
}

/// Writes tables alone, such as those of a comparison. A page that is made anew all the time is loaded again after `reload` seconds.
///
/// # Errors
/// When `out` cannot be written.
pub fn html_tables(
    title: &str,
    tables: &[Table],
    reload: Option<u64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    write(title, tables, context! { folder => "", cases => [""; 0], reload }, out)
}

/// A case as its section shows it, without its trajectory.
#[derive(Serialize)]
struct Section {
    #[serde(flatten)]
    row: CaseRow,
    patches: Vec<ShownPatch>,
    golden: Option<String>,
}

impl Section {
    /// With as much of its trajectory as there is room for, read from the run's folder.
    fn shown(&self, root: &Path, room: usize) -> Value {
        let path = self.row.trajectory.as_ref().map(|file| root.join(file));
        let pieces = path.map(|path| trajectory::pieces(&path, room));
        context! { pieces => Serde(pieces), ..Value::from(Serde(self)) }
    }
}

/// A patch as its section shows it.
#[derive(Serialize)]
struct ShownPatch {
    #[serde(flatten)]
    ranked: RankedPatch,
    /// The tests that it passes, in words.
    passes: Option<String>,
}

/// All plausible patches, the answer first; recordings of before know that one alone.
fn patches(outcome: &SessionResult) -> Vec<ShownPatch> {
    let shown =
        |ranked: &RankedPatch| ShownPatch { passes: outcome.passes_told(ranked), ranked: ranked.clone() };
    if !outcome.patches.is_empty() {
        return outcome.patches.iter().map(shown).collect();
    }
    let alone = outcome.patch.clone().map(|patch| RankedPatch {
        candidate: outcome.candidate.unwrap_or_default(),
        patch,
        remark: None,
        tampering: Vec::new(),
        confirmation: None,
        tests_run: None,
    });
    alone.iter().map(shown).collect()
}

fn write(title: &str, tables: &[Table], rest: Value, out: &mut dyn Write) -> io::Result<()> {
    let shown = |table: &Table| {
        let numeric: Vec<bool> = (0..table.heads.len()).map(|column| is_numeric(table, column)).collect();
        context! { numeric, ..Value::from(Serde(table)) }
    };
    let tables: Vec<Value> = tables.iter().map(shown).collect();
    let page = context! { title, tables, ..rest };
    let rendered =
        environment().and_then(|all| all.get_template("page.html")?.render_captured_to(page, out).map(drop));
    rendered.map_err(|error| match error.source().and_then(|source| source.downcast_ref::<io::Error>()) {
        Some(unwritten) => io::Error::new(unwritten.kind(), unwritten.to_string()),
        None => io::Error::other(error),
    })
}

/// The templates: what they show is escaped, whoever wrote it.
fn environment() -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if text.contains(unfit) => {
            escape_formatter(out, state, &Value::from(text.replace(unfit, "\u{fffd}")))
        }
        _ => escape_formatter(out, state, value),
    });
    environment.add_filter("anchor", anchor);
    environment.add_filter("counted", |count: u64, word: &str| counted(count, word));
    environment.add_filter("cut", draw::cut);
    environment.add_filter("diff_lines", |diff: &str| Value::from(Serde(trajectory::diff_lines(diff))));
    environment.add_filter("shortened", trajectory::shortened);
    for (name, text) in TEMPLATES {
        environment.add_template(name, text)?;
    }
    Ok(environment)
}

/// Is true if a page may not hold a character: it is shown as such.
fn unfit(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\n' | '\t') || turns_text(letter)
}

/// The name of a case's section. The folder's name of an id holds no sign that HTML or an address gives a meaning, but
/// for `%`, which an address would decode.
fn anchor(case: &str) -> String {
    format!("case-{}", escape(case).replace('%', "~"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_case_shows_every_piece_of_its_trajectory_with_what_is_strange_in_it_escaped() {
        let strange = "</pre><script>\"'&\u{202e}\u{7}";
        let kinds = ["cycle", "note", "line", "block", "diff"];
        let pieces = kinds.map(|kind| json!({"kind": kind, "name": strange, "text": strange}));
        let case = json!({
            "case": strange, "status": null, "reason": strange, "tampering": [strange], "hypothesis": strange,
            "fix_at": 2, "patches": [{"candidate": 1, "patch": format!("+{strange}"), "passes": strange, "pattern": strange, "place": "a.py#1", "what": strange},
                {"candidate": 2, "patch": format!("-{strange}"), "passes": null}], "golden": strange, "trajectory": strange, "cycles": 1, "pieces": pieces,
        });
        let page = context! { folder => strange, case => Serde(case) };
        let page = environment().unwrap().get_template("case.html").unwrap().render(page).unwrap();
        let escaped = "&lt;&#x2f;pre&gt;&lt;script&gt;&quot;&#x27;&amp;\u{fffd}\u{fffd}";
        // The five pieces, two of them named, three patches, and what else the case has to tell.
        assert_eq!(page.matches(escaped).count(), 18, "{page}");
        assert!(page.contains(&format!("<pre><i class=\"a\">+{escaped} </i></pre>")), "{page}");
        for tag in ["pre", "section", "details", "div"] {
            let ends = page.matches(&format!("</{tag}>")).count();
            assert_eq!(page.matches(&format!("<{tag}")).count(), ends, "{tag}\n{page}");
        }
        assert!(!page.contains("<script") && !page.contains(['\u{202e}', '\u{7}']), "{page}");
    }

    #[test]
    fn a_page_that_cannot_be_written_is_the_error_of_its_disk() {
        let error = html_tables("t", &[], None, &mut &mut [0_u8; 10][..]).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero, "{error}");
    }
}
