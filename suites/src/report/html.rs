//! The report as one HTML file that needs nothing else: no scripts, no other files, light or dark as the reader's system is.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};

use super::numbers::{CaseRow, Report};
use super::page;
use super::tables::{self, Table};
use super::text::{is_numeric, turns_text};
use crate::case::Case;
use crate::run::{RunRecord, escape};

const STYLE: &str = include_str!("style.css");

/// Text for HTML, between tags and inside quoted attributes.
pub(super) struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        for letter in self.0.chars() {
            match letter {
                '&' => formatter.write_str("&amp;")?,
                '<' => formatter.write_str("&lt;")?,
                '>' => formatter.write_str("&gt;")?,
                '"' => formatter.write_str("&quot;")?,
                '\'' => formatter.write_str("&#39;")?,
                '\n' | '\t' => formatter.write_char(letter)?,
                // What a page may not hold is shown as such.
                letter if letter.is_control() || turns_text(letter) => formatter.write_char('\u{fffd}')?,
                letter => formatter.write_char(letter)?,
            }
        }
        Ok(())
    }
}

/// Writes the report of a run, with a section for each case that shows its trajectory. Trajectories are read and written
/// one after the other, so that memory does not grow with them.
///
/// # Errors
/// When `out` cannot be written.
pub fn html(report: &Report, run: &RunRecord, cases: &[Case], out: &mut dyn Write) -> io::Result<()> {
    let golden: HashMap<&str, &str> =
        cases.iter().filter_map(|case| Some((case.id.as_str(), case.truth.patch.as_deref()?))).collect();
    head(&format!("Run {}", report.run), out)?;
    for table in tables::tables(report) {
        write_table(&table, table.title == "Cases", out)?;
    }
    for row in &report.cases {
        case(row, run, golden.get(row.case.as_str()).copied(), out)?;
    }
    writeln!(out, "</main></body></html>")
}

/// Writes tables alone, such as those of a comparison.
///
/// # Errors
/// When `out` cannot be written.
pub fn html_tables(title: &str, tables: &[Table], out: &mut dyn Write) -> io::Result<()> {
    head(title, out)?;
    for table in tables {
        write_table(table, false, out)?;
    }
    writeln!(out, "</main></body></html>")
}

fn head(title: &str, out: &mut dyn Write) -> io::Result<()> {
    let title = Escaped(title);
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style></head>\n<body><main>\n<h1>{title}</h1>"
    )
}

fn write_table(table: &Table, linked: bool, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<section><h2>{}</h2>", Escaped(&table.title))?;
    if !table.note.is_empty() {
        writeln!(out, "<p class=\"note\">{}</p>", Escaped(&table.note))?;
    }
    writeln!(out, "<div class=\"wide\"><table>")?;
    let class: Vec<&str> = (0..table.heads.len())
        .map(|column| if is_numeric(table, column) { " class=\"n\"" } else { "" })
        .collect();
    if table.heads.iter().any(|head| !head.is_empty()) {
        write!(out, "<thead><tr>")?;
        for (head, class) in table.heads.iter().zip(&class) {
            write!(out, "<th{class}>{}</th>", Escaped(head))?;
        }
        writeln!(out, "</tr></thead>")?;
    }
    writeln!(out, "<tbody>")?;
    for row in &table.rows {
        write!(out, "<tr>")?;
        for (column, (cell, class)) in row.iter().zip(&class).enumerate() {
            let text = Escaped(cell);
            if linked && column == 0 {
                write!(out, "<td{class}><a href=\"#{}\">{text}</a></td>", anchor(cell))?;
            } else {
                write!(out, "<td{class}>{text}</td>")?;
            }
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table></div></section>")
}

/// The name of a case's section. The folder's name of an id holds no sign that HTML or an address gives a meaning, but
/// for `%`, which an address would decode.
fn anchor(case: &str) -> String {
    format!("case-{}", escape(case).replace('%', "~"))
}

fn case(row: &CaseRow, run: &RunRecord, golden: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
    let status = row.status.map_or("unfinished", |status| status.word());
    writeln!(
        out,
        "<section class=\"case\" id=\"{}\"><h2>{} <span class=\"status {status}\">{status}</span></h2>",
        anchor(&row.case),
        Escaped(&row.case)
    )?;
    if !row.reason.is_empty() {
        writeln!(out, "<p>{}</p>", Escaped(&row.reason))?;
    }
    if let Some(hypothesis) = &row.hypothesis {
        writeln!(out, "<p><b>Hypothesis:</b> {}</p>", Escaped(hypothesis))?;
    }
    let patch = run.ledger.standing(&row.case).and_then(|(_, outcome)| outcome.patch.as_deref());
    if patch.is_some() {
        writeln!(out, "<div class=\"sides\">")?;
        for (name, diff) in [("Patch", patch), ("The developer's fix", golden)] {
            if let Some(diff) = diff {
                writeln!(out, "<div><h3>{}</h3>", Escaped(name))?;
                page::diff(diff, out)?;
                writeln!(out, "</div>")?;
            }
        }
        writeln!(out, "</div>")?;
    }
    if let Some(trajectory) = &row.trajectory {
        writeln!(
            out,
            "<details><summary>Trajectory ({} cycles, <code>{}</code>)</summary>",
            row.cycles,
            Escaped(trajectory)
        )?;
        page::trajectory(&run.places.root().join(trajectory), out)?;
        writeln!(out, "</details>")?;
    }
    writeln!(out, "<p><a href=\"#\">top</a></p></section>")
}
