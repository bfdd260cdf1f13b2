//! JaCoCo for projects that our own runner tests: its probes are put into classes when they are loaded.

use std::fs;
use std::path::{Path, PathBuf};

use patchwright_detection::ProjectSpec;
use patchwright_detection::adapters::QUICK_START;
use patchwright_lanes::Tools;

use crate::recording_commands::recording;

/// The variable that names a folder with JaCoCo and ASM, or the jar of JaCoCo's core with ASM beside it.
const PLACE: &str = "PATCHWRIGHT_JACOCO";
/// Where Debian puts them.
const INSTALLED: &str = "/usr/share/java";
/// The files that are used of a folder that holds anything: names without versions, as Debian links them.
const JARS: &[&str] =
    &["org.jacoco.core.jar", "asm.jar", "asm-commons.jar", "asm-tree.jar", "asm-analysis.jar"];

/// The class that starts our runner.
const RUNNER: &str = " PatchwrightRunner ";

/// The means for a project that our runner tests, or why there are none. Its classes are there if it `is_built`.
pub(crate) fn setup(spec: &ProjectSpec, is_built: bool) -> Result<(Tools, ProjectSpec), String> {
    let given = spec.env.get(PLACE).cloned().or_else(|| std::env::var(PLACE).ok());
    let jars = match &given {
        Some(place) => given_jars(Path::new(place)),
        None => JARS.iter().map(|name| Path::new(INSTALLED).join(name)).filter(|jar| jar.is_file()).collect(),
    };
    let is_core = |jar: &PathBuf| file_name(jar).starts_with("org.jacoco.core");
    if !jars.iter().any(is_core) {
        return Err(match given {
            Some(place) => format!("{PLACE} names {place}, where there is no org.jacoco.core*.jar"),
            None => format!(
                "JaCoCo is not installed; Debian's package libjacoco-java is enough, or name a folder with the jars of \
                 JaCoCo and ASM in {PLACE}"
            ),
        });
    }
    let recorder = include_bytes!("../runners/PatchwrightCoverage.java");
    let mut tools = Tools::from([("PatchwrightCoverage.java".to_owned(), recorder.to_vec())]);
    for jar in jars {
        let bytes = fs::read(&jar).map_err(|error| format!("{} cannot be read: {error}", jar.display()))?;
        tools.insert(format!("jacoco/{}", file_name(&jar)), bytes);
    }
    Ok((tools, recorded(spec, is_built)))
}

/// All jars of JaCoCo and ASM in a folder, or beside a jar.
fn given_jars(place: &Path) -> Vec<PathBuf> {
    let folder = if place.is_dir() { Some(place) } else { place.parent() };
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok());
    let mut jars: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "jar"))
        .filter(|path| ["org.jacoco.core", "asm"].iter().any(|name| file_name(path).starts_with(name)))
        .collect();
    jars.sort();
    jars
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The same commands with our recorder around the runner. It is compiled with the project, which takes a second and
/// leaves the other lanes alone.
fn recorded(spec: &ProjectSpec, is_built: bool) -> ProjectSpec {
    let out = "$PATCHWRIGHT_OUT/coverage";
    let path = format!("$CLASSPATH:{out}:$PATCHWRIGHT_TOOLS/jacoco/*");
    let compile = format!(
        "mkdir -p \"{out}\" && javac {QUICK_START} -nowarn -encoding UTF-8 -d \"{out}\" -cp \"{path}\" \
         \"$PATCHWRIGHT_TOOLS/PatchwrightCoverage.java\""
    );
    let built = |build: &String| if is_built { compile } else { format!("{build} && {compile}") };
    let around = |line: &str| {
        let line = line.replacen(RUNNER, &format!(" PatchwrightCoverage{RUNNER}"), 1);
        format!("export CLASSPATH=\"{path}\"; {line}")
    };
    let spec = ProjectSpec {
        build: spec.build.as_ref().map(built),
        test: around(spec.test.line()).into(),
        test_one: spec.test_one.as_deref().map(around),
        ..spec.clone()
    };
    recording(&spec)
}
