#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::path::{Path, PathBuf};

use super::super::element::elements;
use super::super::record::Record;
use super::*;
use crate::language::Language;
use crate::source::Source;

fn python() -> Language {
    Language::by_name("python").unwrap()
}

/// What both ways say of a text: by the tree, and by scanning if that says anything.
fn both(text: &str) -> (Record, Option<Record>) {
    let lines = u32::try_from(Source::from_text(text).line_count()).unwrap();
    let scanned = scan(python().entry(), text).map(|(outline, skeleton)| Record {
        lines,
        syntax_errors: 0,
        elements: elements(&outline),
        skeleton,
    });
    (Record::parsed(python(), text, lines), scanned)
}

/// Whether a text was scanned; what that gave must be what the tree gives.
fn agrees(text: &str) -> Result<bool, String> {
    let (parsed, scanned) = both(text);
    match scanned {
        None => Ok(false),
        Some(scanned) if scanned == parsed => Ok(true),
        Some(scanned) => Err(difference(&parsed, &scanned)),
    }
}

fn difference(parsed: &Record, scanned: &Record) -> String {
    if parsed.syntax_errors > 0 {
        return format!("{} syntax errors by the tree", parsed.syntax_errors);
    }
    let (left, right) = (&parsed.elements, &scanned.elements);
    if let Some((left, right)) = left.iter().zip(right).find(|(left, right)| left != right) {
        return format!("element {left:?} by the tree, {right:?} scanned");
    }
    if left.len() != right.len() {
        return format!("{} elements by the tree, {} scanned: {left:#?}", left.len(), right.len());
    }
    let show = |record: &Record| record.skeleton.render(crate::skeleton::SkeletonStyle::default());
    let (left, right) = (show(parsed), show(scanned));
    let pair = left.lines().zip(right.lines()).find(|(left, right)| left != right);
    format!("skeleton: {pair:?} (by the tree, scanned)")
}

/// A simple generator of numbers, the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

/// A text with a few pieces of it deleted, doubled, swapped or put elsewhere.
fn mutant(text: &str, dice: &mut Dice) -> String {
    const PIECES: &[&str] = &[
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ":",
        ",",
        ";",
        "=",
        "\n",
        "\n    ",
        "\n        ",
        " ",
        "\\\n",
        "#",
        "'",
        "\"",
        "\"\"\"",
        "*",
        "**",
        "@",
        ".",
        "not ",
        "in ",
        "is ",
        "if ",
        "else",
        "for ",
        "lambda ",
        "yield ",
        "await ",
        "async ",
        "print ",
        "exec ",
        "match ",
        "type ",
        "case ",
        "def ",
        "class ",
        "import ",
        "from ",
        "return ",
        "1",
        "x",
        "f'{x}'",
        "f\"{",
        "}\"",
        "->",
        ":=",
        "==",
        "-",
        "~",
        "\t",
        "\r\n",
        "...",
        "as ",
        "with ",
        "try:",
        "except ",
        "# c\n",
        "pass\n",
        "global ",
        "del ",
        "u'é'",
        "b''",
        "r'\\'",
        "|",
        "<",
    ];
    let mut words = words_of(text);
    for _ in 0..=dice.below(3) {
        let place = dice.below(words.len() + 1);
        match dice.below(5) {
            0 if place < words.len() => {
                words.remove(place);
            }
            1 if place < words.len() => words.insert(place, words[place]),
            2 if place + 1 < words.len() => words.swap(place, place + 1),
            3 if !words.is_empty() => {
                let other = words[dice.below(words.len())];
                words.insert(place, other);
            }
            _ => words.insert(place, PIECES[dice.below(PIECES.len())]),
        }
    }
    words.concat()
}

/// Lines without the indentation that all of them have.
fn outdented(lines: &[&str]) -> String {
    let blanks = |line: &&str| line.len() - line.trim_start().len();
    let common = lines.iter().filter(|line| !line.trim().is_empty()).map(blanks).min().unwrap_or(0);
    lines.iter().map(|line| line.get(common..).unwrap_or("\n")).collect::<Vec<_>>().concat()
}

