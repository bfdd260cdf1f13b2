//! One file of an index.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use patchwright_syntax::{Language, Project, ProjectPath, Skeleton, Source};

use super::element::Element;
use super::parsed::Parsed;

/// A file of a known language. Parsed when it is first asked for something that only its tree tells.
#[derive(Clone, Debug)]
pub struct IndexedFile {
    /// Where it is.
    pub path: ProjectPath,
    /// Its language.
    pub language: Language,
    /// How many lines it has.
    pub lines: u32,
    /// How many bytes it has.
    pub bytes: u64,
    /// Whether it is test code, by its name and folder.
    pub test: bool,
    pub(super) text: Text,
    pub(super) parsed: Arc<OnceLock<Parsed>>,
}

/// Where the text of a file is.
#[derive(Clone, Debug)]
pub(super) enum Text {
    /// In memory.
    Held(Arc<Source>),
    /// In its project alone.
    OnDisk(Arc<Project>),
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

    /// Its declarations, in the order of the file.
    pub fn elements(&self) -> &[Element] {
        &self.parsed().elements
    }

    /// Its skeleton.
    pub fn skeleton(&self) -> &Skeleton {
        &self.parsed().skeleton
    }

    /// How many places could not be parsed.
    pub fn syntax_errors(&self) -> u32 {
        self.parsed().syntax_errors
    }

    pub(super) fn parsed(&self) -> &Parsed {
        let parse = || self.source().map(|source| Parsed::of(self.language, source.text()));
        self.parsed.get_or_init(|| parse().unwrap_or_default())
    }
}
