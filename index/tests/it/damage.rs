use patchwright_syntax::{Language, Source, calls_in_snippet, outline};
use proptest::prelude::*;

fn names(language: &str, text: &str) -> Vec<String> {
    let outline = outline(Language::by_name(language).unwrap(), &Source::from_text(text));
    assert!(outline.syntax_errors > 0, "{text}");
    let mut names: Vec<String> = outline
        .all_methods()
        .into_iter()
        .map(|(_, method)| format!("{} {}-{}", method.qualified, method.lines.first, method.lines.last))
        .collect();
    names.sort();
    names
}

#[test]
fn a_missing_brace_swallows_no_method() {
    let text = "package a;
public class Foo {
    private int x;
    /** doc */
    @Override public int one(int a) {
        if (a > 1) {
            return a;
    }
    public int two() { return x }
    class Inner {
        void deep() { foo(; }
    }
    void three() { }
}
";
    assert_eq!(
        names("java", text),
        ["Foo.Inner.deep 11-11", "Foo.one 4-8", "Foo.three 13-13", "Foo.two 9-9"]
    );
}

#[test]
fn an_unclosed_string_or_list_hides_no_method() {
    let text = "public class Foo {
    void a() {
        for (int i = 0; i < 3; i++ {
        }
    }
    int b(String s, { return 1; }
    String c() { return \"unclosed; }
    void d() {}
";
    assert_eq!(names("java", text), ["Foo.a 2-5", "Foo.b 6-6", "Foo.c 7-7", "Foo.d 8-8"]);
}

#[test]
fn conflict_markers_leave_the_rest_readable() {
    let text = "class A {
    int one() { return 1; }
<<<<<<< ours
    int two() { return 2; }
=======
    int two() { return 3; }
>>>>>>> theirs
    int three() { return two(); }
}
";
    assert_eq!(names("java", text), ["A.one 2-2", "A.three 7-8", "A.two 3-4", "A.two 6-6"]);
}

#[test]
fn an_unclosed_bracket_swallows_no_function() {
    let text = "import os
class A:
    def one(self):
        return (1,
    def two(self, x:
        pass
    def three(self):
        return 3

def top(a, b)
    return a

class B(A)
    def four(self):
        x = {1: 2
        return x

    async def five(self): ...
";
    let expect = ["A.one 3-4", "A.three 7-8", "A.two 5-6", "B.five 18-18", "B.four 14-16", "top 10-11"];
    assert_eq!(names("python", text), expect);
}

#[test]
fn what_a_comment_or_a_text_says_is_not_declared() {
    let text = "class A {
    /*
     * void ghost() {
     */
    // void spirit() {
    int real() { return \"\"\"
        void shade() {
        \"\"\"; }
    int broken( {
}
";
    assert_eq!(names("java", text), ["A.broken 9-9", "A.real 2-8"]);
}

const SOURCES: &[(&str, &str)] = &[
    (
        "java",
        "class A { /** d */ @B(1) int f(int a) { return new C<D>() { int g() { return h(a, i.j()); } }.k(); } }\n",
    ),
    (
        "python",
        "@d(1)\nclass A(B):\n    x = 1\n    async def f(self, *a, b=lambda: 0):\n        return await g(a)(b).h\n",
    ),
];

proptest! {
    #[test]
    fn nothing_that_is_cut_or_shuffled_breaks_reading(
        which in 0..SOURCES.len(),
        cuts in prop::collection::vec((0usize..200, 0usize..40, "[ -~\n\u{e9}]{0,3}"), 0..6),
    ) {
        let (language, text) = SOURCES[which];
        let mut letters: Vec<char> = text.repeat(2).chars().collect();
        for (at, length, with) in cuts {
            let at = at.min(letters.len());
            let end = (at + length).min(letters.len());
            letters.splice(at..end, with.chars());
        }
        let text: String = letters.into_iter().collect();
        let language = Language::by_name(language).unwrap();
        let source = Source::from_text(text.clone());
        let outline = outline(language, &source);
        let last = u32::try_from(source.line_count().max(1)).unwrap();
        for (_, method) in outline.all_methods() {
            prop_assert!(method.lines.first <= method.declaration_line);
            prop_assert!(method.declaration_line <= method.lines.last);
            prop_assert!(method.lines.last <= last);
        }
        calls_in_snippet(language, &text);
    }
}
