//! What code an issue leads to.
#![allow(clippy::disallowed_methods, clippy::panic, clippy::unwrap_used)]

use super::excerpts::Shown;
use super::*;

/// The lines of each file that an issue about these files leads to.
fn led_to(files: &[(&str, &str)], issue: &str) -> Vec<(String, Vec<(u32, u32)>)> {
    led_to_with(files, issue, &ContextOptions::default())
}

/// The same within some limits.
fn led_to_with(
    files: &[(&str, &str)],
    issue: &str,
    options: &ContextOptions,
) -> Vec<(String, Vec<(u32, u32)>)> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let index = Index::build(folder.path()).unwrap();
    let files: Vec<&IndexedFile> = index.files().filter(|file| !file.test).collect();
    let ranked = ranking::ranked(&index, issue, &files, &|file| !file.test, options);
    let shown = excerpts_of_issue(&index, &Query::of_text(issue), &files, &ranked, options);
    let lines = |file: &Shown| file.spans.iter().map(|span| (span.first, span.last)).collect();
    shown.files().iter().map(|file| (file.path.to_string(), lines(file))).collect()
}

fn of(path: &str, lines: &[(u32, u32)]) -> (String, Vec<(u32, u32)>) {
    (path.to_owned(), lines.to_vec())
}

#[test]
fn a_small_project_is_shown_whole() {
    let files = [("a.py", "x = 1\n"), ("b/c.py", "def f():\n    return 1\n"), ("tests/test_a.py", "y = 2\n")];
    assert_eq!(led_to(&files, "It is wrong."), [of("a.py", &[(1, 1)]), of("b/c.py", &[(1, 2)])]);
}

#[test]
fn of_a_long_function_the_code_is_shown_and_not_its_documentation() {
    let filler = "pass\n".repeat(900);
    let doc = "    text\n".repeat(70);
    let body = "    pass\n".repeat(20);
    let walk = format!("{filler}def walk(way):\n    \"\"\"Walks.\n{doc}    \"\"\"\n{body}");
    assert_eq!(led_to(&[("walk.py", &walk)], "`walk` is wrong."), [of("walk.py", &[(901, 902), (974, 993)])]);
}

#[test]
fn a_method_is_shown_with_its_class_and_without_a_long_docstring() {
    let filler = "pass\n".repeat(900);
    let method = |name: &str, doc: usize| {
        let text = "        text\n".repeat(doc);
        format!("    def {name}(self):\n        \"\"\"Sails.\n{text}        \"\"\"\n        return 1\n\n")
    };
    let class =
        format!("class Ferry:\n{}{}", "    rows = 1\n".repeat(200), method("sail", 8) + &method("moor", 3));
    let found = led_to(&[("ferry.py", &format!("{filler}{class}"))], "`Ferry.sail` is late.");
    let spans = [(901, 901), (1102, 1103), (1113, 1113)];
    assert_eq!(found[0].1[..3], spans, "{found:?}");
    let short = led_to(&[("ferry.py", &format!("{filler}{class}"))], "`Ferry.moor` is late.");
    assert!(short[0].1.contains(&(1115, 1121)), "{short:?}");
}

#[test]
fn a_text_of_many_lines_in_the_code_is_no_docstring() {
    let rows = "        row\n".repeat(10);
    let doc = "    \"\"\"The table.\"\"\"\n";
    let text = format!(
        "{}def table(day):\n    return dedent(\n        \"\"\"\n{rows}        \"\"\"\n    )\n",
        "pass\n".repeat(900)
    );
    assert_eq!(led_to(&[("ferry.py", &text)], "`table` is wrong."), [of("ferry.py", &[(901, 915)])]);
    let text = text.replace("(day):\n", &format!("(day):\n{doc}"));
    assert_eq!(led_to(&[("ferry.py", &text)], "`table` is wrong."), [of("ferry.py", &[(901, 916)])]);
}

