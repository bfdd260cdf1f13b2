//! The outcome of a command: how it ended, and the first and last part of what it said.

use std::collections::VecDeque;

use patchwright_protocol::Exit;

/// One output stream: head and tail, and how much was left out between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes; empty when nothing was left out.
    pub tail: Vec<u8>,
    /// Number of bytes between head and tail that were not kept.
    pub omitted: u64,
}

impl Captured {
    /// The stream as text: bytes that are not UTF-8 become U+FFFD, and a note stands where bytes were left out.
    pub fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        if self.omitted > 0 {
            text.push_str(&format!("\n[… {} bytes left out …]\n", self.omitted));
        }
        text.push_str(&String::from_utf8_lossy(&self.tail));
        text
    }
}

/// The end of a command, with its output.
#[derive(Debug, Clone, PartialEq)]
pub struct CommandOutcome {
    /// Its end.
    pub exit: Exit,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// Wall-clock seconds from its start to the end of its last process.
    pub seconds: f64,
    /// It was ended because it used more memory than it may.
    pub out_of_memory: bool,
    /// It was ended because it wrote more onto the disk than it may.
    pub out_of_disk: bool,
    /// It was ended, or could not go on, because it had more processes than it may.
    pub too_many_processes: bool,
}

impl CommandOutcome {
    /// The outcome of a command that ended so, said nothing, took no time and kept its limits.
    pub fn of(exit: Exit) -> Self {
        Self {
            exit,
            stdout: Captured::default(),
            stderr: Captured::default(),
            seconds: 0.0,
            out_of_memory: false,
            out_of_disk: false,
            too_many_processes: false,
        }
    }
}

/// Collects a stream within a bound: the first half is kept, then a ring of the last half.
#[derive(Debug)]
pub(crate) struct Collector {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_limit: usize,
    tail_limit: usize,
    omitted: u64,
}

impl Collector {
    /// A collector that keeps `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        let head_limit = limit / 2;
        Self {
            head: Vec::new(),
            tail: VecDeque::new(),
            head_limit,
            tail_limit: limit - head_limit,
            omitted: 0,
        }
    }

    /// Takes the next bytes of the stream.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let room = (self.head_limit - self.head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.head.extend_from_slice(first);
        // Of a piece longer than the ring only its end can survive.
        let skipped = rest.len().saturating_sub(self.tail_limit);
        let rest = &rest[skipped..];
        let surplus = (self.tail.len() + rest.len()).saturating_sub(self.tail_limit);
        self.tail.drain(..surplus);
        self.tail.extend(rest);
        self.omitted += (skipped + surplus) as u64;
    }

    /// The text that was kept. A stream that fitted whole is all head.
    pub(crate) fn finish(self) -> Captured {
        let Self { mut head, tail, omitted, .. } = self;
        let tail = Vec::from(tail);
        if omitted > 0 {
            return Captured { head, tail, omitted };
        }
        head.extend_from_slice(&tail);
        Captured { head, tail: Vec::new(), omitted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(limit: usize, pieces: &[&str]) -> Captured {
        let mut collector = Collector::new(limit);
        for piece in pieces {
            collector.push(piece.as_bytes());
        }
        collector.finish()
    }

    #[test]
    fn keeps_head_and_tail() {
        let check = |limit, pieces: &[&str], head: &str, tail: &str, omitted| {
            let expect = Captured { head: head.into(), tail: tail.into(), omitted };
            assert_eq!(collect(limit, pieces), expect, "{pieces:?} within {limit}");
        };
        check(8, &[], "", "", 0);
        check(8, &["abc", "def"], "abcdef", "", 0);
        check(8, &["abcdefgh"], "abcdefgh", "", 0);
        check(8, &["abcdefghi"], "abcd", "fghi", 1);
        check(8, &["abcd", "efgh", "ijkl"], "abcd", "ijkl", 4);
        check(8, &["a", "bcdefghijklmnopqrstuvwxyz"], "abcd", "wxyz", 18);
        check(5, &["abcdefg"], "ab", "efg", 2);
        check(0, &["abc"], "", "", 3);
    }

    #[test]
    fn text_is_lossy_and_tells_what_is_missing() {
        let captured = Captured { head: b"caf\xe9".to_vec(), tail: b"end".to_vec(), omitted: 7 };
        assert_eq!(captured.text(), "caf\u{fffd}\n[… 7 bytes left out …]\nend");
        assert_eq!(collect(100, &["plain"]).text(), "plain");
    }

    #[test]
    fn shell_statuses_name_signals() {
        for (status, expect) in [
            (0, Exit::Code(0)),
            (1, Exit::Code(1)),
            (127, Exit::Code(127)),
            (128, Exit::Code(128)),
            (137, Exit::Signal(9)),
            (143, Exit::Signal(15)),
            (255, Exit::Code(255)),
        ] {
            assert_eq!(Exit::from_shell_status(status), expect, "{status}");
        }
    }
}
