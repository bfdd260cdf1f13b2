//! A bar that shows how many cases are graded.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over so many cases, with the time left.
pub fn bar(cases: usize) -> ProgressBar {
    let bar = ProgressBar::new(cases as u64);
    // A template that cannot be read leaves the plain style: only looks are lost.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} graded, {eta} left") {
        bar.set_style(style);
    }
    bar
}
