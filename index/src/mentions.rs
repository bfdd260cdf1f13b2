//! The code of a project that a text about it names, such as an issue.

use std::collections::BTreeSet;

use patchwright_syntax::pattern::{Pattern, pattern};
use patchwright_syntax::{ProjectPath, Span};

use crate::index::{Element, ElementKind, Index, IndexedFile};
use crate::quoted_messages::quoted;
use crate::reported_environment::without_environment;

/// Names that are looked up, the first of a text.
const MOST_NAMES: usize = 40;
/// Different frames of tracebacks that are looked up, and different lines of files, the first of a text.
const MOST_FRAMES: usize = 100;
/// Names shorter than this are words by chance.
const SHORTEST_NAME: usize = 3;
/// Lines of a file that is shown where it is named as a whole.
const SHORT_FILE: u32 = 60;
/// Places of code that writes what a text quotes.
const MOST_QUOTED: usize = 2;
/// Lines around such a place that stands in no function.
const AROUND: u32 = 6;
/// Functions or classes of one name, of which no more is known, that are looked at all.
const FEW_NAMESAKES: usize = 4;
/// The same where the name stands behind that of something that is no class here.
const FEW_OF_ANYTHING: usize = 2;
/// Lines of which the beginning is shown where the word that names the file is no word of a language.
const LONG_FILE: u32 = 300;

/// A frame of a Python traceback: path, line, function, and the code of the line where it is shown.
static FRAME: Pattern =
    pattern!(r#"(?m)^\s*File "([^"]+)", line (\d+), in (<?\w+)[^\n]*\n?(?:[ \t]{2,}([^\n]*))?"#);
/// The same with the line of code that it shows.
static WHOLE_FRAME: Pattern = pattern!(r#"(?m)^[ \t]*File "[^"]+", line \d+.*\n?(?:[ \t]{4,}.*\n?)?"#);
/// A line of a file: `a/b.py:12`, "`b.py` at line 12".
static LINE: Pattern = pattern!(r"([\w./-]+\.\w+)`?(?:,? *(?:(?:at|on|in) )?[Ll]ine |:|#L)(\d+)\b");
/// A word that no text has by chance: with a digit or an underscore in it.
static CODED: Pattern = pattern!(r"\b[A-Za-z_]\w*[A-Za-z](?:_\w|\d)\w*|\b[A-Z]\d\w{2,}");
/// A line of code that imports something: the module, as Python, Java and JavaScript name it.
static IMPORT: Pattern = pattern!(
    r#"(?m)^\s*(?:>>> )?(?:from\s+([\w.]+)\s+import\b|import\s+(?:static\s+)?([\w.]+)|(?:import|const|let|var)\b.*['"]([\w./-]+)['"])"#
);
/// What stands between backticks on a line.
static CODE: Pattern = pattern!(r"`([^`\n]+)`");
/// A name that is called.
static CALLED: Pattern = pattern!(r"([A-Za-z_$][\w$.]*)\(");
/// A name that is written as one calls it, in prose, too.
static CALLED_IN_PROSE: Pattern = pattern!(r"([A-Za-z_$][\w$.]*)\(\)");
/// A dotted name, or a path of a file.
static DOTTED: Pattern = pattern!(r"[A-Za-z_$][\w$/-]*(?:[.#][A-Za-z_$][\w$/-]*)+");
/// A name that is all of a text, but for arguments behind it.
static NAME: Pattern = pattern!(r"^@?([A-Za-z_$][\w$/-]*(?:[.#][A-Za-z_$][\w$/-]*)*)(?:\(.*\)?)?$");

/// Code that a text names: a function, a class, or a short file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mention {
    /// The file.
    pub path: ProjectPath,
    /// Its lines.
    pub lines: Span,
    /// The line of it that the text speaks of, from 1; nothing where it is named as a whole.
    pub line: Option<u32>,
}

/// The code that a text names and that can be told from all other code among the `wanted` files. First what its tracebacks lead to, the
/// place of the failure first; then the functions of lines that it gives; then the code that writes the messages that it quotes; then what
/// it names as code, and then by dotted names and paths, in the order of the text; then what has a name that few others have.
pub fn mentions(index: &Index, text: &str, wanted: impl Fn(&IndexedFile) -> bool) -> Vec<Mention> {
    let files: Vec<&IndexedFile> = index.files().filter(|file| wanted(file)).collect();
    let text = &without_environment(text);
    let prose = &without_frames(text);
    let traced = frames(text, prose).into_iter().filter_map(|frame| traced(&files, &frame));
    let lined = lines(text).into_iter().filter_map(|(path, line)| at_line(&files, &path, line));
    let quoted = quoted(&files, prose).into_iter().take(MOST_QUOTED);
    let quoted = quoted.map(|(file, line)| around(file, line));
    let imported = imported_modules(prose);
    let names = coded_names(prose).into_iter().map(|name| named(&files, &name, &imported));
    let (named, several): (Vec<_>, Vec<_>) = names.partition(|found| found.len() == 1);
    let named = named.into_iter().chain(several).flatten();
    let mut seen = BTreeSet::new();
    traced.chain(lined).chain(quoted).chain(named).filter(|mention| seen.insert(mention.clone())).collect()
}

/// A frame of a traceback.
struct Frame {
    path: String,
    line: u32,
    function: String,
    /// The code of the line; nothing where it is not shown.
    code: String,
}

/// The frames of the tracebacks in a text, each once, the innermost first; those before all others whose function is named in the `prose`
/// beside them.
fn frames(text: &str, prose: &str) -> Vec<Frame> {
    let mut seen = BTreeSet::new();
    let found = FRAME.captures_iter(text);
    let mut frames: Vec<Frame> = found
        .filter(|frame| seen.insert([1, 2, 3].map(|part| frame[part].to_owned())))
        .take(MOST_FRAMES)
        .map(|frame| {
            let code = frame.get(4).map_or("", |code| code.as_str().trim());
            let code = if code.starts_with("File \"") { "" } else { code };
            Frame {
                path: frame[1].to_owned(),
                line: frame[2].parse().unwrap_or_default(),
                function: frame[3].to_owned(),
                code: code.to_owned(),
            }
        })
        .collect();
    frames.reverse();
    // What is spoken of besides is what it is about, however far out its frame is.
    let words: BTreeSet<&str> =
        prose.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).collect();
    frames.sort_by_key(|frame| !words.contains(frame.function.as_str()));
    frames
}

