//! Bugs of each kind and at which place among the proposals their repair stands.

use std::collections::BTreeSet;

use patchwright_patterns::all;

use crate::bed::{Bed, place_of};
use crate::properties::SOURCES;

/// A bug: in which source, what is right there, what is written instead, and among how many proposals of the place the repair
/// must be.
pub type Bug = (usize, &'static str, &'static str, usize);

const LEDGER: usize = 0;
const MATRIX: usize = 1;
const INVENTORY: usize = 2;
const GRAPHS: usize = 3;

/// By the pattern that repairs it.
const BUGS: &[(&str, &[Bug])] = &[
    (
        "change identifier used",
        &[
            (LEDGER, "target.deposit(amount)", "source.deposit(amount)", 3),
            (MATRIX, "sum += cells[row][step]", "sum += cells[row][column]", 60),
            (MATRIX, "this.columns = columns;", "this.columns = rows;", 5),
            (INVENTORY, "self.items[item.name] = item", "self.items[item.name] = known", 90),
            (GRAPHS, "right = height(tree.right)", "right = height(tree.left)", 3),
            (GRAPHS, "best = max(best, running)", "best = max(best, value)", 30),
        ],
    ),
    (
        "change numeric literal",
        &[
            (LEDGER, "parts.length < 3", "parts.length < 4", 10),
            (LEDGER, "DEFAULT_LIMIT = 100", "DEFAULT_LIMIT = 10", 15),
            (INVENTORY, "def add(self, item, amount=1)", "def add(self, item, amount=0)", 3),
        ],
    ),
    (
        "change boolean literal",
        &[
            (LEDGER, "closed = true", "closed = false", 3),
            (GRAPHS, "self.visited = False", "self.visited = True", 3),
        ],
    ),
    ("change modifier", &[(LEDGER, "private boolean closed", "private static boolean closed", 3)]),
    (
        "wrong function name",
        &[
            (LEDGER, "line.startsWith(\"#\")", "line.endsWith(\"#\")", 10),
            (LEDGER, "target.deposit(amount)", "target.withdraw(amount)", 25),
            (INVENTORY, "result += item.value()", "result += item.matches()", 60),
            (GRAPHS, "queue.popleft()", "queue.pop()", 3),
        ],
    ),
    (
        "same function more args",
        &[(INVENTORY, "self.add(Item(name, 0), amount)", "self.add(Item(name, 0))", 40)],
    ),
    ("same function less args", &[(GRAPHS, "text.split()", "text.split(\" \")", 30)]),
    ("same function change caller", &[(LEDGER, "source.withdraw(amount)", "target.withdraw(amount)", 3)]),
    (
        "same function swap args",
        &[
            (LEDGER, "transfer(from, to, amount)", "transfer(to, from, amount)", 5),
            (MATRIX, "new Matrix(columns, rows)", "new Matrix(rows, columns)", 3),
        ],
    ),
    (
        "change binary operator",
        &[
            (LEDGER, "i <= last", "i < last", 3),
            (LEDGER, "slot >= 0 && slot", "slot >= 0 || slot", 5),
            (LEDGER, "balance -= amount", "balance += amount", 5),
            (MATRIX, "value > best", "value < best", 5),
            (GRAPHS, "low <= high", "low < high", 3),
            (GRAPHS, "high = middle - 1", "high = middle + 1", 3),
            (INVENTORY, "known is None", "known is not None", 3),
            (GRAPHS, "divisor == 0", "divisor != 0", 3),
        ],
    ),
    (
        "change unary operator",
        &[
            (INVENTORY, "if not self.items:", "if self.items:", 3),
            (LEDGER, "if (line.isEmpty()", "if (!line.isEmpty()", 15),
            (MATRIX, "if (!(object instanceof Matrix))", "if (object instanceof Matrix)", 5),
        ],
    ),
    (
        "change operand",
        &[(
            INVENTORY,
            "self.total() / float(len(self.items))",
            "self.total() / float(len(self.items[0]))",
            50,
        )],
    ),
    (
        "more specific if",
        &[
            (LEDGER, "slot >= 0 && slot < counts.length", "slot < counts.length", 15),
            (GRAPHS, "i < len(left) and j < len(right)", "i < len(left)", 150),
        ],
    ),
    (
        "less specific if",
        &[
            (LEDGER, "source == null || target == null", "source == null", 10),
            (INVENTORY, "not line or line.startswith(\"#\")", "line.startswith(\"#\")", 10),
        ],
    ),
    ("missing throws exception", &[(LEDGER, "Reader reader) throws IOException {", "Reader reader) {", 15)]),
    (
        "delete throws exception",
        &[(
            LEDGER,
            "private void parse(String line) {",
            "private void parse(String line) throws IOException {",
            10,
        )],
    ),
    (
        "off by one",
        &[
            (LEDGER, "new int[limit + 1]", "new int[limit]", 3),
            (LEDGER, "i < entries.size()", "i < entries.size() - 1", 3),
            (GRAPHS, "** 0.5) + 1)", "** 0.5))", 3),
            (GRAPHS, "0, len(items) - 1", "0, len(items)", 15),
            (GRAPHS, "low = middle + 1", "low = middle", 3),
            (MATRIX, "row < rows; row++) {", "row < rows - 1; row++) {", 3),
        ],
    ),
    (
        "missing own prefix",
        &[
            (LEDGER, "this.limit = limit;", "limit = limit;", 3),
            (INVENTORY, "self.items = OrderedDict()", "items = OrderedDict()", 3),
        ],
    ),
    (
        "change assignment operator",
        &[
            (LEDGER, "sum += entry.amount", "sum = entry.amount", 5),
            (INVENTORY, "known.amount += amount", "known.amount = amount", 5),
        ],
    ),
    (
        "wrong initial value",
        &[
            (MATRIX, "int best = Integer.MIN_VALUE;", "int best = 0;", 15),
            (GRAPHS, "best = values[0]", "best = 0", 40),
        ],
    ),
    (
        "wrong argument",
        &[
            (
                GRAPHS,
                "                seen.add(other)\n                queue",
                "                seen.add(other.value)\n                queue",
                50,
            ),
            (LEDGER, "target.deposit(amount)", "target.deposit(0)", 10),
        ],
    ),
    (
        "missing conversion",
        &[
            (INVENTORY, "word = word.lower()", "word = word", 60),
            (INVENTORY, "names = list(self.items)", "names = self.items", 120),
            (LEDGER, "parts[0].trim();", "parts[0];", 10),
        ],
    ),
    (
        "needless conversion",
        &[(
            GRAPHS,
            "lines.append(line)\n            line = word",
            "lines.append(line.strip())\n            line = word",
            50,
        )],
    ),
    (
        "identity or equality",
        &[
            (LEDGER, "entry.from.equals(name)", "entry.from == name", 10),
            (INVENTORY, "if match is None", "if match == None", 3),
        ],
    ),
    (
        "wrong order of comparison",
        &[(LEDGER, "Long.compare(right.amount, left.amount)", "Long.compare(left.amount, right.amount)", 10)],
    ),
    ("wrong arithmetic", &[(LEDGER, "return (double) sum / count;", "return sum / count;", 10)]),
    ("wrong form of an operation", &[(GRAPHS, "text.split()", "text.split(\" \")", 30)]),
    ("missing copy", &[(INVENTORY, "names = list(self.items)", "names = self.items", 120)]),
    ("unguarded access", &[(GRAPHS, "right = height(tree.right)", "right = height(tree.left)", 3)]),
    ("wrong precedence", &[(GRAPHS, "(low + high) // 2", "low + high // 2", 15)]),
    (
        "exchanged operands",
        &[(INVENTORY, "item.amount - self.reserved[name]", "self.reserved[name] - item.amount", 20)],
    ),
    (
        "surplus operand",
        &[(GRAPHS, "return [divisor] + factors", "return [number] + [divisor] + factors", 120)],
    ),
    (
        "change text literal",
        &[
            (LEDGER, "text = \"closed\";", "text = \"close\";", 15),
            (GRAPHS, "if letter == \"(\"", "if letter == \")\"", 30),
        ],
    ),
    ("constant for literal", &[(INVENTORY, "limit=DEFAULT_LIMIT", "limit=10", 20)]),
    (
        "wrong type",
        &[
            (LEDGER, "long sum = 0;\n        int count", "int sum = 0;\n        int count", 10),
            (LEDGER, "accounts = new HashMap", "accounts = new TreeMap", 5),
        ],
    ),
    (
        "wrong exception",
        &[
            (LEDGER, "throw new IllegalArgumentException(", "throw new NullPointerException(", 5),
            (INVENTORY, "except KeyError:", "except IndexError:", 3),
        ],
    ),
    (
        "shared default value",
        &[(GRAPHS, "def pairs(names, default=None):", "def pairs(names, default=True):", 15)],
    ),
    (
        "wrong filter",
        &[(
            INVENTORY,
            "found = [item for item in self.items.values() if item.matches(word)]",
            "found = [item for item in self.items.values() if item.matches(word) if item]",
            120,
        )],
    ),
    (
        "missing guard",
        &[
            (
                LEDGER,
                "        if (listener != null) {\n            listener.booked(entry);\n        }\n",
                "        listener.booked(entry);\n",
                3,
            ),
            (
                GRAPHS,
                "            if other not in done:\n                heapq.heappush(heap, (length + weight, other))\n",
                "            heapq.heappush(heap, (length + weight, other))\n",
                50,
            ),
        ],
    ),
    (
        "missing early exit",
        &[
            (LEDGER, "        if (entries.isEmpty()) {\n            return 0.0;\n        }\n", "", 25),
            (INVENTORY, "        if name not in self.items:\n            return False\n", "", 30),
        ],
    ),
    (
        "missing base case",
        &[
            (GRAPHS, "    if tree is None:\n        return 0\n", "", 3),
            (GRAPHS, "    if not items:\n        return []\n", "", 15),
            (GRAPHS, "    if number == 1:\n        return []\n", "", 100),
        ],
    ),
    ("missing choice", &[(INVENTORY, "list(tags) if tags else []", "list(tags)", 50)]),
    ("wrong condition", &[(INVENTORY, "if name not in self.items:", "if not self.items:", 250)]),
    (
        "wrong branches",
        &[(
            INVENTORY,
            "\"missing\" if item is None else \"in stock\"",
            "\"in stock\" if item is None else \"missing\"",
            10,
        )],
    ),
    (
        "wrong control word",
        &[
            (
                INVENTORY,
                "            if match is None:\n                break",
                "            if match is None:\n                continue",
                3,
            ),
            (GRAPHS, "        elif letter == \")\":", "        if letter == \")\":", 30),
        ],
    ),
    ("missing statement", &[(LEDGER, "        open(to);\n", "", 15)]),
    (
        "missing update",
        &[
            (LEDGER, "            count++;\n", "", 10),
            (GRAPHS, "                seen.add(other)\n", "", 15),
            (
                GRAPHS,
                "            result.append(right[j])\n            j += 1\n",
                "            result.append(right[j])\n",
                15,
            ),
        ],
    ),
    ("unused result", &[(INVENTORY, "line = line.strip()", "line.strip()", 5)]),
    (
        "missing way out",
        &[(
            LEDGER,
            "                text = \"open\";\n                break;\n",
            "                text = \"open\";\n",
            3,
        )],
    ),
    (
        "moved statement",
        &[
            (
                GRAPHS,
                "    lines.append(line)\n    return lines",
                "        lines.append(line)\n    return lines",
                15,
            ),
            (
                LEDGER,
                "        open(to);\n        transfer(from, to, amount);\n",
                "        transfer(from, to, amount);\n        open(to);\n",
                15,
            ),
        ],
    ),
    (
        "missing last statement",
        &[(
            LEDGER,
            "        entries.clear();\n        accounts.clear();\n",
            "        entries.clear();\n",
            15,
        )],
    ),
    (
        "surplus statement",
        &[(
            INVENTORY,
            "            name, amount = match.group(1)",
            "            count += 1\n            name, amount = match.group(1)",
            420,
        )],
    ),
];

