//! The tools that look and change nothing.

use patchwright_tools::{Gathered, Localization, Observation};
use serde_json::{Value, json};

use crate::bench::Bench;

/// What the model reads, exactly.
fn check(observation: &Observation, expect: &str) {
    assert_eq!(observation.text, expect, "\n{}", observation.text);
}

/// The model is told what is wrong, and nothing moves or is kept.
fn refused(observation: &Observation, expect: &str) {
    assert_eq!(observation.text, expect, "\n{}", observation.text);
    assert!(!observation.advance);
    assert_eq!(observation.gathered, None);
}

#[tokio::test]
async fn ranges_of_lines() {
    let mut bench = Bench::open().await;
    let range = |path: &str, first: u32, last: u32| json!({"file_path": path, "start_line": first, "end_line": last});

    let seen = bench.run("read_range", range("shop/cart.py", 16, 19)).await;
    check(
        &seen,
        "shop/cart.py, lines 16 to 19 (34 lines in all):\n\
         16:     def total(self):\n\
         17:         \"\"\"The sum of all prices.\"\"\"\n\
         18:         total = 0\n\
         19:         for _, cents, count in self.items:\n",
    );
    assert!(seen.advance);
    let Some(Gathered::Lines { path, lines, note }) = &seen.gathered else { panic!("{seen:?}") };
    assert_eq!((path.as_str(), lines.len(), &lines[2]), ("shop/cart.py", 4, &(18, "        total = 0".to_owned())));
    assert_eq!(note.as_deref(), Some("34 lines in all"));
    assert_eq!(Observation::gathered_of(&seen.data), seen.gathered, "memory is rebuilt from the typed result");

    check(
        &bench.run("read_range", range("shop.cart", 33, 90)).await,
        "(`shop.cart` was read as `shop/cart.py`.)\n\
         shop/cart.py, lines 33 to 34 (34 lines in all):\n\
         33: def empty_cart():\n\
         34:     return Cart()\n\
         The file ends at line 34.\n",
    );
    check(
        &bench.run("read_range", range("shop/latin.py", 0, 1)).await,
        "shop/latin.py, lines 1 to 1 (2 lines in all):\n1: # café\n",
    );
    refused(
        &bench.run("read_range", range("shop/cart.py", 20, 10)).await,
        "The start_line (20) lies after the end_line (10); both are included and the smaller comes first. shop/cart.py has \
         34 lines in all.",
    );
    refused(
        &bench.run("read_range", range("shop/cart.py", 35, 40)).await,
        "shop/cart.py has 34 lines in all; there is no line 35.",
    );
    refused(&bench.run("read_range", range("shop/nothing.py", 1, 4)).await, "shop/nothing.py is empty: it has no lines.");
    refused(&bench.run("read_range", range("shop/logo.bin", 1, 4)).await, "`shop/logo.bin` is a binary file.");
    refused(
        &bench.run("read_range", json!({"file_path": "shop/cart.py", "start_line": "x", "end_line": 4})).await,
        "The arguments of read_range cannot be used: invalid type: string \"x\", expected u32.",
    );

    bench.settings.range_lines = 2;
    bench.settings.line_chars = 10;
    check(
        &bench.run("read_range", range("shop/cart.py", 6, 34)).await,
        "shop/cart.py, lines 6 to 7 (34 lines in all):\n\
         6: class Cart\n\
         7:     \"\"\"Ite [... 36 more characters]\n\
         Only the first 2 lines of the range are shown; go on with start_line 8.\n"
            .replace("6: class Cart\n", "6: class Cart [... 1 more characters]\n")
            .as_str(),
    );
}

#[tokio::test]
async fn no_tool_leads_out_of_the_project() {
    let mut bench = Bench::open().await;
    std::fs::write(bench.root.parent().unwrap().join("secret.py"), "KEY = 1\n").unwrap();
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
            assert!(seen.text.contains("outside of the project"), "{tool} {path}: {}", seen.text);
            assert!(!seen.advance);
        }
    }
}

#[tokio::test]
async fn outlines() {
    let mut bench = Bench::open().await;
    check(
        &bench.run("get_classes_and_methods", json!({"file_path": "shop/cart.py"})).await,
        "shop/cart.py (Python, 34 lines):\n\
         class Cart (lines 6-30)\n\
         \u{20} def __init__(self) (lines 9-10)\n",
    );
    check(&bench.run("get_classes_and_methods", json!({"file_path": "Ledger.java"})).await, "");
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
    check(&seen, "");
    check(&bench.run("extract_method", method("src/org/shop/Ledger.java", "Ledger.book")).await, "");
    refused(&bench.run("extract_method", method("shop/cart.py", "totals")).await, "");
}

