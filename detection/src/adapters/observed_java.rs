//! Java tests that another tool runs, as our runner runs them: with the class path, the options and the compiled classes
//! that were seen there.

use std::collections::BTreeMap;
use std::path::PathBuf;

use patchwright_lanes::{Lane, LaneError, LanePaths, Tools};

use super::java_runner::{
    CLASSES, Configuration, RUN, RUNNER_CLASSES, compile_line, runner_sources, worker_line, write_lists,
};
use super::{Adapter, CommandContext, shell_word};
use crate::heap;
use crate::spec::ProjectSpec;

/// Stands for the root of the lane in what was seen; neither a path nor an option holds it.
pub const LANE: char = '\0';
/// The variable that holds the root of the lane.
const ROOT: &str = "PATCHWRIGHT_LANE";
/// The folders of resources that a build made, in `out`; a number follows.
const RESOURCES: &str = "resources";

/// The way in which tests are run, as it was seen.
pub struct ObservedJava {
    /// Where Java is.
    pub home: String,
    /// Options of the process, with [`LANE`] for the root of the lane.
    pub options: Vec<String>,
    /// The class path but for what is the project's, absolute or relative to the project.
    pub libraries: Vec<String>,
    /// The class path that is the project's, but for classes.
    pub resources: Vec<Resources>,
    /// The compiled classes, by path.
    pub classes: Tools,
    /// The encoding of the sources.
    pub encoding: &'static str,
    /// The classes that hold tests.
    pub tests: Vec<String>,
    /// Is true if the command names these classes, so that they may be suites.
    pub as_listed: bool,
}

/// A folder of resources.
pub enum Resources {
    /// It is part of the project: its path.
    Kept(String),
    /// A build made it: its files.
    Made(Tools),
}

impl ObservedJava {
    /// The command that runs all tests.
    pub fn command(&self) -> String {
        format!("{}{}{RUN}", self.program("java"), self.flags())
    }

    /// A program of the Java that runs the tests.
    pub fn program(&self, name: &str) -> String {
        let home = self.home.strip_suffix("/jre").unwrap_or(&self.home);
        shell_word(&format!("{home}/bin/{name}"))
    }

    /// The options as words of a shell, each with a space before it. A heap that the project gives wins over ours.
    fn flags(&self) -> String {
        let word = |option: &String| {
            let parts: Vec<String> = option.split(LANE).map(shell_word).collect();
            format!(" {}", parts.join(&format!("\"${ROOT}\"")))
        };
        format!(" {}{}", heap::OPTION, self.options.iter().map(word).collect::<String>())
    }

    fn resources(&self, lane: &LanePaths) -> Vec<PathBuf> {
        let place = |(index, resources): (usize, &Resources)| match resources {
            Resources::Kept(path) => lane.project().join(path),
            Resources::Made(_) => lane.out().join(format!("{RESOURCES}-{index}")),
        };
        self.resources.iter().enumerate().map(place).collect()
    }
}

impl Adapter for ObservedJava {
    fn tools(&self) -> Tools {
        runner_sources()
    }

    fn compile_tools(&self) -> Option<String> {
        Some(compile_line(&self.program("javac")))
    }

    fn environment(&self, CommandContext { lane, .. }: &CommandContext<'_>) -> BTreeMap<String, String> {
        let mut path = vec![lane.tools().join(RUNNER_CLASSES), lane.out().join(CLASSES)];
        path.extend(self.resources(lane));
        let mut path: Vec<String> = path.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        path.extend(self.libraries.iter().cloned());
        let root = lane.root().to_string_lossy().into_owned();
        let mut variables =
            BTreeMap::from([("CLASSPATH".to_owned(), path.join(":")), (ROOT.to_owned(), root)]);
        if self.as_listed {
            variables.insert("PATCHWRIGHT_AS_LISTED".to_owned(), "1".to_owned());
        }
        variables
    }

    fn prepare(&self, spec: &ProjectSpec, lane: &Lane) -> Result<(), LaneError> {
        write_lists(spec, lane, &self.tests)?;
        let out = lane.out()?;
        let made = self.resources.iter().enumerate().filter_map(|(index, resources)| match resources {
            Resources::Kept(_) => None,
            Resources::Made(files) => Some((format!("{RESOURCES}-{index}"), files)),
        });
        for (folder, files) in made.chain([(CLASSES.to_owned(), &self.classes)]) {
            for (name, bytes) in files {
                out.write(format!("{folder}/{name}"), bytes)?;
            }
        }
        Ok(())
    }

    fn worker_command(&self, _spec: &ProjectSpec) -> Result<String, &'static str> {
        Ok(worker_line(&self.program("java"), &self.flags(), &self.libraries))
    }

    fn prepare_worker(&self, context: &CommandContext<'_>, lane: &Lane) -> Result<(), LaneError> {
        let found = Configuration {
            encoding: Some(self.encoding),
            libraries: &self.libraries,
            resources: &self.resources(&context.lane),
            foreign: true,
        };
        found.put(context, lane)
    }

    fn compiles(&self) -> bool {
        true
    }

    fn can_skip(&self) -> bool {
        true
    }
}
