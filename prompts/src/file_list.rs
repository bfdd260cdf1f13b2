//! The files of a project in little room.

use std::collections::BTreeMap;

use crate::untrusted::name;

/// The bytes that a list of files may take: of a large project it tells where things lie, and a search finds the rest.
const ROOM: usize = 600;

/// The files, in the most telling of these forms that has room: each by its path; those of a folder in one line; folders with the number of their
/// files; and the folders above these.
pub(crate) fn file_list(files: &[String]) -> Vec<String> {
    let folder = |path: &str| path.rfind('/').map_or("", |end| &path[..=end]).to_owned();
    let upper = |path: &str| {
        let ends: Vec<usize> = path.match_indices('/').map(|(at, _)| at + 1).take(2).collect();
        path[..ends.last().copied().unwrap_or_default()].to_owned()
    };
    let forms: [&dyn Fn() -> Vec<String>; 4] = [
        &|| files.iter().map(|path| name(path).into_owned()).collect(),
        &|| {
            let grouped = grouped(files, folder);
            let line = |(folder, files): (String, Vec<&str>)| {
                let names: Vec<_> = files.iter().map(|path| name(&path[folder.len()..])).collect();
                format!("{}: {}", place(&folder), names.join(", "))
            };
            grouped.into_iter().map(line).collect()
        },
        &|| counted(files, folder),
        &|| counted(files, upper),
    ];
    let mut lines = Vec::new();
    for form in forms {
        lines = form();
        if lines.iter().map(|line| line.len() + 1).sum::<usize>() <= ROOM {
            break;
        }
    }
    lines
}

/// The files by a folder of each.
fn grouped(files: &[String], folder: impl Fn(&str) -> String) -> BTreeMap<String, Vec<&str>> {
    let mut grouped: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for path in files {
        grouped.entry(folder(path)).or_default().push(path);
    }
    grouped
}

fn counted(files: &[String], folder: impl Fn(&str) -> String) -> Vec<String> {
    let line = |(folder, files): (String, Vec<&str>)| {
        let word = if files.len() == 1 { "file" } else { "files" };
        format!("{} ({} {word})", place(&folder), files.len())
    };
    grouped(files, folder).into_iter().map(line).collect()
}

/// A folder by its name.
fn place(folder: &str) -> String {
    if folder.is_empty() { "at the top".to_owned() } else { name(folder).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_too_long_tells_of_folders() {
        let files = |folders: usize, each: usize| -> Vec<String> {
            let file = |at: usize| format!("pack/part_{:03}/module_{:03}.py", at / each, at % each);
            (0..folders * each).map(file).collect()
        };
        let first = |list: &[String]| file_list(list).swap_remove(0);
        assert_eq!(first(&files(2, 3)), "pack/part_000/module_000.py");
        assert!(first(&files(2, 15)).starts_with("pack/part_000/: module_000.py, module_001.py"));
        assert_eq!(first(&files(20, 30)), "pack/part_000/ (30 files)");
        let mut many = files(900, 2);
        many.push("setup.py".to_owned());
        assert_eq!(first(&many), "at the top (1 file)");
        let deep: Vec<String> = (0..900).map(|at| format!("a/b/c{at:03}/x.py")).collect();
        assert_eq!(file_list(&deep), ["a/b/ (900 files)"]);
    }
}
