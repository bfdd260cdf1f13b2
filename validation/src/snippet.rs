//! Pieces of code that are run with a project: a script by what runs the tests, a class with a `main` by its Java.

use patchwright_detection::adapters::{CLASSES, QUICK_START, package_of, shell_word};
use patchwright_detection::ecosystems;
use patchwright_detection::heap;
use patchwright_edits::Applied;
use patchwright_lanes::Lane;
use patchwright_syntax::{Class, Language, Source, outline};
use patchwright_test_results::TestReport;

use crate::baseline::Baseline;
use crate::error::TestHarnessError;
use crate::execution::Execution;
use crate::execution::settle;
use crate::harness::TestHarness;
use crate::probe::{Probe, ProbeOutput, spoilt};

/// The compiled classes of a snippet, in the folder `out`.
const SNIPPET_CLASSES: &str = "snippet";
/// The text before the names of files in `out`, which are those of a snippet.
const OUT_PREFIX: &str = "<out>/";

/// The end of a snippet.
#[derive(Clone, Debug)]
pub enum SnippetOutput {
    /// It was run, or its compiler refused it.
    Ran(ProbeOutput),
    /// The project does not build, with the report of that.
    NotBuilt(Box<TestReport>),
    /// It cannot be run here, for this reason.
    Unsupported(String),
}

impl TestHarness {
    /// Runs a program in a language with what runs the tests, as [`TestHarness::probe`] runs a command. `baseline` has to be known where the
    /// project [observes](patchwright_detection::ProjectSpec::observes_java) how its tests are run.
    ///
    /// # Errors
    /// As [`TestHarness::probe`].
    pub async fn run_script(
        &self,
        language: Language,
        code: &str,
        probe: &Probe<'_>,
        baseline: Option<&Baseline>,
    ) -> Result<SnippetOutput, TestHarnessError> {
        let writing = ecosystems::writing(Some(language));
        let Some(script) = writing.and_then(|writing| writing.script(self.spec(), code)) else {
            if language.name() == "java" {
                return self.run_java(code, probe, baseline).await;
            }
            let why = format!("programs in {} are not run here", language.title());
            return Ok(SnippetOutput::Unsupported(why));
        };
        let lease = self.lanes.take().await?;
        let files = [(script.file.as_str(), code.as_bytes())];
        let output = self.execution(probe.limit).probe(lease.lane(), &script.line, &files, probe).await;
        settle(lease, &output);
        Ok(SnippetOutput::Ran(of_snippet(spoilt(output)?)))
    }

    /// Builds the project and runs the class with a `main` in a piece of Java code, with the class path of the tests. `baseline` has
    /// to be known where the project [observes](patchwright_detection::ProjectSpec::observes_java) how its tests are run.
    ///
    /// # Errors
    /// As [`TestHarness::probe`].
    async fn run_java(
        &self,
        code: &str,
        probe: &Probe<'_>,
        baseline: Option<&Baseline>,
    ) -> Result<SnippetOutput, TestHarnessError> {
        let Some(program) = JavaProgram::of(code) else {
            let why = "the code has no class with a method `main`: write `class Main { public static void main(String[] args) … }`";
            return Ok(SnippetOutput::Unsupported(why.to_owned()));
        };
        let own = self.execution(self.spec().timeout);
        let (execution, java) = match baseline {
            Some(baseline) if self.spec().observes_java() => match self.instrumented(baseline).await? {
                Ok(seen) => {
                    let execution = own.by(&seen.spec, seen.adapter());
                    (execution, Some(seen))
                }
                Err(why) => return Ok(SnippetOutput::Unsupported(why.clone())),
            },
            _ => (own, None),
        };
        let tool = |name: &str| java.map_or_else(|| name.to_owned(), |java| java.java_tool(name));
        let (javac, java_line) = (tool("javac"), tool("java"));
        let changed = probe.applied.filter(|_| java.is_some()).map(changed_sources).unwrap_or_default();
        let line = program.line(&javac, &java_line, &changed);
        let lease = self.lanes.take().await?;
        let output = execution.build_and_probe(lease.lane(), &line, &program, probe).await;
        settle(lease, &output);
        match output {
            Ok(Ok(output)) => Ok(SnippetOutput::Ran(of_snippet(output))),
            Ok(Err(report)) => Ok(SnippetOutput::NotBuilt(Box::new(report))),
            Err(error) => Ok(SnippetOutput::Ran(spoilt(Err(error))?)),
        }
    }
}

