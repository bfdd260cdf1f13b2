//! The report as one HTML file that needs nothing else: no scripts, no other files, light or dark as the reader's system is.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use super::numbers::{CaseRow, Report};
use super::page;
use super::tables::{self, Table};
use super::text::{is_numeric, turns_text};
use crate::case::Case;
use crate::run::{RunRecord, counted, escape};

/// The mark of a report, which shows patches: copies of a project leave out what carries it.
const MARK: &str = "format: patchwright-report";
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
    head(&format!("Run {}", report.run), out)?;
    for (place, table) in tables::tables(report).iter().enumerate() {
        let linked = table.title == "Cases";
        // The first is headed by the page's own title.
        write_table(table, place > 0, linked.then_some(folder), out)?;
    }
    let room = page::room(report.cases.len());
    for row in &report.cases {
        let golden = golden.get(row.case.as_str()).copied();
        case(&Shown { row, run, golden, folder, room }, out)?;
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
        write_table(table, true, None, out)?;
    }
    writeln!(out, "</main></body></html>")
}

fn head(title: &str, out: &mut dyn Write) -> io::Result<()> {
    let title = Escaped(title);
    writeln!(
        out,
        "<!doctype html>\n<!-- {MARK} -->\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style></head>\n<body><main>\n<h1>{title}</h1>"
    )
}

/// Writes a table, with or without its title; where it lists cases, with links to their sections and files, `folder` is the run's.
fn write_table(table: &Table, headed: bool, folder: Option<&Path>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<section>")?;
    if headed {
        writeln!(out, "<h2>{}</h2>", Escaped(&table.title))?;
    }
    if !table.note.is_empty() {
        writeln!(out, "<p class=\"note\">{}</p>", Escaped(&table.note))?;
    }
    if let Some(drawing) = &table.drawing {
        drawing.html(out)?;
    }
    // What is too wide is scrolled, also by keyboard.
    let name = Escaped(&table.title);
    writeln!(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{name}\"><table>")?;
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
            match folder {
                Some(_) if column == 0 => {
                    write!(out, "<td{class}><a href=\"#{}\">{text}</a></td>", anchor(cell))?;
                }
                Some(folder) if table.heads[column] == "trajectory" && !cell.is_empty() => {
                    write!(out, "<td{class}><a href=\"{}\">file</a></td>", address(folder, cell))?;
                }
                Some(_) | None => write!(out, "<td{class}>{text}</td>")?,
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

/// The address of a file in the run's folder, as a page leads to it.
fn address(folder: &Path, file: &str) -> String {
    let mut address = String::new();
    for byte in folder.join(file).to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'~' | b'/' => {
                address.push(char::from(byte));
            }
            _ => address.push_str(&format!("%{byte:02X}")),
        }
    }
    address
}

/// A case as its section shows it.
struct Shown<'a> {
    row: &'a CaseRow,
    run: &'a RunRecord,
    golden: Option<&'a str>,
    folder: &'a Path,
    room: usize,
}

fn case(shown: &Shown<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Shown { row, run, golden, folder, room } = *shown;
    let status = row.status.map_or("unfinished", |status| status.word());
    writeln!(
        out,
        "<section class=\"case\" id=\"{}\"><h2>{} <span class=\"status {status}\">{status}</span></h2>",
        anchor(&row.case),
        Escaped(&row.case)
    )?;
    if !row.reason.is_empty() {
        writeln!(out, "<p class=\"reason\">{}</p>", Escaped(&page::shortened(&row.reason)))?;
    }
    for sign in &row.tampering {
        writeln!(
            out,
            "<p class=\"reason\"><b>Marked:</b> {}: its tests may prove nothing</p>",
            Escaped(sign)
        )?;
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
            "<details><summary>Trajectory ({}, <a href=\"{}\"><code>{}</code></a>)</summary>",
            counted(u64::from(row.cycles), "cycle"),
            address(folder, trajectory),
            Escaped(trajectory)
        )?;
        page::trajectory(&run.places.root().join(trajectory), room, out)?;
        writeln!(out, "</details>")?;
    }
    writeln!(out, "<p><a href=\"#\">top</a></p></section>")
}
