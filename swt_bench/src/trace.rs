//! The trace of a run: how often each line of the files of the golden patch was executed.

use std::collections::HashMap;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use patchwright_swe_bench::text::{lines, strip};

/// The folder of the repository in a container; paths in a trace begin with it.
const REPOSITORY: &str = "/testbed/";
/// The shell's line before the trace.
pub(crate) const BEGINS: &str = "+ cat coverage.cover";
/// The beginning of the shell's line behind it.
pub(crate) const ENDS: &str = "+ git checkout";

/// The number of times that each line was executed, by file and number of the line. A line that could have been executed is there with
/// zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    files: HashMap<String, HashMap<u32, u64>>,
}

impl Trace {
    /// Reads the trace in a log, or none where the log has none. Only files for which `wanted` holds are kept.
    ///
    /// The lines between `+ cat coverage.cover` and `+ git checkout` that begin with `{"/testbed/` are JSON; what several say of one
    /// line is added up, and a line that is cut off is passed over.
    ///
    /// Official place: `get_coverage_eval` in `src/grading.py`.
    pub fn of_log(log: &str, wanted: impl Fn(&str) -> bool) -> Self {
        let mut trace = Self::default();
        let mut rest = lines(&log[region(log)..]).peekable();
        let found = rest.next().is_some_and(|line| strip(line) == BEGINS);
        if !found {
            return trace;
        }
        for line in rest.take_while(|line| !line.starts_with(ENDS)) {
            if line.starts_with("{\"/testbed/") {
                trace.add(strip(line), &wanted);
            }
        }
        trace
    }

    /// Adds a line of the trace; one that is no JSON adds nothing.
    fn add(&mut self, line: &str, wanted: &dyn Fn(&str) -> bool) {
        let mut reader = serde_json::Deserializer::from_str(line);
        let Ok(files) = (Files { wanted }).deserialize(&mut reader) else { return };
        if reader.end().is_err() {
            return;
        }
        for (file, lines) in files {
            let hits = self.files.entry(file).or_default();
            for (line, count) in lines {
                *hits.entry(line).or_default() += count;
            }
        }
    }

    /// The number of times that a line was executed; none where it cannot be, or nothing of its file was.
    pub fn hits(&self, file: &str, line: u32) -> Option<u64> {
        self.files.get(file)?.get(&line).copied()
    }

    /// Is true if no file was traced.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// The place of the line before the trace, or the end of the log.
fn region(log: &str) -> usize {
    let found = memchr::memmem::find_iter(log.as_bytes(), BEGINS);
    let mut starts = found.map(|at| log[..at].rfind('\n').map_or(0, |line| line + 1));
    starts.find(|start| lines(&log[*start..]).next().map(strip) == Some(BEGINS)).unwrap_or(log.len())
}

/// An object from file to lines.
struct Files<'a> {
    wanted: &'a dyn Fn(&str) -> bool,
}

type FileLines = Vec<(String, Vec<(u32, u64)>)>;

impl<'de> DeserializeSeed<'de> for Files<'_> {
    type Value = FileLines;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<FileLines, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Files<'_> {
    type Value = FileLines;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object from file to lines")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<FileLines, M::Error> {
        let mut files = Vec::new();
        while let Some(path) = map.next_key::<String>()? {
            let file = path.replace(REPOSITORY, "");
            if (self.wanted)(&file) {
                files.push((file, map.next_value_seed(Lines)?));
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(files)
    }
}

/// An object from number of a line to number of executions.
struct Lines;

impl<'de> DeserializeSeed<'de> for Lines {
    type Value = Vec<(u32, u64)>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Lines {
    type Value = Vec<(u32, u64)>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object from line to number of executions")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut lines = Vec::with_capacity(map.size_hint().unwrap_or_default());
        while let Some(entry) = map.next_entry::<u32, u64>()? {
            lines.push(entry);
        }
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_added_up() {
        let log = "+ cat coverage.covering\n{\"/testbed/a.py\": {\"1\": 9}}\n+ cat coverage.cover\n\
            {\"/testbed/a.py\": {\"1\": 2, \"3\": 0}}\nnoise\n{\"/testbed/a.py\": {\"1\": 5}}\n{\"/testbed/b/c.py\": {\"7\": 1}}\n\
            {\"/testbed/a.py\": {\"1\": 5\n+ git checkout abc\n{\"/testbed/a.py\": {\"1\": 100}}\n";
        let trace = Trace::of_log(log, |_| true);
        let check = |file: &str, line: u32, expect: Option<u64>| assert_eq!(trace.hits(file, line), expect);
        check("a.py", 1, Some(7));
        check("a.py", 3, Some(0));
        check("a.py", 2, None);
        check("b/c.py", 7, Some(1));
        check("x.py", 1, None);
        assert!(Trace::of_log(log, |file| file == "other").is_empty());
        assert!(Trace::of_log("no trace", |_| true).is_empty());
    }
}
