//! Files read once.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use patchwright_syntax::{
    Call, Class, Language, Outline, Project, ProjectPath, ProjectReadError, Source, Span, bare, calls_in,
    may_declare_class, numbered, outline,
};

/// A file of a known language, read and outlined.
pub(super) struct Loaded {
    pub path: ProjectPath,
    pub language: Language,
    pub source: Source,
    pub outline: Outline,
    calls: OnceCell<Vec<Call>>,
}

/// A class and the file it stands in.
#[derive(Clone)]
pub(super) struct Member {
    pub file: Rc<Loaded>,
    pub class: Class,
}

/// The files of a project, each read at most once.
pub(super) struct Files<'p> {
    project: &'p Project,
    /// All of them, sorted.
    pub all: Vec<ProjectPath>,
    loaded: RefCell<BTreeMap<ProjectPath, Rc<Loaded>>>,
}

impl Loaded {
    /// All calls in the file.
    pub fn calls(&self) -> &[Call] {
        self.calls.get_or_init(|| calls_in(self.language, &self.source))
    }

    /// The text of some lines.
    pub fn text(&self, lines: Span) -> String {
        self.numbered(lines).into_iter().map(|(_, line)| line + "\n").collect()
    }

    /// Some lines with their numbers.
    pub fn numbered(&self, lines: Span) -> Vec<(u32, String)> {
        numbered(&self.source.lines(), lines)
    }

    /// The classes whose qualified name ends with these names.
    pub fn classes(&self, chain: &[String]) -> Vec<&Class> {
        let ends = |class: &&Class| {
            let own: Vec<&str> = class.qualified.split('.').map(bare).collect();
            own.len() >= chain.len()
                && own.iter().rev().zip(chain.iter().rev()).all(|(own, wanted)| own == wanted)
        };
        self.outline.all_classes().into_iter().filter(ends).collect()
    }
}

impl<'p> Files<'p> {
    pub fn new(project: &'p Project, all: Vec<ProjectPath>) -> Self {
        Self { project, all, loaded: RefCell::default() }
    }

    /// Reads a file; `None` if its language is unknown.
    pub fn load(&self, path: &ProjectPath) -> Result<Option<Rc<Loaded>>, ProjectReadError> {
        if let Some(known) = self.loaded.borrow().get(path) {
            return Ok(Some(Rc::clone(known)));
        }
        let Some(language) = Language::of_path(path.as_path()) else { return Ok(None) };
        let source = self.project.read(path)?;
        let outline = outline(language, &source);
        let loaded =
            Rc::new(Loaded { path: path.clone(), language, source, outline, calls: OnceCell::new() });
        self.loaded.borrow_mut().insert(path.clone(), Rc::clone(&loaded));
        Ok(Some(loaded))
    }

    /// The files that declare a class of this name, read. Most files are dropped before they are parsed.
    pub fn declaring(&self, paths: impl IntoIterator<Item = ProjectPath>, class: &str) -> Vec<Rc<Loaded>> {
        let chain = [class.to_owned()];
        let mut found = Vec::new();
        for path in paths {
            let known = self.loaded.borrow().contains_key(&path);
            let Some(language) = Language::of_path(path.as_path()) else { continue };
            let likely = |source: Source| may_declare_class(language, source.text(), class);
            if known || self.project.read(&path).is_ok_and(likely) {
                let loaded = self.load(&path).ok().flatten();
                found.extend(loaded.filter(|loaded| !loaded.classes(&chain).is_empty()));
            }
        }
        found
    }
}

/// All identifiers in a text.
pub(crate) fn identifiers(text: &str) -> HashSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words
        .filter(|word| word.starts_with(|first: char| first.is_alphabetic() || first == '_'))
        .map(str::to_owned)
        .collect()
}
