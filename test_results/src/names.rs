//! Finding the tests that a person means by a name.

use std::collections::BTreeSet;

use patchwright_protocol::TestId;
use patchwright_syntax::similarity;

/// Names shown when none fits.
const NEAREST: usize = 3;
/// Likeness below which a name is no help.
const LEAST_LIKENESS: f64 = 0.6;

/// The tests that a name stands for: the test of that name; else those which are equal but for the way in which the
/// parts are joined (`pkg.Class#method`, `tests.test_a.test_b`, `./tests/test_a.py::test_b`); else those whose name ends
/// so; else those below a class, module or folder of that name; else those whose name is the end of the given one. A name without parameters stands for all instances.
pub fn meant(given: &str, known: &[TestId]) -> Vec<TestId> {
    if let Some(exact) = known.iter().find(|test| test.as_str() == given) {
        return vec![exact.clone()];
    }
    let wanted = Name::of(given);
    if wanted.parts.is_empty() {
        return Vec::new();
    }
    let size = wanted.parts.len();
    let ways: [&dyn Fn(&Name) -> bool; 4] = [
        &|name| name.parts == wanted.parts,
        &|name| name.parts.ends_with(&wanted.parts),
        &|name| name.parts.windows(size).any(|parts| parts == wanted.parts),
        // A tool may name tests from the folder of the tests on: `tests/test_a.py` is `test_a` there.
        &|name| wanted.parts.ends_with(&name.parts),
    ];
    let names: Vec<(Name, &TestId)> = known
        .iter()
        .map(|test| (Name::of(test.as_str()), test))
        .filter(|(name, _)| wanted.parameters.is_empty() || wanted.parameters == name.parameters)
        .collect();
    let fitting = ways.iter().map(|fits| -> Vec<TestId> {
        names.iter().filter(|(name, _)| fits(name)).map(|(_, test)| (*test).clone()).collect()
    });
    fitting.into_iter().find(|tests| !tests.is_empty()).unwrap_or_default()
}

/// As [`meant`], but one test alone, with all its parameters: the name of a file, a module or a class stands for none of the tests in it,
/// and what several tests end with for none of them.
pub fn named(given: &str, known: &[TestId]) -> Vec<TestId> {
    let given_parts = Name::of(given).parts;
    let is_own = |parts: &[String]| parts.ends_with(&given_parts) || given_parts.ends_with(parts);
    let found = meant(given, known);
    let names: BTreeSet<Vec<String>> = found.iter().map(|test| Name::of(test.as_str()).parts).collect();
    if names.len() == 1 && names.iter().all(|parts| is_own(parts)) { found } else { Vec::new() }
}

/// Is true if one of the names that were given stands for a test.
pub fn is_one_of(test: &TestId, given: &[String]) -> bool {
    given.iter().any(|name| !meant(name, std::slice::from_ref(test)).is_empty())
}

/// Tests with names like a given one, best first.
pub fn nearest(given: &str, known: &[TestId]) -> Vec<TestId> {
    let last = |name: &str| Name::of(name).parts.last().cloned().unwrap_or_default();
    let likeness = |test: &TestId| {
        let whole = similarity::by_distance(given, test.as_str(), LEAST_LIKENESS);
        whole.max(similarity::by_distance(&last(given), &last(test.as_str()), LEAST_LIKENESS))
    };
    let mut ranked: Vec<(f64, &TestId)> = known
        .iter()
        .map(|test| (likeness(test), test))
        .filter(|(likeness, _)| *likeness >= LEAST_LIKENESS)
        .collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    ranked.into_iter().take(NEAREST).map(|(_, test)| test.clone()).collect()
}

/// A name in its parts, whatever joins them.
struct Name {
    parts: Vec<String>,
    parameters: String,
}

impl Name {
    fn of(text: &str) -> Self {
        let text = text.trim().trim_end_matches("()");
        let (base, parameters) = match text.find('[') {
            Some(start) if text.ends_with(']') => text.split_at(start),
            Some(_) | None => (text, ""),
        };
        let base = base.replace(".py::", "::");
        let base = base.strip_suffix(".py").or(base.strip_suffix(".java")).unwrap_or(&base);
        let parts =
            base.split(['.', '/', '#', ':']).filter(|part| !part.is_empty()).map(str::to_owned).collect();
        Self { parts, parameters: parameters.to_owned() }
    }
}

