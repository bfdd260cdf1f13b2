//! JavaScript and TypeScript: functions that are values, and tests that have a title in place of a name.

use patchwright_index::test_code;
use patchwright_syntax::{Language, Source, calls_in_snippet, outline, syntax_errors};

use crate::project;

const MODULE: &str = "'use strict';

/** Adds. */
function add(a, b) {
    return a + b;
}

// Takes away.
const subtract = (a, b) => a - b;

const LIMIT = 3;

exports.parse = function (text, { strict = false } = {}) {
    return Number(text);
};

class Basket extends Base {
    constructor(prices) {
        super();
        this.prices = prices;
    }
    get total() { return this.prices.reduce(add, 0); }
    static of(...prices) { return new Basket(prices); }
}

Basket.prototype.first = function first() { return this.prices[0]; };

module.exports = { add, subtract, empty() { return new Basket([]); }, full: () => 1 };
";

const TYPED: &str = "export interface Priced { price(): number; }
export type Prices = Array<number>;
export abstract class Shop<T extends Priced> implements Priced {
    private readonly items: T[] = [];
    constructor(public name: string) {}
    abstract find(key: string): T | undefined;
    price = (): number => this.items.length;
}
export enum Size { Small, Large }
export const sum = (prices: Prices): number => prices.reduce((a, b) => a + b, 0);
export default function main<T>(input: T): asserts input is NonNullable<T> {}
";

const TESTS: &str = "const { describe, it, beforeEach } = require('node:test');
const assert = require('node:assert');
const { add } = require('../lib/add');

describe('add', () => {
    let base;
    beforeEach(() => { base = 1; });

    it('adds', () => {
        assert.equal(add(base, 1), 2);
    });

    describe('of texts (twice)', function () {
        it.only(`joins: a.b`, async function () {
            await check('x');
        });
    });
});

test('stands alone', (t) => { assert.ok(add(1, 1)); });
";

fn methods(language: &str, text: &str) -> Vec<String> {
    let outline = outline(Language::by_name(language).unwrap(), &Source::from_text(text));
    assert_eq!(outline.syntax_errors, 0);
    let shown = |method: &patchwright_syntax::Method| {
        format!(
            "{} {}-{} ({})",
            method.qualified,
            method.lines.first,
            method.lines.last,
            method.parameters.join(", ")
        )
    };
    outline.all_methods().into_iter().map(|(_, method)| shown(method)).collect()
}

#[test]
fn functions_have_the_name_that_they_are_given() {
    assert_eq!(
        methods("javascript", MODULE),
        [
            "add 3-6 (a, b)",
            "subtract 8-9 (a, b)",
            "parse 13-15 (text)",
            "Basket.constructor 18-21 (prices)",
            "Basket.total 22-22 ()",
            "Basket.of 23-23 (prices)",
            "first 26-26 ()",
            "empty 28-28 ()",
            "full 28-28 ()",
        ]
    );
    assert_eq!(
        methods("typescript", TYPED),
        [
            "Priced.price 1-1 ()",
            "Shop.constructor 5-5 (name)",
            "Shop.find 6-6 (key)",
            "Shop.price 7-7 ()",
            "sum 10-10 (prices)",
            "main 11-11 (input)",
        ]
    );
}

#[test]
fn calls_are_found_in_pieces_of_code() {
    let check = |snippet: &str, expect: &[&str]| {
        let calls = calls_in_snippet(Language::by_name("javascript").unwrap(), snippet);
        let calls: Vec<String> = calls
            .iter()
            .map(|call| {
                format!(
                    "{}{}/{}",
                    call.receiver.as_deref().map_or(String::new(), |of| format!("{of}.")),
                    call.callee,
                    call.arguments
                )
            })
            .collect();
        assert_eq!(calls, expect, "{snippet}");
    };
    check("if (list.isEmpty()) {", &["list.isEmpty/0"]);
    check("return new Basket(a, b)", &["Basket/2"]);
    check("const x = await load(path);", &["load/1"]);
    check("} else if (f(1)) {", &["f/1"]);
}

#[test]
fn syntax_errors_are_found() {
    let check = |language: &str, text: &str, expect: usize| {
        assert_eq!(syntax_errors(Language::by_name(language).unwrap(), text).len(), expect, "{text}");
    };
    check("javascript", MODULE, 0);
    check("javascript", TESTS, 0);
    check("typescript", TYPED, 0);
    check("javascript", "function f( { return 1; }\n", 1);
    check("javascript", "const a = [1, 2;\n", 1);
}

#[test]
fn a_test_is_found_by_its_title() {
    let (_folder, project) = project(&[("test/add.test.js", TESTS), ("lib/add.js", MODULE)]);
    let check = |asked: &str, first: u32, last: u32, class: Option<&str>| {
        let found = test_code(&project, asked).unwrap_or_else(|error| panic!("{asked}: {error}"));
        let lines = (found.body.lines.first().unwrap().0, found.body.lines.last().unwrap().0);
        assert_eq!((lines, found.class.as_deref()), ((first, last), class), "{asked}");
    };
    check("test/add.test.js::add::adds", 9, 11, Some("add"));
    check("test/add.test.js::add::of texts (twice)::joins: a.b", 14, 16, Some("add.of texts (twice)"));
    check("test/add.test.js::stands alone", 20, 20, None);
}
