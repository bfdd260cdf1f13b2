//! Which functions of a project call each other, by the names of what is called.

use std::collections::{BTreeSet, HashMap, HashSet};

use patchwright_index::{Element, IndexedFile};

use crate::piece::Piece;

/// Functions of one name that a call may mean; of more it means none.
const NAMESAKES: usize = 2;

/// The functions of some files by their names.
pub(super) struct Calls<'a> {
    files: &'a [&'a IndexedFile],
    functions: HashMap<&'a str, Vec<Function<'a>>>,
}

/// A function and its file.
#[derive(Clone, Copy)]
struct Function<'a> {
    file: &'a IndexedFile,
    element: &'a Element,
}

impl<'a> Function<'a> {
    fn piece(&self) -> Piece {
        Piece { path: self.file.path.clone(), lines: self.element.lines, line: None }
    }

    /// The name of what it stands in.
    fn around(&self) -> &'a str {
        self.element.qualified.strip_suffix(self.element.name()).unwrap_or_default()
    }
}

impl<'a> Calls<'a> {
    pub(super) fn of(files: &'a [&'a IndexedFile]) -> Self {
        let mut functions: HashMap<&str, Vec<Function<'a>>> = HashMap::new();
        for file in files {
            for element in file.elements().iter().filter(|element| element.kind.is_callable()) {
                functions.entry(element.name()).or_default().push(Function { file, element });
            }
        }
        Self { files, functions }
    }

    /// The functions that a piece calls, in the order of its lines.
    pub(super) fn callees(&self, piece: &Piece) -> Vec<Piece> {
        let Some(file) = self.files.iter().find(|file| file.path == piece.path) else { return Vec::new() };
        let Some(source) = file.source() else { return Vec::new() };
        let rows = piece.lines.first as usize - 1..piece.lines.last as usize;
        let lines = source.lines();
        let mut seen = HashSet::new();
        let names = lines.get(rows).unwrap_or_default().iter().flat_map(|line| called(line));
        let around = self.function(piece).map(|function| function.around()).unwrap_or_default();
        let callees = names.filter(|name| seen.insert(*name)).flat_map(|name| self.meant(file, around, name));
        callees.map(|function| function.piece()).filter(|callee| callee != piece).collect()
    }

    /// The functions that call the function that a piece is, in the order of files and lines.
    pub(super) fn callers(&self, piece: &Piece) -> Vec<Piece> {
        let Some(called_one) = self.function(piece) else { return Vec::new() };
        let name = called_one.element.name();
        let mut callers: Vec<Piece> = Vec::new();
        for file in self.files {
            let Some(source) = file.source().filter(|source| source.text().contains(name)) else { continue };
            // Whether what stands around a call in this file makes it mean the piece, and the callers that are known.
            let (mut means, mut seen) = (HashMap::new(), HashSet::new());
            for (number, line) in (1..).zip(source.lines()).filter(|(_, line)| line.contains(name)) {
                let elements = file.elements().iter().filter(|it| it.kind.is_callable());
                let within = elements.filter(|it| it.lines.contains(number) && it.declaration_line != number);
                let innermost = within.min_by_key(|it| it.lines.last - it.lines.first);
                let Some(element) = innermost.filter(|_| called(line).any(|called| called == name)) else {
                    continue;
                };
                let caller = Function { file, element };
                let is_meant = *means.entry(caller.around()).or_insert_with(|| {
                    self.meant(file, caller.around(), name).iter().any(|meant| meant.piece() == *piece)
                });
                let caller = caller.piece();
                if is_meant && caller != *piece && seen.insert(element.lines) {
                    callers.push(caller);
                }
            }
        }
        callers
    }

    /// The function that a piece is.
    fn function(&self, piece: &Piece) -> Option<Function<'a>> {
        let file = self.files.iter().find(|file| file.path == piece.path)?;
        let mut elements = file.elements().iter();
        let element = elements.find(|it| it.kind.is_callable() && it.lines == piece.lines)?;
        Some(Function { file, element })
    }

    /// The functions that a call of a name means in a file, in what stands `around` the call: those beside it, else those of its file, else
    /// the only one or those that the file imports.
    fn meant(&self, file: &IndexedFile, around: &str, name: &str) -> Vec<Function<'a>> {
        let all = self.functions.get(name).map(Vec::as_slice).unwrap_or_default();
        let own: Vec<Function<'a>> = all.iter().filter(|one| one.file.path == file.path).copied().collect();
        let beside: Vec<Function<'a>> = own.iter().filter(|one| one.around() == around).copied().collect();
        let found = [beside, own].into_iter().find(|found| !found.is_empty());
        let found = found.unwrap_or_else(|| match all {
            [] | [_] => all.to_vec(),
            several => {
                let files = imported(file, name, self.files);
                let is_imported = |one: &&Function<'a>| files.iter().any(|file| file.path == one.file.path);
                several.iter().filter(is_imported).copied().collect()
            }
        });
        if found.len() > NAMESAKES { Vec::new() } else { found }
    }
}

/// The names on a line that an opening bracket follows.
fn called(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices('(').filter_map(|(end, _)| {
        let name = line[..end].rsplit(|letter: char| !is_part(letter)).next()?;
        Some(name).filter(|name| !name.is_empty())
    })
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Those of `files` whose module stands on a line of a file that holds a name as well: an import of it in any language, or `module.name`.
fn imported<'a>(file: &IndexedFile, name: &str, files: &[&'a IndexedFile]) -> Vec<&'a IndexedFile> {
    let words = |line: &str| -> BTreeSet<String> {
        line.split(|letter| !is_part(letter)).map(str::to_owned).collect()
    };
    let Some(source) = file.source() else { return Vec::new() };
    let holding = source.lines().into_iter().filter(|line| line.contains(name));
    let naming = holding.map(words).filter(|words| words.contains(name));
    let beside: BTreeSet<String> = naming.flatten().collect();
    let is_beside =
        |file: &&IndexedFile| file.module().rsplit('/').next().is_some_and(|module| beside.contains(module));
    files.iter().copied().filter(is_beside).collect()
}
