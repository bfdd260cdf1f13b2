//! The code that an issue names.

use std::fs;

use patchwright_index::{Index, mentions};

const CART: &str = "class Cart:\n    def total(self):\n        return 0\n\n    def add(self, item):\n        self.check(item)\n\n    \
                    def check(self, item):\n        raise ValueError(item)\n\n\ndef empty_cart():\n    return Cart()\n";

const WORDS: &str = "FULL = {\n    \"full\": \"The shelf is full, nothing more fits on it.\",\n}\n\n\ndef refuse(name):\n    # Who doesn't \
                     hurry has waited for a long time.\n    raise ValueError(\"cannot take %s from a till that is closed\" % name)\n\n\ndef name(goods):\n    \
                     \"\"\"Cannot name all goods.\"\"\"\n    raise KeyError(f\"Cannot name {goods} twice\")\n";

fn named(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("{}def far():\n    pass\n", "X = 1\n".repeat(70));
    for (path, text) in [
        ("shop/__init__.py", ""),
        ("shop/cart.py", CART),
        (
            "shop/stock.py",
            "class Shelf:\n    def count(self):\n        return 1\n\nclass Shelves:\n    def count(self):\n        return 2\n",
        ),
        ("shop/R012.py", "class Rule_R012:\n    pass\n"),
        ("shop/till.py", "class Till:\n    def total(self):\n        return 1\n"),
        ("shop/long.py", &long),
        ("shop/door.py", "class Door:\n    def unlock(self):\n        return 1\n"),
        (
            "yard/gate.py",
            "class Gate:\n    def unlock(self):\n        return 1\n\nclass Fence:\n    def unlock(self):\n        return 2\n",
        ),
        ("shop/words.py", WORDS),
        ("tests/test_cart.py", "def test_total():\n    pass\n"),
        (
            "src/org/shop/Ledger.java",
            "package org.shop;\n\nclass Ledger {\n    int sum() {\n        return 1;\n    }\n}\n",
        ),
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let index = Index::build(folder.path()).unwrap();
    let found = mentions(&index, text, |file| !file.test);
    found.iter().map(|one| format!("{}:{}-{}", one.path, one.lines.first, one.lines.last)).collect()
}

#[test]
fn names_that_mean_one_place_are_found() {
    let check = |text: &str, expect: &[&str]| assert_eq!(named(text), expect, "{text}");
    check("`empty_cart()` is not empty", &["shop/cart.py:12-13"]);
    check("`total` is wrong, unlike `Till`", &["shop/till.py:1-3", "shop/cart.py:2-3", "shop/till.py:2-3"]);
    check(
        "count() and cart.total() of my_cart.add(1)",
        &["shop/cart.py:2-3", "shop/cart.py:5-6", "shop/stock.py:2-3", "shop/stock.py:6-7"],
    );
    check("my_box.unlock()", &[]);
    check(
        "from yard.gate import Gate\nmy_box.unlock()",
        &["yard/gate.py:1-7", "yard/gate.py:2-3", "yard/gate.py:6-7"],
    );
    check("the total(s) of my_till.total", &["shop/cart.py:2-3", "shop/till.py:2-3"]);
    check("`Cart.total` is wrong, and so is Till.total.", &["shop/cart.py:2-3", "shop/till.py:2-3"]);
    check("shop.cart.Cart.add(1) fails", &["shop/cart.py:5-6"]);
    check("see `shop.empty_cart`", &["shop/cart.py:12-13"]);
    check("`Till` is closed", &["shop/till.py:1-3"]);
    check("the file shop/till.py, and shop/long.py", &["shop/till.py:1-3"]);
    check(
        "It is in `cart.py` at line 9, or shop/cart.py:6; till.py, line 99",
        &["shop/cart.py:8-9", "shop/cart.py:5-6", "shop/cart.py:1-13", "shop/till.py:1-3"],
    );
    check("from shop.till import x", &["shop/till.py:1-3"]);
    check("org.shop.Ledger.sum() and `Ledger#sum`", &["src/org/shop/Ledger.java:4-6"]);
    check("`test_total` fails; `os.path` and `no` are others'", &[]);
    check("It adds and totals.", &[]);
    check(
        "R012 is reported, and an empty_cart has 3 utf8 items",
        &["shop/R012.py:1-2", "shop/cart.py:12-13"],
    );
}

#[test]
fn a_traceback_leads_from_the_failure_outwards() {
    let trace = "`Till` is closed:\n\nTraceback (most recent call last):\n  File \"/home/me/run.py\", line 3, in main\n    a\n  File \
                 \"/usr/lib/python3/site-packages/shop/cart.py\", line 905, in add\n    self.check(item)\n  File \
                 \"/usr/lib/python3/site-packages/shop/cart.py\", line 908, in check\n    raise\nValueError: x\n";
    assert_eq!(named(trace), ["shop/cart.py:8-9", "shop/cart.py:5-6", "shop/till.py:1-3"]);
    // Of several functions of a name the one with the code of the frame's line, and else the one nearest to that.
    let total = |line: u32, code: &str| {
        format!("Traceback (most recent call last):\n  File \"shop/stock.py\", line {line}, in count\n{code}")
    };
    assert_eq!(named(&total(90, "    return 1\n")), ["shop/stock.py:2-3"]);
    assert_eq!(named(&total(90, "")), ["shop/stock.py:6-7"]);
    // A function without a name is found by its code.
    let nameless = "Traceback (most recent call last):\n  File \"/x/shop/cart.py\", line 905, in <lambda>\n    self.check(item)\n";
    assert_eq!(named(nameless), ["shop/cart.py:5-6"]);
    // What the issue speaks of comes first, however far out its frame is; the code of the frames is not what it speaks of.
    let spoken = trace.replace("is closed", "is closed, and so add fails");
    assert_eq!(named(&spoken), ["shop/cart.py:5-6", "shop/cart.py:8-9", "shop/till.py:1-3"]);
}

#[test]
fn a_quoted_message_leads_to_the_code_that_writes_it() {
    let check = |text: &str, expect: &[&str]| assert_eq!(named(text), expect, "{text}");
    check(
        "It says\n```\nValueError: cannot take soap from a till that is closed\n```",
        &["shop/words.py:6-8"],
    );
    check("| L1 | The shelf is full, nothing more fits on it. |", &["shop/words.py:1-8"]);
    check("Customers say: hurry has waited for a long time.", &[]);
    check("The till that one wants is closed.", &[]);
    check("KeyError: 'Cannot name [1, 2] twice'", &["shop/words.py:11-13"]);
    check("One cannot name soap, nor take it.", &[]);
    let both =
        "cannot take soap from a till that is closed: The shelf is full, nothing more fits on it; so `Till`";
    check(both, &["shop/words.py:1-8", "shop/words.py:6-8", "shop/till.py:1-3"]);
}
