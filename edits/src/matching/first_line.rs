//! A first line that lost its indentation, as it does when the blanks at the ends of a text are taken off. It is the commonest slip
//! of all, and is safe to read as what it is: the other lines stand as they are written, or all at one shift, and only the first
//! is too shallow, which no code is that stands in one block with them.

use super::Shift;

/// The shift of all lines but the first, which alone lost all its blanks, or one.
pub(super) fn lost(pairs: &[(&str, &str)]) -> Option<Shift> {
    let ((text, file), others) = pairs.split_first()?;
    if others.is_empty() {
        return None;
    }
    let shift = Shift::between(others)?;
    let as_others = shift.apply(&format!("{text}.")).map_or(text.len(), |line| line.len() - 1);
    let lost = text.is_empty() && as_others < file.len() || as_others + 1 == file.len();
    lost.then_some(shift)
}
