//! Tables for terminals and as Markdown.

use super::draw::Chart;
use super::table::Table;
use crate::words::plain;

/// The fence around text that Markdown is to leave as it is.
const FENCE: &str = "```";

/// Tables as text with aligned columns.
pub fn text(tables: &[Table]) -> String {
    let mut out = String::new();
    for table in tables {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&table.title);
        out.push('\n');
        let heads = table.heads.iter().any(|head| !head.is_empty()).then_some(&table.heads);
        let rows: Vec<Vec<String>> = heads
            .into_iter()
            .chain(&table.rows)
            .map(|row| row.iter().map(|cell| plain(cell)).collect())
            .collect();
        let widths: Vec<usize> = (0..table.heads.len())
            .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
            .collect();
        let numbers: Vec<bool> = (0..table.heads.len()).map(|column| is_numeric(table, column)).collect();
        for row in &rows {
            let mut line = String::from(" ");
            for (column, cell) in row.iter().enumerate() {
                let room = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
                line.push(' ');
                line.push_str(&if numbers[column] { room + cell } else { format!("{cell}{room}") });
                line.push(' ');
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        if !table.note.is_empty() {
            out.push_str(&format!("  {}\n", table.note));
        }
        for line in drawn(table) {
            out.push_str(&format!("  {line}\n"));
        }
    }
    out
}

/// Tables as Markdown.
pub fn markdown(tables: &[Table]) -> String {
    let mut out = String::new();
    for table in tables {
        out.push_str(&format!("## {}\n\n", in_markdown(&table.title)));
        if !table.note.is_empty() {
            out.push_str(&format!("{}\n\n", in_markdown(&table.note)));
        }
        let row = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| in_markdown(cell)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        out.push_str(&row(&table.heads));
        let rule = |column| if is_numeric(table, column) { "--:" } else { "---" };
        let rules: Vec<&str> = (0..table.heads.len()).map(rule).collect();
        out.push_str(&format!("| {} |\n", rules.join(" | ")));
        table.rows.iter().for_each(|cells| out.push_str(&row(cells)));
        out.push('\n');
        let drawn = drawn(table);
        if !drawn.is_empty() {
            out.push_str(&format!("{FENCE}\n{}\n{FENCE}\n\n", drawn.join("\n").replace(FENCE, "'''")));
        }
    }
    out
}

/// The lines of a table's drawing, each safe to show.
fn drawn(table: &Table) -> Vec<String> {
    let lines = table.drawing.iter().flat_map(Chart::lines);
    lines.map(|line| plain(&line).trim_end().to_owned()).collect()
}

/// Is true if a column holds numbers and nothing else, and so stands at the right.
pub(super) fn is_numeric(table: &Table, column: usize) -> bool {
    let number = |cell: &String| {
        cell.is_empty()
            || cell == "–"
            || cell.starts_with(|first: char| first.is_ascii_digit() || first == '$')
    };
    column > 0 && !table.heads[column].is_empty() && table.rows.iter().all(|row| number(&row[column]))
}

fn in_markdown(cell: &str) -> String {
    let mut out = String::with_capacity(cell.len());
    for letter in plain(cell).chars() {
        if matches!(letter, '|' | '<' | '>' | '*' | '`' | '[' | ']' | '\\' | '&' | '_') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}
