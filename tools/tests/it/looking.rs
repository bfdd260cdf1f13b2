//! The tools that look and change nothing.

use std::collections::BTreeSet;

use patchwright_fault_localization::Localization;
use patchwright_protocol::SourceLines;
use patchwright_tools::{GatheredInformation, Observation};
use serde_json::{Value, json};

use crate::bench::Bench;

/// What the model reads, exactly.
fn check(observation: &Observation, expect: &str) {
    assert_eq!(observation.text, expect, "\n{}", observation.text);
}

/// The model is told what is wrong, and nothing moves or is kept.
fn refused(observation: &Observation, expect: &str) {
    assert_eq!(observation.text, expect, "\n{}", observation.text);
    assert!(!observation.outcome.advances());
    assert_eq!(observation.gathered, None);
}

#[tokio::test]
async fn several_ranges_are_read_in_one_call() {
    let mut bench = Bench::open().await;
    let call =
        |also: Value| json!({"file_path": "shop/cart.py", "start_line": 35, "end_line": 36, "also": also});
    let seen = bench
        .run("read_range", call(json!(["shop/pricing.py:1-2", "shop/none.py:1-2", "shop/cart.py:1"])))
        .await;
    for part in [
        "shop/cart.py, lines 35 to 36",
        "shop/pricing.py, lines 1 to 2",
        "shop/none.py:1-2: ",
        "shop/cart.py, lines 1 to 1",
    ] {
        assert!(seen.text.contains(part), "`{part}` is missing in:\n{}", seen.text);
    }
    let Some(GatheredInformation::Files(files)) = &seen.gathered else { panic!("{seen:?}") };
    let kept: Vec<(&str, usize)> = files.iter().map(|file| (file.path.as_str(), file.lines.len())).collect();
    assert_eq!(kept, [("shop/cart.py", 2), ("shop/pricing.py", 2), ("shop/cart.py", 1)]);
    let note = files[2].note.as_deref().unwrap_or_default();
    assert!(note.starts_with("36 lines in all\nshop/none.py:1-2: "), "later prompts tell of it: {note}");
    assert_eq!(
        Observation::gathered_of(&seen.data),
        seen.gathered,
        "memory is rebuilt from the typed result"
    );
    let wrong = "`shop/cart.py` in `also` is no range: write `path/of/file:20-40`.";
    refused(&bench.run("read_range", call(json!(["shop/cart.py"]))).await, wrong);
}

