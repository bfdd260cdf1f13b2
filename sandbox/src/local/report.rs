//! What the first process of a command says on its standard input, a socket: who listens to its calls, that it has begun, and the
//! command's status.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use rustix::io::Errno;

use super::listener::{HAND_OVER, read_with_descriptor};

/// The report of the first process.
#[derive(Debug, Default)]
pub(super) struct Report {
    text: Vec<u8>,
    pub(super) closed: bool,
}

impl Report {
    pub(super) fn started(&self) -> bool {
        self.text.first() == Some(&b's')
    }

    /// The command's status, once the whole line is there.
    pub(super) fn status(&self) -> Option<i32> {
        let line = self.text.strip_prefix(b"s")?.strip_suffix(b"\n")?;
        std::str::from_utf8(line).ok()?.parse().ok()
    }

    /// Takes in what was said; gives who listens to calls when that is handed over.
    pub(super) fn read(&mut self, control: &UnixStream) -> io::Result<Option<OwnedFd>> {
        let mut bytes = [0; 64];
        match read_with_descriptor(control, &mut bytes) {
            Ok((0, _)) | Err(Errno::CONNRESET) => self.closed = true,
            Ok((count, listener)) => {
                let said = &bytes[..count];
                // Before it says anything it has handed over who listens, or nobody does.
                let said =
                    if self.text.is_empty() { said.strip_prefix(&[HAND_OVER]).unwrap_or(said) } else { said };
                self.text.extend_from_slice(said);
                return Ok(listener);
            }
            Err(Errno::WOULDBLOCK) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(None)
    }
}