#[test]
fn of_a_long_function_the_part_is_shown_that_the_issue_speaks_of() {
    let filler = "pass\n".repeat(900);
    let row = "    count += 1\n";
    let (before, after) = (row.repeat(100), row.repeat(50));
    let walk = format!("{filler}def walk(way):\n{before}    toll = ferry(way)\n{after}");
    let shown = led_to(&[("walk.py", &walk)], "`walk` forgets the toll of a ferry.");
    let [(_, lines)] = shown.as_slice() else { panic!("{shown:?}") };
    assert_eq!(lines[0], (901, 901));
    assert!(lines[1].0 <= 1002 && 1002 <= lines[1].1 && lines[1].1 - lines[1].0 == 39, "{lines:?}");
}

#[test]
fn of_a_function_a_few_lines_are_not_left_out() {
    let filler = "pass\n".repeat(900);
    let row = "    count += 1\n";
    let shown = |before: usize, after: usize| {
        let (before, after) = (row.repeat(before), row.repeat(after));
        let walk = format!("{filler}def walk(way):\n{before}    toll = ferry(way)\n{after}");
        led_to(&[("walk.py", &walk)], "`walk` forgets the toll of a ferry.").remove(0).1
    };
    assert_eq!(shown(30, 30), [(901, 962)], "half as long again as the part of a long one");
    assert_eq!(shown(100, 5), [(901, 901), (963, 1007)]);
    assert_eq!(shown(100, 20), [(901, 901), (963, 1002)]);
}

#[test]
fn small_classes_that_shown_code_names_come_along() {
    let filler = "pass\n".repeat(400);
    let pool = format!(
        "{filler}class Pool:\n    free: BlockSet\n\n    def release(self, block):\n        self.free.add(block)\n"
    );
    let set = "class BlockSet:\n    def add(self, block):\n        pass\n";
    let other = format!("class Journal:\n    pass\n{filler}");
    let files = [("pool.py", pool.as_str()), ("set.py", set), ("other.py", &other)];
    assert_eq!(led_to(&files, "`Pool` is wrong."), [of("pool.py", &[(401, 405)]), of("set.py", &[(1, 3)])]);
}

#[test]
fn of_a_large_project_small_files_and_callees_come_along() {
    let filler = |lines: usize| "pass\n".repeat(lines);
    let walk = format!(
        "{}def walk(way):\n    return _step(way) + slope_of(way)\n{}def _step(way):\n    return 1\n",
        filler(100),
        filler(600)
    );
    let slope = format!("{}def slope_of(way):\n    return 2\n", filler(150));
    let small = format!("class Way:\n{}", "    pass\n".repeat(40));
    let files = [("walk.py", walk.as_str()), ("slope.py", &slope), ("way.py", &small)];
    assert_eq!(
        led_to(&files, "`walk` is wrong for a `Way`."),
        [of("walk.py", &[(101, 102), (703, 704)]), of("slope.py", &[(151, 152)]), of("way.py", &[(1, 6)])]
    );
}

#[test]
fn of_functions_of_one_name_the_one_that_is_imported_comes_along() {
    let filler = "pass\n".repeat(400);
    let walk =
        format!("{filler}def walk(way):\n    from ._steps import _wrapper\n    return _wrapper(way)\n");
    let other = |value: u8| format!("{filler}def _wrapper(way):\n    return {value}\n");
    let files = [("walk.py", walk.as_str()), ("_steps.py", &other(1)), ("_slopes.py", &other(2))];
    assert_eq!(
        led_to(&files, "`walk` is wrong."),
        [of("walk.py", &[(401, 403)]), of("_steps.py", &[(401, 402)])]
    );
}

#[test]
fn functions_that_are_named_for_a_word_come_before_the_head_of_a_file() {
    let filler = "pass\n".repeat(900);
    let text = format!(
        "\"\"\"Values and how they compare, chained or not.\n\"\"\"\n{filler}def _eval_compare(node):\n    return 1\n\n\n\
         def _eval_name(node):\n    return 2\n"
    );
    let found = led_to(&[("walk.py", &text)], "Chained comparisons are wrong.");
    assert_eq!(found, [of("walk.py", &[(903, 904)])], "{found:?}");
}

