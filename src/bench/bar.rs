//! A bar that shows with how many cases something is done.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over so many cases, which are `done` one after the other, with the time left.
pub fn bar(cases: usize, done: &str) -> ProgressBar {
    let bar = ProgressBar::new(cases as u64);
    // A template that cannot be read leaves the plain style: only looks are lost.
    if let Ok(style) =
        ProgressStyle::with_template(&format!("{{bar:30}} {{pos}} of {{len}} {done}, {{eta}} left"))
    {
        bar.set_style(style);
    }
    bar
}
