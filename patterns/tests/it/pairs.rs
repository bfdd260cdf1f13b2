//! Bugs of each kind and at which place among the proposals their repair stands.

use std::collections::BTreeSet;

use patchwright_patterns::all;

use crate::bed::{Bed, place_of};
use crate::properties::SOURCES;
use crate::{bugs, classes};

/// A bug: in which source, what is right there, what is written instead, and among how many proposals of the place the repair
/// must be: what was measured, and a tenth more.
pub type Bug = (usize, &'static str, &'static str, usize);

/// Bugs by the pattern that repairs them, before any other does.
pub type Table = &'static [(&'static str, &'static [Bug])];

const LEDGER: usize = 0;
const MATRIX: usize = 1;
const INVENTORY: usize = 2;
const GRAPHS: usize = 3;

/// Of each pattern, as far as it has none in another table.
const BUGS: Table = &[
    (
        "change identifier used",
        &[
            (LEDGER, "target.deposit(amount)", "source.deposit(amount)", 2),
            (MATRIX, "sum += cells[row][step]", "sum += cells[row][column]", 35),
            (MATRIX, "this.columns = columns;", "this.columns = rows;", 2),
            (INVENTORY, "self.items[item.name] = item", "self.items[item.name] = known", 90),
            (GRAPHS, "right = height(tree.right)", "right = height(tree.left)", 2),
            (GRAPHS, "best = max(best, running)", "best = max(best, value)", 19),
        ],
    ),
    (
        "change numeric literal",
        &[
            (LEDGER, "parts.length < 3", "parts.length < 4", 6),
            (LEDGER, "DEFAULT_LIMIT = 100", "DEFAULT_LIMIT = 10", 12),
            (INVENTORY, "def add(self, item, amount=1)", "def add(self, item, amount=0)", 2),
        ],
    ),
    (
        "change boolean literal",
        &[
            (LEDGER, "closed = true", "closed = false", 2),
            (GRAPHS, "self.visited = False", "self.visited = True", 2),
        ],
    ),
    ("change modifier", &[(LEDGER, "private boolean closed", "private static boolean closed", 2)]),
    (
        "wrong function name",
        &[
            (LEDGER, "line.startsWith(\"#\")", "line.endsWith(\"#\")", 6),
            (LEDGER, "target.deposit(amount)", "target.withdraw(amount)", 24),
            (INVENTORY, "result += item.value()", "result += item.matches()", 57),
            (GRAPHS, "queue.popleft()", "queue.pop()", 3),
        ],
    ),
    (
        "same function more args",
        &[(INVENTORY, "self.add(Item(name, 0), amount)", "self.add(Item(name, 0))", 31)],
    ),
    (
        "same function less args",
        &[(INVENTORY, "self.add(Item(name, 0), amount)", "self.add(Item(name, 0, amount), amount)", 20)],
    ),
    ("same function change caller", &[(GRAPHS, "queue.append(other)", "node.neighbours.append(other)", 120)]),
    (
        "same function swap args",
        &[
            (LEDGER, "transfer(from, to, amount)", "transfer(to, from, amount)", 4),
            (MATRIX, "new Matrix(columns, rows)", "new Matrix(rows, columns)", 4),
        ],
    ),
    (
        "change binary operator",
        &[
            (LEDGER, "i <= last", "i < last", 2),
            (LEDGER, "slot >= 0 && slot", "slot >= 0 || slot", 5),
            (MATRIX, "value > best", "value < best", 5),
            (GRAPHS, "low <= high", "low < high", 2),
            (GRAPHS, "high = middle - 1", "high = middle + 1", 2),
            (INVENTORY, "known is None", "known is not None", 2),
            (GRAPHS, "divisor == 0", "divisor != 0", 2),
        ],
    ),
    (
        "change unary operator",
        &[
            (INVENTORY, "if not self.items:", "if self.items:", 2),
            (LEDGER, "if (line.isEmpty()", "if (!line.isEmpty()", 16),
            (MATRIX, "if (!(object instanceof Matrix))", "if (object instanceof Matrix)", 4),
        ],
    ),
    (
        "change operand",
        &[
            (
                INVENTORY,
                "self.total() / float(len(self.items))",
                "self.total() / float(len(self.items[0]))",
                52,
            ),
            (
                GRAPHS,
                "                seen.add(other)\n                queue",
                "                seen.add(other.value)\n                queue",
                48,
            ),
            (
                GRAPHS,
                "lines.append(line)\n            line = word",
                "lines.append(line.strip())\n            line = word",
                34,
            ),
        ],
    ),
    (
        "more specific if",
        &[
            (LEDGER, "slot >= 0 && slot < counts.length", "slot < counts.length", 12),
            (GRAPHS, "i < len(left) and j < len(right)", "i < len(left)", 146),
        ],
    ),
    (
        "less specific if",
        &[
            (LEDGER, "source == null || target == null", "source == null", 7),
            (INVENTORY, "not line or line.startswith(\"#\")", "line.startswith(\"#\")", 4),
        ],
    ),
    ("missing throws exception", &[(LEDGER, "Reader reader) throws IOException {", "Reader reader) {", 12)]),
    (
        "delete throws exception",
        &[(
            LEDGER,
            "private void parse(String line) {",
            "private void parse(String line) throws IOException {",
            7,
        )],
    ),
    (
        "off by one",
        &[
            (LEDGER, "new int[limit + 1]", "new int[limit]", 2),
            (LEDGER, "i < entries.size()", "i < entries.size() - 1", 3),
            (GRAPHS, "** 0.5) + 1)", "** 0.5))", 2),
            (GRAPHS, "0, len(items) - 1", "0, len(items)", 10),
            (GRAPHS, "low = middle + 1", "low = middle", 3),
            (MATRIX, "row < rows; row++) {", "row < rows - 1; row++) {", 3),
        ],
    ),
    (
        "missing own prefix",
        &[
            (LEDGER, "this.limit = limit;", "limit = limit;", 2),
            (INVENTORY, "self.items = OrderedDict()", "items = OrderedDict()", 2),
        ],
    ),
    (
        "change assignment operator",
        &[
            (LEDGER, "balance -= amount", "balance += amount", 3),
            (LEDGER, "sum += entry.amount", "sum = entry.amount", 4),
            (INVENTORY, "known.amount += amount", "known.amount = amount", 3),
        ],
    ),
    (
        "wrong initial value",
        &[
            (MATRIX, "int best = Integer.MIN_VALUE;", "int best = 0;", 14),
            (GRAPHS, "best = values[0]", "best = 0", 30),
        ],
    ),
    ("wrong argument", &[(LEDGER, "target.deposit(amount)", "target.deposit(0)", 10)]),
    (
        "missing conversion",
        &[
            (INVENTORY, "word = word.lower()", "word = word", 61),
            (INVENTORY, "names = list(self.items)", "names = self.items", 102),
            (LEDGER, "parts[0].trim();", "parts[0];", 6),
        ],
    ),
    ("needless conversion", &[(INVENTORY, "item = self.items[name]", "item = self.items[name.strip()]", 51)]),
    (
        "identity or equality",
        &[
            (LEDGER, "entry.from.equals(name)", "entry.from == name", 10),
            (INVENTORY, "if match is None", "if match == None", 3),
        ],
    ),
    (
        "wrong order of comparison",
        &[(LEDGER, "Long.compare(right.amount, left.amount)", "Long.compare(left.amount, right.amount)", 7)],
    ),
    ("wrong arithmetic", &[(LEDGER, "return (double) sum / count;", "return sum / count;", 6)]),
    ("wrong form of an operation", &[(GRAPHS, "text.split()", "text.split(\" \")", 18)]),
    ("wrong precedence", &[(GRAPHS, "(low + high) // 2", "low + high // 2", 12)]),
    (
        "exchanged operands",
        &[(INVENTORY, "item.amount - self.reserved[name]", "self.reserved[name] - item.amount", 20)],
    ),
    (
        "surplus operand",
        &[(GRAPHS, "return [divisor] + factors", "return [number] + [divisor] + factors", 133)],
    ),
    (
        "change text literal",
        &[
            (LEDGER, "text = \"closed\";", "text = \"close\";", 10),
            (GRAPHS, "if letter == \"(\"", "if letter == \")\"", 20),
        ],
    ),
    ("constant for literal", &[(INVENTORY, "limit=DEFAULT_LIMIT", "limit=10", 9)]),
    (
        "wrong type",
        &[
            (LEDGER, "long sum = 0;\n        int count", "int sum = 0;\n        int count", 8),
            (LEDGER, "accounts = new HashMap", "accounts = new TreeMap", 5),
        ],
    ),
    (
        "wrong exception",
        &[
            (LEDGER, "throw new IllegalArgumentException(", "throw new NullPointerException(", 5),
            (INVENTORY, "except KeyError:", "except IndexError:", 2),
        ],
    ),
    (
        "shared default value",
        &[(GRAPHS, "def pairs(names, default=None):", "def pairs(names, default=True):", 16)],
    ),
    (
        "wrong filter",
        &[(
            INVENTORY,
            "found = [item for item in self.items.values() if item.matches(word)]",
            "found = [item for item in self.items.values() if item.matches(word) if item]",
            123,
        )],
    ),
    (
        "missing guard",
        &[
            (
                LEDGER,
                "        if (listener != null) {\n            listener.booked(entry);\n        }\n",
                "        listener.booked(entry);\n",
                2,
            ),
            (
                GRAPHS,
                "            if other not in done:\n                heapq.heappush(heap, (length + weight, other))\n",
                "            heapq.heappush(heap, (length + weight, other))\n",
                40,
            ),
        ],
    ),
    (
        "missing early exit",
        &[
            (LEDGER, "        if (entries.isEmpty()) {\n            return 0.0;\n        }\n", "", 24),
            (INVENTORY, "        if name not in self.items:\n            return False\n", "", 24),
            (GRAPHS, "    if tree is None:\n        return 0\n", "", 3),
            (GRAPHS, "    if not items:\n        return []\n", "", 14),
        ],
    ),
    ("missing base case", &[(GRAPHS, "    if number == 1:\n        return []\n", "", 98)]),
    ("missing choice", &[(INVENTORY, "list(tags) if tags else []", "list(tags)", 41)]),
    ("wrong condition", &[(INVENTORY, "if name not in self.items:", "if not self.items:", 225)]),
    (
        "wrong branches",
        &[(
            INVENTORY,
            "\"missing\" if item is None else \"in stock\"",
            "\"in stock\" if item is None else \"missing\"",
            7,
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
            (GRAPHS, "        elif letter == \")\":", "        if letter == \")\":", 28),
        ],
    ),
    ("missing statement", &[(LEDGER, "        open(to);\n", "", 15)]),
    (
        "missing update",
        &[
            (LEDGER, "            count++;\n", "", 7),
            (GRAPHS, "                seen.add(other)\n", "", 3),
            (
                GRAPHS,
                "            result.append(right[j])\n            j += 1\n",
                "            result.append(right[j])\n",
                7,
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
            2,
        )],
    ),
    (
        "moved statement",
        &[
            (
                GRAPHS,
                "    lines.append(line)\n    return lines",
                "        lines.append(line)\n    return lines",
                14,
            ),
            (
                LEDGER,
                "        open(to);\n        transfer(from, to, amount);\n",
                "        transfer(from, to, amount);\n        open(to);\n",
                16,
            ),
        ],
    ),
    (
        "missing last statement",
        &[(
            LEDGER,
            "        entries.clear();\n        accounts.clear();\n",
            "        entries.clear();\n",
            14,
        )],
    ),
    (
        "surplus statement",
        &[(
            INVENTORY,
            "            name, amount = match.group(1)",
            "            count += 1\n            name, amount = match.group(1)",
            2,
        )],
    ),
];

#[test]
fn bugs_are_repaired_among_the_first_proposals() {
    assert_repaired(SOURCES, BUGS);
}

/// Writes each bug into its source and looks for its repair.
pub fn assert_repaired(sources: &[(&'static str, &'static str)], bugs: Table) {
    let mut wrong = Vec::new();
    for (pattern, bug) in bugs.iter().flat_map(|(pattern, bugs)| bugs.iter().map(move |bug| (*pattern, *bug)))
    {
        let (source, right, written, within) = bug;
        let (path, fixed) = sources[source];
        let buggy = fixed.replacen(right, written, 1);
        assert_ne!(buggy, fixed, "{pattern}: {right}");
        let (line, omission) = place_of(&buggy, fixed);
        let files: Vec<(&str, &[u8])> = sources
            .iter()
            .map(|(other, text)| (*other, if *other == path { buggy.as_bytes() } else { text.as_bytes() }))
            .collect();
        let found = Bed::new(&files).repair(path, line, omission, fixed);
        if found.is_none_or(|found| found.pattern != pattern || found.rank > within) {
            wrong.push((pattern, right, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_pattern_has_a_bug() {
    let tables = [BUGS, bugs::ALGORITHMS, bugs::LIBRARIES, classes::ACCESSES, classes::COPIES];
    let mut names: BTreeSet<&str> = tables.into_iter().flatten().map(|(name, _)| *name).collect();
    // Its example is a test by itself.
    names.insert("constant condition");
    let missing: Vec<&str> =
        all().iter().map(|pattern| pattern.name).filter(|name| !names.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
