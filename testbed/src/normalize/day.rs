//! The date of a run, in the forms in which programs print it.

use std::time::SystemTime;

use regex::Regex;

use crate::pattern::compiled;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Patterns of the day of the run, and of its neighbours (a program may live in another time zone), with what
/// stands for them. Also the time of day where a log line begins with it.
pub(super) fn patterns(now: SystemTime) -> Vec<(Regex, &'static str)> {
    let seconds = now.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let today = i64::try_from(seconds / 86_400).unwrap_or(0);
    let days = (today - 1..=today + 1).map(civil);
    let (mut iso, mut tuple, mut unix, mut american) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (year, month, day) in days {
        let name = MONTHS[month - 1];
        iso.push(format!("{year}-{month:02}-{day:02}"));
        tuple.push(format!("{year}, {month}, {day}"));
        unix.push(format!(r"{name}\s+{day} \d\d:\d\d:\d\d (?:[\w+:-]+ )?{year}"));
        american.push(format!("{name} 0?{day}, {year}"));
    }
    let any = |forms: Vec<String>| format!("(?:{})", forms.join("|"));
    let time = r"(?:[T ]\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?)?(?: ?[AP]M)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?";
    [
        (format!(r"\b{}{time}\b", any(iso)), "<date>"),
        (format!(r"\b{}(?:(?:, \d+){{2,5}})?\b", any(tuple)), "<date>"),
        (format!(r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? {}\b", any(unix)), "<date>"),
        (format!(r"\b{}{time}\b", any(american)), "<date>"),
        (r"(?m)^\d\d:\d\d:\d\d[.,]\d{3}\b".to_owned(), "<time>"),
    ]
    .into_iter()
    .map(|(pattern, name)| (compiled(&pattern), name))
    .collect()
}

/// Year, month (from 1) and day (from 1) of a number of days since 1970-01-01, in the Gregorian calendar.
fn civil(days: i64) -> (i64, usize, i64) {
    // Years begin in March here, so that the leap day comes last; 400 years have 146 097 days.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, usize::try_from(month).unwrap_or(1), day)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        let check = |days: i64, expect: (i64, usize, i64)| assert_eq!(civil(days), expect);
        check(0, (1970, 1, 1));
        check(59, (1970, 3, 1));
        check(11_016, (2000, 2, 29));
        check(11_017, (2000, 3, 1));
        check(20_778, (2026, 11, 21));
        check(-1, (1969, 12, 31));
    }
}
