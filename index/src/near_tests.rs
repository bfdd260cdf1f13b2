//! The tests nearest to some code: those that name it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use patchwright_syntax::{Language, ProjectPath, Span, parallel};

use crate::index::{Index, IndexedFile};
use crate::reported_environment::without_environment;
use crate::retrieval::is_identifier;
use crate::test_code::files::identifiers;
use crate::test_code::id::{self, TestNameParts};

/// Code whose tests are looked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestSubject {
    /// Its file.
    pub path: String,
    /// The definition that it is in, with those around it, joined by dots; `None` where it is in none.
    pub definition: Option<String>,
}

/// A function of a test file, and the tests that it is.
#[derive(Clone, Debug, PartialEq)]
pub struct NearTest {
    /// The file.
    pub path: ProjectPath,
    /// The lines of the function, with what stands above it.
    pub lines: Span,
    /// The tests, as they were given: several where it has parameters.
    pub tests: Vec<String>,
    /// How near it is, relative to the others.
    pub nearness: f64,
}

/// How much the name of a definition counts, that of what is around it, a name in the text, and a word of it.
const DEFINITION: f64 = 3.0;
const AROUND: f64 = 1.5;
const NAME: f64 = 3.0;
const WORD: f64 = 1.0;
/// The shortest word of a text that counts.
const SHORTEST_WORD: usize = 4;
/// The factor for a test in a file that is named for that of a subject, and for one that is named for a definition.
const NAMED_FOR: f64 = 1.5;
/// Tests up to so many lines are examples; longer ones count less.
const EXAMPLE_LINES: f64 = 30.0;

/// The functions that some tests are, the nearest to the subjects first, among equals in the order of the tests. The words of `text` count
/// too, but less. Only those of files are found that name a subject, or are named for one; where there are none, those that hold words of
/// the text.
pub fn near_tests(index: &Index, tests: &[String], subjects: &[TestSubject], text: &str) -> Vec<NearTest> {
    let mut asked: HashMap<String, Vec<(usize, TestNameParts)>> = HashMap::new();
    for (place, id) in tests.iter().enumerate().filter_map(|(place, test)| Some((place, id::parse(test)?))) {
        asked.entry(id.method.clone()).or_default().push((place, id));
    }
    let wanted = Wanted::of(subjects, &without_environment(text));
    let files: Vec<&IndexedFile> = index.files().filter(|file| file.test).collect();
    let find = |by_text: bool| -> Vec<Function> {
        let read = parallel::over(&files, |file| functions(file, &asked, &wanted, by_text));
        read.into_iter().flatten().collect()
    };
    let named = find(false);
    // Where no test names the code, for it is called by other code alone, the text decides.
    let found = if named.is_empty() { find(true) } else { named };
    let rarity = |word: usize| {
        let holding = found.iter().filter(|function| function.words.contains(&word)).count().max(1);
        // What stands in many tests tells little of one.
        (1.0 + found.len() as f64 / holding as f64).ln()
    };
    let worth: Vec<f64> =
        wanted.words.iter().enumerate().map(|(word, (_, weight))| weight * rarity(word)).collect();
    let mut near: Vec<(usize, NearTest)> = found
        .into_iter()
        .map(|function| {
            let place = function.tests.first().copied().unwrap_or_default();
            let nearness = function.factor * function.words.iter().map(|word| worth[*word]).sum::<f64>();
            let tests = function.tests.iter().map(|place| tests[*place].clone()).collect();
            (place, NearTest { path: function.path, lines: function.lines, tests, nearness })
        })
        .collect();
    near.sort_by(|left, right| {
        right.1.nearness.total_cmp(&left.1.nearness).then_with(|| left.0.cmp(&right.0))
    });
    near.into_iter().map(|(_, test)| test).collect()
}

/// What is looked for in tests.
struct Wanted {
    /// Words with their weights.
    words: Vec<(String, f64)>,
    places: HashMap<String, usize>,
    /// What files and definitions are called, as tests are named for them.
    files: BTreeSet<String>,
    definitions: BTreeSet<String>,
}

impl Wanted {
    fn of(subjects: &[TestSubject], text: &str) -> Self {
        let mut weights: BTreeMap<String, f64> = BTreeMap::new();
        let mut add = |word: &str, weight: f64| {
            let known = weights.entry(word.to_owned()).or_default();
            *known = known.max(weight);
        };
        for word in identifiers(text).iter().filter(|word| word.len() >= SHORTEST_WORD) {
            add(word, if is_identifier(word) { NAME } else { WORD });
        }
        let (mut files, mut definitions) = (BTreeSet::new(), BTreeSet::new());
        for subject in subjects {
            files.insert(subject_of(&subject.path));
            let names: Vec<&str> = subject.definition.iter().flat_map(|name| name.split('.')).collect();
            // Nobody calls `__init__` by its name.
            let own = names.iter().rposition(|name| !name.starts_with("__"));
            for (place, name) in names.iter().enumerate() {
                add(name, if Some(place) == own { DEFINITION } else { AROUND });
            }
            definitions.extend(own.map(|own| plain(names[own])));
        }
        let words: Vec<(String, f64)> = weights.into_iter().collect();
        let places = words.iter().enumerate().map(|(place, (word, _))| (word.clone(), place)).collect();
        Self { words, places, files, definitions }
    }

    /// Those of the words that stand in a text.
    fn within(&self, text: &str) -> BTreeSet<usize> {
        identifiers(text).iter().filter_map(|word| self.places.get(word).copied()).collect()
    }

    fn is_subject(&self, word: usize) -> bool {
        self.words[word].1 > WORD
    }
}

