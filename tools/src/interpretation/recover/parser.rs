//! The parser: one value from its opening bracket to its end.

use serde_json::{Map, Value};

use super::frame::{self, Expect, Frame, Memory};
use super::strings::{Place, StringEnd};
use super::{DEPTH, Damage, DamageKind, JsonRepair, KnownKeys, RepairMade};

/// How a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// JSON and nothing else.
    Strict,
    /// Everything, with repairs.
    Lenient,
}

/// A value with what was done to read it.
pub(super) struct Parsed {
    pub(super) value: Value,
    pub(super) end: usize,
    /// How far was read: beyond the end when a string that never ended ran over what comes next.
    pub(super) read_to: usize,
    pub(super) repairs: Vec<RepairMade>,
    pub(super) damage: Vec<Damage>,
}

/// Strict reading stopped: at this byte stands something that is not JSON.
pub(super) type Stopped = usize;

pub(super) struct Parser<'t, 'k, 'g> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) mode: Mode,
    pub(super) keys: &'k mut KnownKeys<'g>,
    pub(super) memory: &'k mut Memory,
    pub(super) stack: Vec<Frame>,
    pub(super) expect: Expect,
    repairs: Vec<RepairMade>,
    damage: Vec<Damage>,
    pub(super) done: Option<Value>,
    /// How far a string that never ended was read.
    pub(super) overran: usize,
}

impl<'t, 'k, 'g> Parser<'t, 'k, 'g> {
    /// A parser for the value whose opening bracket stands at `start`.
    pub(super) fn new(
        text: &'t str,
        start: usize,
        mode: Mode,
        keys: &'k mut KnownKeys<'g>,
        memory: &'k mut Memory,
    ) -> Self {
        Self {
            text,
            at: start,
            mode,
            keys,
            memory,
            stack: Vec::new(),
            expect: Expect::Value,
            repairs: Vec::new(),
            damage: Vec::new(),
            done: None,
            overran: 0,
        }
    }

    /// Reads the value. Only strict reading can stop.
    pub(super) fn parse(mut self) -> Result<Parsed, Stopped> {
        self.open()?;
        loop {
            if let Some(value) = self.done.take() {
                self.damage.sort_by_key(|damage| damage.at);
                return Ok(Parsed {
                    value,
                    end: self.at,
                    read_to: self.overran.max(self.at),
                    repairs: self.repairs,
                    damage: self.damage,
                });
            }
            self.skip_blanks()?;
            match self.byte() {
                None => self.end_of_text()?,
                Some(byte) => self.step(byte)?,
            }
        }
    }

    pub(super) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Notes a repair; in strict mode this is where reading stops.
    pub(super) fn repair(&mut self, kind: JsonRepair, at: usize) -> Result<(), Stopped> {
        if self.mode == Mode::Strict {
            return Err(at);
        }
        match self.repairs.iter_mut().find(|made| made.kind == kind) {
            Some(made) => made.count += 1,
            None => self.repairs.push(RepairMade { kind, at, count: 1 }),
        }
        Ok(())
    }

    /// Notes damage at the place where reading stands; in strict mode this is where reading stops.
    pub(super) fn damage(&mut self, kind: DamageKind, at: usize) -> Result<(), Stopped> {
        if self.mode == Mode::Strict {
            return Err(at);
        }
        let pointer = frame::pointer(&self.stack);
        if !self.damage.iter().rev().take(8).any(|known| known.kind == kind && known.pointer == pointer) {
            self.damage.push(Damage { kind, pointer, at });
        }
        Ok(())
    }

