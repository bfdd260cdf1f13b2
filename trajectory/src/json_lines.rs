//! An append-only file of JSON lines: what a trajectory and the log of a run are.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use patchwright_protocol::json_values;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::redact::Redactor;

/// Bytes of a line that are read, and so the most that are written.
pub const LONGEST_LINE: usize = 16 << 20;
/// Values of a line (texts, numbers, lists, objects) that are read and written: in memory each takes up to a hundred times its bytes.
pub const MOST_VALUES: usize = 1 << 18;
/// Bytes of all lines that a program holds in memory at once.
pub const MOST_BYTES: u64 = 256 << 20;
/// Bytes to which the texts of a line are shortened, in turn, until it fits. Words stay whole.
const SHORTENED: [usize; 5] = [4 << 20, 1 << 20, 64 << 10, 4 << 10, 256];

/// Why a line is neither written nor read; none where it is.
pub fn excess(line: &[u8]) -> Option<String> {
    if line.len() > LONGEST_LINE {
        return Some(format!("has more than {LONGEST_LINE} bytes"));
    }
    (json_values(line) > MOST_VALUES).then(|| format!("has more than {MOST_VALUES} values"))
}

/// Reads a file line by line, none of them further than tells that it is too long.
#[derive(Debug)]
pub struct LineReader {
    input: BufReader<File>,
}

impl LineReader {
    /// Opens a file.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { input: BufReader::new(File::open(path)?) })
    }

    /// The next line with its end, which only the last one may lack; none at the end of the file. What is longer than a line
    /// may be is cut there, which [`excess`] tells.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn next_line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        self.input.by_ref().take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut line)?;
        Ok((!line.is_empty()).then_some(line))
    }
}

/// The file under [`JsonLines`]. A trait so that a full disk can be tested.
pub trait Storage: Write + Send {
    /// Cuts the file to a length, in bytes, and goes on writing there.
    ///
    /// # Errors
    /// Those of the file.
    fn cut_to(&mut self, length: u64) -> io::Result<()>;

    /// Waits until what was written is on the disk.
    ///
    /// # Errors
    /// Those of the file.
    fn sync(&mut self) -> io::Result<()>;
}

impl Storage for File {
    fn cut_to(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        self.seek(SeekFrom::Start(length)).map(|_| ())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// An append-only file of JSON lines. An error leaves it valid up to its last whole line; a later line may be tried.
pub struct JsonLines {
    storage: Box<dyn Storage>,
    /// Bytes of whole lines.
    good: u64,
    /// There may be a part of a line after the whole ones.
    torn: bool,
}

impl JsonLines {
    /// A new file.
    ///
    /// # Errors
    /// The file exists or cannot be made.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self::over(Box::new(OpenOptions::new().write(true).create_new(true).open(path)?), 0))
    }

    /// A file, made where there is none, that is written on after so many bytes of whole lines; what comes after them is cut off.
    ///
    /// # Errors
    /// The file cannot be opened or cut, or is a link.
    pub fn resume(path: &Path, good: u64) -> io::Result<Self> {
        if path.is_symlink() {
            return Err(io::Error::other("it is a link, and links are not written through"));
        }
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
        file.cut_to(good)?;
        file.sync()?;
        Ok(Self::over(Box::new(file), good))
    }

    /// Lines in any storage that holds so many bytes of whole lines.
    pub fn over(storage: Box<dyn Storage>, good: u64) -> Self {
        Self { storage, good, torn: false }
    }

    /// Adds a record as a line to `lines`, secrets replaced, and gives it as it will stand in the file, read back: what this
    /// program writes, it can read, which also refuses numbers that JSON has no form for. Of a record that is longer than a line
    /// may be, the longest texts are shortened.
    ///
    /// # Errors
    /// The record has no JSON form, or too many values for a line.
    pub fn encode<T: Serialize + DeserializeOwned>(
        record: &T,
        redactor: &Redactor,
        lines: &mut Vec<u8>,
    ) -> serde_json::Result<T> {
        let mut value = serde_json::to_value(record)?;
        redactor.value(&mut value);
        let line = fit(&mut value)?;
        let record = serde_json::from_value(value)?;
        lines.extend_from_slice(line.as_bytes());
        Ok(record)
    }

    /// Appends whole lines: all of them, or none.
    ///
    /// # Errors
    /// The file cannot take them.
    pub fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        if self.torn {
            self.storage.cut_to(self.good)?;
            self.torn = false;
        }
        if let Err(error) = self.storage.write_all(lines).and_then(|()| self.storage.flush()) {
            // Where even cutting fails, the torn part goes before the next line is written.
            self.torn = self.storage.cut_to(self.good).is_err();
            return Err(error);
        }
        self.good += lines.len() as u64;
        Ok(())
    }

