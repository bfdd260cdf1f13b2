//! From splices of bytes to an edit by lines.

use patchwright_edits::{Edit, Insertion, Modification};
use patchwright_syntax::line_number;

use crate::file::File;
use crate::mutation::Splice;

/// The text after all splices; `None` if they clash.
pub(crate) fn spliced(text: &str, splices: &[Splice]) -> Option<String> {
    let mut sorted: Vec<&Splice> = splices.iter().collect();
    sorted.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut after = String::with_capacity(text.len() + 64);
    let mut done = 0;
    for splice in sorted {
        after.push_str(text.get(done..splice.range.start)?);
        after.push_str(&splice.text);
        done = splice.range.end;
    }
    after.push_str(text.get(done..)?);
    Some(after)
}

/// The edit that does what the splices do, and the first line that it changes.
pub(crate) fn edit_of(file: &File, splices: &[Splice]) -> Option<(Edit, u32)> {
    let mut edit = Edit { file_path: file.path.clone(), ..Edit::default() };
    let mut sorted: Vec<&Splice> = splices.iter().collect();
    sorted.sort_by_key(|splice| (splice.range.start, splice.range.end));
    let mut first = usize::MAX;
    let mut index = 0;
    while let Some(splice) = sorted.get(index) {
        let begin = file.row_of(splice.range.start);
        first = first.min(begin);
        let pure = splice.range.is_empty()
            && splice.range.start == file.start_of(begin)
            && splice.text.ends_with('\n');
        if pure {
            edit.insertions
                .push(Insertion { line_number: line_number(begin), new_lines: lines(&splice.text) });
            index += 1;
            continue;
        }
        // Splices that share rows are worked in together.
        let mut end = last_row(file, splice);
        let mut group = vec![*splice];
        while let Some(next) = sorted.get(index + 1) {
            if file.row_of(next.range.start) > end {
                break;
            }
            end = end.max(last_row(file, next));
            group.push(*next);
            index += 1;
        }
        index += 1;
        let (from, to) = (file.start_of(begin), file.start_of(end + 1));
        let shifted: Vec<Splice> = group
            .into_iter()
            .map(|splice| Splice {
                range: splice.range.start - from..splice.range.end - from,
                text: splice.text.clone(),
            })
            .collect();
        let after = spliced(file.slice(from..to), &shifted)?;
        rows_become(file, begin, end, &lines(&after), &mut edit);
    }
    (first < usize::MAX && edit.has_numbers()).then(|| (edit, line_number(first)))
}

/// Rows are replaced by lines; rows at both ends that stay as they are are left alone.
fn rows_become(file: &File, begin: usize, end: usize, new: &[String], edit: &mut Edit) {
    let old: Vec<&str> = (begin..=end).map(|row| file.row(row)).collect();
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let room = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(room).take_while(|(old, new)| old == new).count();
    let (begin, end) = (begin + head, begin + old.len() - tail);
    let new = &new[head..new.len() - tail];
    if begin == end {
        if !new.is_empty() {
            edit.insertions.push(Insertion { line_number: line_number(begin), new_lines: new.to_vec() });
        }
        return;
    }
    let mut rows = begin..end;
    for (index, line) in new.iter().enumerate() {
        let Some(row) = rows.next() else { break };
        let last = rows.is_empty();
        let text = if last { new[index..].join("\n") } else { line.clone() };
        if file.row(row) != text {
            edit.modifications.push(Modification { line_number: line_number(row), modified_line: text });
        }
        if last {
            return;
        }
    }
    edit.deletions.extend(rows.map(line_number));
}

/// The last row that a splice touches.
fn last_row(file: &File, splice: &Splice) -> usize {
    let last = splice.range.end.max(splice.range.start + 1) - 1;
    file.row_of(last.min(file.text.len().saturating_sub(1)).max(splice.range.start.min(file.text.len())))
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}