impl Execution<'_> {
    /// Builds a lane with a change in it and runs a program there; the report of a build that failed.
    async fn build_and_probe(
        &self,
        lane: &Lane,
        line: &str,
        program: &JavaProgram<'_>,
        probe: &Probe<'_>,
    ) -> Result<Result<ProbeOutput, TestReport>, TestHarnessError> {
        if let Some(applied) = probe.applied {
            lane.change(applied).await?;
        }
        if let Some(report) = self.build_alone(lane, probe.applied).await? {
            return Ok(Err(report));
        }
        let files = [(program.file.as_str(), program.code.as_bytes())];
        let execution = Self { limit: probe.limit, ..*self };
        Ok(Ok(execution.probe_written(lane, line, &files, probe).await?))
    }
}

/// A piece of Java code that can be started.
struct JavaProgram<'a> {
    code: &'a str,
    /// The file that it has to stand in.
    file: String,
    /// The class with `main`, with its package.
    class: String,
}

impl<'a> JavaProgram<'a> {
    fn of(code: &'a str) -> Option<Self> {
        let outline = outline(Language::by_name("java")?, &Source::from_text(code));
        let starts = |class: &&Class| class.methods.iter().any(|method| method.name == "main");
        let main = outline.classes.iter().find(starts)?;
        let is_public = |class: &&Class| class.signature.split_whitespace().any(|word| word == "public");
        // A public class has to stand in a file of its name.
        let named = outline.classes.iter().find(is_public).unwrap_or(main);
        let package = package_of(code);
        let class = if package.is_empty() { main.name.clone() } else { format!("{package}.{}", main.name) };
        Some(Self { code, file: format!("{}.java", named.name), class })
    }

    /// The command that compiles it, after the sources that a change touches, and starts it.
    fn line(&self, javac: &str, java: &str, changed: &[String]) -> String {
        let heap = heap::OPTION;
        let compile = format!("{javac} {QUICK_START} -J{heap} -g -nowarn -encoding UTF-8");
        let file = shell_word(&self.file);
        let class = shell_word(&self.class);
        let first = match changed.join(" ") {
            none if none.is_empty() => String::new(),
            sources => format!("{compile} -d \"$PATCHWRIGHT_OUT/{CLASSES}\" {sources} && "),
        };
        format!(
            "mkdir -p \"$PATCHWRIGHT_OUT/{SNIPPET_CLASSES}\" && {first}\
             {compile} -d \"$PATCHWRIGHT_OUT/{SNIPPET_CLASSES}\" \"$PATCHWRIGHT_OUT\"/{file} && \
             exec {java} {heap} -cp \"$PATCHWRIGHT_OUT/{SNIPPET_CLASSES}:$CLASSPATH\" {class}"
        )
    }
}

/// The Java sources of a change, as words of a shell: classes that another tool compiled know nothing of it.
fn changed_sources(applied: &Applied) -> Vec<String> {
    let written = applied.files.iter().filter(|file| file.after.is_some());
    let sources = written.filter(|file| Language::of_path(file.path.as_path()) == Language::by_name("java"));
    sources.map(|file| shell_word(file.path.as_str())).collect()
}

/// What a snippet left, which is to see its file under its own name.
fn of_snippet(output: ProbeOutput) -> ProbeOutput {
    ProbeOutput { text: output.text.replace(OUT_PREFIX, ""), ..output }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn a_java_program_is_found_by_its_main() {
        let check = |code: &str, expect: Option<(&str, &str)>| {
            let found = JavaProgram::of(code).map(|program| (program.file, program.class));
            assert_eq!(found, expect.map(|(file, class)| (file.to_owned(), class.to_owned())), "{code}");
        };
        let main = "public static void main(String[] args) {}";
        check(&format!("class A {{}} class B {{ {main} }}"), Some(("B.java", "B")));
        check(&format!("package a.b;\npublic class A {{ {main} }}"), Some(("A.java", "a.b.A")));
        check(&format!("class B {{ {main} }}\npublic class A {{}}"), Some(("A.java", "B")));
        check("class A { void run() {} }", None);
        check("System.out.println(1);", None);
    }
}