#[tokio::test]
async fn ranges_of_lines() {
    let mut bench = Bench::open().await;
    let range =
        |path: &str, first: u32, last: u32| json!({"file_path": path, "start_line": first, "end_line": last});

    let seen = bench.run("read_range", range("shop/cart.py", 16, 19)).await;
    check(
        &seen,
        "shop/cart.py, lines 16 to 19 (36 lines in all):\n\
         16:     def total(self):\n\
         17:         \"\"\"The sum of all prices.\"\"\"\n\
         18:         total = 0\n\
         19:         for _, cents, count in self.items:\n",
    );
    assert!(seen.outcome.advances());
    let Some(GatheredInformation::Lines(SourceLines { path, lines, note })) = &seen.gathered else {
        panic!("{seen:?}")
    };
    assert_eq!(
        (path.as_str(), lines.len(), &lines[2]),
        ("shop/cart.py", 4, &(18, "        total = 0".to_owned()))
    );
    assert_eq!(note.as_deref(), Some("36 lines in all"));
    assert_eq!(
        Observation::gathered_of(&seen.data),
        seen.gathered,
        "memory is rebuilt from the typed result"
    );

    check(
        &bench.run("read_range", range("shop.cart", 35, 90)).await,
        "(`shop.cart` was read as `shop/cart.py`.)\n\
         shop/cart.py, lines 35 to 36 (36 lines in all):\n\
         35: def empty_cart():\n\
         36:     return Cart()\n\
         The file ends at line 36.\n",
    );
    check(
        &bench.run("read_range", range("shop/latin.py", 0, 1)).await,
        "shop/latin.py, lines 1 to 1 (2 lines in all):\n1: # café\n",
    );
    refused(
        &bench.run("read_range", range("shop/cart.py", 20, 10)).await,
        "The start_line (20) lies after the end_line (10); both are included and the smaller comes first. shop/cart.py has \
         36 lines in all.",
    );
    refused(
        &bench.run("read_range", range("shop/cart.py", 37, 40)).await,
        "shop/cart.py has 36 lines in all; there is no line 37.",
    );
    refused(
        &bench.run("read_range", range("shop/nothing.py", 1, 4)).await,
        "shop/nothing.py is empty: it has no lines.",
    );
    refused(
        &bench.run("read_range", range("shop/logo.bin", 1, 4)).await,
        "`shop/logo.bin` is a binary file.",
    );
    refused(
        &bench
            .run("read_range", json!({"file_path": "shop/cart.py", "start_line": "x", "end_line": 4}))
            .await,
        "The arguments of read_range cannot be used: invalid type: string \"x\", expected u32.",
    );

    bench.settings.range_lines = 2;
    bench.settings.line_chars = 10;
    check(
        &bench.run("read_range", range("shop/cart.py", 6, 36)).await,
        "shop/cart.py, lines 6 to 7 (36 lines in all):\n\
         6: class Cart [... 1 more character]\n\
         7:     \"\"\"Ite [... 33 more characters]\n\
         Only the first 2 lines of the range are shown; lines 8 to 36 are not.\n",
    );
}

#[tokio::test]
async fn no_tool_leads_out_of_the_project() {
    let mut bench = Bench::open().await;
    let mut told = BTreeSet::new();
    for path in ["../secret.py", "../../etc/passwd", "/etc/passwd", "shop/../../secret.py"] {
        let calls = [
            ("read_range", json!({"file_path": path, "start_line": 1, "end_line": 2})),
            ("get_classes_and_methods", json!({"file_path": path})),
            ("extract_method", json!({"file_path": path, "method_name": "total"})),
            ("generate_method_body", json!({"file_path": path, "method_name": "total"})),
            ("find_similar_api_calls", json!({"file_path": path, "code_snippet": "f(1)"})),
        ];
        for (tool, arguments) in calls {
            let seen = bench.run(tool, arguments).await;
            assert!(!seen.outcome.advances(), "{tool} {path}: {}", seen.text);
            told.insert(seen.text);
        }
    }
    insta::assert_snapshot!(Vec::from_iter(told).join("\n"));
    let link = json!({"file_path": "shop/leak.py", "start_line": 1, "end_line": 2});
    let seen = bench.run("read_range", link).await;
    assert!(!seen.outcome.advances() && !seen.text.contains("KEY"), "{}", seen.text);
}

#[tokio::test]
async fn outlines() {
    let mut bench = Bench::open().await;
    check(
        &bench.run("get_classes_and_methods", json!({"file_path": "shop/cart.py"})).await,
        "shop/cart.py (python, 36 lines):\n\
         class Cart (lines 6-32)\n\
         \u{20} def __init__(self) (lines 9-10)\n\
         \u{20} def add(self, name, cents, count=1) (lines 12-14)\n\
         \u{20} def total(self) (lines 16-21)\n\
         \u{20} def total_with_tax(self) (lines 23-25)\n\
         \u{20} class Line (lines 27-32)\n\
         \u{20}   def of(name, cents) (lines 30-32)\n\
         def empty_cart() (lines 35-36)\n",
    );
    check(
        &bench.run("get_classes_and_methods", json!({"file_path": "Ledger.java"})).await,
        "(`Ledger.java` was read as `src/org/shop/Ledger.java`.)\n\
         src/org/shop/Ledger.java (java, 41 lines):\n\
         package org.shop\n\
         public class Ledger (lines 6-41)\n\
         \u{20} fields: entries (line 8)\n\
         \u{20} public Ledger() (lines 10-12)\n\
         \u{20} public void book(int amount) (lines 14-22)\n\
         \u{20} public void book(String text, int amount) (lines 24-26)\n\
         \u{20} public int sum() (lines 28-34)\n\
         \u{20} public record Entry(String text, int amount) (lines 36-38)\n\
         \u{20}   fields: text (line 37), amount (line 37)\n\
         \u{20} enum Side (line 40)\n\
         \u{20}   fields: DEBIT (line 40), CREDIT (line 40)\n",
    );
    check(
        &bench.run("get_classes_and_methods", json!({"file_path": "shop/latin.py"})).await,
        "shop/latin.py (python, 2 lines):\nvariables: NAME (lines 1-2)\n",
    );
    refused(
        &bench.run("get_classes_and_methods", json!({"file_path": "shop/nothing.txt"})).await,
        "There is no file `shop/nothing.txt` in the project; the nearest names are: shop/nothing.py, shop/latin.py, shop/pricing.py.",
    );
}