/// A function with what its nearness is made of.
struct Function {
    path: ProjectPath,
    lines: Span,
    /// The places of its tests.
    tests: Vec<usize>,
    words: BTreeSet<usize>,
    factor: f64,
}

/// The functions of a file that are tests.
fn functions(
    file: &IndexedFile,
    asked: &HashMap<String, Vec<(usize, TestNameParts)>>,
    wanted: &Wanted,
    by_text: bool,
) -> Vec<Function> {
    let Some(source) = file.source() else { return Vec::new() };
    let named_for = wanted.files.contains(&subject_of(file.path.as_str()));
    let mut words = wanted.within(source.text()).into_iter();
    if !named_for && !words.any(|word| by_text || wanted.is_subject(word)) {
        return Vec::new();
    }
    let lines = source.lines();
    let mut found = Vec::new();
    for element in file.elements() {
        let Some(ids) = asked.get(element.name()).filter(|_| element.kind.is_callable()) else { continue };
        let own: Vec<usize> = ids
            .iter()
            .filter(|(_, id)| is_of(id, &file.path, &element.qualified))
            .map(|(place, _)| *place)
            .collect();
        if own.is_empty() {
            continue;
        }
        let rows = element.lines.first as usize - 1..element.lines.last as usize;
        let text = lines.get(rows).unwrap_or_default().join("\n");
        let name = plain(element.name());
        let mut factor = (text.lines().count() as f64 / EXAMPLE_LINES).max(1.0).recip();
        for named_for in [named_for, wanted.definitions.iter().any(|definition| name.contains(definition))] {
            factor *= if named_for { NAMED_FOR } else { 1.0 };
        }
        let words = wanted.within(&text);
        if by_text && words.is_empty() {
            continue;
        }
        let path = file.path.clone();
        found.push(Function { path, lines: element.lines, tests: own, words, factor });
    }
    found
}

/// Is true if an id means the function of this qualified name.
fn is_of(id: &TestNameParts, path: &ProjectPath, qualified: &str) -> bool {
    let around = qualified.strip_suffix(&id.method).unwrap_or_default().trim_end_matches('.');
    if let Some(file) = &id.file {
        return path.as_str() == file && id.classes.join(".") == around;
    }
    let container = [id.names.as_slice(), id.classes.as_slice()].concat().join(".");
    let ends = |whole: &str, end: &str| {
        end.is_empty() || whole == end || whole.strip_suffix(end).is_some_and(|rest| rest.ends_with('.'))
    };
    let dotted = |path: &str| path.replace('/', ".");
    let module = container.strip_suffix(around).map(|module| module.trim_end_matches('.'));
    // Modules of Python are files, packages of Java folders.
    ends(&container, around)
        && module.is_some_and(|module| {
            ends(&dotted(path.without_extension()), module) || ends(&dotted(path.folder()), module)
        })
}

/// Whether a test file is named for another file.
pub fn is_named_for(test_file: &str, file: &str) -> bool {
    subject_of(test_file) == subject_of(file)
}

/// What a file, or the file that it tests, is called; one that stands for its folder is called as that.
fn subject_of(path: &str) -> String {
    let module = ProjectPath::new(path).ok().and_then(|path| {
        let language = Language::of_path(path.as_path())?;
        Some(language.module_of(&path).to_owned())
    });
    let module = module.as_deref().unwrap_or(path);
    let name = module.rsplit('/').next().unwrap_or(module);
    let stem = plain(name.split('.').next().unwrap_or(name));
    let bare = stem.strip_prefix("test").unwrap_or(&stem);
    let bare = ["tests", "test"].iter().find_map(|mark| bare.strip_suffix(mark)).unwrap_or(bare);
    if bare.is_empty() { stem } else { bare.to_owned() }
}

/// A name without what naming conventions put into it.
fn plain(name: &str) -> String {
    name.replace('_', "").to_lowercase()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn ids_mean_functions() {
        let check = |test: &str, path: &str, qualified: &str, expect: bool| {
            let id = id::parse(test).unwrap();
            let path = ProjectPath::new(path).unwrap();
            assert_eq!(is_of(&id, &path, qualified), expect, "{test} {path} {qualified}");
        };
        check("tests/test_a.py::TestA::test_x[1]", "tests/test_a.py", "TestA.test_x", true);
        check("tests/test_a.py::test_x", "tests/test_a.py", "TestA.test_x", false);
        check("tests/test_a.py::test_x", "other/test_a.py", "test_x", false);
        check("tests.test_a.TestA.test_x", "tests/test_a.py", "TestA.test_x", true);
        check("test_x (test_a.TestA)", "tests/test_a.py", "TestA.test_x", true);
        check("tests.test_b.TestA.test_x", "tests/test_a.py", "TestA.test_x", false);
        check("tests.test_a.ATestA.test_x", "tests/test_a.py", "TestA.test_x", false);
        check("org.x.ATest::testX", "src/test/java/org/x/ATest.java", "ATest.testX", true);
        check("org.x.ATest$Inner::testX", "src/test/java/org/x/ATest.java", "ATest.Inner.testX", true);
        check("org.y.ATest::testX", "src/test/java/org/x/ATest.java", "ATest.testX", false);
    }

    #[test]
    fn tests_are_named_for_files() {
        let check = |test: &str, file: &str| assert_eq!(subject_of(test), subject_of(file));
        check("tests/test_lease_pool.py", "src/lease_pool.py");
        check("src/test/java/x/PoolTest.java", "src/main/java/x/Pool.java");
        check("tests/tests.py", "x/tests.py");
        check("tests/test_harbor.py", "src/harbor/__init__.py");
        assert_ne!(subject_of("tests/test_a/__init__.py"), subject_of("src/b/__init__.py"));
    }
}
