//! Edits as models write them, made up: what a damaged text is compared with.

use serde_json::{Value, json};

/// A small source of numbers, the same in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end.max(1)
    }

    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

const FILES: [&str; 4] =
    ["src/main/java/org/acme/text/Parser.java", "lib/shop/cart.py", "org/acme/Node.java", "a b/tool's.py"];

const CODE: &[&str] = &[
    "        if (name.equals(\"base\")) {",
    "            return false;",
    "        }",
    "    } else if (c == '\"' || c == '\\'') {",
    "        print(\"a\", \"b\", \"c\");",
    "        log.info(\"found {} of {}\", n, total); // \"quoted\" remark",
    "    String[] words = {\"x\", \"y\"};",
    "        // don't go on",
    "    # it isn't empty: [1, 2], {3}",
    "        text = text.replaceAll(\"[^\\\\p{Print}\\\\s]+\", \"\");",
    "    path = 'C:\\\\temp\\\\' + name",
    "        return a[i] != null && b[\"key\"] > 0 ? f(a) : g(b);",
    "",
    "}",
    "        throw new IllegalStateException(\"Can't read: \" + e.getMessage());",
    "    map.put(\"EST\", \"America/New_York\");",
    "    for (int i = 0; i < n; i++) { sum += x[i]; }",
    "        x = {\"name\": value, \"other\": [1, 2]}",
    "    s = f\"{a!r}: {b}\"",
    "        /* was: return null; */",
    "    builder.append(\"]\").append(\"}\");",
    "    if (!s.startsWith(\"(\") || s.endsWith(\"),\")) {",
    "        é = \"naïve — “quoted”\";",
    "\tindent = \"\\t\" * depth\n",
    "    first = 1;\n    second = \"two\";\n",
    // Lines that go on, and the ends of such.
    "    return builder",
    "        .append(\", \")",
    "        .build();",
    "    total = add(first,",
    "        second);",
    "    text = \"a\" +",
    "        \"b\"",
    "    list = [",
    "    ]",
    ")",
    "    if (ready",
    "            && s.split(\", \").length > 1) {",
    "    return \", \";",
    "    return",
    "    \"\"\"Say so, \"twice\".\"\"\"",
    "    call(",
    "    );",
    "if (name.equals(\"\")) {",
    "    names.add(name + \"\");",
];

fn code(dice: &mut Dice) -> &'static str {
    dice.one(CODE)
}

fn number(dice: &mut Dice) -> usize {
    dice.below(900) + 1
}

/// An edit.
pub fn edit(dice: &mut Dice) -> Value {
    let mut edit = json!({"file_name": dice.one(&FILES)});
    if dice.below(3) == 0 {
        edit["target_lines"] =
            (0..=dice.below(3)).map(|_| json!([number(dice).to_string(), code(dice)])).collect();
    }
    edit["insertions"] = (0..dice.below(3))
        .map(|_| {
            let lines: Vec<&str> = (0..=dice.below(3)).map(|_| code(dice)).collect();
            json!({"line_number": number(dice), "new_lines": lines})
        })
        .collect();
    edit["deletions"] = (0..dice.below(4)).map(|_| number(dice)).collect();
    edit["modifications"] = (0..dice.below(3))
        .map(|_| json!({"line_number": number(dice), "modified_line": code(dice)}))
        .collect();
    edit
}

/// A list of edits as one reply.
pub fn reply(dice: &mut Dice) -> Value {
    let edits: Vec<Value> = (0..2 + dice.below(4)).map(|_| edit(dice)).collect();
    match dice.below(4) {
        0 => json!({"mutations": edits}),
        _ => Value::Array(edits),
    }
}

/// JSON as most models write it: on one line with blanks, each object on its own line, or pretty.
pub fn written(value: &Value, dice: &mut Dice) -> String {
    match dice.below(3) {
        0 => serde_json::to_string_pretty(value).unwrap(),
        form => {
            let mut text = String::new();
            spaced(value, form == 1, 0, &mut text);
            text
        }
    }
}

fn spaced(value: &Value, lines: bool, depth: usize, text: &mut String) {
    let separate = |text: &mut String, index: usize, object: bool| {
        if index > 0 {
            text.push_str(if lines && object && depth == 0 { ",\n" } else { ", " });
        }
    };
    match value {
        Value::Array(elements) => {
            text.push('[');
            for (index, element) in elements.iter().enumerate() {
                separate(text, index, element.is_object());
                spaced(element, lines, depth + 1, text);
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                separate(text, index, false);
                text.push_str(&format!("\"{key}\": "));
                spaced(member, lines, depth + 1, text);
            }
            text.push('}');
        }
        other => text.push_str(&other.to_string()),
    }
}
