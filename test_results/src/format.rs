//! The names of the formats in which test tools tell of the outcomes of tests.

use patchwright_folder::{SHOWN_OF_GLOB, read_glob};
use patchwright_protocol::ResultsFormat;
use patchwright_syntax::shorten;

/// A results format that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownResultsFormat {
    /// No format is called so.
    #[error(
        "unknown results format `{given}`; known are pytest, junit-xml:GLOB, junit-text, unittest, defects4j, exit-status, lines"
    )]
    Name {
        /// The beginning of the text that was given.
        given: String,
    },
    /// The pattern for report files is none.
    #[error("the pattern {glob:?} of junit-xml:GLOB is not valid: {reason}")]
    Glob {
        /// The beginning of the pattern.
        glob: String,
        /// The reason.
        reason: String,
    },
}

/// Reads the name of a format, as settings and the command line give it.
///
/// # Errors
/// No format is called so, or its pattern for files is none.
pub fn read_results_format(text: &str) -> Result<ResultsFormat, UnknownResultsFormat> {
    let unknown = || UnknownResultsFormat::Name { given: shorten(text, SHOWN_OF_GLOB) };
    match text.trim() {
        "lines" => Ok(ResultsFormat::Lines),
        "pytest" => Ok(ResultsFormat::PytestText),
        "junit-text" => Ok(ResultsFormat::JunitText),
        "unittest" => Ok(ResultsFormat::UnittestText),
        "exit-status" => Ok(ResultsFormat::ExitStatus),
        "defects4j" => Ok(ResultsFormat::Defects4j),
        other => match other.strip_prefix("junit-xml:") {
            Some(glob) if !glob.is_empty() => match read_glob(glob, false) {
                Ok(_) => Ok(ResultsFormat::JunitXml { glob: glob.to_owned() }),
                Err(reason) => Err(UnknownResultsFormat::Glob { glob: shorten(glob, SHOWN_OF_GLOB), reason }),
            },
            Some(_) | None => Err(unknown()),
        },
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use patchwright_folder::{DEEPEST_GLOB, GlobTooLarge};

    use super::*;

    #[test]
    fn results_formats_read_as_they_print() {
        for text in [
            "lines",
            "pytest",
            "junit-xml:**/target/surefire-reports/TEST-*.xml",
            "junit-text",
            "unittest",
            "exit-status",
            "defects4j",
        ] {
            assert_eq!(read_results_format(text).unwrap().to_string(), text);
        }
        let deep = format!("junit-xml:{}", "{".repeat(10 * DEEPEST_GLOB));
        for text in ["", "junit-xml:", "junit-xml", "junit-xml:[", "tap", &deep] {
            let error = read_results_format(text).unwrap_err();
            assert!(error.to_string().contains("junit-xml:GLOB"), "{error}");
        }
        let error = read_results_format(&deep).unwrap_err();
        let deep = GlobTooLarge::Deep.to_string();
        assert!(matches!(&error, UnknownResultsFormat::Glob { reason, .. } if *reason == deep), "{error}");
    }
}