/// A text without the frames of its tracebacks.
fn without_frames(text: &str) -> String {
    WHOLE_FRAME.replace_all(text, "").into_owned()
}

/// The lines of files in a text, each once.
fn lines(text: &str) -> Vec<(String, u32)> {
    let found = LINE.captures_iter(text);
    let mut seen = BTreeSet::new();
    let lines = found.filter_map(|line| Some((line[1].to_owned(), line[2].parse().ok()?)));
    lines.filter(|line| seen.insert(line.clone())).take(MOST_FRAMES).collect()
}

/// The innermost function around a line.
fn at_line(files: &[&IndexedFile], path: &str, line: u32) -> Option<Mention> {
    let file = only(files.iter().filter(|file| is_path(file, path)))?;
    function_at(file, line)
}

/// The innermost function around a line of a file.
fn function_at(file: &IndexedFile, line: u32) -> Option<Mention> {
    let innermost = innermost(file, |element| element.lines.contains(line));
    innermost.map(|element| Mention { line: Some(line), ..mention(file, element) })
}

/// The innermost function around a line, or else the lines around it.
fn around(file: &IndexedFile, line: u32) -> Mention {
    function_at(file, line).unwrap_or_else(|| Mention {
        path: file.path.clone(),
        lines: Span { first: line.saturating_sub(AROUND).max(1), last: (line + AROUND).min(file.lines) },
        line: Some(line),
    })
}

/// The innermost of the functions of a file that are `wanted`.
fn innermost(file: &IndexedFile, wanted: impl Fn(&Element) -> bool) -> Option<&Element> {
    let fitting = file.elements().iter().filter(|element| element.kind.is_callable() && wanted(element));
    fitting.min_by_key(|element| element.lines.last - element.lines.first)
}

