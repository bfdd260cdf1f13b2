//! Classes of bugs that recur in projects of all kinds, whichever pattern repairs them.

use crate::pairs::{Bug, assert_repaired};

const SOURCES: &[(&str, &str)] = &[
    ("stays/rooms.py", include_str!("sources/rooms.py")),
    ("halls/Hall.java", include_str!("sources/Hall.java")),
    ("halls/Lane.java", include_str!("sources/Lane.java")),
];

const ROOMS: usize = 0;
const HALL: usize = 1;

fn check(class: &'static str, bugs: &[Bug]) {
    assert_repaired(SOURCES, bugs.iter().map(|bug| (class, *bug)));
}

#[test]
fn an_access_is_guarded_in_an_expression() {
    check(
        "access",
        &[
            (ROOMS, "self.owner.name if self.owner is not None else \"\"", "self.owner.name", 5),
            (ROOMS, "room.rate.amount if room.rate is not None else 0", "room.rate.amount", 5),
            (ROOMS, "room.owner.name if room.owner is not None else None", "room.owner.name", 25),
            (HALL, "last != null ? last.getLength() : 0", "last.getLength()", 3),
            (HALL, "last != null ? last.getName() : null", "last.getName()", 8),
            (
                HALL,
                "lane.getOwner() != null ? lane.getOwner().getName() : \"\"",
                "lane.getOwner().getName()",
                10,
            ),
        ],
    );
}

#[test]
fn what_is_shared_is_copied() {
    check(
        "copy",
        &[
            (ROOMS, "found.append(list(places))", "found.append(places)", 3),
            (ROOMS, "ends.append(list(trail))", "ends.append(trail)", 3),
            (ROOMS, "return list(self.guests)", "return self.guests", 3),
            (ROOMS, "self.rooms = list(rooms)", "self.rooms = rooms", 3),
            (ROOMS, "\"rows\": list(grid)", "\"rows\": grid", 3),
            (ROOMS, "yield list(row)", "yield row", 25),
            (HALL, "new ArrayList<>(lanes);", "lanes;", 3),
            (HALL, "return new ArrayList<>(lanes)", "return lanes", 3),
            (HALL, "= seats.clone()", "= seats", 3),
            (HALL, "Arrays.copyOf(seats, seats.length)", "seats", 3),
            (HALL, "found.add(new ArrayList<>(chosen))", "found.add(chosen)", 3),
        ],
    );
}

#[test]
fn another_method_of_a_built_in_type_is_called() {
    check(
        "method",
        &[
            (ROOMS, "removeprefix(", "lstrip(", 3),
            (ROOMS, "rest.rstrip(", "rest.removesuffix(", 3),
            (ROOMS, "rest.rstrip(", "rest.strip(", 5),
            (ROOMS, "name.isdecimal()", "name.isdigit()", 5),
            (ROOMS, "key.casefold()", "key.lower()", 5),
            (ROOMS, "path.rfind(", "path.find(", 3),
            (ROOMS, "path.rpartition(\".\")[0]", "path.partition(\".\")[0]", 3),
            (ROOMS, "text.split(\"=\", 1)", "text.rsplit(\"=\", 1)", 3),
            (ROOMS, "math.ceil(", "math.trunc(", 8),
            (ROOMS, "total // height", "int(total / height)", 5),
            (ROOMS, "total // height", "total / height", 3),
            (ROOMS, "self.rates.get(name)", "self.rates[name]", 8),
            (ROOMS, "self.rooms.extend(", "self.rooms.append(", 3),
            (ROOMS, "self.waiting.popleft()", "self.waiting.pop()", 3),
            (ROOMS, "names.discard(name)", "names.remove(name)", 3),
            (HALL, "lastIndexOf(", "indexOf(", 3),
            (HALL, ".strip()", ".trim()", 5),
            (HALL, "prices.floorEntry(", "prices.lowerEntry(", 3),
            (HALL, "prices.higherKey(", "prices.ceilingKey(", 3),
            (HALL, "queue.pollFirst()", "queue.peekFirst()", 5),
            (HALL, "Math.floorMod(hash, size)", "hash % size", 8),
            (HALL, "Math.floor(rate", "Math.round(rate", 3),
            (HALL, "start.plusDays(", "start.minusDays(", 3),
            (HALL, "end.isAfter(", "end.isBefore(", 8),
            (HALL, "chosen.remove(Integer.valueOf(seats[0]))", "chosen.remove(seats[0])", 15),
            (HALL, "points.merge(name, amount, Integer::sum)", "points.put(name, amount)", 8),
        ],
    );
}

#[test]
fn a_sum_in_a_comparison_is_off_by_one() {
    check(
        "sum",
        &[
            (ROOMS, "len(current) + len(word) + 1", "len(current) + len(word)", 5),
            (HALL, "left.length() + right.length() + 1", "left.length() + right.length()", 5),
        ],
    );
}

#[test]
fn whole_numbers_are_not_divided_where_fractions_count() {
    check(
        "division",
        &[
            (HALL, "return 100.0 * hits / total", "return 100 * hits / total", 15),
            (HALL, "return 100.0 * hits / total", "return hits / total * 100.0", 12),
            (HALL, "(double) hits / total", "hits / total", 5),
            (HALL, "(double) hits / total", "(double) (hits / total)", 8),
            (HALL, "sum * 1.0 / seats", "sum / seats", 20),
        ],
    );
}

#[test]
fn a_condition_asks_one_thing_more() {
    check(
        "condition",
        &[
            (HALL, "players <= lane.getLength() && !lane.isClosed()", "players <= lane.getLength()", 8),
            (ROOMS, "guest.allowed and not room.closed", "guest.allowed", 3),
            (HALL, "row >= 0 && row < seats.length &&", "row > 0 && row < seats.length &&", 3),
            (HALL, "column >= 0 && column <", "column > 0 && column <", 3),
            (HALL, "clip(width, 2)", "clip(width, 3)", 5),
        ],
    );
}
