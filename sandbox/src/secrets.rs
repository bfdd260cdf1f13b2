//! Which variables of an environment look like secrets, by their names and by their values.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use regex::Regex;

/// A word of a name that tells of a secret. Names run words together: `PGPASSWORD`, `NPM_AUTHTOKEN`.
static WORD: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        r"^(?:AUTH|BEARER|COOKIES?|CREDS?|JWT|KEYS?|OAUTH|PASS|PRIVATE|PWD|SESSION|SSHPASS",
        r"|\w*(?:CREDENTIALS?|PASSPHRASE|PASSWD|PASSWORDS?|SECRETS?|TOKEN|(?:ACCESS|API|PRIVATE|SECRET)KEY)",
        r")\d*$",
    ))
});

/// Last words of names that say where or of what kind a secret is, but not what it is: `SSH_AUTH_SOCK`.
const ABOUT: &[&str] = &[
    "ADDRESS",
    "ALGORITHM",
    "DIR",
    "DIRECTORY",
    "ENDPOINT",
    "FILE",
    "FOLDER",
    "HOST",
    "METHOD",
    "MODE",
    "NAME",
    "PATH",
    "PID",
    "PORT",
    "PROVIDER",
    "SOCK",
    "SOCKET",
    "TIMEOUT",
    "TTL",
    "TYPE",
    "URI",
    "URL",
    "USER",
];

/// Names that hold no secret although a word of theirs tells of one: the shell's folder, what desktops and terminals
/// call their own sessions, and a path by convention
/// (<https://cloud.google.com/docs/authentication/application-default-credentials>).
const HARMLESS: &[&str] = &[
    "DESKTOP_SESSION",
    "GNOME_DESKTOP_SESSION_ID",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "ITERM_SESSION_ID",
    "PWD",
    "SESSION_MANAGER",
    "TERM_SESSION_ID",
    "XDG_SESSION_CLASS",
    "XDG_SESSION_DESKTOP",
    "XDG_SESSION_ID",
];

/// A secret that tells of itself by its shape, wherever it stands in a value; the group where only a part is the secret.
///
/// Sources: the pages of the services about their tokens, as gathered by gitleaks
/// (<https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml>); RFC 7468 for keys as text, RFC 7519 for
/// JSON web tokens, section 3.2.1 of RFC 3986 for passwords in addresses. Lengths are lower bounds below those of real
/// tokens: to withhold too much costs little.
static SHAPE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(concat!(
        // Tokens are ASCII.
        r"(?-u)-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?us:.)*?(?:-----END|\z)",
        // GitHub, GitLab.
        r"|\bgh[a-z]_[A-Za-z0-9]{10,}|\bgithub_pat_\w{10,}|\bgl[a-z]{1,5}-[\w.-]{16,}",
        // OpenAI, Anthropic and those that follow them; Stripe; Hugging Face.
        r"|\bsk-[\w-]{16,}|\b[rs]k_(?:live|test)_\w{10,}|\bwhsec_\w{16,}|\bhf_[A-Za-z0-9]{16,}",
        // Amazon, Google, Azure, DigitalOcean.
        r"|\bA(?:KIA|SIA)[A-Z0-9]{12,}|\bAIza[\w-]{20,}|\bya29\.[\w-]{16,}|\bGOCSPX-[\w-]{16,}",
        r"|\b(?:Account|SharedAccess)Key=(?<azure>(?u:[^;\s])+)|\bdo[opr]_v1_[a-f0-9]{16,}",
        // Slack, SendGrid.
        r"|\bxox[a-z]-[\w-]{10,}|\bxapp-[\w-]{10,}|\bhooks\.slack\.com/services/(?<slack>[\w/]{16,})",
        r"|\bSG\.[\w-]{10,}\.[\w-]{10,}",
        // npm, PyPI, Docker.
        r"|\bnpm_[A-Za-z0-9]{16,}|\bpypi-[\w-]{16,}|\bdckr_pat_[\w-]{16,}",
        // JSON web tokens; passwords in addresses.
        r"|\beyJ[\w-]{6,}\.[\w-]{6,}\.[\w-]*|\b[A-Za-z][A-Za-z0-9+.-]*://(?u:[^\s/:@])*:(?<password>(?u:[^\s/@])+)@",
    ))
});

