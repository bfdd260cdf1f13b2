//! The parser: one value from its opening bracket to its end.

use serde_json::Value;
use serde_json::map::Entry;

use super::checkpoints::Checkpoint;
use super::frame::{self, Expect, Frame, SearchCache};
use super::provisional::Provisional;
use super::shape::keep_both;
use super::strings::{StringEnd, StringRole};
use super::{DEPTH, Damage, DamageKind, JsonRepair, KnownKeys, Recovered, RepairMade};

/// The mode in which a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// JSON and nothing else.
    Strict,
    /// JSON or what differs from it in form alone, as Python's literals do: brackets and quotes are what they seem.
    Dialect,
    /// Everything, with repairs.
    Lenient,
}

/// The modes in which a value is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Modes {
    /// That in which reading begins.
    pub(super) first: Mode,
    /// The one that is tried again after an entry, if any.
    pub(super) without_repairs: Option<Mode>,
}

/// A value with what was done to read it.
pub(super) struct Parsed {
    pub(super) found: Recovered,
    /// The end of what was read: beyond that of the value when a string that never ended ran over what comes next.
    pub(super) read_to: usize,
    /// Is true if it showed itself as Python's only after escapes that Python alone has were kept.
    pub(super) late_python: bool,
    /// Where an entry begins behind it that lacks its opening bracket.
    pub(super) bare_entry: Option<usize>,
}

/// Reading stopped: at this byte stands something that the mode does not allow.
pub(super) type ParseStop = usize;

pub(super) struct Parser<'t, 'k> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) mode: Mode,
    pub(super) keys: &'k mut KnownKeys,
    pub(super) memory: &'k mut SearchCache,
    pub(super) stack: Vec<Frame>,
    pub(super) expect: Expect,
    pub(super) repairs: Vec<RepairMade>,
    pub(super) damage: Vec<Damage>,
    pub(super) provisional: Vec<Provisional>,
    /// Where something was left out last.
    pub(super) left_out: usize,
    pub(super) done: Option<Value>,
    /// The number of repairs that moved brackets, or guessed at the end of a string.
    pub(super) moves: usize,
    /// The end of the last string that has quotes inside.
    pub(super) quoted_to: usize,
    /// The byte up to which a string that never ended was read.
    pub(super) overran: usize,
    /// Is true if the value is one of Python's: something in it is that JSON does not have.
    pub(super) python: bool,
    /// Is true if escapes were kept that Python reads.
    pub(super) python_escapes_kept: bool,
    /// The mode without repairs that may be tried after an entry, if any.
    pub(super) without_repairs: Option<Mode>,
    pub(super) checkpoint: Option<Checkpoint>,
    /// The place up to which reading without repairs came, when it stopped.
    pub(super) stopped: usize,
    /// Is true once something had to be read with repairs.
    pub(super) repairs_made: bool,
    /// Where an entry begins that lacks its opening bracket, which ends the value.
    pub(super) bare_entry: Option<usize>,
}

