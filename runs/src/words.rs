//! Numbers and texts as they are shown to people.

use std::time::Duration;

/// Letters of a reason that are shown in a line.
pub(crate) const REASON: usize = 160;
/// Letters of a hypothesis that are shown in a line.
pub(crate) const HYPOTHESIS: usize = 60;

/// `1:02:03` or `2:03`.
pub(crate) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// Seconds as `1:02:03`; `0:00` where they are no time.
pub fn clock_of(seconds: f64) -> String {
    clock(Duration::try_from_secs_f64(seconds).unwrap_or_default())
}

/// `950`, `12.3k`, `4.56M`.
pub fn thousands(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{:.1}k", count as f64 / 1e3),
        _ => format!("{:.2}M", count as f64 / 1e6),
    }
}

/// In one line, cut after so many letters.
pub(crate) fn shortened(text: &str, letters: usize) -> String {
    let line = plain(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    if line.chars().count() <= letters {
        return line;
    }
    let cut: String = line.chars().take(letters.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

/// A text of one line in which nothing moves the cursor, rings, or turns the direction of what is read: models, and the code of strangers,
/// write what they like.
pub fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() || turns_text(letter) { ' ' } else { letter }).collect()
}

/// Is true if a character turns the direction of text: it could make a patch or an id look like another.
pub(crate) fn turns_text(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
