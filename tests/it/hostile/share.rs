//! The share of the attacks that a run makes: a third each day, so that within three days each has its turn.

use std::time::SystemTime;

use super::is_thorough;

/// The days after which each row has had its turn. A week must hold all of them.
const DAYS: u64 = 3;
/// The variable that sets the day, to repeat a run.
const DAY: &str = "PATCHWRIGHT_ATTACKS_DAY";

/// The day whose share is made.
fn day() -> u64 {
    let told = std::env::var(DAY).ok().map(|day| day.parse().expect("the number of a day"));
    told.unwrap_or_else(|| SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs() / (24 * 60 * 60))
}

/// Whether the row with a number is in today's share of a list. Prints the day.
pub fn of_today(list: &str) -> impl Fn(usize) -> bool + use<> {
    let day = day();
    let is_whole = is_thorough();
    if !is_whole {
        println!("{list}: a third of the rows, that of {DAY}={day}");
    }
    move |row| is_whole || is_made(row, day)
}

fn is_made(row: usize, day: u64) -> bool {
    row as u64 % DAYS == day % DAYS
}

#[test]
fn each_row_has_its_turn_within_a_week_and_each_day_its_share() {
    for start in [0, 20_786] {
        for row in 0..20 {
            let turns = (start..start + 7).filter(|day| is_made(row, *day)).count();
            assert!((2..=3).contains(&turns), "row {row} from day {start}: {turns}");
        }
        let rows = |day| (0..6).filter(|row| is_made(*row, day)).count();
        assert!((start..start + 7).all(|day| rows(day) == 2));
    }
}