impl<'t, 'k> Parser<'t, 'k> {
    /// A parser for the value whose opening bracket stands at `start`, or for the entry whose first key does, without a bracket; `python` when it is known to be one of Python's.
    pub(super) fn new(
        text: &'t str,
        start: usize,
        modes: Modes,
        python: bool,
        keys: &'k mut KnownKeys,
        memory: &'k mut SearchCache,
    ) -> Self {
        let Modes { first: mode, without_repairs } = modes;
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
            provisional: Vec::new(),
            left_out: 0,
            done: None,
            moves: 0,
            quoted_to: 0,
            overran: 0,
            python,
            python_escapes_kept: false,
            without_repairs,
            checkpoint: None,
            stopped: 0,
            repairs_made: mode == Mode::Lenient,
            bare_entry: None,
        }
    }

    /// Reads the value. Reading that begins lenient does not stop.
    pub(super) fn parse(mut self) -> Result<Parsed, ParseStop> {
        let start = self.at;
        if matches!(self.byte(), Some(b'{' | b'[')) {
            self.open()?;
        } else {
            self.open_without_bracket(start)?;
        }
        let value = loop {
            if self.done.is_some()
                && let Some(value) = self.done.take()
            {
                break value;
            }
            if let Err(stop) = self.next() {
                self.go_back(stop)?;
            }
        };
        self.damage.sort_by_key(|damage| damage.at);
        Ok(Parsed {
            found: Recovered { value, span: start..self.at, repairs: self.repairs, damage: self.damage },
            read_to: self.overran.max(self.at),
            late_python: self.python && self.python_escapes_kept,
            bare_entry: self.bare_entry,
        })
    }

    /// Reads the next token.
    fn next(&mut self) -> Result<(), ParseStop> {
        self.skip_blanks()?;
        match self.byte() {
            None => self.end_of_text(),
            Some(byte) => self.step(byte),
        }
    }

    pub(super) fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Notes a repair; where the mode does not allow it, reading stops here.
    pub(super) fn repair(&mut self, kind: JsonRepair, at: usize) -> Result<(), ParseStop> {
        let refused = match self.mode {
            Mode::Strict => true,
            Mode::Dialect => kind.moves_structure(),
            Mode::Lenient => false,
        };
        if refused {
            return Err(at);
        }
        self.python |= matches!(kind, JsonRepair::SingleQuotes | JsonRepair::PythonLiteral);
        self.moves += usize::from(kind.moves_structure());
        self.made(kind, at);
        Ok(())
    }

    fn made(&mut self, kind: JsonRepair, at: usize) {
        match self.repairs.iter_mut().find(|made| made.kind == kind) {
            Some(made) => made.count += 1,
            None => self.repairs.push(RepairMade { kind, at, count: 1 }),
        }
    }

    /// Notes damage at the place where reading stands; where the mode does not allow it, reading stops here.
    pub(super) fn damage(&mut self, kind: DamageKind, at: usize) -> Result<(), ParseStop> {
        if self.mode != Mode::Lenient {
            return Err(at);
        }
        self.note(kind, at);
        Ok(())
    }

    pub(super) fn note(&mut self, kind: DamageKind, at: usize) {
        if kind == DamageKind::LeftOut {
            self.left_out = at;
        }
        let pointer = frame::pointer(&self.stack);
        if !self.damage.iter().rev().take(8).any(|known| known.kind == kind && known.pointer == pointer) {
            self.damage.push(Damage { kind, pointer, at });
        }
    }

    fn step(&mut self, byte: u8) -> Result<(), ParseStop> {
        if matches!(byte, b'}' | b']' | b')') {
            return self.closer(byte);
        }
        if self.mode == Mode::Lenient && self.ends_with_reply(byte)? {
            return Ok(());
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

    fn key(&mut self, byte: u8) -> Result<(), ParseStop> {
        match byte {
            b'"' | b'\'' => self.quoted_key(),
            b'{' => self.object_for_key(),
            b'[' if self.resumes_here() => self.cut_here(),
            _ => {
                if let Some(quote) = self.typographic_quote() {
                    return self.typographic_key(quote);
                }
                self.unquoted_key()
            }
        }
    }

    /// The key that was read stands at `at`.
    pub(super) fn key_read(&mut self, name: String, at: usize) -> Result<(), ParseStop> {
        if self.is_misplaced(&name) {
            return Err(at);
        }
        if self.begins_next_entry(&name) {
            if self.mode != Mode::Lenient {
                return Err(at);
            }
            self.next_entry(at)?;
        } else if self.begins_next_value(&name) {
            if self.mode != Mode::Lenient {
                return Err(at);
            }
            return self.end_before_bare_entry(at);
        }
        self.set_key(name);
        Ok(())
    }

    pub(super) fn set_key(&mut self, name: String) {
        self.keys.add(&name);
        if let Some(Frame::Object { key, .. }) = self.stack.last_mut() {
            *key = Some(name);
        }
        self.expect = Expect::Colon;
    }

    fn colon(&mut self, byte: u8) -> Result<(), ParseStop> {
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

    fn value(&mut self, byte: u8) -> Result<(), ParseStop> {
        match byte {
            b'{' | b'[' if self.resumes_here() => self.cut_here(),
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

    pub(super) fn place(&self) -> StringRole {
        if self.in_object() { StringRole::Member } else { StringRole::Element }
    }

    fn string_value(&mut self, quote: u8) -> Result<(), ParseStop> {
        if self.triple_quoted(quote) {
            return self.triple_quoted_string(quote, false);
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

    /// Opens the container whose bracket stands here.
    pub(super) fn open(&mut self) -> Result<(), ParseStop> {
        if self.stack.len() >= DEPTH {
            return self.too_deep();
        }
        let room = &mut self.memory.room;
        self.stack.push(match self.text.as_bytes().get(self.at) {
            Some(b'{') => Frame::object_of(room.members(self.stack.len()), self.moves),
            Some(b'(') => Frame::Tuple { elements: room.list() },
            _ => Frame::Array { elements: room.list() },
        });
        self.at += 1;
        self.expect = Expect::Item { after_comma: false };
        Ok(())
    }

    /// Puts a value into the innermost container.
    pub(super) fn push(&mut self, value: Value) {
        self.expect = Expect::Comma;
        match self.stack.last_mut() {
            Some(Frame::Object { members, key, .. }) => {
                let Some(key) = key.take() else { return };
                match members.entry(key) {
                    Entry::Vacant(place) => {
                        place.insert(value);
                    }
                    Entry::Occupied(place) => {
                        let kept = keep_both(place.into_mut(), value);
                        self.repeated(kept);
                    }
                }
            }
            Some(Frame::Array { elements } | Frame::Tuple { elements }) => elements.push(value),
            None => self.done = Some(value),
        }
    }

    /// A key stood twice in the object at hand. In JSON the last one counts, but what that loses is said.
    fn repeated(&mut self, kept: bool) {
        if kept {
            self.made(JsonRepair::RepeatedKey, self.at);
        } else {
            self.note(DamageKind::TwoReadings, self.at);
        }
    }

    /// Closes the innermost container.
    pub(super) fn close(&mut self) {
        if let [around @ .., frame] = self.stack.as_slice()
            && frame.moved(self.moves)
            && !frame.is_entry_in_shape(around.last().and_then(Frame::last))
        {
            self.doubt();
        }
        if let Some(frame) = self.stack.pop() {
            let value = self.memory.room.value(frame, self.stack.len());
            self.push(value);
        }
        self.settle();
    }
}
