use super::*;

/// A file with a class of `methods` methods of twelve lines each, and a small function behind it.
fn ledger(methods: usize) -> String {
    let mut text = "import math\n\n\nclass Ledger:\n    rate = 2\n".to_owned();
    for method in 0..methods {
        text.push_str(&format!("\n    def entry_{method}(self, amount):\n"));
        for step in 0..10 {
            text.push_str(&format!("        amount = self.booked_{method}_{step}(amount) * self.rate\n"));
        }
        text.push_str("        return amount\n");
    }
    text.push_str("\n    def size(self):\n        return 7\n\n\ndef closing(ledger):\n    return math.floor(ledger.size())\n");
    text
}

/// The class in a file of [`ledger`], a line in its method `entry_1`, and the function behind it.
fn places(source: &str) -> [Place; 3] {
    let line = |words: &str| {
        let row = source.lines().position(|line| line.contains(words)).unwrap();
        u32::try_from(row + 1).unwrap()
    };
    let place = |first: u32, last: u32| Place { path: "books.py".to_owned(), first, last };
    let inside = line("booked_1_5");
    [
        place(line("class Ledger"), line("return 7")),
        place(inside, inside),
        place(line("def closing"), line("return math")),
    ]
}

/// The text of the only file, with the lines of the source in the place of marks.
fn unfolded(beside: &Beside, source: &str) -> String {
    let lines: Vec<&str> = source.lines().collect();
    let [excerpt] = beside.excerpts.as_slice() else { panic!("{beside:?}") };
    let mut text = String::new();
    for line in excerpt.text.lines() {
        let Some(mark) = line.strip_prefix("... lines ") else {
            text.push_str(&format!("{line}\n"));
            continue;
        };
        let (first, last) = mark.trim_end_matches(", shown above").split_once('-').unwrap();
        let rows = first.parse::<usize>().unwrap() - 1..last.parse().unwrap();
        text.extend(lines[rows].iter().map(|line| format!("{line}\n")));
    }
    text
}

#[test]
fn what_has_room_is_whole_but_for_what_stands_above() {
    let source = ledger(4);
    let (_folder, map) = RepositoryMap::of_files(&[("books.py", &source)]);
    let [class, inside, function] = places(&source);
    let beside = map.beside(&[class, function], &[inside], 2, ROOM);
    let text = &beside.excerpts[0].text;
    assert!(
        text.contains("booked_0_9") && text.contains("booked_3_9") && text.contains("def closing"),
        "{text}"
    );
    assert!(!text.contains("booked_1_") && !text.contains("rate = 2"), "they stand above: {text}");
    assert_eq!(
        text.matches("...").count(),
        text.matches(", shown above").count(),
        "nothing is hidden: {text}"
    );
    assert_eq!(unfolded(&beside, &source), source);
    assert!(beside.left_out.is_empty(), "{beside:?}");
}

#[test]
fn of_a_class_without_room_the_bodies_are_left_out() {
    let source = ledger(40);
    let (_folder, map) = RepositoryMap::of_files(&[("books.py", &source)]);
    let [class, inside, function] = places(&source);
    assert!(source.len() > ROOM);
    let beside = map.beside(&[class, function], &[inside], 2, ROOM);
    let text = &beside.excerpts[0].text;
    for method in (0..40).filter(|method| *method != 1) {
        assert!(
            text.contains(&format!("    def entry_{method}(self, amount):\n... lines ")),
            "{method}: {text}"
        );
    }
    assert!(!text.contains("booked_"), "{text}");
    assert!(
        text.contains("    def size(self):\n        return 7\n"),
        "no mark is longer than what it stands for: {text}"
    );
    assert!(text.contains("    return math.floor"), "what is named later has the room that is left: {text}");
    assert_eq!(text.matches(", shown above").count(), 3, "the frame and the located method: {text}");
    assert_eq!(unfolded(&beside, &source), source);
    assert!(beside.left_out.is_empty() && text.len() < ROOM / 4, "{}", text.len());
}

#[test]
fn of_a_class_with_long_heads_the_names_are_left() {
    let parameters: Vec<String> = (0..20).map(|number| format!("        option_{number}=None,\n")).collect();
    let parameters = parameters.concat();
    let method =
        |number: usize| format!("    def open_{number}(\n{parameters}    ):\n        raise KeyError\n\n");
    let source = format!("class Gate:\n{}", (0..60).map(method).collect::<String>());
    let (_folder, map) = RepositoryMap::of_files(&[("gate.py", &source)]);
    let last = u32::try_from(source.lines().count()).unwrap() - 1;
    let beside = map.beside(&[Place { path: "gate.py".to_owned(), first: 1, last }], &[], 2, ROOM);
    let text = &beside.excerpts[0].text;
    assert!((0..60).all(|number| text.contains(&format!("    def open_{number}(\n... lines "))), "{text}");
    assert!(!text.contains("option_") && beside.left_out.is_empty(), "{beside:?}");
    assert_eq!(unfolded(&beside, &source).trim_end(), source.trim_end());
}

#[test]
fn what_is_named_first_has_the_room_and_the_rest_is_named() {
    let source = ledger(40);
    let other = ledger(2);
    let (_folder, map) = RepositoryMap::of_files(&[("books.py", &source), ("small.py", &other)]);
    let [class, inside, function] = places(&source);
    let small = Place { path: "small.py".to_owned(), ..places(&other)[0].clone() };
    let body = Place { first: inside.first + 24, last: inside.last + 25, ..inside.clone() };
    let shown = |named: &[Place], room: usize| {
        let beside = map.beside(named, &[], 2, room);
        let bytes: usize = beside.excerpts.iter().map(|excerpt| excerpt.text.len()).sum();
        assert!(bytes <= room, "{bytes} of {room}");
        let paths: Vec<String> = beside.excerpts.into_iter().map(|excerpt| excerpt.path).collect();
        (paths, beside.left_out)
    };
    let all = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let room = map.beside(std::slice::from_ref(&class), &[], 2, 5_000).excerpts[0].text.len() + 100;
    assert_eq!(
        shown(&[class.clone(), small.clone()], room),
        (all(&["books.py"]), all(&["small.py::Ledger"]))
    );
    assert_eq!(
        shown(&[small.clone(), class.clone()], room),
        (all(&["small.py"]), all(&["books.py::Ledger"]))
    );
    let lines = format!("books.py::{}-{}", body.first, body.last);
    assert_eq!(shown(&[function, body], 130), (all(&["books.py"]), vec![lines]));
    assert_eq!(shown(&[small, class], 20_000).1, all(&[]));
}

#[test]
fn located_lines_are_whole_whatever_was_named_beside_them() {
    let source = ledger(60);
    let (_folder, map) = RepositoryMap::of_files(&[("books.py", &source)]);
    let [class, inside, _] = places(&source);
    let framed = map.framed(std::slice::from_ref(&inside), std::slice::from_ref(&class), 10);
    let text = &framed[0].text;
    let whole = &source[source.find("    def entry_1").unwrap()..source.find("\n    def entry_2").unwrap()];
    assert!(text.contains(whole), "{text}");
    assert!(!text.contains("booked_0_") && !text.contains("booked_2_"), "nobody named these: {text}");
    assert!(map.is_large_class(&class) && !map.is_large_class(&inside));
    let small = ledger(3);
    let (_folder, map) = RepositoryMap::of_files(&[("books.py", &small)]);
    assert!(!map.is_large_class(&places(&small)[0]));
}
