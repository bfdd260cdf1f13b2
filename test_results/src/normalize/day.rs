//! The date of a run, in the forms in which programs print it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use chrono::{DateTime, NaiveDate, Utc};
use patchwright_syntax::pattern::compiled;
use regex::Regex;

/// Patterns, each with the text that replaces what it matches.
pub(super) type Replacements = Arc<[(Regex, &'static str)]>;

/// The patterns of the last requested day. Every test run requests them, and compiling is slow.
static LAST: Mutex<Option<(NaiveDate, Replacements)>> = Mutex::new(None);

/// Patterns of the day of the run, and of its neighbours (a program may live in another time zone), with what
/// stands for them. Also the time of day where a log line begins with it.
pub(super) fn patterns(now: SystemTime) -> Replacements {
    let today = date(now);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, patterns)) = last.as_ref().filter(|(day, _)| *day == today) {
        return Arc::clone(patterns);
    }
    let patterns = compiled_for(today);
    *last = Some((today, Arc::clone(&patterns)));
    patterns
}

/// The patterns of a day.
fn compiled_for(today: NaiveDate) -> Replacements {
    let days = [today.pred_opt().unwrap_or(today), today, today.succ_opt().unwrap_or(today)];
    let any = |form: &str| {
        let days: Vec<String> = days.iter().map(|day| day.format(form).to_string()).collect();
        format!("(?:{})", days.join("|"))
    };
    let time = r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?)?(?: ?[AP]M)?(?: ?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2}))?";
    let unix = any(r"%b\s+%-d [0-9]{2}:[0-9]{2}:[0-9]{2} (?:[A-Za-z0-9_+:-]+ )?%Y");
    [
        (format!(r"\b{}{time}\b", any("%Y-%m-%d")), "<date>"),
        (format!(r"\b{}(?:(?:, [0-9]+){{2,5}})?\b", any("%Y, %-m, %-d")), "<date>"),
        (format!(r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? {unix}\b"), "<date>"),
        (format!(r"\b{}{time}\b", any("%b 0?%-d, %Y")), "<date>"),
        (r"(?m)^[0-9]{2}:[0-9]{2}:[0-9]{2}[.,][0-9]{3}\b".to_owned(), "<time>"),
    ]
    .into_iter()
    .map(|(pattern, name)| (compiled(&pattern), name))
    .collect()
}

/// The date at a time, in Greenwich.
fn date(now: SystemTime) -> NaiveDate {
    DateTime::<Utc>::from(now).date_naive()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use std::time::Duration;

    use chrono::Datelike;

    use super::*;

    #[test]
    fn days_become_dates() {
        let day = Duration::from_hours(24);
        let check = |days: u32, expect: (i32, u32, u32)| {
            let found = date(SystemTime::UNIX_EPOCH + day * days);
            assert_eq!((found.year(), found.month(), found.day()), expect);
        };
        check(0, (1970, 1, 1));
        check(59, (1970, 3, 1));
        check(11_016, (2000, 2, 29));
        check(11_017, (2000, 3, 1));
        check(20_778, (2026, 11, 21));
        assert_eq!(date(SystemTime::UNIX_EPOCH - day).to_string(), "1969-12-31");
    }
}
