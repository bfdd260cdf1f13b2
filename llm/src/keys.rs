//! Sources of keys: the environment, then a key file. Nowhere else.

use std::collections::BTreeMap;
use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::{ModelError, Provider, Secret};
use patchwright_folder::{LONGEST_SETTINGS, read_text_file};

/// The environment variable that names a key file.
pub const KEY_FILE_VARIABLE: &str = "PATCHWRIGHT_KEY_FILE";

/// Finds keys by the name of their variable.
#[derive(Clone)]
pub struct KeySource {
    variables: BTreeMap<String, String>,
    file: Option<PathBuf>,
}

impl KeySource {
    /// The process's environment, with the key file that [`KEY_FILE_VARIABLE`] names.
    pub fn environment() -> Self {
        Self::fixed(variable_names().filter_map(|name| Some((name, std::env::var(name).ok()?))))
    }

    /// These variables instead of the environment.
    pub fn fixed<N: Into<String>, V: Into<String>>(variables: impl IntoIterator<Item = (N, V)>) -> Self {
        let mut variables: BTreeMap<String, String> =
            variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        let file =
            variables.remove(KEY_FILE_VARIABLE).filter(|path| !path.trim().is_empty()).map(PathBuf::from);
        Self { variables, file }
    }

    /// The same source with this key file, whatever the environment names.
    pub fn with_file(self, file: impl Into<PathBuf>) -> Self {
        Self { file: Some(file.into()), ..self }
    }

    /// The key of that name; an empty value counts as none. The environment goes before the file.
    ///
    /// # Errors
    /// [`ModelError::BadKey`]: the key file cannot be read or may be read by everybody, or the value is no key.
    pub fn find(&self, variable: &str) -> Result<Option<Secret>, ModelError> {
        if let Some(value) = self.variables.get(variable).filter(|value| !value.trim().is_empty()) {
            return checked(variable, value).map(Some);
        }
        let Some(file) = &self.file else { return Ok(None) };
        match read_file(file)?.get(variable).filter(|value| !value.trim().is_empty()) {
            Some(value) => checked(&format!("{variable} of {}", file.display()), value).map(Some),
            None => Ok(None),
        }
    }

    /// Every key there is: what logs and recordings must not hold.
    ///
    /// # Errors
    /// As [`KeySource::find`].
    pub fn all(&self) -> Result<Vec<Secret>, ModelError> {
        let mut keys = Vec::new();
        for provider in Provider::ALL {
            keys.extend(self.find(provider.key_variable())?);
        }
        Ok(keys)
    }
}

impl fmt::Debug for KeySource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.variables.keys().collect();
        formatter.debug_struct("KeySource").field("names", &names).field("file", &self.file).finish()
    }
}

/// The variables that matter here.
fn variable_names() -> impl Iterator<Item = &'static str> {
    Provider::ALL.into_iter().map(Provider::key_variable).chain([KEY_FILE_VARIABLE])
}

/// A key goes into an HTTP header: one word of visible ASCII.
fn checked(place: &str, value: &str) -> Result<Secret, ModelError> {
    let value = value.trim();
    if value.chars().all(|c| c.is_ascii_graphic()) {
        return Ok(Secret::new(value));
    }
    let problem = "it holds white space or characters that no key has".to_owned();
    Err(ModelError::BadKey { place: place.to_owned(), problem })
}

/// Reads a key file: TOML with `NAME = "value"`, or lines `NAME=value` as for a shell.
fn read_file(path: &Path) -> Result<BTreeMap<String, String>, ModelError> {
    let bad = |problem: String| ModelError::BadKey { place: path.display().to_string(), problem };
    let metadata = std::fs::metadata(path).map_err(|error| bad(error.to_string()))?;
    if !metadata.is_file() {
        return Err(bad("it is not a file".to_owned()));
    }
    if metadata.permissions().mode() & 0o007 != 0 {
        return Err(bad("everybody on this machine may read it; run: chmod 600 on it".to_owned()));
    }
    let text = read_text_file(path, LONGEST_SETTINGS).map_err(|error| bad(error.to_string()))?;
    parse(&text).map_err(bad)
}

