//! Patterns about whole statements.

use crate::Pattern;
use crate::generators::{missing_steps, statements};

/// The entries, in the order in which equally likely ones are tried.
pub(super) static MORE: &[Pattern] = &[
    Pattern {
        name: "missing statement",
        sentence: "A statement is missing that stands elsewhere in the code, perhaps with other names; insert it.",
        buggy: "left = left.trim();\nreturn join(left, right);",
        fixed: "left = left.trim();\nright = right.trim();\nreturn join(left, right);",
        language: "java",
        weight: 0.6,
        generate: statements::insert_copy,
    },
    Pattern {
        name: "missing update",
        sentence: "A counter, a mark or a collection is not brought up to date; insert the step.",
        buggy: "while i < len(row):\n    total += row[i]",
        fixed: "while i < len(row):\n    total += row[i]\n    i += 1",
        language: "python",
        weight: 0.55,
        generate: missing_steps::add_update,
    },
    Pattern {
        name: "unused result",
        sentence: "What a call gives is thrown away although the value it was called on does not change; keep the result.",
        buggy: "name.trim();\nreturn name;",
        fixed: "name = name.trim();\nreturn name;",
        language: "java",
        weight: 0.55,
        generate: missing_steps::keep_result,
    },
    Pattern {
        name: "missing way out",
        sentence: "A return, break or continue is missing, or a value is worked out but not returned.",
        buggy: "def area(self):\n    self.width * self.height\n    self.measure()",
        fixed: "def area(self):\n    self.width * self.height\n    return self.measure()",
        language: "python",
        weight: 0.5,
        generate: missing_steps::add_exit,
    },
    Pattern {
        name: "moved statement",
        sentence: "A statement stands before another instead of behind it, or inside of a block instead of outside; move it.",
        buggy: "for x in values:\n    total += x\n    return total",
        fixed: "for x in values:\n    total += x\nreturn total",
        language: "python",
        weight: 0.5,
        generate: statements::move_statement,
    },
    Pattern {
        name: "missing last statement",
        sentence: "The last statement of a block is missing; add one that stands elsewhere in the code.",
        buggy: "open(file);\ntry {\n    read(file);\n} finally {\n    log(file);\n}",
        fixed: "open(file);\ntry {\n    read(file);\n} finally {\n    log(file);\n    close(file);\n}",
        language: "java",
        weight: 0.4,
        generate: statements::append_copy,
    },
    Pattern {
        name: "surplus statement",
        sentence: "A statement, or a condition around one, does harm; take it away.",
        buggy: "items.clear();\nreturn items;",
        fixed: "return items;",
        language: "java",
        weight: 0.3,
        generate: statements::remove,
    },
];
