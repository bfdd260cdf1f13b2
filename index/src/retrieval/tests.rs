#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;

use tempfile::TempDir;

use super::*;

fn retrieval(files: &[(&str, &str)], options: RetrievalOptions) -> (TempDir, Retrieval) {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let index = Index::build(folder.path()).unwrap();
    let retrieval = Retrieval::build(&index, options);
    (folder, retrieval)
}

const FILES: [(&str, &str); 5] = [
    ("shop/basket.py", "class Basket:\n    def add_item(self, item):\n        self.items.append(item)\n"),
    ("shop/price.py", "def total_price(basket):\n    return sum(item.price for item in basket.items)\n"),
    ("shop/mail.py", "def send(address, text):\n    connect().send(address, text)\n"),
    ("src/Tax.java", "class Tax {\n    double rateFor(String country) {\n        return 0.2;\n    }\n}\n"),
    ("tests/test_price.py", "def test_total_price():\n    assert total_price([]) == 0\n"),
];

fn ranked(query: &str, options: RetrievalOptions) -> Vec<String> {
    let (_folder, retrieval) = retrieval(&FILES, options);
    retrieval.search(&Query::of_text(query)).files.iter().map(|(path, _)| path.to_string()).collect()
}

#[test]
fn the_file_that_a_text_is_about_comes_first() {
    let check = |query: &str, expect: &[&str]| {
        let found = ranked(query, RetrievalOptions::default());
        assert_eq!(found.iter().take(expect.len()).collect::<Vec<_>>(), expect, "{query}");
    };
    check("The total price of a basket is wrong.", &["shop/price.py", "shop/basket.py"]);
    check("`totalPrice` ignores discounts", &["shop/price.py"]);
    check("mail is not sent: the address is empty", &["shop/mail.py"]);
    check("rate_for a country", &["src/Tax.java"]);
    check("File \"/app/shop/mail.py\", line 2\n item item item basket", &["shop/basket.py", "shop/mail.py"]);
    assert_eq!(ranked("the of and", RetrievalOptions::default()), [""; 0]);
    assert_eq!(ranked("", RetrievalOptions::default()), [""; 0]);
}

#[test]
fn tests_are_looked_through_where_that_is_wanted() {
    let with_tests = RetrievalOptions { tests: true, ..RetrievalOptions::default() };
    assert!(ranked("total_price", with_tests).contains(&"tests/test_price.py".to_owned()));
    assert!(!ranked("total_price", RetrievalOptions::default()).contains(&"tests/test_price.py".to_owned()));
}

#[test]
fn chunks_know_the_class_around_them_and_their_lines() {
    let methods: String = (0..40)
        .map(|number| format!("    def step{number}(self):\n        return self.value + {number}\n\n"))
        .collect::<Vec<_>>()
        .concat();
    let text = format!("class Pipeline:\n{methods}");
    let options = RetrievalOptions { chunk_tokens: 100, ..RetrievalOptions::default() };
    let (_folder, retrieval) = retrieval(&[("a.py", &text), ("b.py", "x = 1\n")], options);
    assert!(retrieval.chunks().len() > 7);
    let found = retrieval.search(&Query::of_text("Pipeline step33"));
    let (best, score) = &found.chunks[0];
    assert!(best.lines.contains(2 + 33 * 3), "{best:?}");
    assert!(*score > found.chunks[1].1);
    assert_eq!(
        found.chunks.len(),
        retrieval.chunks().len() - 1,
        "all of the class, nothing of the other file"
    );
}

#[test]
fn names_of_files_are_read_in_a_text() {
    let check = |text: &str, path: &str, expect: usize| {
        assert_eq!(Query::of_text(text).names(path), expect, "{text}");
    };
    check("File \"/usr/lib/site-packages/pkg/db/query.py\", line 3", "pkg/db/query", 3);
    check("see pkg/db/query.py", "src/pkg/db/query", 3);
    check("see query.py", "pkg/db/query", 1);
    check("pkg.db.query.Query.filter fails", "pkg/db/query", 3);
    check("from pkg.db import query", "pkg/db/query", 0);
    check("self.query fails", "pkg/db/query", 0);
    check("org.x.Box.get()", "src/main/java/org/x/Box", 3);
    check("C:\\app\\db\\query.py", "pkg/db/query", 2);
}

#[test]
fn the_same_text_gives_the_same_ranking() {
    let (_folder, retrieval) = retrieval(&FILES, RetrievalOptions::default());
    let query = Query::of_text("item price basket address country total text send class");
    let first = retrieval.search(&query);
    for _ in 0..5 {
        assert_eq!(retrieval.search(&query), first);
    }
}
