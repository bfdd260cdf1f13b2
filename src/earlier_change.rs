//! A change of the project that an earlier run of the program began to write and did not finish.

use std::path::Path;

use patchwright_edits::{Recovery, is_interrupted, recover};
use patchwright_folder::Folder;
use patchwright_protocol::Failure;
use patchwright_syntax::shorten;

use crate::output::say_first;

/// The most characters that are shown of a change's name. The journal lies in the project, so the name may be anything.
const LONGEST_NAME: usize = 100;

/// Finishes such a change or takes it back, and tells what became of it; `None` where there is none. Where this run may write nothing
/// into the project, the change stands in its way.
///
/// # Errors
/// The change stands in the way, its journal cannot be read, or the system refuses.
pub fn settle(dir: &Path, may_write: bool) -> Result<Option<Recovery>, Failure> {
    if may_write { settled(dir) } else { refused(dir).map(|()| None) }
}

fn settled(dir: &Path) -> Result<Option<Recovery>, Failure> {
    let folder = open(dir)?;
    let recovery = recover(&folder).map_err(|error| {
        Failure::environment(format!("{}: {error}", dir.display())).hint(
            "look at .patchwright/apply in the project: journal.json names the files, and the numbered files are their other contents; \
             remove the folder when nothing of it is needed",
        )
    })?;
    match &recovery {
        None => {}
        Some(Recovery::Finished { name, files }) => {
            crate::say(&format!(
                "a change of {files} files was interrupted ({}): it is finished now",
                shorten(name, LONGEST_NAME).escape_debug()
            ));
        }
        Some(Recovery::TakenBack { changed }) => {
            crate::say(
                "an earlier change was interrupted, and is taken back, as these files were changed since (.orig is what they were before):",
            );
            say_first(changed, ToString::to_string);
        }
    }
    Ok(recovery)
}

fn refused(dir: &Path) -> Result<(), Failure> {
    if !is_interrupted(&open(dir)?) {
        return Ok(());
    }
    Err(Failure::environment(format!(
        "{}: an earlier change was interrupted, so that some of its files are written and some are not",
        dir.display()
    ))
    .hint(
        "the same command with --apply, or `patchwright apply` with any edits, finishes it or takes it back",
    ))
}

fn open(dir: &Path) -> Result<Folder, Failure> {
    Folder::open(dir).map_err(Failure::environment)
}
