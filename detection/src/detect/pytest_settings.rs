//! What a project's settings for pytest say of its tests.

use patchwright_syntax::has_extension;

use super::survey::Survey;
use crate::spec::FileNames;

/// The files that pytest reads settings from, in its order, each with the table or section that holds them
/// (docs.pytest.org/en/stable/reference/customize.html).
const FILES: [(&str, &[&str]); 7] = [
    ("pytest.toml", &["pytest"]),
    (".pytest.toml", &["pytest"]),
    ("pytest.ini", &["pytest"]),
    (".pytest.ini", &["pytest"]),
    ("pyproject.toml", &["tool", "pytest"]),
    ("tox.ini", &["pytest"]),
    ("setup.cfg", &["tool:pytest"]),
];
/// The files that it takes for tests where the settings name none (`python_files`).
const USUAL_FILES: [&str; 2] = ["test_*.py", "*_test.py"];
/// The table of pyproject.toml whose values are those of an ini file.
const INI_OPTIONS: &str = "ini_options";

/// The settings of a project, as far as they tell what its tests are.
pub(crate) struct PytestSettings {
    /// The file that holds them.
    pub(crate) file: &'static str,
    /// Where tests are looked for.
    pub(crate) places: PytestPlaces,
    names: FileNames,
}

/// Where pytest looks for tests.
#[derive(Default)]
pub(crate) struct PytestPlaces {
    /// Folders, files or globs; none where that is everywhere.
    pub(crate) paths: Vec<String>,
    /// Names or globs of files; none where these are not known.
    pub(crate) files: Vec<String>,
}

impl PytestPlaces {
    /// Where it looks without settings.
    pub(crate) fn usual() -> Self {
        Self { paths: Vec::new(), files: USUAL_FILES.map(str::to_owned).to_vec() }
    }
}

impl PytestSettings {
    /// The settings that pytest would read; none where there are none.
    pub(crate) fn of(survey: &Survey) -> Option<Self> {
        FILES.iter().find_map(|(file, place)| {
            if !survey.has(file) {
                return None;
            }
            let text = survey.text(file);
            let values = |key: &str| {
                let values = if has_extension(file, "toml") {
                    of_toml(&text, place, key)
                } else {
                    of_ini(&text, place, key)
                };
                // Empty files of pytest's own count, too.
                values.or_else(|| file.contains("pytest").then(Vec::new))
            };
            let files = Some(values("python_files")?).filter(|files| !files.is_empty());
            let files = files.unwrap_or_else(|| PytestPlaces::usual().files);
            let names = FileNames::of(&files);
            Some(Self { file, places: PytestPlaces { paths: values("testpaths")?, files }, names })
        })
    }

    /// Whether `python_files` matches a file.
    pub(crate) fn names(&self, path: &str) -> bool {
        has_extension(path, "py") && self.names.name(path)
    }
}

/// The values of a key in a TOML file; none where it has no settings.
fn of_toml(text: &str, place: &[&str], key: &str) -> Option<Vec<String>> {
    let table: toml::Table = text.parse().ok()?;
    let first = table.get(*place.first()?)?;
    let settings = place.iter().skip(1).try_fold(first, |table, name| table.get(*name))?;
    let settings = settings.get(INI_OPTIONS).unwrap_or(settings);
    Some(match settings.get(key) {
        Some(toml::Value::Array(names)) => {
            names.iter().filter_map(|name| Some(name.as_str()?.to_owned())).collect()
        }
        Some(toml::Value::String(names)) => words(names),
        Some(_) | None => Vec::new(),
    })
}

/// The values of a key in an ini file: lines that are indented go on with the value before them.
fn of_ini(text: &str, place: &[&str], key: &str) -> Option<Vec<String>> {
    let head = format!("[{}]", place.first()?);
    let mut lines = text.lines().skip_while(|line| line.trim() != head).skip(1);
    text.lines().any(|line| line.trim() == head).then_some(())?;
    let (mut names, mut is_value) = (Vec::new(), false);
    for line in lines.by_ref().take_while(|line| !line.starts_with('[')) {
        let value = match line.split_once('=') {
            Some((name, value)) if !line.starts_with([' ', '\t']) => {
                is_value = name.trim() == key;
                value
            }
            Some(_) | None => line,
        };
        names.extend(words(value).into_iter().filter(|_| is_value));
    }
    Some(names)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_of_test_files_are_read_from_every_file_of_settings() {
        let check = |file: &str, text: &str, path: &str, expect: Option<(&str, bool)>| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(file), text).unwrap();
            let survey = Survey::of(folder.path()).unwrap();
            let found = PytestSettings::of(&survey);
            assert_eq!(found.map(|found| (found.file, found.names(path))), expect, "{file} {text}");
        };
        let names = "python_files = [\"check_*.py\"]\n";
        check("pytest.toml", &format!("[pytest]\n{names}"), "checks/check_a.py", Some(("pytest.toml", true)));
        check(".pytest.toml", &format!("[pytest]\n{names}"), "a.py", Some((".pytest.toml", false)));
        check(
            "pyproject.toml",
            &format!("[tool.pytest]\n{names}"),
            "check_a.py",
            Some(("pyproject.toml", true)),
        );
        let ini = "[tool.pytest.ini_options]\npython_files = 'spec_*.py check_*.py'\n";
        check("pyproject.toml", ini, "check_a.py", Some(("pyproject.toml", true)));
        check("pyproject.toml", "[project]\n", "check_a.py", None);
        let ini = "[pytest]\naddopts = -q\npython_files =\n    check_*.py\n    spec/*.py\ntestpaths = x\n";
        check("pytest.ini", ini, "spec/a.py", Some(("pytest.ini", true)));
        assert_eq!(of_ini(ini, &["pytest"], "testpaths"), Some(vec!["x".to_owned()]));
        check("pytest.ini", "", "a.py", Some(("pytest.ini", false)));
        check("tox.ini", "[tox]\n", "a.py", None);
        check(
            "setup.cfg",
            "[tool:pytest]\npython_files=check_*.py\n[x]\npython_files=y.py\n",
            "y.py",
            Some(("setup.cfg", false)),
        );
    }
}
