use std::path::Path;

use patchwright_index::{Index, TestSubject, near_tests};

use crate::project;

const FILES: &[(&str, &str)] = &[
    (
        "bank/account.py",
        "class Account:\n    def withdraw(self, amount):\n        return amount\n\n    def close(self):\n        pass\n",
    ),
    (
        "tests/test_account.py",
        "from bank.account import Account\n\n\ndef test_opens():\n    assert Account()\n\n\n@pytest.mark.parametrize(\"amount\", [1, 2])\n\
         def test_withdraws(amount):\n    assert Account().withdraw(amount)\n\n\ndef test_closes():\n    Account().close()\n",
    ),
    (
        "tests/test_branch.py",
        "class BranchTest(TestCase):\n    def test_counter(self):\n        Branch().account(3).withdraw(5)\n\n    \
         def test_opening_hours(self):\n        assert Branch().hours\n",
    ),
    ("tests/test_rates.py", "def test_rate():\n    assert rate(2) == 3\n"),
];

const TESTS: &[&str] = &[
    "tests/test_account.py::test_opens",
    "tests/test_account.py::test_withdraws[1]",
    "tests/test_account.py::test_withdraws[2]",
    "tests/test_account.py::test_closes",
    "tests/test_branch.py::BranchTest::test_counter",
    "tests/test_branch.py::BranchTest::test_opening_hours",
    "tests/test_rates.py::test_rate",
    "tests/test_gone.py::test_gone",
];

/// The tests near a definition, each function by the file and the count of its tests.
fn check(definition: Option<&str>, text: &str, expect: &[(&str, u32, usize)]) {
    check_of("bank/account.py", definition, text, expect);
}

fn check_of(path: &str, definition: Option<&str>, text: &str, expect: &[(&str, u32, usize)]) {
    let (folder, _) = project(FILES);
    let index = Index::build(Path::new(folder.path())).unwrap();
    let tests: Vec<String> = TESTS.iter().map(|test| (*test).to_owned()).collect();
    let subject = TestSubject { path: path.to_owned(), definition: definition.map(str::to_owned) };
    let near = near_tests(&index, &tests, &[subject], text);
    let found: Vec<(&str, u32, usize)> =
        near.iter().map(|test| (test.path.as_str(), test.lines.first, test.tests.len())).collect();
    assert_eq!(found, expect, "{near:?}");
}

#[test]
fn tests_that_name_a_function_come_before_those_that_name_its_class() {
    let (account, branch) = ("tests/test_account.py", "tests/test_branch.py");
    check(
        Some("Account.withdraw"),
        "",
        &[(account, 8, 2), (branch, 2, 1), (account, 4, 1), (account, 13, 1), (branch, 5, 1)],
    );
    check(Some("Account.__init__"), "", &[(account, 4, 1), (account, 8, 2), (account, 13, 1)]);
}

#[test]
fn words_of_the_text_and_names_of_files_tell_too() {
    let account = "tests/test_account.py";
    check(None, "It does not `close` at all.", &[(account, 13, 1), (account, 4, 1), (account, 8, 2)]);
}

#[test]
fn where_no_test_names_the_code_the_words_of_the_text_decide() {
    let text = "The `rate` of two is wrong.";
    check_of("bank/compound.py", Some("Interest.of_years"), text, &[("tests/test_rates.py", 1, 1)]);
    check_of("bank/compound.py", Some("Interest.of_years"), "", &[]);
}
