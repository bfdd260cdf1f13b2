//! Bugs like those of known collections: one line in a small algorithm, one change in a library.

use crate::pairs::{Table, assert_repaired};

const SOURCES: &[(&str, &str)] = &[
    ("puzzles.py", include_str!("sources/puzzles.py")),
    ("meters/Meter.java", include_str!("sources/Meter.java")),
];

const PUZZLES: usize = 0;
const METER: usize = 1;

pub const ALGORITHMS: Table = &[
    (
        "missing condition",
        &[
            (PUZZLES, "while waiting:", "while True:", 21),
            (PUZZLES, "return open_now == 0", "return True", 47),
        ],
    ),
    ("exchanged operands", &[(PUZZLES, "signs[digit] + written", "written + signs[digit]", 16)]),
    (
        "change elements",
        &[
            (PUZZLES, "return [[]]\n    found", "return []\n    found", 3),
            (PUZZLES, "return [number]", "return []", 7),
        ],
    ),
    (
        "missing operand",
        &[
            (PUZZLES, "nth(large, place - before)", "nth(large, place)", 12),
            (PUZZLES, "return rest + [", "return [", 81),
        ],
    ),
    ("part of a sequence", &[(PUZZLES, "in values[width:]", "in values", 21)]),
    ("missing extreme", &[(PUZZLES, "longest = max(longest, length)", "longest = length", 7)]),
    ("wrong function name", &[(PUZZLES, "return all(number", "return any(number", 5)]),
    ("exchanged indices", &[(PUZZLES, "length[middle, end]\n", "length[end, middle]\n", 20)]),
    (
        "change target",
        &[(PUZZLES, "prices[end] = min(prices[end]", "roads[start, end] = min(prices[end]", 60)],
    ),
    (
        "missing update",
        &[(PUZZLES, "        before = link\n", "", 7), (PUZZLES, "            signs.append(token)\n", "", 5)],
    ),
    ("change numeric literal", &[(PUZZLES, "len(values) <= 1", "len(values) == 0", 16)]),
    ("missing statement", &[(PUZZLES, "    lines.append(text)\n", "", 46)]),
    ("missing conversion", &[(PUZZLES, "guess ** 2)", "guess)", 169)]),
    (
        "change identifier used",
        &[(PUZZLES, "issuperset(other.needed_before)", "issuperset(other.needed_after)", 43)],
    ),
    ("more specific if", &[(PUZZLES, "booking is not ignored and booking.room", "booking.room", 24)]),
    (
        "wrong form of an operation",
        &[(PUZZLES, "group_of[member] = group_of[one]", "group_of[member].update(group_of[one])", 8)],
    ),
];

#[test]
fn one_line_of_an_algorithm_is_wrong() {
    assert_repaired(SOURCES, ALGORITHMS);
}

pub const LIBRARIES: Table = &[
    (
        "more specific if",
        &[
            (METER, "if (open && missed() < ATTEMPTS)", "if (open)", 28),
            (METER, "return open && missed() < ATTEMPTS", "return open", 19),
        ],
    ),
    (
        "change identifier used",
        &[
            (METER, "return getReadings().contains", "return readings.contains", 15),
            (METER, "Calendar.HOUR_OF_DAY", "Calendar.HOUR", 5),
            (METER, "? middle : search", "? high : search", 30),
            (METER, "(v - low)", "(value - low)", 8),
            (METER, "getChars(0, width", "getChars(0, length", 7),
        ],
    ),
    (
        "same function more args",
        &[(METER, "new GregorianCalendar(zone, locale)", "new GregorianCalendar(zone)", 17)],
    ),
    ("change binary operator", &[(METER, "left * right > 0.0", "left * right >= 0.0", 2)]),
    (
        "wrong type",
        &[(METER, "double sum = 0;", "int sum = 0;", 14), (METER, "double product", "int product", 10)],
    ),
    ("less specific if", &[(METER, "first < 0 || first > last", "first < 0", 65)]),
    (
        "missing extreme",
        &[(METER, "longest = Math.max(longest, name.length())", "longest = name.length()", 8)],
    ),
    ("missing operand", &[(METER, "return at - start", "return at", 13)]),
];

#[test]
fn one_place_of_a_library_is_wrong() {
    assert_repaired(SOURCES, LIBRARIES);
}
