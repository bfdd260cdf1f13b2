//! One file of an index.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use patchwright_syntax::{Language, Project, ProjectPath, Skeleton, Source, reading, skeleton};

use super::element::{Element, elements};

/// A file of a known language. Parsed when it is first asked for something that only its tree tells.
#[derive(Clone, Debug)]
pub struct IndexedFile {
    /// Its path.
    pub path: ProjectPath,
    /// Its language.
    pub language: Language,
    /// The number of its lines.
    pub lines: u32,
    /// Is true if it is test code, by its name and folder.
    pub test: bool,
    pub(super) text: Text,
    pub(super) parsed: Arc<OnceLock<Parsed>>,
}

/// The place of a file's text.
#[derive(Clone, Debug)]
pub(super) enum Text {
    /// In memory.
    Held(Arc<Source>),
    /// In its project alone.
    OnDisk(Arc<Project>),
}

/// All that an index knows of a file from its tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Parsed {
    elements: Vec<Element>,
    skeleton: Skeleton,
}

impl Parsed {
    fn of(language: Language, text: &str) -> Self {
        let Some(tree) = language.parse(text) else { return Self::default() };
        let outline = reading::outline_of(language, text, &tree);
        Self { elements: elements(&outline), skeleton: skeleton::of_tree(language, text, &tree, &outline) }
    }
}

impl IndexedFile {
    /// Its text: that of the index, or what is on the disk now if the index was too large to hold it. `None` where that cannot
    /// be read any more.
    pub fn source(&self) -> Option<Cow<'_, Source>> {
        match &self.text {
            Text::Held(source) => Some(Cow::Borrowed(source)),
            Text::OnDisk(project) => project.read(&self.path).ok().map(Cow::Owned),
        }
    }

    /// The path by which code imports it, which is empty for a file that stands for the project's folder.
    pub fn module(&self) -> &str {
        self.language.module_of(&self.path)
    }

    /// Its declarations, in the order of the file.
    pub fn elements(&self) -> &[Element] {
        &self.parsed().elements
    }

    /// Its skeleton.
    pub fn skeleton(&self) -> &Skeleton {
        &self.parsed().skeleton
    }

    pub(super) fn parsed(&self) -> &Parsed {
        let parse = || self.source().map(|source| Parsed::of(self.language, source.text()));
        self.parsed.get_or_init(|| parse().unwrap_or_default())
    }
}