/// The variables of an environment that look like secrets. What it prints are their names, never their values.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secrets(BTreeMap<String, Vec<String>>);

impl Secrets {
    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The texts that must not be shown: the values, and of values that only contain a secret the secret. Lines of a longer value
    /// come by themselves too, as output tends to set them in.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.0.values().flatten().map(String::as_str)
    }

    /// Is true if this variable is one of them.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

/// Finds the variables that look like secrets: by a word of their name such as `TOKEN`, or by a value of a well-known
/// shape, whatever the name. A variable without a value is none.
pub fn secrets_among(variables: impl IntoIterator<Item = (String, String)>) -> Secrets {
    let found = variables.into_iter().filter_map(|(name, value)| {
        let parts = secret_parts(&name, &value);
        (!parts.is_empty()).then_some((name, parts))
    });
    Secrets(found.collect())
}

/// The secret parts of a variable.
fn secret_parts(name: &str, value: &str) -> Vec<String> {
    let mut parts: Vec<&str> = SHAPE.captures_iter(value).map(|found| secret_of(&found)).collect();
    if tells_of_a_secret(name) && !is_fingerprint(name, value) {
        parts.push(value.trim());
    }
    let lines = parts.iter().filter(|part| part.contains('\n')).flat_map(|part| part.lines().map(str::trim));
    // The first and last line of a key are the same for all.
    let lines: Vec<&str> = lines.filter(|line| !line.starts_with("-----")).collect();
    parts.extend(lines);
    parts.into_iter().filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// The secret in what a shape has found.
fn secret_of<'v>(found: &regex::Captures<'v>) -> &'v str {
    let group = found.iter().skip(1).flatten().next().or_else(|| found.get(0));
    group.map_or("", |found| found.as_str())
}

fn tells_of_a_secret(name: &str) -> bool {
    let words = words(name);
    let about = words.last().is_some_and(|last| ABOUT.contains(&last.as_str()));
    !about && !HARMLESS.contains(&name) && words.iter().any(|word| WORD.is_match(word))
}

/// Images of Python and others name the key that signs their releases in `GPG_KEY`, by its fingerprint.
fn is_fingerprint(name: &str, value: &str) -> bool {
    let hexadecimal = |part: &str| part.len() >= 16 && part.chars().all(|c| c.is_ascii_hexdigit());
    words(name).iter().any(|word| word == "GPG") && value.split_whitespace().all(hexadecimal)
}

/// The words of a name in capitals: `npm_config_authToken` has four.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '_';
    for character in name.chars() {
        let begins = before.is_ascii_lowercase() && character.is_ascii_uppercase();
        if begins || !character.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_ascii_alphanumeric()) {
            word.push(character.to_ascii_uppercase());
        }
        before = character;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Compiles a pattern that stands in the source.