#[test]
fn a_function_that_is_called_after_the_words_comes_along_where_names_lead_elsewhere() {
    let filler = "pass\n".repeat(900);
    let till = format!("{filler}class Till:\n{}", "    pass\n".repeat(50));
    let other = format!(
        "{filler}def summary_of_open_payments(till):\n    return []\n\n\ndef other():\n    return 1\n"
    );
    assert_eq!(
        led_to(
            &[("till.py", &till), ("words.py", &other)],
            "`Till` is wrong: its summary of the open payments is empty."
        ),
        [of("till.py", &[(901, 951)]), of("words.py", &[(901, 902)])]
    );
}

#[test]
fn of_the_function_that_is_named_first_more_is_shown() {
    let filler = "pass\n".repeat(900);
    let body = |name: &str| format!("def {name}(way):\n{}\n\n", "    pass\n".repeat(100));
    let text = format!("{filler}{}{}", body("walk_far"), body("walk_near"));
    let found = led_to(&[("walk.py", &text)], "`walk_far` is wrong, unlike `walk_near`.");
    assert_eq!(found, [of("walk.py", &[(901, 940), (1004, 1028)])]);
}

#[test]
fn of_a_long_piece_the_part_that_leads_to_the_line_is_shown() {
    let check = |lines: (u32, u32), line: u32, expect: &[(u32, u32)]| {
        let found = piece::cut(Span { first: lines.0, last: lines.1 }, line, 80, 60);
        let found: Vec<(u32, u32)> = found.iter().map(|span| (span.first, span.last)).collect();
        assert_eq!(found, expect);
    };
    check((5, 84), 80, &[(5, 84)]);
    check((5, 200), 5, &[(5, 5), (5, 64)]);
    check((5, 200), 190, &[(5, 5), (145, 200)]);
}

#[test]
fn what_fitting_code_calls_and_what_calls_it_comes_before_code_that_fits_less() {
    let filler = "pass\n".repeat(900);
    let body = "    pass\n".repeat(40);
    let fitting = "def ferry_timetable(day):\n    return _rows(day)\n\n\n";
    let caller = "def harbour(day):\n    return ferry_timetable(day)\n\n\n";
    let others: String =
        (0..20).map(|number| format!("def other{number}(ferry):\n{body}\n\n")).collect::<Vec<_>>().concat();
    let callee = "def _rows(day):\n    return []\n";
    let text = format!("{filler}{others}{fitting}{caller}{callee}");
    let line_of = |name: &str| {
        u32::try_from(text.lines().position(|line| line.starts_with(&format!("def {name}("))).unwrap())
            .unwrap()
            + 1
    };
    let options = ContextOptions { lines: 60, ..ContextOptions::default() };
    let without = ContextOptions {
        sources: &[ContextSource::CodeReference, ContextSource::FittingFunction],
        ..options
    };
    let shows = |options: &ContextOptions, name: &str| {
        let found = led_to_with(&[("boats.py", &text)], "The timetable of the ferry is empty.", options);
        let line = line_of(name);
        found.iter().flat_map(|(_, spans)| spans).any(|(first, last)| (*first..=*last).contains(&line))
    };
    assert!(shows(&options, "_rows") && shows(&options, "harbour"));
    assert!(!shows(&without, "_rows"));
}

#[test]
fn later_pieces_have_fewer_lines() {
    let filler = "pass\n".repeat(900);
    let body = "    pass\n".repeat(100);
    let text: String = ["first", "second", "third", "fourth"]
        .map(|name| format!("def {name}_ferry():\n{body}\n\n"))
        .concat();
    let issue = "`first_ferry`, `second_ferry`, `third_ferry` and `fourth_ferry` are wrong.";
    let options = ContextOptions { lines: 232, ..ContextOptions::default() };
    let found = led_to_with(&[("ferry.py", &format!("{filler}{text}"))], issue, &options);
    assert_eq!(found, [of("ferry.py", &[(901, 940), (1004, 1028), (1107, 1121), (1210, 1215)])]);
}
