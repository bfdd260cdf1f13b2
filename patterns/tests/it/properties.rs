//! What holds for all proposals.

use std::collections::BTreeSet;

use patchwright_patterns::{Proposal, combine};

use crate::bed::{Bed, by_lines};

/// Sources as they are written, indented with four spaces, with tabs, and without.
pub const SOURCES: &[(&str, &str)] = &[
    ("books/Ledger.java", include_str!("sources/Ledger.java")),
    ("shapes/Matrix.java", include_str!("sources/Matrix.java")),
    ("stock/inventory.py", include_str!("sources/inventory.py")),
    ("stock/graphs.py", include_str!("sources/graphs.py")),
];

/// Of so many proposals one is applied: the applier parses files twice.
const APPLIED: usize = 19;

/// Asks for proposals at some lines; checks that they apply, that no two are the same, and that the marked ones are last. Gives
/// how many there were, and for how many places.
fn check(bed: &Bed, path: &str, text: &str, lines: impl Iterator<Item = u32>) -> (usize, usize) {
    let (mut count, mut places) = (0, 0);
    for line in lines {
        for omission in [false, true] {
            let proposals = bed.propose(path, line, omission);
            let mut texts = BTreeSet::new();
            for (index, proposal) in proposals.iter().enumerate() {
                assert!(proposal.likelihood > 0.0 && proposal.likelihood <= 1.0, "{proposal:?}");
                assert_eq!(proposal.path, path);
                assert!(!proposal.what.is_empty());
                let after = by_lines(text, &proposal.edit);
                if index % APPLIED == 0 {
                    assert_eq!(bed.after(proposal), after.as_bytes(), "{path}:{line}: {}", proposal.what);
                }
                assert!(texts.insert(after), "{path}:{line} twice: {}", proposal.what);
            }
            let orders = |two: &[Proposal]| match (two[0].overfit.is_some(), two[1].overfit.is_some()) {
                (false, true) => true,
                (true, false) => false,
                _ => two[0].likelihood >= two[1].likelihood,
            };
            assert!(proposals.windows(2).all(orders), "{path}:{line}: order");
            count += proposals.len();
            places += usize::from(!proposals.is_empty());
        }
    }
    (count, places)
}

#[test]
fn what_is_proposed_for_sound_sources_applies() {
    let files: Vec<(&str, &[u8])> = SOURCES.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    let bed = Bed::new(&files);
    for (path, text) in SOURCES {
        let lines = u32::try_from(text.lines().count()).unwrap();
        let (count, places) = check(&bed, path, text, (5..=lines).step_by(41));
        assert!(places > 0 && count / places >= 30, "{path}: {count} proposals for {places} places");
    }
}

#[test]
fn the_same_project_gives_the_same_proposals() {
    let files: Vec<(&str, &[u8])> = SOURCES.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
    let (one, other) = (Bed::new(&files), Bed::new(&files));
    for (path, text) in SOURCES {
        for line in 1..=u32::try_from(text.lines().count()).unwrap() {
            if line % 5 == 0 {
                assert_eq!(one.propose(path, line, false), other.propose(path, line, false), "{path}:{line}");
            }
        }
    }
}

#[test]
fn damaged_and_odd_files_do_no_harm() {
    for (path, text) in SOURCES {
        let windows = text.replace('\n', "\r\n");
        let latin = [text.as_bytes(), b"\n// caf\xe9\n# caf\xe9\n"].concat();
        let cut = &text.as_bytes()[..text.len() * 2 / 3];
        let torn = text.replace(')', "").into_bytes();
        for bytes in [windows.as_bytes(), &latin, cut, &torn, b"", b"\n", b"\xff\xfe", b"x = 1"] {
            let bed = Bed::new(&[(path, bytes)]);
            for line in [0, 2, 61, 90, 9999] {
                let proposals = bed.propose(path, line, line % 2 == 0);
                for proposal in proposals.iter().step_by(131) {
                    let after = bed.after(proposal);
                    let mixed = bytes == windows.as_bytes()
                        && String::from_utf8(after).unwrap().replace("\r\n", "").contains('\n');
                    assert!(!mixed, "{path}:{line}: {}", proposal.what);
                }
            }
        }
    }
    let bed = Bed::new(&[("a.txt", b"x = 1\n"), ("b.py", b"x = 1\n")]);
    assert_eq!(bed.propose("a.txt", 1, false), []);
    assert_eq!(bed.propose("c.py", 1, false), []);
    assert_eq!(bed.propose("../b.py", 1, false), []);
    assert_eq!(bed.propose("b.py", 9, false), []);
}

#[test]
fn two_proposals_are_combined_where_they_do_not_clash() {
    let text = "def area(left, right):\n    width = right - left\n    height = left\n    return width\n";
    let bed = Bed::new(&[("a.py", text.as_bytes()), ("b.py", text.as_bytes())]);
    let proposed = |path: &str, line: u32, what: &str| {
        let all = bed.propose(path, line, false);
        let found = all.into_iter().find(|proposal| proposal.what == what);
        found.unwrap_or_else(|| panic!("{path}:{line}: {what}"))
    };
    let one = proposed("a.py", 3, "`left` becomes `right`");
    let other = proposed("a.py", 2, "`-` becomes `+`");
    let both = combine(&one, &other).unwrap();
    let expect = text.replace("right - left", "right + left").replace("height = left", "height = right");
    assert_eq!(String::from_utf8(bed.after(&both)).unwrap(), expect);
    assert_eq!((both.line, both.pattern.name), (2, "change binary operator"));
    assert!(both.likelihood <= one.likelihood.min(other.likelihood));
    assert_eq!(combine(&other, &one), Some(both));
    assert_eq!(combine(&one, &one), None);
    assert_eq!(combine(&one, &proposed("a.py", 3, "`left` becomes `width`")), None);
    assert_eq!(combine(&one, &proposed("b.py", 2, "`-` becomes `+`")), None);
}