    fn step(&mut self, byte: u8) -> Result<(), Stopped> {
        if matches!(byte, b'}' | b']' | b')') {
            return self.closer(byte);
        }
        match (self.expect, byte) {
            (Expect::Comma, b',') => {
                self.at += 1;
                self.expect = Expect::Item { after_comma: true };
                Ok(())
            }
            (Expect::Comma, _) => self.missing_comma(byte),
            (Expect::Item { .. }, b',') => {
                self.repair(JsonRepair::ExtraComma, self.at)?;
                self.at += 1;
                Ok(())
            }
            (Expect::Item { .. }, _) if self.in_object() => self.key(byte),
            (Expect::Colon, _) => self.colon(byte),
            (Expect::Value, b',') => self.drop_key(),
            (Expect::Item { .. } | Expect::Value, _) => self.value(byte),
        }
    }

    pub(super) fn in_object(&self) -> bool {
        self.stack.last().is_some_and(Frame::is_object)
    }

    fn missing_comma(&mut self, byte: u8) -> Result<(), Stopped> {
        if byte == b'[' && self.list_begins_anew() {
            return self.close_all();
        }
        let fits = match byte {
            b'"' | b'\'' => true,
            b'{' | b'[' => !self.in_object() || byte == b'{',
            _ => !byte.is_ascii_punctuation() || byte == b'-' || byte == b'_',
        };
        if !fits {
            return self.leave_out();
        }
        if !(self.in_object() && byte == b'{') {
            self.repair(JsonRepair::MissingComma, self.at)?;
        }
        self.expect = Expect::Item { after_comma: true };
        Ok(())
    }

    /// Whether the list of objects at the root ends here, without its bracket, because another list follows it.
    fn list_begins_anew(&self) -> bool {
        match self.stack.as_slice() {
            [Frame::Array { elements }] => !elements.is_empty() && elements.iter().all(Value::is_object),
            _ => false,
        }
    }

    fn key(&mut self, byte: u8) -> Result<(), Stopped> {
        match byte {
            b'"' | b'\'' => self.quoted_key(),
            b'{' => self.object_for_key(),
            _ => {
                if let Some(quote) = self.typographic_quote() {
                    return self.typographic_key(quote);
                }
                self.unquoted_key()
            }
        }
    }

    pub(super) fn set_key(&mut self, name: String) {
        self.keys.add(&name);
        if let Some(Frame::Object { key, .. }) = self.stack.last_mut() {
            *key = Some(name);
        }
        self.expect = Expect::Colon;
    }

    /// `{` where a key should stand: an object begins anew, so the one before was never closed.
    fn object_for_key(&mut self) -> Result<(), Stopped> {
        if self.stack.last().is_some_and(Frame::is_empty) {
            self.repair(JsonRepair::ExtraOpener, self.at)?;
            self.at += 1;
            return Ok(());
        }
        while self.in_object() {
            self.damage(DamageKind::Unclosed, self.at)?;
            self.repair(JsonRepair::MissingCloser, self.at)?;
            self.close();
        }
        self.expect = Expect::Item { after_comma: true };
        Ok(())
    }

    fn colon(&mut self, byte: u8) -> Result<(), Stopped> {
        match byte {
            b':' => self.at += 1,
            b'=' => {
                self.repair(JsonRepair::MissingColon, self.at)?;
                self.at += if self.text[self.at..].starts_with("=>") { 2 } else { 1 };
            }
            b',' => return self.drop_key(),
            _ => self.repair(JsonRepair::MissingColon, self.at)?,
        }
        self.expect = Expect::Value;
        Ok(())
    }

    /// A key without a value: it is left out.
    pub(super) fn drop_key(&mut self) -> Result<(), Stopped> {
        self.damage(DamageKind::LeftOut, self.at)?;
        if let Some(Frame::Object { key, .. }) = self.stack.last_mut() {
            *key = None;
        }
        self.expect = Expect::Comma;
        Ok(())
    }

    fn value(&mut self, byte: u8) -> Result<(), Stopped> {
        match byte {
            b'{' | b'[' => self.open(),
            b'(' => {
                self.repair(JsonRepair::PythonLiteral, self.at)?;
                self.open()
            }
            b'"' | b'\'' => self.string_value(byte),
            _ => match self.typographic_quote() {
                Some(quote) => self.typographic_value(quote),
                None => self.word(),
            },
        }
    }

