//! Functions that are shown are shown whole.

use patchwright_index::{Element, windows};
use patchwright_syntax::Span;

/// The functions of a file that are in no other function.
pub(super) fn functions(elements: &[Element]) -> Vec<Span> {
    let mut outermost: Vec<Span> = Vec::new();
    for element in elements {
        let is_inside = outermost.last().is_some_and(|outer| outer.last >= element.lines.last);
        if element.kind.is_callable() && !is_inside {
            outermost.push(element.lines);
        }
    }
    outermost
}

/// Windows of a file of `count` lines in which no function is torn: one that holds some of the `located` lines is in them whole, and of
/// another of which there is only a part there is nothing.
pub(super) fn whole(shown: &[Span], functions: &[Span], located: &[Span], count: u32) -> Vec<Span> {
    let touch = |one: &Span, other: &Span| one.first <= other.last && other.first <= one.last;
    let torn = functions.iter().filter(|function| {
        shown.iter().any(|span| touch(span, function)) && !shown.iter().any(|span| span.encloses(**function))
    });
    let (wanted, others): (Vec<Span>, Vec<Span>) =
        torn.partition(|function| located.iter().any(|span| touch(span, function)));
    let kept = without(shown, &windows(&others, 0, count));
    windows(&[kept, wanted].concat(), 0, count)
}

/// What is left of spans without others; both in order and disjoint.
pub(super) fn without(spans: &[Span], taken: &[Span]) -> Vec<Span> {
    let mut rest = Vec::new();
    for span in spans {
        let mut first = span.first;
        for hole in taken.iter().filter(|hole| hole.first <= span.last && hole.last >= span.first) {
            if hole.first > first {
                rest.push(Span { first, last: hole.first - 1 });
            }
            first = hole.last + 1;
        }
        if first <= span.last {
            rest.push(Span { first, last: span.last });
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(list: &[(u32, u32)]) -> Vec<Span> {
        list.iter().map(|(first, last)| Span { first: *first, last: *last }).collect()
    }

    #[test]
    fn what_is_shown_elsewhere_is_left_out() {
        let check = |all: &[(u32, u32)], taken: &[(u32, u32)], expect: &[(u32, u32)]| {
            assert_eq!(without(&spans(all), &spans(taken)), spans(expect));
        };
        check(&[(1, 10)], &[], &[(1, 10)]);
        check(&[(1, 10)], &[(3, 4), (8, 20)], &[(1, 2), (5, 7)]);
        check(&[(5, 6), (9, 12)], &[(1, 9)], &[(10, 12)]);
        check(&[(5, 6)], &[(5, 6)], &[]);
    }

    #[test]
    fn a_function_is_shown_whole_or_not_at_all() {
        let functions = spans(&[(10, 29), (31, 39), (41, 80)]);
        let check = |shown: &[(u32, u32)], located: &[(u32, u32)], expect: &[(u32, u32)]| {
            assert_eq!(whole(&spans(shown), &functions, &spans(located), 100), spans(expect));
        };
        check(&[(20, 45)], &[(35, 35)], &[(30, 40)]);
        check(&[(5, 25)], &[(15, 15)], &[(5, 29)]);
        check(&[(5, 25)], &[(5, 5)], &[(5, 9)]);
        check(&[(20, 45)], &[(35, 35), (50, 50)], &[(30, 80)]);
        check(&[(1, 4), (90, 95)], &[(2, 2)], &[(1, 4), (90, 95)]);
        check(&[(12, 12)], &[], &[]);
    }
}
