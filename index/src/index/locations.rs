//! From a model's answer to places in files.

mod answer;
mod names;
#[cfg(test)]
mod tests;

use patchwright_syntax::{ProjectPath, Span, resolve};
use serde::Serialize;

use self::answer::{Item, items};
use super::Index;

/// The places that an answer names, and what it names that cannot be found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ResolvedLocations {
    /// The files with their places, in the order in which they were named. A file that was named alone has no ranges.
    pub locations: Vec<Location>,
    /// The names that cannot be found: invented, or not to be told from something else.
    pub unlocated: Vec<UnresolvedLocation>,
}

/// A file with places in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Location {
    /// The file.
    pub path: ProjectPath,
    /// Lines that were named, by number or by what stands there; in the order of the answer, none twice. See
    /// [`crate::windows`] for ranges that are disjoint.
    pub ranges: Vec<Span>,
    /// The qualified names of what was named, in the same order.
    pub names: Vec<String>,
}

/// Something that was named and cannot be found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnresolvedLocation {
    /// The line of the answer.
    pub asked: String,
    /// The reason for which it cannot be found; fit to be told to the model.
    pub reason: String,
}

/// The file that lines of an answer are about.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Current {
    /// None was named yet.
    Unnamed,
    /// One that is not there.
    Unknown,
    File(ProjectPath),
}

/// See [`Index::locate`].
pub(super) fn locate(index: &Index, answer: &str, within: &[ProjectPath]) -> ResolvedLocations {
    let located = ResolvedLocations::default();
    let mut reader = Reader { index, within, current: Current::Unnamed, class: None, located };
    for (line, item) in items(answer) {
        if let Err(reason) = reader.read(item) {
            reader.located.unlocated.push(UnresolvedLocation { asked: line.to_owned(), reason });
        }
    }
    reader.located
}

struct Reader<'i> {
    index: &'i Index,
    within: &'i [ProjectPath],
    current: Current,
    /// The class that was named last in the current file.
    class: Option<String>,
    located: ResolvedLocations,
}

impl Reader<'_> {
    fn read(&mut self, item: Item) -> Result<(), String> {
        match item {
            Item::Path(given) => {
                self.class = None;
                self.current = Current::Unknown;
                let path = self.file(&given)?;
                self.location(&path);
                self.current = Current::File(path);
                Ok(())
            }
            Item::Lines(span) => {
                let path = self.only_file()?;
                let lines = self.lines_of(&path);
                if lines == 0 {
                    return Err(format!("`{path}` is empty"));
                }
                let (first, last) = (span.first.min(span.last), span.first.max(span.last));
                let span = Span { first: first.clamp(1, lines), last: last.clamp(1, lines) };
                self.add(&path, span, None);
                Ok(())
            }
            Item::Name { kind, name, certain } => {
                let found = self.named(kind, &name);
                if certain || found.is_ok() {
                    return found;
                }
                // A word by itself may be a file such as `README.md`, or mean nothing.
                let path =
                    ProjectPath::new(&name).ok().filter(|path| self.index.all.binary_search(path).is_ok());
                path.map_or(Ok(()), |path| self.read(Item::Path(path.to_string())))
            }
        }
    }

    /// The file that a path means.
    fn file(&self, given: &str) -> Result<ProjectPath, String> {
        let mut shown = self.within.to_vec();
        shown.sort();
        let found = match resolve::among(&shown, given).as_slice() {
            [path] if path.as_str().ends_with(given) => vec![(*path).clone()],
            _ => self.index.find_path(given).into_iter().cloned().collect(),
        };
        let among: Vec<ProjectPath> =
            found.iter().filter(|path| self.within.contains(path)).cloned().collect();
        match (found.as_slice(), among.as_slice()) {
            ([], _) => Err(format!("there is no file `{given}`")),
            ([path], _) | (_, [path]) => Ok(path.clone()),
            _ => Err(format!("`{given}` could be any of {} files", found.len())),
        }
    }

    /// The file that a line number is about.
    fn only_file(&self) -> Result<ProjectPath, String> {
        match (&self.current, self.within) {
            (Current::File(path), _) | (Current::Unnamed, [path]) => Ok(path.clone()),
            (Current::Unnamed, _) => Err("no file was named before it".to_owned()),
            (Current::Unknown, _) => Err("the file named before it is not there".to_owned()),
        }
    }

    fn named(&mut self, kind: Option<super::ElementKind>, name: &str) -> Result<(), String> {
        let files: Vec<ProjectPath> = match &self.current {
            Current::File(path) => vec![path.clone()],
            Current::Unnamed => self.within.to_vec(),
            Current::Unknown => return Err("the file named before it is not there".to_owned()),
        };
        let mut reasons = Vec::new();
        let mut found = Vec::new();
        for path in files {
            match names::find(self.index.elements(path.as_str()), kind, name, self.class.as_deref()) {
                Ok(elements) => found.push((path, elements)),
                Err(reason) => reasons.push(reason),
            }
        }
        match found.as_slice() {
            [] if reasons.len() == 1 => Err(reasons.remove(0)),
            [] => Err(format!("there is no `{name}` in the files that were shown")),
            [(path, elements)] => {
                for element in elements {
                    if element.kind == super::ElementKind::Class {
                        self.class = Some(element.qualified.clone());
                    }
                    let (lines, name) = (element.lines, element.qualified.clone());
                    self.add(path, lines, Some(name));
                }
                Ok(())
            }
            _ => Err(format!("`{name}` is declared in {} files, and no file was named", found.len())),
        }
    }

    fn lines_of(&self, path: &ProjectPath) -> u32 {
        if let Some(file) = self.index.file(path.as_str()) {
            return file.lines;
        }
        let source = self.index.project().read(path);
        source.map_or(0, |source| u32::try_from(source.line_count()).unwrap_or(u32::MAX))
    }

    fn add(&mut self, path: &ProjectPath, span: Span, name: Option<String>) {
        let location = self.location(path);
        if !location.ranges.contains(&span) {
            location.ranges.push(span);
        }
        location.names.extend(name.filter(|name| !location.names.contains(name)));
    }

    fn location(&mut self, path: &ProjectPath) -> &mut Location {
        let locations = &mut self.located.locations;
        let place = locations.iter().position(|location| location.path == *path).unwrap_or_else(|| {
            locations.push(Location { path: path.clone(), ranges: Vec::new(), names: Vec::new() });
            locations.len() - 1
        });
        &mut locations[place]
    }
}