#[test]
fn bugs_are_repaired_among_the_first_proposals() {
    let bugs = BUGS.iter().flat_map(|(pattern, bugs)| bugs.iter().map(|bug| (*pattern, *bug)));
    assert_repaired(SOURCES, bugs);
}

/// Writes each bug into its source and looks for its repair.
pub fn assert_repaired(
    sources: &[(&'static str, &'static str)],
    bugs: impl Iterator<Item = (&'static str, Bug)>,
) {
    let mut wrong = Vec::new();
    for (kind, (source, right, written, within)) in bugs {
        let (path, fixed) = sources[source];
        let buggy = fixed.replacen(right, written, 1);
        assert_ne!(buggy, fixed, "{kind}: {right}");
        let (line, omission) = place_of(&buggy, fixed);
        let files: Vec<(&str, &[u8])> = sources
            .iter()
            .map(|(other, text)| (*other, if *other == path { buggy.as_bytes() } else { text.as_bytes() }))
            .collect();
        let bed = Bed::new(&files);
        let found = bed.rank(path, line, omission, fixed);
        if found.is_none_or(|(at, _, _)| at > within) {
            wrong.push((kind, right, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_pattern_has_a_bug() {
    let mut names: BTreeSet<&str> = BUGS.iter().map(|(name, _)| *name).collect();
    // Its example is a test by itself.
    names.insert("constant condition");
    // Theirs are among the bugs of small algorithms.
    names.extend([
        "exchanged indices",
        "missing operand",
        "part of a sequence",
        "missing extreme",
        "change elements",
        "change target",
        "missing condition",
    ]);
    let missing: Vec<&str> = all().map(|pattern| pattern.name).filter(|name| !names.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
