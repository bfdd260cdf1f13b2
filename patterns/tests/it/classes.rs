//! Classes of bugs that recur in projects of all kinds, whichever pattern repairs them.

use crate::pairs::{Table, assert_repaired};

const SOURCES: &[(&str, &str)] = &[
    ("stays/rooms.py", include_str!("sources/rooms.py")),
    ("halls/Hall.java", include_str!("sources/Hall.java")),
    ("halls/Lane.java", include_str!("sources/Lane.java")),
];

const ROOMS: usize = 0;
const HALL: usize = 1;

pub const ACCESSES: Table = &[(
    "unguarded access",
    &[
        (ROOMS, "self.owner.name if self.owner is not None else \"\"", "self.owner.name", 6),
        (ROOMS, "room.rate.amount if room.rate is not None else 0", "room.rate.amount", 6),
        (ROOMS, "room.owner.name if room.owner is not None else None", "room.owner.name", 25),
        (HALL, "last != null ? last.getLength() : 0", "last.getLength()", 3),
        (HALL, "last != null ? last.getName() : null", "last.getName()", 8),
        (HALL, "lane.getOwner() != null ? lane.getOwner().getName() : \"\"", "lane.getOwner().getName()", 12),
    ],
)];

#[test]
fn an_access_is_guarded_in_an_expression() {
    assert_repaired(SOURCES, ACCESSES);
}

pub const COPIES: Table = &[(
    "missing copy",
    &[
        (ROOMS, "found.append(list(places))", "found.append(places)", 3),
        (ROOMS, "ends.append(list(trail))", "ends.append(trail)", 3),
        (ROOMS, "return list(self.guests)", "return self.guests", 2),
        (ROOMS, "self.rooms = list(rooms)", "self.rooms = rooms", 4),
        (ROOMS, "\"rows\": list(grid)", "\"rows\": grid", 4),
        (ROOMS, "yield list(row)", "yield row", 23),
        (HALL, "new ArrayList<>(lanes);", "lanes;", 3),
        (HALL, "return new ArrayList<>(lanes)", "return lanes", 2),
        (HALL, "= seats.clone()", "= seats", 4),
        (HALL, "Arrays.copyOf(seats, seats.length)", "seats", 3),
        (HALL, "found.add(new ArrayList<>(chosen))", "found.add(chosen)", 4),
    ],
)];

#[test]
fn what_is_shared_is_copied() {
    assert_repaired(SOURCES, COPIES);
}

const METHODS: Table = &[
    (
        "wrong function name",
        &[
            (ROOMS, "removeprefix(", "lstrip(", 2),
            (ROOMS, "rest.rstrip(", "rest.removesuffix(", 3),
            (ROOMS, "rest.rstrip(", "rest.strip(", 6),
            (ROOMS, "name.isdecimal()", "name.isdigit()", 5),
            (ROOMS, "key.casefold()", "key.lower()", 5),
            (ROOMS, "path.rfind(", "path.find(", 2),
            (ROOMS, "path.rpartition(\".\")[0]", "path.partition(\".\")[0]", 3),
            (ROOMS, "text.split(\"=\", 1)", "text.rsplit(\"=\", 1)", 3),
            (ROOMS, "math.ceil(", "math.trunc(", 8),
            (ROOMS, "self.rooms.extend(", "self.rooms.append(", 2),
            (ROOMS, "self.waiting.popleft()", "self.waiting.pop()", 3),
            (ROOMS, "names.discard(name)", "names.remove(name)", 2),
            (HALL, "lastIndexOf(", "indexOf(", 2),
            (HALL, ".strip()", ".trim()", 5),
            (HALL, "prices.floorEntry(", "prices.lowerEntry(", 2),
            (HALL, "prices.higherKey(", "prices.ceilingKey(", 2),
            (HALL, "queue.pollFirst()", "queue.peekFirst()", 5),
            (HALL, "Math.floor(rate", "Math.round(rate", 4),
            (HALL, "start.plusDays(", "start.minusDays(", 2),
            (HALL, "end.isAfter(", "end.isBefore(", 8),
        ],
    ),
    ("wrong arithmetic", &[(ROOMS, "total // height", "int(total / height)", 6)]),
    ("change binary operator", &[(ROOMS, "total // height", "total / height", 2)]),
    (
        "wrong form of an operation",
        &[
            (ROOMS, "self.rates.get(name)", "self.rates[name]", 7),
            (HALL, "Math.floorMod(hash, size)", "hash % size", 7),
            (HALL, "chosen.remove(Integer.valueOf(seats[0]))", "chosen.remove(seats[0])", 17),
            (HALL, "points.merge(name, amount, Integer::sum)", "points.put(name, amount)", 7),
        ],
    ),
];

#[test]
fn another_method_of_a_built_in_type_is_called() {
    assert_repaired(SOURCES, METHODS);
}

const SUMS: Table = &[(
    "off by one",
    &[
        (ROOMS, "len(current) + len(word) + 1", "len(current) + len(word)", 5),
        (HALL, "left.length() + right.length() + 1", "left.length() + right.length()", 6),
    ],
)];

#[test]
fn a_sum_in_a_comparison_is_off_by_one() {
    assert_repaired(SOURCES, SUMS);
}

const DIVISIONS: Table = &[(
    "wrong arithmetic",
    &[
        (HALL, "return 100.0 * hits / total", "return 100 * hits / total", 16),
        (HALL, "return 100.0 * hits / total", "return hits / total * 100.0", 14),
        (HALL, "(double) hits / total", "hits / total", 5),
        (HALL, "(double) hits / total", "(double) (hits / total)", 9),
        (HALL, "sum * 1.0 / seats", "sum / seats", 23),
    ],
)];

#[test]
fn whole_numbers_are_not_divided_where_fractions_count() {
    assert_repaired(SOURCES, DIVISIONS);
}

const CONDITIONS: Table = &[
    (
        "more specific if",
        &[
            (HALL, "players <= lane.getLength() && !lane.isClosed()", "players <= lane.getLength()", 9),
            (ROOMS, "guest.allowed and not room.closed", "guest.allowed", 2),
        ],
    ),
    (
        "change binary operator",
        &[
            (HALL, "row >= 0 && row < seats.length &&", "row > 0 && row < seats.length &&", 2),
            (HALL, "column >= 0 && column <", "column > 0 && column <", 4),
        ],
    ),
    ("change numeric literal", &[(HALL, "clip(width, 2)", "clip(width, 3)", 5)]),
];

#[test]
fn a_condition_asks_one_thing_more() {
    assert_repaired(SOURCES, CONDITIONS);
}

const SCALES: &[(&str, &str)] = &[("codes/packed.py", include_str!("sources/packed.py"))];

#[test]
fn a_number_is_wrong_by_a_factor_or_a_shift_by_some_bits() {
    assert_repaired(
        SCALES,
        &[(
            "change numeric literal",
            &[
                (0, "number >> 16", "number >> 24", 20),
                (0, "number >> 8", "number >> 4", 20),
                (0, "& 0xFF", "& 0x7F", 35),
                (0, "* 0.25", "* 2.5", 75),
                (0, "limit=20", "limit=2", 20),
            ],
        )],
    );
}