#[expect(clippy::expect_used, reason = "the patterns are constants, and the tests use every one of them")]
fn compiled(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern is valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(name: &str, value: &str) -> Vec<String> {
        let secrets = secrets_among([(name.to_owned(), value.to_owned())]);
        secrets.values().map(str::to_owned).collect()
    }

    #[test]
    fn names_tell_of_secrets() {
        for name in [
            "OPENAI_API_KEY",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_ACCESS_KEY_ID",
            "AWS_SESSION_TOKEN",
            "PGPASSWORD",
            "MYSQL_PWD",
            "DB_PASS",
            "DB_PASSWD",
            "db.password",
            "SSHPASS",
            "GPG_PASSPHRASE",
            "GPG_KEY",
            "KEY",
            "KEY2",
            "APIKEY",
            "REDISCLI_AUTH",
            "npm_config_//registry.npmjs.org/:_authToken",
            "NPM_AUTHTOKEN",
            "BW_SESSION",
            "OP_SESSION_home",
            "SESSION_COOKIE",
            "GITLAB_PRIVATE_TOKEN",
            "SERVICE_CREDENTIALS",
            "CREDS",
        ] {
            assert_eq!(values(name, " v "), ["v"], "{name}");
        }
    }

    #[test]
    fn other_names_do_not() {
        for (name, value) in [
            ("PATH", "/usr/bin"),
            ("PWD", "/home/someone"),
            ("OLDPWD", "/home/someone"),
            ("SSH_AUTH_SOCK", "/tmp/agent"),
            ("GIT_ASKPASS", "/usr/bin/askpass"),
            ("GIT_AUTHOR_NAME", "Someone"),
            ("KEYBOARD", "pc105"),
            ("XKB_KEYMAP", "us"),
            ("XAUTHORITY", "/run/user/1000/x"),
            ("XDG_SESSION_ID", "2"),
            ("XDG_SESSION_TYPE", "wayland"),
            ("DESKTOP_SESSION", "gnome"),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus"),
            ("PATCHWRIGHT_KEY_FILE", "/home/someone/keys"),
            ("CREDENTIALS_DIRECTORY", "/run/credentials"),
            ("GOOGLE_APPLICATION_CREDENTIALS", "/home/someone/google.json"),
            ("GPG_KEY", "7169605F62C751356D054A26A821E680E5FA6305"),
            ("MAX_TOKENS", "4096"),
            ("TOKENIZERS_PARALLELISM", "false"),
            ("COMPASS", "north"),
            ("GITHUB_TOKEN", ""),
            ("GITHUB_TOKEN", " \n"),
        ] {
            assert_eq!(values(name, value), [""; 0], "{name}={value}");
        }
    }

    #[test]
    fn values_tell_of_secrets() {
        let whole = [
            "ghp_0123456789abcdefghij",
            "github_pat_11ABCDEFG0_abcdef",
            "glpat-abcdefghij0123456789",
            "sk-proj-abcdef0123456789",
            "sk-ant-api03-abcdef0123456789",
            "sk_live_abcdef0123456789",
            "hf_abcdefghijklmnopqrst",
            "AKIAIOSFODNN7EXAMPLE",
            "ASIAIOSFODNN7EXAMPLE",
            "AIzaSyA0123456789abcdefghijklmnopqrstuv",
            "xoxb-123456789012-abcdefghij",
            "SG.abcdefghijklmnop.qrstuvwxyz012345",
            "npm_abcdefghijklmnopqrst",
            "pypi-AgEIcHlwaS5vcmcCJGFiY2Rl",
            "dckr_pat_abcdefghijklmnop",
            "dop_v1_0123456789abcdef0123",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        ];
        for secret in whole {
            assert_eq!(values("MYSTERY", secret), [secret]);
            assert_eq!(values("OPTIONS", &format!("-H 'x: {secret}' -v")), [secret], "inside of a value");
        }
        for (value, secret) in [
            ("postgres://me:hunter22@db.example/x", "hunter22"),
            ("redis://:hunter22@cache/0", "hunter22"),
            ("AccountName=me;AccountKey=aGVsbG8=;Other=1", "aGVsbG8="),
            ("https://hooks.slack.com/services/T0000/B0000/abcdefgh", "T0000/B0000/abcdefgh"),
        ] {
            assert_eq!(values("MYSTERY", value), [secret], "{value}");
        }
    }

    #[test]
    fn other_values_do_not() {
        for value in [
            "/usr/lib/jvm/java-17-openjdk-amd64",
            "task-management-and-scheduling-service",
            "https://example.org:8080/a@b",
            "git@github.com:someone/project.git",
            "unix:path=/run/user/1000/bus",
            "C.UTF-8",
            "12345678901234567890",
        ] {
            assert_eq!(values("MYSTERY", value), [""; 0], "{value}");
        }
    }

    #[test]
    fn lines_of_a_longer_secret_are_secrets_by_themselves() {
        let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nabcd\n-----END RSA PRIVATE KEY-----\n";
        let found = values("MYSTERY", &format!("x\n{key}"));
        assert!(found[0].starts_with("-----BEGIN RSA") && found[0].contains("abcd"), "{found:?}");
        assert_eq!(found[1..], ["MIIEpAIBAAKCAQEA", "abcd"]);
        assert_eq!(values("DEPLOY_KEY", "one\r\ntwo"), ["one\r\ntwo", "one", "two"]);
    }

    #[test]
    fn nothing_but_names_is_printed() {
        let secrets = secrets_among([("B_TOKEN".to_owned(), "hunter22".to_owned())]);
        assert_eq!(format!("{secrets:?}"), "{\"B_TOKEN\"}");
        assert_eq!(secrets.names().collect::<Vec<_>>(), ["B_TOKEN"]);
    }
}