    pub(super) fn place(&self) -> Place {
        if self.in_object() { Place::Member } else { Place::Element }
    }

    fn string_value(&mut self, quote: u8) -> Result<(), Stopped> {
        if self.triple_quoted(quote) {
            return self.triple_quoted_string(quote);
        }
        let start = self.at;
        let (text, end) = self.string(quote, self.place())?;
        match end {
            StringEnd::Closed => self.string_read(start, text),
            StringEnd::Cut | StringEnd::EndOfText => {
                self.damage(DamageKind::Cut, self.at)?;
                self.push(Value::String(text));
                self.close_all()
            }
        }
    }

    /// A string that stands where a value should be; a colon after it makes it a key of an object around.
    fn string_read(&mut self, start: usize, text: String) -> Result<(), Stopped> {
        if self.in_object() || !self.text[self.at..].trim_start().starts_with(':') {
            self.push(Value::String(text));
            return Ok(());
        }
        if !self.stack.iter().any(Frame::is_object) {
            self.damage(DamageKind::LeftOut, start)?;
            self.expect = Expect::Comma;
            return Ok(());
        }
        while !self.in_object() {
            self.repair(JsonRepair::MissingCloser, start)?;
            self.close();
        }
        self.set_key(text);
        Ok(())
    }

    /// Opens the container whose bracket stands here.
    pub(super) fn open(&mut self) -> Result<(), Stopped> {
        if self.stack.len() >= DEPTH {
            return self.too_deep();
        }
        self.stack.push(match self.byte() {
            Some(b'{') => Frame::Object { members: Map::new(), key: None },
            Some(b'(') => Frame::Tuple { elements: Vec::new() },
            _ => Frame::Array { elements: Vec::new() },
        });
        self.at += 1;
        self.expect = Expect::Item { after_comma: false };
        Ok(())
    }

    /// Skips a container that is nested too deeply.
    fn too_deep(&mut self) -> Result<(), Stopped> {
        self.damage(DamageKind::TooDeep, self.at)?;
        let bytes = self.text.as_bytes();
        let mut depth = 0_usize;
        let mut quoted = false;
        while let Some(&byte) = bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'"' => quoted = !quoted,
                b'\\' if quoted => self.at += 1,
                b'{' | b'[' | b'(' if !quoted => depth += 1,
                b'}' | b']' | b')' if !quoted => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        self.at = self.text.ceil_char_boundary(self.at.min(bytes.len()));
        self.push(Value::Null);
        Ok(())
    }

    /// Puts a value into the innermost container.
    pub(super) fn push(&mut self, value: Value) {
        match self.stack.last_mut() {
            Some(Frame::Object { members, key }) => {
                if let Some(key) = key.take() {
                    members.insert(key, value);
                }
            }
            Some(Frame::Array { elements } | Frame::Tuple { elements }) => elements.push(value),
            None => self.done = Some(value),
        }
        self.expect = Expect::Comma;
    }

    /// Closes the innermost container.
    pub(super) fn close(&mut self) {
        if let Some(frame) = self.stack.pop() {
            self.push(frame.into_value());
        }
    }

    /// The text ends inside the value.
    fn end_of_text(&mut self) -> Result<(), Stopped> {
        let pending = match self.expect {
            Expect::Comma => false,
            Expect::Item { after_comma } => after_comma || self.stack.last().is_some_and(Frame::is_empty),
            Expect::Colon | Expect::Value => true,
        };
        if pending {
            self.damage(DamageKind::Cut, self.at)?;
        }
        if let Some(Frame::Object { key, .. }) = self.stack.last_mut() {
            *key = None;
        }
        self.close_all()
    }

    /// Closes everything that is open.
    pub(super) fn close_all(&mut self) -> Result<(), Stopped> {
        while !self.stack.is_empty() {
            self.damage(DamageKind::Unclosed, self.at)?;
            self.repair(JsonRepair::MissingCloser, self.at)?;
            self.close();
        }
        Ok(())
    }
}