#[tokio::test]
async fn methods() {
    let mut bench = Bench::open().await;
    let method = |path: &str, name: &str| json!({"file_path": path, "method_name": name});
    let seen = bench.run("extract_method", method("shop/cart.py", "total")).await;
    check(
        &seen,
        "shop/cart.py, 1 method:\n\n\
         imports\n\
         3: from shop.pricing import price_with_tax\n\n\
         Cart.total (lines 16-21)\n\
         16:     def total(self):\n\
         17:         \"\"\"The sum of all prices.\"\"\"\n\
         18:         total = 0\n\
         19:         for _, cents, count in self.items:\n\
         20:             total += cents\n\
         21:         return total\n",
    );
    let Some(GatheredInformation::Lines(SourceLines { path, lines, .. })) = &seen.gathered else {
        panic!("{seen:?}")
    };
    assert_eq!((path.as_str(), lines.len()), ("shop/cart.py", 7));
    check(
        &bench.run("extract_method", method("src/org/shop/Ledger.java", "Ledger.book")).await,
        "src/org/shop/Ledger.java, 2 methods:\n\n\
         imports\n\
         3: import java.util.ArrayList;\n\
         4: import java.util.List;\n\n\
         Ledger.book (lines 14-22)\n\
         14:     /**\n\
         15:      * Books an amount.\n\
         16:      *\n\
         17:      * @param amount in cents\n\
         18:      */\n\
         19:     @Deprecated\n\
         20:     public void book(int amount) {\n\
         21:         entries.add(new Entry(\"\", amount));\n\
         22:     }\n\n\
         Ledger.book (lines 24-26)\n\
         24:     public void book(String text, int amount) {\n\
         25:         entries.add(new Entry(text, amount));\n\
         26:     }\n",
    );
    let several = bench.run("extract_method", method("shop/cart.py", "total, Cart.total, totals, add")).await;
    assert!(
        several.text.starts_with("shop/cart.py, 2 methods:\nshop/cart.py has no method `totals`"),
        "{}",
        several.text
    );
    let shown: Vec<&str> =
        ["\nCart.total (", "\nCart.add ("].into_iter().filter(|name| several.text.contains(name)).collect();
    assert_eq!(shown.len(), 2, "{}", several.text);
    let Some(GatheredInformation::Lines(SourceLines { note: Some(note), .. })) = &several.gathered else {
        panic!("{several:?}")
    };
    assert!(note.contains("`totals`"), "later prompts tell of it: {note}");
    refused(
        &bench.run("extract_method", method("shop/cart.py", "totals")).await,
        "shop/cart.py has no method `totals`; the nearest names are: Cart.total, Cart.total_with_tax, Cart.Line.of, empty_cart, \
         Cart.__init__, Cart.add.",
    );
    refused(
        &bench.run("extract_method", method("shop/latin.py", "total")).await,
        "shop/latin.py declares no method at all.",
    );
}