/// Is true if a path, or the end of one, is that of a file.
fn is_path(file: &IndexedFile, path: &str) -> bool {
    file.path.as_str().strip_suffix(path).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The names and paths that a text writes as code, each once; those of the frames of tracebacks are not among them.
pub fn names_in(text: &str) -> Vec<String> {
    coded_names(&without_frames(&without_environment(text)))
}

/// The same of a text without environments and frames.
fn coded_names(text: &str) -> Vec<String> {
    let spans: Vec<&str> = CODE.captures_iter(text).filter_map(|code| Some(code.get(1)?.as_str())).collect();
    let whole = |code: &str| Some(NAME.captures(code.trim())?[1].to_owned());
    let calls = |code: &str| {
        let calls = CALLED.captures_iter(code);
        calls.map(|call| call[1].to_owned()).collect::<Vec<_>>()
    };
    let code = spans.iter().flat_map(|code| whole(code).into_iter().chain(calls(code)));
    let dotted = DOTTED.find_iter(text);
    let called = CALLED_IN_PROSE.captures_iter(text);
    let called = called.map(|call| call[1].to_owned());
    let mut seen = BTreeSet::new();
    let coded = CODED.find_iter(text);
    let all = code.chain(called).chain(dotted.chain(coded).map(|name| name.as_str().to_owned()));
    all.map(|name| name.replace('#', ".")).filter(|name| seen.insert(name.clone())).take(MOST_NAMES).collect()
}

/// The function of a frame. Line numbers may be those of another version, so that its name counts and, where several have it, the code of its
/// line, and only then its number.
fn traced(files: &[&IndexedFile], frame: &Frame) -> Option<Mention> {
    let shared = |file: &&&IndexedFile| {
        let parts = |path: &str| path.split('/').rev().map(str::to_owned).collect::<Vec<_>>();
        let (own, given) = (parts(file.path.as_str()), parts(&frame.path));
        own.iter().zip(&given).take_while(|(own, given)| own == given).count()
    };
    let most = files.iter().map(|file| shared(&file)).max().filter(|most| *most > 0)?;
    let file = only(files.iter().filter(|file| shared(file) == most))?;
    let source = file.source()?;
    let lines = source.lines();
    // The line with the code of the frame.
    let told = |element: &Element| {
        let own = (element.lines.first..=element.lines.last).zip(&lines[element.lines.first as usize - 1..]);
        let mut same = own.filter(|(_, line)| !frame.code.is_empty() && line.trim() == frame.code);
        same.next().map(|(number, _)| number)
    };
    let mut fitting: Vec<&Element> = if frame.function.starts_with('<') {
        // A function without a name is found by its code, in the innermost that has one.
        innermost(file, |element| told(element).is_some()).into_iter().collect()
    } else {
        let is_named = |element: &&Element| element.kind.is_callable() && element.name() == frame.function;
        file.elements().iter().filter(is_named).collect()
    };
    if fitting.len() > 1 && !frame.code.is_empty() {
        fitting.retain(|element| told(element).is_some());
    }
    let off = |element: &&Element| {
        element.lines.first.saturating_sub(frame.line) + frame.line.saturating_sub(element.lines.last)
    };
    let element = fitting.into_iter().min_by_key(off)?;
    let line = told(element).or_else(|| element.lines.contains(frame.line).then_some(frame.line));
    Some(Mention { line, ..mention(file, element) })
}

/// The paths of the modules that code in a text imports, without dots.
pub(crate) fn imported_modules(text: &str) -> Vec<String> {
    let found = IMPORT.captures_iter(text);
    let modules =
        found.filter_map(|found| found.iter().skip(1).flatten().next().map(|module| module.as_str()));
    modules.map(|module| module.replace('.', "/").trim_matches('/').to_owned()).collect()
}

/// The code of a name: the class or function whose name with those around it ends with it or, where none does, holds its parts in their
/// order; else a short file. Where that is not one, the [`namesakes`].
fn named(files: &[&IndexedFile], name: &str, imported: &[String]) -> Vec<Mention> {
    let whole_file = |file: &&IndexedFile| Mention {
        path: file.path.clone(),
        lines: Span { first: 1, last: file.lines },
        line: None,
    };
    let short = |file: &&&IndexedFile| (1..=SHORT_FILE).contains(&file.lines);
    if let Some(file) = only(files.iter().filter(|file| is_path(file, name))) {
        return Some(file).filter(short).map(whole_file).into_iter().collect();
    }
    let parts: Vec<&str> = name.split('.').collect();
    let Some(own) = parts.last().filter(|own| own.len() >= SHORTEST_NAME) else { return Vec::new() };
    let declared = declarations(files, own);
    let ends = |one: &&Declaration<'_>| one.full().ends_with(&parts);
    let in_order = |one: &&Declaration<'_>| is_within(&parts, &one.full());
    let found = if declared.iter().any(|one| ends(&one)) {
        only(declared.iter().filter(ends))
    } else {
        only(declared.iter().filter(in_order))
    };
    if let Some(Declaration { file, element }) = found {
        return vec![mention(file, element)];
    }
    if !declared.is_empty() {
        return namesakes(&declared, &parts, imported);
    }
    let is_module = |file: &&&IndexedFile| file.module().split('/').collect::<Vec<_>>().ends_with(&parts);
    let coded = name.contains(|letter: char| letter.is_ascii_digit() || letter == '_');
    let modules = files.iter().filter(is_module).filter(|_| coded || parts.len() > 1);
    let most = if coded { LONG_FILE } else { SHORT_FILE };
    only(modules).filter(|file| (1..=most).contains(&file.lines)).map(whole_file).into_iter().collect()
}

/// A class or function of a project.
struct Declaration<'a> {
    file: &'a IndexedFile,
    element: &'a Element,
}

