//! The clean environment of a command: what of the parent's variables is handed on, and nothing else.

use std::collections::BTreeMap;

use crate::secrets::secrets_among;

/// Variables of the parent that a build or a test may need and that hold no secret, besides [`TOOL_FOLDERS`] and
/// [`TOOL_PATHS`].
const HANDED_ON: &[&str] = &[
    "CARGO_HOME",
    "CONDA_DEFAULT_ENV",
    "GOPATH",
    "LANG",
    "LANGUAGE",
    "LD_LIBRARY_PATH",
    "LOGNAME",
    "NIX_PROFILES",
    "NIX_SSL_CERT_FILE",
    "NVM_DIR",
    "PATH",
    "PYENV_VERSION",
    "RUSTUP_TOOLCHAIN",
    "SDKMAN_DIR",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TZ",
    "USER",
];

/// Variables that are handed on and name a folder of a tool chain, to be shown inside.
pub(crate) const TOOL_FOLDERS: &[&str] = &[
    "ANT_HOME",
    "CONDA_PREFIX",
    "GOROOT",
    "GRADLE_HOME",
    "JAVA_HOME",
    "JDK_HOME",
    "M2_HOME",
    "MAVEN_HOME",
    "NVM_BIN",
    "PYENV_ROOT",
    "RUSTUP_HOME",
    "VIRTUAL_ENV",
];

/// The same for lists of folders, as `PATH` is one.
pub(crate) const TOOL_PATHS: &[&str] = &["NODE_PATH"];

const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// The variables of a command that runs with the host's tool chain.
///
/// An allow-list rather than a list of secrets: a key with an unheard-of name must not leak either. Nor must one that
/// stands where nobody expects it, such as among the `LC_*` that remote shells hand on.
pub(crate) fn of_host(parent: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let secrets = secrets_among(parent.clone());
    let handed_on = |name: &str| {
        let known = [HANDED_ON, TOOL_FOLDERS, TOOL_PATHS].iter().any(|names| names.contains(&name));
        (known || name.starts_with("LC_")) && !secrets.contains(name)
    };
    let mut variables = parent.clone();
    variables.retain(|name, _| handed_on(name));
    variables.entry("PATH".to_owned()).or_insert_with(|| DEFAULT_PATH.to_owned());
    variables.extend(of_every_sandbox().filter(|(name, _)| name != "LANG"));
    // Without a language many programs fall back to ASCII and fail on the first accent.
    variables.entry("LANG".to_owned()).or_insert_with(|| "C.UTF-8".to_owned());
    variables
}

/// The variables that every sandbox sets, also where the tool chain comes from an image.
pub(crate) fn of_every_sandbox() -> impl Iterator<Item = (String, String)> {
    [("LANG", "C.UTF-8"), ("TERM", "dumb")]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parent: &[(&str, &str)]) -> Vec<String> {
        let parent = parent.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        of_host(&parent.collect()).into_iter().map(|(name, value)| format!("{name}={value}")).collect()
    }

    #[test]
    fn hands_on_the_tool_chain_and_no_secret() {
        let parent = [
            ("PATH", "/usr/bin"),
            ("LC_ALL", "de_DE.UTF-8"),
            ("LANG", "de_DE.UTF-8"),
            ("JAVA_HOME", "/opt/jdk"),
            ("NODE_PATH", "/opt/node/lib:/usr/share/nodejs"),
            ("HOME", "/home/someone"),
            ("OPENAI_API_KEY", "k1"),
            ("ANTHROPIC_API_KEY", "k2"),
            ("GITHUB_TOKEN", "t"),
            ("AWS_SECRET_ACCESS_KEY", "s"),
            ("SSH_AUTH_SOCK", "/tmp/agent"),
            ("MYSTERY", "m"),
            ("GIT_DIR", "/home/someone/project/.git"),
            ("GIT_WORK_TREE", "/home/someone/project"),
            ("GIT_INDEX_FILE", "/home/someone/project/.git/index"),
            ("GIT_OBJECT_DIRECTORY", "/home/someone/project/.git/objects"),
            ("GIT_ALTERNATE_OBJECT_DIRECTORIES", "/home/someone/other/.git/objects"),
            ("GIT_COMMON_DIR", "/home/someone/project/.git"),
            ("GIT_NAMESPACE", "n"),
            ("GIT_CONFIG_GLOBAL", "/home/someone/.gitconfig"),
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "core.worktree"),
            ("GIT_CONFIG_VALUE_0", "/home/someone/project"),
            ("LC_DEPLOY_TOKEN", "d"),
            ("NIX_PROFILES", "https://me:hunter22@cache.example"),
        ];
        let expect = [
            "JAVA_HOME=/opt/jdk",
            "LANG=de_DE.UTF-8",
            "LC_ALL=de_DE.UTF-8",
            "NODE_PATH=/opt/node/lib:/usr/share/nodejs",
            "PATH=/usr/bin",
            "TERM=dumb",
        ];
        assert_eq!(of(&parent), expect);
    }

    #[test]
    fn an_empty_parent_still_gives_a_path_and_a_language() {
        assert_eq!(of(&[]), ["LANG=C.UTF-8", &format!("PATH={DEFAULT_PATH}"), "TERM=dumb"]);
    }
}