#[tokio::test]
async fn tests_with_their_set_up() {
    let mut bench = Bench::open().await;
    let failing: Vec<String> = bench.baseline.failing.iter().map(ToString::to_string).collect();
    assert_eq!(
        failing,
        ["tests.test_cart.CartTest.test_tax_of_several", "tests.test_cart.CartTest.test_total_counts_items"]
    );
    let seen = bench.run("extract_tests", json!({})).await;
    check(
        &seen,
        "tests/test_cart.py (2 tests: CartTest.test_tax_of_several, CartTest.test_total_counts_items)\n\
         3: from shop.cart import Cart\n\
         ...\n\
         8:     def setUp(self):\n\
         9:         self.cart = Cart()\n\
         ...\n\
         15:     def test_total_counts_items(self):\n\
         16:         self.cart.add(\"tea\", 250, 2)\n\
         17:         self.cart.add(\"cup\", 100)\n\
         18:         self.assertEqual(self.cart.total(), 600)\n\
         ...\n\
         20:     def test_tax_of_several(self):\n\
         21:         self.cart.add(\"cup\", 100, 3)\n\
         22:         self.assertEqual(self.cart.total_with_tax(), 360)\n\n",
    );
    refused(
        &bench.run("extract_tests", json!({"tests": ["tests.test_cart.CartTest.test_nothing"]})).await,
        "`tests/test_cart.py` has no test `tests.test_cart.CartTest.test_nothing`; it has `CartTest.test_tax`, \
         `CartTest.test_total_of_one`, `CartTest.test_empty`.",
    );
}

#[tokio::test]
async fn searching() {
    let mut bench = Bench::open().await;
    check(
        &bench.run("search_code_base", json!({"keywords": ["priceWithTax"]})).await,
        "3 matching files for priceWithTax, price, tax, best first:\n\n\
         shop/pricing.py\n\
         \u{20} 1: \"\"\"Prices with tax.\"\"\"\n\
         \u{20} price_with_tax (lines 6-8): priceWithTax\n\
         \u{20}   6: def price_with_tax(cents):\n\
         \u{20}   7:     \"\"\"Add the tax.\"\"\"\n\
         \u{20}   8:     return cents + cents * RATE // 100\n\n\
         shop/cart.py\n\
         \u{20} 3: from shop.pricing import price_with_tax\n\
         \u{20} class Cart (lines 6-32)\n\
         \u{20}   Cart.total_with_tax (lines 23-25): priceWithTax\n\
         \u{20}     25:         return price_with_tax(self.total())\n\n\
         tests/test_cart.py\n\
         \u{20} 4: from shop.pricing import price_with_tax\n\
         \u{20} class CartTest (lines 7-28)\n\
         \u{20}   CartTest.test_tax (lines 24-25): priceWithTax\n\
         \u{20}     25:         self.assertEqual(price_with_tax(100), 120)\n",
    );
    let none = bench.run("search_code_base", json!({"keywords": ["zyzzyva"]})).await;
    check(&none, "Nothing in the project matches zyzzyva. Try other or shorter words.");
    assert_eq!(none.gathered, Some(GatheredInformation::Text), "that there is nothing is worth knowing");
    refused(
        &bench.run("search_code_base", json!({"keywords": []})).await,
        "No word to search for was given; name identifiers or words of the code, such as `parseHeader`.",
    );
}