fn words_of(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut from = 0;
    let kind = |letter: char| {
        if letter.is_alphanumeric() || letter == '_' {
            1
        } else if letter == ' ' {
            2
        } else {
            3
        }
    };
    let mut before = 0;
    for (place, letter) in text.char_indices() {
        let now = kind(letter);
        if place > from && (now != before || now == 3) {
            words.push(&text[from..place]);
            from = place;
        }
        before = now;
    }
    words.push(&text[from..]);
    words
}

#[test]
fn files_of_a_folder_are_scanned_as_they_are_parsed() {
    let Some(folders) = std::env::var_os("PATCHWRIGHT_SOURCES") else {
        eprintln!("PATCHWRIGHT_SOURCES names no folder of Python files: skipped");
        return;
    };
    let mutants: usize =
        std::env::var("PATCHWRIGHT_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(0);
    for folder in std::env::split_paths(&folders) {
        let mut files = Vec::new();
        collect(&folder, &mut files);
        let results = crate::parallel::over(&files, |path| {
            let mut wrong = Vec::new();
            let Some(source) = std::fs::read(path).ok().and_then(Source::decode) else {
                return (false, false, 0, wrong);
            };
            let text = source.text();
            let scanned = agrees(text).unwrap_or_else(|why| {
                wrong.push(format!("{}: {why}", path.display()));
                false
            });
            let mut dice = Dice(text.len() as u64);
            let mut known = 0;
            for number in 0..mutants {
                // Of a part of the file, so that there are many of them.
                let lines: Vec<&str> = text.split_inclusive('\n').collect();
                let from = dice.below(lines.len());
                let most = 1 + dice.below(25);
                let changed = mutant(&outdented(&lines[from..(from + most).min(lines.len())]), &mut dice);
                match agrees(&changed) {
                    Ok(scanned) => known += usize::from(scanned),
                    Err(why) => {
                        wrong.push(format!("{} mutant {number}: {why}\n{changed}\n====", path.display()));
                    }
                }
            }
            (true, scanned, known, wrong)
        });
        let read = results.iter().filter(|(read, ..)| *read).count();
        let scanned = results.iter().filter(|(_, scanned, ..)| *scanned).count();
        let known: usize = results.iter().map(|(_, _, known, _)| known).sum();
        eprintln!(
            "{}: {scanned} of {read} files scanned; {known} of {} mutants",
            folder.display(),
            mutants * read
        );
        let wrong: Vec<&String> = results.iter().flat_map(|(.., wrong)| wrong).collect();
        for one in wrong.iter().take(12) {
            eprintln!("{one}");
        }
        assert!(wrong.is_empty(), "{} texts are scanned otherwise than parsed", wrong.len());
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "py" || extension == "pyi") {
            files.push(path);
        }
    }
}

#[test]
fn what_is_scanned_is_what_is_parsed() {
    fn check(text: &str) {
        assert_eq!(agrees(text), Ok(true), "{text}");
    }
    for text in SOUND {
        check(text);
        check(&text.replace('\n', "\r\n"));
        check(&text.replace("    ", "\t"));
        check(text.trim_end());
        // In a function and in a class, everything is another thing.
        let inner: String = text.split_inclusive('\n').map(indented).collect();
        if !text.contains("'''\n") && !text.contains("\"\"\"\n") && !text.contains("import *") {
            check(&format!("def around():\n    pass\n{inner}"));
            check(&format!("class Around:\n    # first\n    x = 1\n{inner}\n# end\n"));
        }
    }
}

fn indented(line: &str) -> String {
    if line.trim().is_empty() { line.to_owned() } else { format!("    {line}") }
}

#[test]
fn what_is_in_doubt_is_left_to_the_parser() {
    fn check(text: &str) {
        assert_eq!(agrees(text), Ok(false), "{text}");
    }
    for text in IN_DOUBT {
        check(text);
    }
}

