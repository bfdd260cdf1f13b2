//! Bugs like those of known collections: one line in a small algorithm, one change in a library.

use crate::pairs::{Bug, assert_repaired};

const SOURCES: &[(&str, &str)] = &[
    ("puzzles.py", include_str!("sources/puzzles.py")),
    ("meters/Meter.java", include_str!("sources/Meter.java")),
];

const PUZZLES: usize = 0;
const METER: usize = 1;

fn check(class: &'static str, bugs: &[Bug]) {
    assert_repaired(SOURCES, bugs.iter().map(|bug| (class, *bug)));
}

#[test]
fn one_line_of_an_algorithm_is_wrong() {
    check(
        "algorithm",
        &[
            (PUZZLES, "while waiting:", "while True:", 40),
            (PUZZLES, "return open_now == 0", "return True", 60),
            (PUZZLES, "signs[digit] + written", "written + signs[digit]", 30),
            (PUZZLES, "return [[]]\n    found", "return []\n    found", 10),
            (PUZZLES, "return [number]", "return []", 20),
            (PUZZLES, "nth(large, place - before)", "nth(large, place)", 60),
            (PUZZLES, "in values[width:]", "in values", 60),
            (PUZZLES, "longest = max(longest, length)", "longest = length", 30),
            (PUZZLES, "return all(number", "return any(number", 10),
            (PUZZLES, "length[middle, end]\n", "length[end, middle]\n", 60),
            (PUZZLES, "prices[end] = min(prices[end]", "roads[start, end] = min(prices[end]", 100),
            (PUZZLES, "        before = link\n", "", 60),
            (PUZZLES, "            signs.append(token)\n", "", 60),
            (PUZZLES, "len(values) <= 1", "len(values) == 0", 40),
            (PUZZLES, "    lines.append(text)\n", "", 60),
            (PUZZLES, "return rest + [", "return [", 120),
            (PUZZLES, "guess ** 2)", "guess)", 200),
            (PUZZLES, "issuperset(other.needed_before)", "issuperset(other.needed_after)", 60),
            (PUZZLES, "booking is not ignored and booking.room", "booking.room", 30),
            (PUZZLES, "group_of[member] = group_of[one]", "group_of[member].update(group_of[one])", 20),
        ],
    );
}

#[test]
fn one_place_of_a_library_is_wrong() {
    check(
        "library",
        &[
            (METER, "if (open && missed() < ATTEMPTS)", "if (open)", 60),
            (METER, "return open && missed() < ATTEMPTS", "return open", 60),
            (METER, "return getReadings().contains", "return readings.contains", 20),
            (METER, "new GregorianCalendar(zone, locale)", "new GregorianCalendar(zone)", 20),
            (METER, "Calendar.HOUR_OF_DAY", "Calendar.HOUR", 10),
            (METER, "left * right > 0.0", "left * right >= 0.0", 3),
            (METER, "? middle : search", "? high : search", 30),
            (METER, "double sum = 0;", "int sum = 0;", 15),
            (METER, "(v - low)", "(value - low)", 10),
            (METER, "getChars(0, width", "getChars(0, length", 10),
            (METER, "first < 0 || first > last", "first < 0", 100),
            (METER, "longest = Math.max(longest, name.length())", "longest = name.length()", 30),
            (METER, "return at - start", "return at", 30),
            (METER, "double product", "int product", 10),
        ],
    );
}
