//! Jars that hold what Java sources import.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use patchwright_syntax::pattern::{Pattern, pattern};

use super::survey::Survey;
use super::{DetectError, Toolchain};
use crate::adapters::package_of;
use crate::shell::shell_word;

static IMPORT: Pattern = pattern!(r"(?m)^\s*import\s+(?:static\s+)?([\w.]+?)(?:\.\*)?\s*;");

/// The packages that every Java has, and JUnit with what belongs to it, which is looked for by itself.
const KNOWN: &[&str] = &[
    "java.",
    "jdk.",
    "sun.",
    "com.sun.",
    "org.w3c.dom.",
    "org.xml.sax.",
    "org.ietf.jgss.",
    "org.junit.",
    "junit.",
    "org.hamcrest.",
    "javax.accessibility.",
    "javax.annotation.processing.",
    "javax.crypto.",
    "javax.imageio.",
    "javax.lang.",
    "javax.management.",
    "javax.naming.",
    "javax.net.",
    "javax.print.",
    "javax.script.",
    "javax.security.",
    "javax.sound.",
    "javax.sql.",
    "javax.swing.",
    "javax.tools.",
    "javax.transaction.xa.",
    "javax.xml.catalog.",
    "javax.xml.crypto.",
    "javax.xml.datatype.",
    "javax.xml.namespace.",
    "javax.xml.parsers.",
    "javax.xml.stream.",
    "javax.xml.transform.",
    "javax.xml.validation.",
    "javax.xml.xpath.",
    "javax.xml.XMLConstants",
];

/// Jars outside of the project that hold what is imported, and what none of them holds.
#[derive(Default)]
pub(super) struct ExternalJars {
    pub(super) jars: Vec<String>,
    pub(super) missing: Vec<String>,
}

/// Looks for what some files import and neither the project nor its own jars hold.
pub(super) async fn external_jars(
    survey: &Survey,
    files: &[&str],
    own_jars: &[String],
    toolchain: &dyn Toolchain,
) -> Result<ExternalJars, DetectError> {
    let mut wanted = imported(survey, files);
    for jar in own_jars {
        let bytes = survey.bytes(jar);
        // Names stand in a jar as they are, whatever is compressed.
        let text = String::from_utf8_lossy(&bytes);
        wanted.retain(|entry, _| !text.contains(entry.as_str()));
    }
    if wanted.is_empty() {
        return Ok(ExternalJars::default());
    }
    let entries: Vec<String> = wanted.keys().map(|entry| shell_word(entry)).collect();
    let answer = toolchain.ask(&question(toolchain, &entries.join(" "))).await?;
    let Some(answer) = answer else {
        return Ok(ExternalJars { jars: Vec::new(), missing: wanted.into_values().collect() });
    };
    let marked = |mark: &str| {
        answer.lines().filter_map(|line| line.strip_prefix(mark)).map(str::to_owned).collect::<Vec<_>>()
    };
    let missing = marked("- ").into_iter().filter_map(|entry| wanted.get(&entry).cloned()).collect();
    Ok(ExternalJars { jars: marked("+ "), missing })
}

/// The imports from elsewhere: the name in a jar, and in the source.
fn imported(survey: &Survey, files: &[&str]) -> BTreeMap<String, String> {
    let texts: Vec<String> = files.iter().map(|file| survey.text(file)).collect();
    let own: BTreeSet<String> = texts.iter().map(|text| package_of(text)).collect();
    let mut wanted = BTreeMap::new();
    for name in texts.iter().flat_map(|text| IMPORT.captures_iter(text)).filter_map(|found| found.get(1)) {
        let name = name.as_str();
        // By custom packages begin small and classes great.
        let parts: Vec<&str> = name.split('.').collect();
        let class = parts.iter().position(|part| part.starts_with(char::is_uppercase));
        let package = parts[..class.unwrap_or(parts.len())].join(".");
        let is_known =
            KNOWN.iter().any(|known| name.starts_with(known) || format!("{name}.").starts_with(known));
        if is_known || own.contains(&package) {
            continue;
        }
        let path = package.replace('.', "/");
        let entry =
            class.map_or_else(|| format!("{path}/"), |class| format!("{path}/{}.class", parts[class]));
        wanted.insert(entry, name.to_owned());
    }
    wanted
}

/// Says for each entry of a jar which jar holds it (`+ JAR`, each once) or that none does (`- ENTRY`). The distribution's
/// jars come first, those without a version in their name before the others; then the newest of the user's Maven repository.
fn question(toolchain: &dyn Toolchain, entries: &str) -> String {
    let repository = toolchain.maven_repository().map_or("/nowhere".into(), Path::to_string_lossy);
    let repository = shell_word(&repository);
    format!(
        "jars=''; for entry in {entries}; do if test -n \"$jars\" && grep -qF -e \"$entry\" $jars; then continue; fi; \
         jar=$(grep -lF -e \"$entry\" /usr/share/java/*.jar 2>/dev/null | awk '{{ print length, $0 }}' | sort -n | head -n 1 | cut -d ' ' -f 2-); \
         if test -z \"$jar\"; then jar=$(find {repository} -name '*.jar' ! -name '*-sources.jar' ! -name '*-javadoc.jar' \
         -exec grep -lF -e \"$entry\" {{}} + 2>/dev/null | sort -V | tail -n 1); fi; \
         if test -n \"$jar\"; then jars=\"$jars $jar\"; else echo \"- $entry\"; fi; done; for jar in $jars; do echo \"+ $jar\"; done"
    )
}
