//! How many imports lie between the tests of a project and some of its files.

use std::collections::{BTreeMap, HashMap, VecDeque};

use patchwright_syntax::{ProjectPath, parallel};

use crate::index::{Index, IndexedFile};
use crate::mentions::imported_modules;

/// The test files that lead to some files by their imports, the fewest imports first, among equals in the order of their paths. Imports are
/// read by their lines: a name that several modules end with leads to all of them.
pub fn tests_outward(index: &Index, from: &[String]) -> Vec<ProjectPath> {
    let files: Vec<&IndexedFile> = index.files().collect();
    let imports = parallel::over(&files, |file| {
        file.source().map(|source| imported_modules(source.text())).unwrap_or_default()
    });
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, file) in files.iter().enumerate() {
        by_name.entry(last(file.module())).or_default().push(place);
    }
    let mut importers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (importer, modules) in imports.iter().enumerate() {
        for module in modules {
            let fits = |place: &&usize| {
                files[**place]
                    .module()
                    .split('/')
                    .rev()
                    .zip(module.split('/').rev())
                    .all(|(one, other)| one == other)
            };
            for imported in by_name.get(last(module)).into_iter().flatten().filter(fits) {
                importers.entry(*imported).or_default().push(importer);
            }
        }
    }
    let mut distances: BTreeMap<usize, usize> = BTreeMap::new();
    let mut next: VecDeque<(usize, usize)> = files
        .iter()
        .enumerate()
        .filter(|(_, file)| from.iter().any(|path| file.path.as_str() == path))
        .map(|(place, _)| (place, 0))
        .collect();
    while let Some((place, distance)) = next.pop_front() {
        if distances.contains_key(&place) {
            continue;
        }
        distances.insert(place, distance);
        next.extend(importers.get(&place).into_iter().flatten().map(|importer| (*importer, distance + 1)));
    }
    let mut tests: Vec<(usize, usize)> = distances
        .into_iter()
        .filter(|(place, _)| files[*place].test)
        .map(|(place, distance)| (distance, place))
        .collect();
    tests.sort_unstable();
    tests.into_iter().map(|(_, place)| files[place].path.clone()).collect()
}

/// The last part of a module's path.
fn last(module: &str) -> &str {
    module.rsplit('/').next().unwrap_or(module)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn tests_stand_by_the_imports_between() {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("shop/__init__.py", "from .till import pay\n"),
            ("shop/money.py", "RATE = 3\n"),
            ("shop/till.py", "from .money import RATE\n\ndef pay(): return RATE\n"),
            ("other/money.py", "RATE = 4\n"),
            ("tests/test_all.py", "import shop\n"),
            ("tests/test_money.py", "from shop.money import RATE\n"),
            ("tests/test_other.py", "from other.things import x\n"),
            ("tests/test_till.py", "import shop.till\n"),
        ] {
            let file = folder.path().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let index = Index::build(folder.path()).unwrap();
        let check = |from: &str, expect: &[&str]| {
            let found = tests_outward(&index, &[from.to_owned()]);
            assert_eq!(found.iter().map(ProjectPath::as_str).collect::<Vec<_>>(), expect, "{from}");
        };
        check("shop/money.py", &["tests/test_money.py", "tests/test_till.py", "tests/test_all.py"]);
        check("shop/till.py", &["tests/test_till.py", "tests/test_all.py"]);
        check("shop/nothing.py", &[]);
    }
}