/// The names and values of a key file's text. Problems name a line or a name, never what stands there: it may be a key.
fn parse(text: &str) -> Result<BTreeMap<String, String>, String> {
    if let Ok(table) = text.parse::<toml::Table>() {
        let entry = |(name, value): (String, toml::Value)| match value {
            toml::Value::String(value) => Ok((name, value)),
            _ => Err(format!("the value of {name} is not a string")),
        };
        return table.into_iter().map(entry).collect();
    }
    let mut entries = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let Some((name, value)) = line.split_once('=') else {
            return Err(format!("line {} is not NAME=value", index + 1));
        };
        entries.insert(name.trim().to_owned(), unquoted(value.trim()).to_owned());
    }
    Ok(entries)
}

/// `value` without one pair of quotes around it.
fn unquoted(value: &str) -> &str {
    let inside = |quote: char| value.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inside('"').or_else(|| inside('\'')).unwrap_or(value)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    fn find(source: &KeySource, name: &str) -> Option<String> {
        source.find(name).unwrap().map(|secret| secret.expose().to_owned())
    }

    fn private_file(text: &str) -> tempfile::NamedTempFile {
        // tempfile creates its files with mode 0600.
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn files_are_read_as_toml_or_as_lines() {
        let check = |text: &str, expect: Result<&str, &str>| {
            let file = private_file(text);
            let found = KeySource::fixed([("", ""); 0]).with_file(file.path()).find("OPENAI_API_KEY");
            match expect {
                Ok(expect) => assert_eq!(found.unwrap().unwrap().expose(), expect, "{text}"),
                Err(expect) => {
                    let error = found.unwrap_err().to_string();
                    assert!(error.contains(expect), "{text}: {error}");
                    assert!(!error.contains("sk-"), "{error}");
                }
            }
        };
        check("OPENAI_API_KEY = \"sk-1\" # mine\nOTHER = \"x\"", Ok("sk-1"));
        check("OPENAI_API_KEY=sk-2\n", Ok("sk-2"));
        check("# keys\n\nexport OPENAI_API_KEY='sk-3'\r\n", Ok("sk-3"));
        check("OPENAI_API_KEY = sk-4=\nANTHROPIC_API_KEY=\"sk-5\"", Ok("sk-4="));
        check("OPENAI_API_KEY = 12", Err("OPENAI_API_KEY is not a string"));
        check("A=b\nsk-naked", Err("line 2 is not NAME=value"));
        check("OPENAI_API_KEY=sk-6 # mine", Err("white space"));
    }

    #[test]
    fn the_environment_goes_before_the_file_and_empty_counts_as_none() {
        let file =
            private_file("OPENAI_API_KEY=from-file\nANTHROPIC_API_KEY=from-file\nPATCHWRIGHT_API_KEY=");
        let path = file.path().display().to_string();
        let source = KeySource::fixed([
            ("OPENAI_API_KEY", " from-environment "),
            ("ANTHROPIC_API_KEY", " "),
            (KEY_FILE_VARIABLE, &path),
        ]);
        assert_eq!(find(&source, "OPENAI_API_KEY").unwrap(), "from-environment");
        assert_eq!(find(&source, "ANTHROPIC_API_KEY").unwrap(), "from-file");
        assert_eq!(find(&source, "PATCHWRIGHT_API_KEY"), None);
        assert_eq!(source.all().unwrap().len(), 2);
        assert!(!format!("{source:?}").contains("from-environment"));
    }

    #[test]
    fn a_missing_file_is_an_error_that_names_it() {
        let source = KeySource::fixed([(KEY_FILE_VARIABLE, "/nowhere/keys.toml")]);
        let error = source.find("OPENAI_API_KEY").unwrap_err();
        assert!(error.to_string().contains("/nowhere/keys.toml"), "{error}");
    }

    #[test]
    fn a_file_that_everybody_may_read_is_refused() {
        let file = private_file("OPENAI_API_KEY=sk-1");
        let source = KeySource::fixed([("", ""); 0]).with_file(file.path());
        let check = |mode: u32, refused: bool| {
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(source.find("OPENAI_API_KEY").is_err(), refused, "{mode:o}");
        };
        check(0o600, false);
        check(0o640, false);
        check(0o644, true);
        check(0o602, true);
    }
}