    /// Waits until all lines are on the disk.
    ///
    /// # Errors
    /// The disk does not confirm.
    pub fn sync(&mut self) -> io::Result<()> {
        self.storage.sync()
    }
}

/// Shortens the texts of a record as far as its line has to be, and gives that.
fn fit(value: &mut Value) -> serde_json::Result<String> {
    let mut line = format!("{value}\n");
    let mut excess_left = excess(line.as_bytes());
    for most in SHORTENED {
        if excess_left.is_none() {
            break;
        }
        let mut shortened = value.clone();
        shorten(&mut shortened, most);
        line = format!("{shortened}\n");
        excess_left = excess(line.as_bytes());
        if excess_left.is_none() {
            *value = shortened;
        }
    }
    match excess_left {
        None => Ok(line),
        Some(excess) => Err(serde::ser::Error::custom(format!("it {excess}"))),
    }
}

/// Cuts every text of a value that is longer, with a mark.
fn shorten(value: &mut Value, most: usize) {
    match value {
        Value::String(text) if text.len() > most => {
            let end = text.floor_char_boundary(most);
            let left_out = text.len() - end;
            text.truncate(end);
            text.push_str(&format!("\n[… {left_out} bytes left out …]"));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, most)),
        Value::Object(fields) => fields.values_mut().for_each(|field| shorten(field, most)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Is true if an error of a file says that there is no more room.
pub fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The record that is read back, and the bytes of its line.
    fn encoded(value: &Value) -> serde_json::Result<(Value, usize)> {
        let mut lines = Vec::new();
        let back = JsonLines::encode(value, &Redactor::default(), &mut lines)?;
        assert_eq!(excess(&lines), None, "what is written can be read");
        assert_eq!(serde_json::from_slice::<Value>(&lines)?, back);
        Ok((back, lines.len()))
    }

    #[test]
    fn a_long_record_is_shortened_in_its_longest_texts() {
        let (small, name) = ("a report", "n".repeat(1_000));
        for times in [1, 10] {
            let long = "é\n".repeat(times * LONGEST_LINE / 2);
            let record = serde_json::json!({"text": long, "list": [small, name]});
            let (back, bytes) = encoded(&record).unwrap();
            assert!(bytes > 1 << 20, "no more is left out than has to be: {bytes}");
            assert_eq!(back["list"], record["list"]);
            let text = back["text"].as_str().unwrap();
            let kept = text.split("\n[…").next().unwrap().len();
            assert!(text.ends_with(&format!("[… {} bytes left out …]", long.len() - kept)));
        }
    }

    #[test]
    fn a_record_of_too_many_values_is_refused_whole() {
        assert!(encoded(&Value::from(vec![1; MOST_VALUES - 1])).is_ok());
        for times in [1, 10] {
            let error = encoded(&Value::from(vec!["[,"; times * MOST_VALUES + 1])).unwrap_err();
            assert!(error.to_string().contains(&MOST_VALUES.to_string()), "{error}");
        }
        assert!(encoded(&Value::from("[,{".repeat(MOST_VALUES) + "\"[,\\")).is_ok(), "a text is one value");
    }
}