impl<'a> Declaration<'a> {
    /// The parts of its name with those of its module.
    fn full(&self) -> Vec<&'a str> {
        self.file.module().split('/').chain(self.element.qualified.split('.')).collect()
    }

    /// What it stands in: its class or, without one, its module.
    fn within(&self) -> Option<&'a str> {
        self.full().into_iter().rev().nth(1)
    }
}

/// The classes and functions of a name.
fn declarations<'a>(files: &[&'a IndexedFile], name: &str) -> Vec<Declaration<'a>> {
    let holds = |file: &&&IndexedFile| file.source().is_some_and(|source| source.text().contains(name));
    let all = files.iter().filter(holds);
    all.flat_map(|file| file.elements().iter().map(|element| Declaration { file, element }))
        .filter(|one| one.element.kind != ElementKind::Variable && one.element.name() == name)
        .collect()
}

/// Those of several declarations of a name that are meant, as far as they are few: variables are often called after their class, so that
/// `cart.add` is the `add` of `Cart`; else those of the modules that the text imports.
fn namesakes(declared: &[Declaration<'_>], parts: &[&str], imported: &[String]) -> Vec<Mention> {
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let before = parts.iter().rev().nth(1).map(|before| plain(before));
    let is_of_class = |one: &&Declaration<'_>| before.is_some() && one.within().map(plain) == before;
    let of_class: Vec<&Declaration<'_>> = declared.iter().filter(is_of_class).collect();
    let (meant, most) = match (of_class.is_empty(), &before) {
        (false, _) => (of_class, FEW_NAMESAKES),
        (true, None) => (declared.iter().collect(), FEW_NAMESAKES),
        (true, Some(_)) => (declared.iter().collect(), FEW_OF_ANYTHING),
    };
    let is_imported = |one: &&Declaration<'_>| {
        let module = format!("/{}/", one.file.module());
        imported.iter().any(|path| !path.is_empty() && module.contains(&format!("/{path}/")))
    };
    let (meant, most) = if meant.len() > most {
        (meant.into_iter().filter(is_imported).collect(), FEW_NAMESAKES)
    } else {
        (meant, most)
    };
    if meant.len() > most {
        return Vec::new();
    }
    meant.into_iter().map(|one| mention(one.file, one.element)).collect()
}

/// Is true if all parts stand in a name, in their order.
fn is_within(parts: &[&str], full: &[&str]) -> bool {
    let mut full = full.iter();
    parts.iter().all(|part| full.any(|one| one == part))
}

/// The only one of several, if there is one and no other.
fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

fn mention(file: &IndexedFile, element: &Element) -> Mention {
    Mention { path: file.path.clone(), lines: element.lines, line: None }
}
