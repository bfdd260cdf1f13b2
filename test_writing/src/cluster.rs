//! Tests grouped by how they fail, and the order in which they are taken.

use std::cmp::Reverse;

use patchwright_syntax::pattern::{Pattern, pattern};

/// Lines of a failure that count.
const LINES: usize = 3;

/// Addresses in memory.
static ADDRESS: Pattern = pattern!(r"0x[0-9a-fA-F]+|@[0-9a-f]{5,}\b");
/// Numbers of lines, as tools write them.
static LINE: Pattern = pattern!(r"(?:\bline |\.\w+:)\d+");
/// Folders before the name of a file.
static FOLDERS: Pattern = pattern!(r"(?:/[\w.-]+)+/");
/// Times, whatever their unit.
static SECONDS: Pattern = pattern!(r"\b\d+(?:\.\d+)? ?(?:ms|s|seconds)\b");

/// Tests that fail alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cluster {
    /// How they fail, without what differs by chance.
    pub(crate) failure: String,
    /// Their places among all that fail, the shortest first.
    pub(crate) members: Vec<usize>,
}

/// A failure without what differs from run to run and from test to test: addresses, lines, folders, times.
pub(crate) fn normalised(failure: &str) -> String {
    let mut text: String = failure.lines().take(LINES).collect::<Vec<_>>().join("\n");
    for (pattern, with) in [(&ADDRESS, "0x"), (&LINE, ":"), (&FOLDERS, "/"), (&SECONDS, "s")] {
        text = pattern.replace_all(&text, with).into_owned();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Groups tests, given by how they fail and how long they are. The largest group first; among equals the one with the shortest test.
pub(crate) fn clusters(failures: &[(String, usize)]) -> Vec<Cluster> {
    let mut clusters: Vec<Cluster> = Vec::new();
    for (place, (failure, _)) in failures.iter().enumerate() {
        let failure = normalised(failure);
        match clusters.iter_mut().find(|cluster| cluster.failure == failure) {
            Some(known) => known.members.push(place),
            None => clusters.push(Cluster { failure, members: vec![place] }),
        }
    }
    let length = |place: &usize| failures[*place].1;
    for cluster in &mut clusters {
        cluster.members.sort_by_key(|place| (length(place), *place));
    }
    clusters.sort_by_key(|cluster| {
        (Reverse(cluster.members.len()), cluster.members.iter().map(length).min().unwrap_or_default())
    });
    clusters
}

/// The order in which clusters are taken: those first whose failure was called the issue's, then those of which nobody could say, then the
/// others.
pub(crate) fn rank(matches: Option<bool>) -> u8 {
    match matches {
        Some(true) => 0,
        None => 1,
        Some(false) => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_by_chance_is_no_difference() {
        let check = |failure: &str, expect: &str| assert_eq!(normalised(failure), expect);
        check("AssertionError: 3 != 4", "AssertionError: 3 != 4");
        check("<Basket object at 0x7f3a1c>  is None", "<Basket object at 0x> is None");
        check("org.x.Basket@1b2c6ec2 expected", "org.x.Basket0x expected");
        check("/tmp/a-1/b/rates.py:31: KeyError", "/rates:: KeyError");
        check("it ended after 10.2 s, at line 7", "it ended after s, at :");
        check("a\nb\nc\nd", "a b c");
    }

    #[test]
    fn tests_that_fail_alike_stand_together() {
        let of = |list: &[(&str, usize)]| {
            let failures: Vec<(String, usize)> =
                list.iter().map(|(failure, length)| ((*failure).to_owned(), *length)).collect();
            clusters(&failures).into_iter().map(|cluster| cluster.members).collect::<Vec<_>>()
        };
        assert_eq!(
            of(&[("a", 9), ("b", 1), ("a", 5), ("c 0x1f", 7), ("c 0x2e", 7)]),
            [vec![2, 0], vec![3, 4], vec![1]]
        );
        assert_eq!(of(&[("a", 9), ("b", 1)]), [vec![1], vec![0]], "among equals the shortest test");
        assert!(of(&[]).is_empty());
    }

    #[test]
    fn what_is_called_the_issues_failure_comes_first() {
        let mut all = [Some(false), None, Some(true)];
        all.sort_by_key(|matches| rank(*matches));
        assert_eq!(all, [Some(true), None, Some(false)]);
    }
}
