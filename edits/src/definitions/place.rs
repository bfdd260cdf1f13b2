//! The place of new code: inside of a class, or beside what is there.

use patchwright_syntax::{Class, Language, MethodKind, Outline};

use crate::edit::Placement;
use crate::matching::{Lines, indentation};
use crate::spliced::Splice;

/// New methods inside the brackets of a class.
pub(super) fn inside_class(file: &Lines, class: &Class, code: &[&str], place: Placement) -> Splice {
    let own = class.methods.last().map(|method| indentation(file.get(method.declaration_line as usize - 1)));
    let depth = own.map_or_else(
        || format!("{}    ", indentation(file.get(class.declaration_line as usize - 1))),
        str::to_owned,
    );
    let end = file.usual_end();
    let indented =
        |line: &&'_ str| if line.is_empty() { end.to_owned() } else { format!("{depth}{line}{end}") };
    let text: String = code.iter().map(indented).collect();
    let mut starts: Vec<usize> = class.methods.iter().map(|method| method.lines.first as usize - 1).collect();
    let closing = class.lines.last as usize - 1;
    starts.push(closing);
    let at = match place {
        Placement::Start => starts[0],
        Placement::Near(line) => nearest_of(&starts, line),
        Placement::End | Placement::Same | Placement::SameNear(_) => closing,
    };
    let text = if at == closing { format!("{end}{text}") } else { format!("{text}{end}") };
    Splice { range: file.start(at)..file.start(at), text }
}

/// New code at the outermost level.
pub(super) fn beside(
    language: Language,
    file: &Lines,
    declared: &Outline,
    code: &[&str],
    place: Placement,
) -> Splice {
    let end = file.usual_end();
    // Two blank lines between the definitions of a module, one elsewhere.
    let gap = end.repeat(if language.entry().indented { 2 } else { 1 });
    let text = code.join(end) + end;
    let tops = declared.functions.iter().filter(|method| method.kind == MethodKind::Function);
    let mut starts: Vec<usize> = tops
        .map(|method| method.lines.first)
        .chain(declared.classes.iter().map(|class| class.lines.first))
        .map(|line| line as usize - 1)
        .collect();
    starts.sort_unstable();
    starts.push(file.count());
    let at = match place {
        Placement::Start => {
            (0..file.count()).find(|line| !is_leading(file.get(*line))).unwrap_or(file.count())
        }
        Placement::Near(line) => nearest_of(&starts, line),
        Placement::End | Placement::Same | Placement::SameNear(_) => file.count(),
    };
    let offset = file.start(at);
    if at < file.count() || file.count() == 0 {
        let text = if file.count() == 0 { text } else { text + &gap };
        return Splice { range: offset..offset, text };
    }
    let open = if file.is_open_at(at) { end } else { "" };
    let blank = (0..at).rev().take_while(|line| file.get(*line).trim().is_empty()).count();
    let missing = end.repeat((gap.len() / end.len()).saturating_sub(blank));
    Splice { range: offset..offset, text: format!("{open}{missing}{text}") }
}

/// Lines that must stay at the top: what runs the file, and how it is encoded.
fn is_leading(line: &str) -> bool {
    line.starts_with("#!") || (line.starts_with('#') && line.contains("coding"))
}

/// Of some lines counted from 0, the one nearest to a line counted from 1.
fn nearest_of(starts: &[usize], line: u32) -> usize {
    let line = (line as usize).saturating_sub(1);
    starts.iter().copied().min_by_key(|start| start.abs_diff(line)).unwrap_or(0)
}