#[test]
fn deep_nesting_is_in_doubt() {
    assert_eq!(agrees(&format!("x = {}1{}\n", "(".repeat(20_000), ")".repeat(20_000))), Ok(false));
    assert_eq!(agrees(&format!("x = {}y\n", "lambda: ".repeat(5_000))), Ok(false));
    let deep = (0..200).map(|depth| " ".repeat(depth) + "if x:\n").collect::<Vec<_>>().concat();
    assert_eq!(agrees(&format!("{deep}{}pass\n", " ".repeat(200))), Ok(false));
    assert_eq!(agrees(&format!("x = {}1\n", "not ".repeat(5_000))), Ok(true));
    assert_eq!(agrees(&format!("x = {}1\n", "-".repeat(5_000))), Ok(true));
    assert_eq!(agrees(&format!("x = 1{}\n", " + 1".repeat(5_000))), Ok(true));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

    /// Whatever a program is and whatever is done to it: it is scanned as it is parsed, or not at all.
    #[test]
    fn changed_programs_are_never_scanned_otherwise(
        pieces in proptest::collection::vec((0..SOUND.len(), 0..3_usize), 1..4),
        seed in proptest::num::u64::ANY,
        changes in 0..3_usize,
    ) {
        let mut text = String::new();
        for (piece, depth) in pieces {
            let wide = "    ".repeat(depth);
            if depth > 0 {
                text.push_str(&format!("{}with a as b:\n", "    ".repeat(depth - 1)));
            }
            for line in SOUND[piece].split_inclusive('\n') {
                text.push_str(&if line.trim().is_empty() { line.to_owned() } else { format!("{wide}{line}") });
            }
        }
        let mut dice = Dice(seed);
        for _ in 0..changes {
            text = mutant(&text, &mut dice);
        }
        proptest::prop_assert!(agrees(&text).is_ok(), "{:?}\n{}", agrees(&text), text);
    }
}