/// Is true if a name that was given stands for a test of a module or class that fails as a whole.
pub fn is_within(given: &str, group: &TestId) -> bool {
    let (given, group) = (Name::of(given), Name::of(group.as_str()));
    !group.parts.is_empty() && given.parts.windows(group.parts.len()).any(|parts| parts == group.parts)
}

/// Is true if a test belongs to a module, class, folder or parameterized test that has a name of its own.
pub fn is_member(test: &TestId, group: &TestId) -> bool {
    let rest = test.as_str().strip_prefix(group.as_str());
    rest.is_some_and(|rest| ["::", ".", "[", "/", "$"].iter().any(|joint| rest.starts_with(joint)))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    const KNOWN: &[&str] = &[
        "shop.BasketTest::total",
        "shop.RoundingTest::rounds[0]",
        "shop.RoundingTest::rounds[1]",
        "tests.test_old.TestOld.test_a",
        "tests/test_basket.py::TestBasket::test_total",
        "tests/test_basket.py::test_load[a.b]",
        "tests/test_other.py::test_total",
    ];

    #[test]
    fn a_name_stands_for_one_test_alone_where_it_has_to() {
        let named = |name: &str| named(name, &known()).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(named("shop.BasketTest::total"), ["shop.BasketTest::total"]);
        assert_eq!(named("RoundingTest.rounds").len(), 2);
        assert_eq!(named("TestBasket::test_total").len(), 1);
        assert!(
            named("test_total").is_empty() && named("shop").is_empty() && named("RoundingTest").is_empty()
        );
    }

    fn known() -> Vec<TestId> {
        KNOWN.iter().map(|name| TestId::new(*name)).collect()
    }

    #[test]
    fn names_as_people_write_them() {
        let check = |given: &str, expect: &[usize]| {
            let expect: Vec<TestId> = expect.iter().map(|index| TestId::new(KNOWN[*index])).collect();
            assert_eq!(meant(given, &known()), expect, "{given}");
        };
        check("shop.BasketTest::total", &[0]);
        check("shop.BasketTest#total", &[0]);
        check("shop.BasketTest.total", &[0]);
        check("BasketTest::total()", &[0]);
        check("shop.RoundingTest::rounds", &[1, 2]);
        check("shop.RoundingTest::rounds[1]", &[2]);
        check("shop.RoundingTest", &[1, 2]);
        check("tests/test_old.py::TestOld::test_a", &[3]);
        check("./tests/test_basket.py::TestBasket::test_total", &[4]);
        check("tests/test_basket.py", &[4, 5]);
        check("test_load[a.b]", &[5]);
        check("test_load[c]", &[]);
        check("test_total", &[4, 6]);
        check("BasketTest::totall", &[]);
        check("", &[]);
        check("src/tests/test_old.py::TestOld::test_a", &[3]);
    }

    #[test]
    fn names_that_are_nearly_right() {
        assert_eq!(nearest("shop.BasketTest::totall", &known()), [TestId::new(KNOWN[0])]);
        assert_eq!(nearest("test_totals", &known())[..2], [TestId::new(KNOWN[4]), TestId::new(KNOWN[6])]);
        assert!(nearest("something else", &known()).is_empty());
    }

    #[test]
    fn members_of_a_group() {
        let check = |test: &str, group: &str, expect: bool| {
            assert_eq!(is_member(&TestId::new(test), &TestId::new(group)), expect, "{test} {group}");
        };
        check("a.B::c", "a.B", true);
        check("t.py::test_a[1]", "t.py::test_a", true);
        check("t.py::test_ab", "t.py::test_a", false);
        check("pkg.mod.T.test_a", "pkg.mod", true);
        check("a.B", "a.B", false);
        assert!(is_within("tests/test_rate.py::RateTest::test_tax", &TestId::new("test_rate")));
        assert!(!is_within("tests/test_rates.py::RateTest::test_tax", &TestId::new("test_rate")));
    }

    #[test]
    fn a_file_or_a_class_is_none_of_its_tests() {
        let known = [
            TestId::new("tests/test_rounded.py::test_rounded[1]"),
            TestId::new("tests/test_rounded.py::Rounded::test_up"),
        ];
        let check = |given: &str, expect: &[usize]| {
            let expect: Vec<TestId> = expect.iter().map(|place| known[*place].clone()).collect();
            assert_eq!(named(given, &known), expect, "{given}");
        };
        check("tests/test_rounded.py", &[]);
        check("Rounded", &[]);
        check("test_rounded", &[0]);
        check("tests/test_rounded.py::test_rounded", &[0]);
        check("tests.test_rounded.Rounded.test_up", &[1]);
    }
}
