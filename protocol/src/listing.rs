//! Names in a line for people and prompts.

/// Names with commas between them: so many at most, then the number of the others.
/// ```
/// assert_eq!(patchwright_protocol::listed(&["a", "b", "c"], 2), "a, b and 1 more");
/// ```
pub fn listed<T: AsRef<str>>(names: &[T], most: usize) -> String {
    let shown: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