/// Programs in all forms of statements and expressions that are scanned.
const SOUND: &[&str] = &[
    "",
    "\n\n# only\n\n  # comments\n",
    "\"\"\"Doc.\"\"\"\nimport os, sys as s\nfrom . import a\nfrom ...b.c import (\n    d as e,\n    f,\n)\n\nx = 1\n",
    "x: int = 1\ny: List[int]\nz = y = x\na, (b, c), *d = e\n(f, g) = [h, i] = j\nk.l = m[n] = 2\no += 1; p = 3\n",
    "def f(a, b=1, *c, d: int, e: str = 's', **g) -> int:\n    '''Doc.'''\n    return a\n",
    "def f(a, /, b, *, c):\n    pass\n\n\nasync def g():\n    await f()\n    async with a as b, c:\n        pass\n    async for d in e:\n        yield d\n",
    "@a\n# between\n@b.c(1)\nclass D(E, metaclass=F):\n    '''Doc'''\n\n    x = 1\n\n    @property\n    def y(self):\n        def inner():\n            return 1\n        return inner\n    # deep\n  # odd\n# end\nz = 1\n",
    "# one\n# two\ndef f():\n    # above\n\n    x = 1  # beside\n    # of g\n    def g():\n        pass\n        # in g\n    # in f\n    return g  # last\n# of h\nclass H: pass\n",
    "if a:\n    x = 1\nelif b and not c:\n    # why\n    y = 2\nelse:\n    pass\n",
    "if a: x = 1\nelif b: y = 2; z = 3\nelse: f()\n",
    "try:\n    import fast\nexcept (A, B) as e:\n    fast = None\nexcept:\n    raise X from e\nelse:\n    pass\nfinally:\n    done()\n",
    "for a, (b, c) in d, e:\n    continue\nelse:\n    break\nwhile True:\n    if x: break\n",
    "with a(b) as c, d as (e, f):\n    pass\n",
    "f(a, *b, c=d, **e)\ng(x for x in y if x not in z)\nh(\n    1,\n    # two\n    2,\n)\n",
    "x = [a for b in c for d in e if f if g]\ny = {a: b for a, b in c.items()}\nz = {*a, b}\nw = {**a, 'b': c, }\nv = (a for a in b)\n",
    "x = a[1:2, ::3, ..., :]\ny = a if b else c if d else e\nz = lambda a, *b, c=1, **d: (yield)\nw = -a ** -b // ~c @ d\nv = not a is not b\n",
    "x = 'a' \"b\" r'\\d' b'\\x00' u'c' '''d\n\"e\"'f''' \"\\\"\"\ny = 0x1F + 0b1 + 0o7 + 1_000 + 1.5e-3j + .5 + 5.\n",
    "x = f'{a}{b!r:>{c}}{{}}{d=}{e[\"f\"]:%Y-%m}' rf\"\\{g}\"\ny = f'''\n{a}\n'''\n",
    "'doc' 'more'\nf'no {value}'\nf'none'\n",
    "def f():\n    'a' \\\n    'b'\n    return a + \\\n        b\n",
    "assert a, 'b'\ndel c, d[0]\nglobal_ = 1\nraise\n",
    "def f():\n    global a, b\n    nonlocal c\n    print('a', file=b)\n    exec('c')\n    return\n",
    "match = re.match(a, b)\nmatch.group(1)\ntype(x)\ntype = 1\ncase = 2\nif (n := f(x)) > 1: pass\n",
    "class A:\n    '''Doc.'''\nclass B: 'Doc.'\nclass C:\n    x: int\n    def f(self): return 1\n    g = h = lambda: 0\n",
    "def f():\n    if a:\n        'text'\n        class B:\n            c = 1\n    x = (1,\n         2)\n    while b:\n        pass\n",
    "TABLE = [\n    1,\n    2,\n    3,\n    4,\n    5,\n    6,\n    7,\n    8,\n    9,\n    10,\n    11,\n    12,\n    13,\n    14,\n    15,\n    16,\n    17,\n    18,\n    19,\n    20,\n    21,\n    22,\n    23,\n    24,\n    25,\n    26,\n    27,\n    28,\n    29,\n    30,\n    31,\n]\n",
    "foo(\n  1)  # beside\ndef f():\n    return 1,\n",
    "def f(a: b[c, d.e] | None = None, *, g: 'h' = 1) -> i[[j], k[-1]]: ...\n",
    "# größe\nx = 'größe'  # ein Maß\n",
];

/// What only the parser can tell about.
const IN_DOUBT: &[&str] = &[
    "print 'a'\n",
    "print\n",
    "exec 'a' in b\n",
    "x = `a`\n",
    "if a <> b: pass\n",
    "raise E, 'b'\n",
    "try:\n    pass\nexcept E, e:\n    pass\n",
    "def f(a, (b, c)):\n    pass\n",
    "x = 0777L\n",
    "match x:\n    case 1:\n        pass\n",
    "type X = int\n",
    "type(x).y = 1\n",
    "def f[T](x): pass\n",
    "class A[T]: pass\n",
    "x = (1,\n",
    "x = 1)\n",
    "x = (1]\n",
    "x = 'a\n",
    "x = '''a\n",
    "def f():\nx = 1\n",
    "def f():\n    x = 1\n  y = 2\n",
    "x = 1\n    y = 2\n",
    "if a:\n    \tx = 1\n",
    "x = = 1\n",
    "x = 1 2\n",
    "f() = 1\n",
    "x = 1 +\n",
    "größe = 1\n",
    "x = f'{a'\n",
    "x = f'{f'{a}'}'\n",
    "x = f'}'\n",
    "x,\ny = 1\n",
    "x = \\\n\ny = 1\n",
    "from __future__ import *\n",
    "*a = b\n",
    "@a\nx = 1\n",
    "else:\n    pass\n",
    "try:\n    pass\n",
    "x = 1 if a\n",
    "return = 1\n",
    "x = $a\n",
    "x: a[b:]\n",
    "def f(a: b[c] == d): pass\n",
    "\u{c}x = 1\n",
    "    if a:\n        f(b +\nc)\n",
    "def f():\n    g(a +\nb)\n",
];