#[tokio::test]
async fn similar_calls() {
    let mut bench = Bench::open().await;
    check(
        &bench.run("find_similar_api_calls", json!({"code_snippet": "cart.add('a', 3)"})).await,
        "Calls like those of the snippet, in the project:\n\n\
         cart.add('a', 3)\n\
         \u{20} tests/test_cart.py:12: self.cart.add(\"tea\", 250) in CartTest.test_total_of_one\n\
         \u{20} tests/test_cart.py:17: self.cart.add(\"cup\", 100) in CartTest.test_total_counts_items\n\
         \u{20} tests/test_cart.py:16: self.cart.add(\"tea\", 250, 2) in CartTest.test_total_counts_items\n\
         \u{20} tests/test_cart.py:21: self.cart.add(\"cup\", 100, 3) in CartTest.test_tax_of_several\n",
    );
    check(
        &bench
            .run(
                "find_similar_api_calls",
                json!({"code_snippet": "ledger.book(\"x\", 1);", "file_path": "src/org/shop/Report.java"}),
            )
            .await,
        "Calls like those of the snippet, in src/org/shop/Report.java:\n\n\
         ledger.book(\"x\", 1)\n\
         \u{20} src/org/shop/Report.java:6: ledger.book(\"fee\", 3) in Report.of\n",
    );
    refused(
        &bench.run("find_similar_api_calls", json!({"code_snippet": "x = 1"})).await,
        "The code snippet contains no call; give a piece of code that calls something.",
    );
}

#[tokio::test]
async fn a_generated_method_enters_the_gathered_information() {
    let mut bench = Bench::open().await;
    let call = || json!({"file_path": "shop/cart.py", "method_name": "total"});
    refused(
        &bench.run("generate_method_body", call()).await,
        "No method body can be generated now: no model can be asked, or the budget does not allow it.",
    );
    bench
        .script
        .bodies
        .push_back("Here it is:\n```python\n    def total(self):\n        return 7\n```\n".into());
    let seen = bench.run("generate_method_body", call()).await;
    check(
        &seen,
        "Cart.total in shop/cart.py, written anew by the model. It was not tested and may be wrong; its lines have no numbers \
         because they stand in no file.\n    def total(self):\n        return 7\n",
    );
    assert_eq!(seen.gathered, Some(GatheredInformation::Text));
    let request = &bench.script.requests[1];
    assert_eq!((request.before.len(), request.head.len()), (15, 1));
    assert!(!format!("{request:?}").contains("total = 0"), "the present body is not shown");
    bench.script.bodies.push_back(" \n".into());
    refused(&bench.run("generate_method_body", call()).await, "The model gave no code for Cart.total.");
}

#[tokio::test]
async fn running_tests() {
    let mut bench = Bench::open().await;
    let all = bench.run("run_tests", json!({})).await;
    check(
        &all,
        "All tests on the original code:\n\
         Tests: 3 passed, 2 failed.\n\n\
         FAILED tests.test_cart.CartTest.test_tax_of_several\n\
         Traceback (most recent call last):\n\
         \u{20} File \"tests/test_cart.py\", line 22, in test_tax_of_several\n\
         \u{20}   self.assertEqual(self.cart.total_with_tax(), 360)\n\
         AssertionError: 120 != 360\n\n\
         FAILED tests.test_cart.CartTest.test_total_counts_items\n\
         Traceback (most recent call last):\n\
         \u{20} File \"tests/test_cart.py\", line 18, in test_total_counts_items\n\
         \u{20}   self.assertEqual(self.cart.total(), 600)\n\
         AssertionError: 350 != 600",
    );
    assert_eq!((&all.data["passed"], all.data["failing"].as_array().unwrap().len()), (&json!(3), 2));
    check(
        &bench.run("run_tests", json!({"tests": ["test_tax"]})).await,
        "(`test_tax` was read as tests.test_cart.CartTest.test_tax.)\n\
         1 test on the original code:\n\
         Tests: 1 passed, 0 failed.",
    );
    check(
        &bench.run("run_tests", json!({"tests": ["tests.test_cart.CartTest.test_empty", "test_tax"]})).await,
        "(`test_tax` was read as tests.test_cart.CartTest.test_tax.)\n\
         2 tests on the original code:\n\
         Tests: 2 passed, 0 failed.",
    );
    refused(
        &bench.run("run_tests", json!({"tests": ["test_taxes"]})).await,
        "There is no test `test_taxes`; the nearest names are: tests.test_cart.CartTest.test_tax, \
         tests.test_cart.CartTest.test_tax_of_several, tests.test_cart.CartTest.test_empty, \
         tests.test_cart.CartTest.test_total_counts_items, tests.test_cart.CartTest.test_total_of_one.",
    );
    refused(
        &bench.run("run_tests", json!({"candidate": 1})).await,
        "There is no candidate 1; no fix has been written yet.",
    );
    let fix = json!({"edits": [{"file_path": "shop/cart.py", "modifications": [{"line_number": 20, "modified_line": "            total += cents * count"}]}]});
    bench.run("write_fix", fix).await;
    check(
        &bench.run("run_tests", json!({"candidate": 1, "tests": ["tests.test_cart.CartTest"]})).await,
        "5 tests with candidate 1 applied:\nTests: 5 passed, 0 failed.",
    );
    refused(
        &bench.run("run_tests", json!({"candidate": 2})).await,
        "There is no candidate 2; candidates are numbered from 1 to 1.",
    );
}