#[tokio::test]
async fn tests_with_their_set_up() {
    let mut bench = Bench::open().await;
    let failing: Vec<String> = bench.baseline.failing.iter().map(ToString::to_string).collect();
    assert_eq!(failing, ["tests.test_cart.CartTest.test_tax_of_several", "tests.test_cart.CartTest.test_total_counts_items"]);
    let seen = bench.run("extract_tests", json!({})).await;
    check(&seen, "");
    refused(&bench.run("extract_tests", json!({"tests": ["tests.test_cart.CartTest.test_nothing"]})).await, "");
}

#[tokio::test]
async fn searching() {
    let mut bench = Bench::open().await;
    check(&bench.run("search_code_base", json!({"keywords": ["priceWithTax"]})).await, "");
    refused(&bench.run("search_code_base", json!({"keywords": ["zyzzyva"]})).await, "");
    refused(&bench.run("search_code_base", json!({"keywords": []})).await, "");
}

#[tokio::test]
async fn similar_calls() {
    let mut bench = Bench::open().await;
    check(&bench.run("find_similar_api_calls", json!({"code_snippet": "cart.add('a', 3)"})).await, "");
    check(
        &bench
            .run(
                "find_similar_api_calls",
                json!({"code_snippet": "ledger.book(\"x\", 1);", "file_path": "src/org/shop/Report.java"}),
            )
            .await,
        "",
    );
    refused(&bench.run("find_similar_api_calls", json!({"code_snippet": "x = 1"})).await, "");
}

#[tokio::test]
async fn a_generated_method_enters_the_gathered_information() {
    let mut bench = Bench::open().await;
    let call = || json!({"file_path": "shop/cart.py", "method_name": "total"});
    refused(
        &bench.run("generate_method_body", call()).await,
        "No method body can be generated now: no model can be asked, or the budget does not allow it.",
    );
    bench.script.bodies.push_back("Here it is:\n```python\n    def total(self):\n        return 7\n```\n".into());
    let seen = bench.run("generate_method_body", call()).await;
    check(
        &seen,
        "Cart.total in shop/cart.py, written anew by the model. It was not tested and may be wrong; its lines have no numbers \
         because they stand in no file.\n    def total(self):\n        return 7\n",
    );
    assert_eq!(seen.gathered, Some(Gathered::Text));
    let request = &bench.script.requests[1];
    assert_eq!((request.before.len(), request.head.len()), (15, 1));
    assert!(!format!("{request:?}").contains("total = 0"), "the present body is not shown");
    bench.script.bodies.push_back(" \n".into());
    refused(&bench.run("generate_method_body", call()).await, "The model gave no code for Cart.total.");
}

#[tokio::test]
async fn running_tests() {
    let mut bench = Bench::open().await;
    check(&bench.run("run_tests", json!({})).await, "");
    check(&bench.run("run_tests", json!({"tests": ["test_tax"]})).await, "");
    refused(&bench.run("run_tests", json!({"tests": ["test_taxes"]})).await, "");
    refused(
        &bench.run("run_tests", json!({"candidate": 1})).await,
        "There is no candidate 1; no fix has been written yet.",
    );
    let fix = json!({"edits": [{"file_path": "shop/cart.py", "modifications": [{"line_number": 20, "modified_line": "            total += cents * count"}]}]});
    bench.run("write_fix", fix).await;
    check(&bench.run("run_tests", json!({"candidate": 1, "tests": ["CartTest.test_total_counts_items"]})).await, "");
    refused(&bench.run("run_tests", json!({"candidate": 2})).await, "There is no candidate 2; candidates are numbered from 1 to 1.");
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
    check(&bench.run("run_fault_localization", json!({})).await, "");
    let wrong = |list: &[u8], expect: &str| assert_eq!(Localization::parse(list).unwrap_err().to_string(), expect);
    wrong(b"a.py#1\n#2", "line 2 of the fault localisation: no path in `#2`; expected path#line, path#line#code or path#line#FAULT_OF_OMISSION");
    wrong(b"a.py", "line 1 of the fault localisation: no line number in `a.py`; expected path#line, path#line#code or path#line#FAULT_OF_OMISSION");
    wrong(b"a.py#x#1", "line 1 of the fault localisation: no line number in `a.py#x#1`; expected path#line, path#line#code or path#line#FAULT_OF_OMISSION");
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
        ("discard_hypothesis", json!({"reason": ""}), "The reason is empty. Say what refutes the hypothesis.", false),
        ("collect_more_information", json!({"reason": "who calls add"}), "Collect what is missing.", true),
        ("collect_more_information", json!({"reason": ""}), "The reason is empty. Say what you need to know.", false),
    ];
    for (tool, arguments, expect, advance) in table {
        let seen = bench.run(tool, arguments).await;
        assert_eq!((seen.text.as_str(), seen.advance), (expect, advance), "{tool}");
    }
}
