//! Where every event of a session goes: first to disk, then into the memory, then to those who listen.

use patchwright_prompts::Prompt;
use patchwright_protocol::SessionResult;
use patchwright_trajectory::{Event, Purpose, Record, Redactor, TrajectoryWriteError, Writer};

use crate::memory::Memory;

/// Hears every record after it is on disk: progress on a terminal, a comparison with a recording.
pub trait Listener: Send {
    /// Is called once a record, in order.
    fn on_event(&mut self, record: &Record);
}

/// The one place through which events pass.
pub struct Journal {
    writer: Writer,
    memory: Memory,
    listeners: Vec<Box<dyn Listener>>,
}

impl Journal {
    /// A journal that writes to `writer`.
    pub fn new(writer: Writer, listeners: Vec<Box<dyn Listener>>) -> Self {
        Self { writer, memory: Memory::default(), listeners }
    }

    /// What the events so far amount to.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// What replaces secrets in everything that is written here. What is sent without being written goes through it too.
    pub fn redactor(&self) -> &Redactor {
        self.writer.redactor()
    }

    /// The file that is written.
    pub fn path(&self) -> &std::path::Path {
        self.writer.path()
    }

    /// Writes an event; only then it counts.
    pub fn record(&mut self, event: Event) -> Result<(), TrajectoryWriteError> {
        let record = self.writer.write(event)?;
        self.notify(&record);
        Ok(())
    }

    /// Writes a prompt, as its difference to the one before. Gives it back as it was written, without secrets: so it is
    /// to be sent.
    pub fn prompt(
        &mut self,
        cycle: u32,
        purpose: Purpose,
        prompt: &Prompt,
    ) -> Result<Prompt, TrajectoryWriteError> {
        let mut clean = prompt.clone();
        for message in &mut clean.messages {
            message.text = self.redactor().text(&message.text);
        }
        let record = self.writer.prompt(cycle, purpose, &clean.messages, clean.tokens as u64)?;
        self.notify(&record);
        Ok(clean)
    }

    /// Writes the last event, confirms everything to the disk and closes the file. Gives the result back as it was written:
    /// so it is to be shown.
    pub fn end(mut self, result: SessionResult) -> Result<SessionResult, TrajectoryWriteError> {
        let record = self.writer.write(Event::SessionEnded(result))?;
        self.notify(&record);
        self.writer.close()?;
        match record.event {
            Event::SessionEnded(result) => Ok(result),
            other => Err(TrajectoryWriteError::Encoding {
                event: other.name(),
                message: "it is not the end".to_owned(),
            }),
        }
    }

    fn notify(&mut self, record: &Record) {
        self.memory.apply(&record.event);
        for listener in &mut self.listeners {
            listener.on_event(record);
        }
    }
}