#[tokio::test]
async fn localisation_as_given() {
    let mut bench = Bench::open().await;
    let none = bench.run("run_fault_localization", json!({})).await;
    assert!(none.text.starts_with("No fault localisation was given for this bug."), "{}", none.text);
    bench.localization = Localization::parse(
        b"org/shop/Ledger.java#33#  sum += entry.amount(); # odd\r\n\nshop/cart.py#20\nshop/cart.py#21#FAULT_OF_OMISSION\nno/Such.java#3#\xe9\xca(a#b)\n",
    )
    .unwrap();
    check(
        &bench.run("run_fault_localization", json!({})).await,
        "Lines that were named as faulty for this bug:\n\
         no/Such.java (There is no file `no/Such.java` in the project; the nearest names are: src/org/shop/Ledger.java, \
         src/org/shop/Report.java.)\n\
         3: \u{fffd}\u{fffd}(a#b)\n\
         src/org/shop/Ledger.java\n\
         33:         return sum;\n\
         shop/cart.py\n\
         20:             total += cents\n\
         21: (code is missing before this line)         return total\n",
    );
    let wrong =
        |list: &[u8], expect: &str| assert_eq!(Localization::parse(list).unwrap_err().to_string(), expect);
    wrong(
        b"a.py#1\n#2",
        "line 2 of the fault localisation: no path in `#2`; expected path#line, path#line#code or path#line#FAULT_OF_OMISSION",
    );
    wrong(
        b"a.py",
        "line 1 of the fault localisation: no line number in `a.py`; expected path#line, path#line#code or path#line#FAULT_OF_OMISSION",
    );
    wrong(
        b"a.py#x#1",
        "line 1 of the fault localisation: no line number in `a.py#x#1`; expected path#line, path#line#code or path#line#FAULT_OF_OMISSION",
    );
}

#[tokio::test]
async fn hypotheses() {
    let mut bench = Bench::open().await;
    let table: [(&str, Value, &str, bool); 6] = [
        ("express_hypothesis", json!({"hypothesis": " count is ignored "}), "The hypothesis is noted.", true),
        (
            "express_hypothesis",
            json!({"hypothesis": " "}),
            "The hypothesis is empty. Say which code is wrong, why, and how that leads to the failure.",
            false,
        ),
        (
            "discard_hypothesis",
            json!({"reason": "count is 1 there"}),
            "The hypothesis is discarded. Look for another one.",
            true,
        ),
        (
            "discard_hypothesis",
            json!({"reason": ""}),
            "The reason is empty. Say what refutes the hypothesis.",
            false,
        ),
        ("collect_more_information", json!({"reason": "who calls add"}), "Collect what is missing.", true),
        (
            "collect_more_information",
            json!({"reason": ""}),
            "The reason is empty. Say what you need to know.",
            false,
        ),
    ];
    for (tool, arguments, expect, advance) in table {
        let seen = bench.run(tool, arguments).await;
        assert_eq!((seen.text.as_str(), seen.outcome.advances()), (expect, advance), "{tool}");
    }
}
