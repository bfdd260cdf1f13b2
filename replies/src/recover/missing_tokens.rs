//! Tokens that are missing, and texts that end too early.

use serde_json::Value;

use super::frame::{self, Expect, Frame};
use super::lookahead::{blanks, first_key};
use super::parser::{ParseStop, Parser};
use super::{DamageKind, JsonRepair};

impl Parser<'_, '_> {
    pub(super) fn missing_comma(&mut self, byte: u8) -> Result<(), ParseStop> {
        if byte == b'[' && self.list_begins_anew() {
            return self.close_all();
        }
        if byte == b'[' && self.resumes_here() {
            return self.cut_here();
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
            if matches!(byte, b'"' | b'\'') && self.may_be_one_string() {
                self.damage(DamageKind::TwoReadings, self.at)?;
            }
        }
        self.expect = Expect::Item { after_comma: true };
        Ok(())
    }

    /// Is true if the list of objects at the root ends here, without its bracket, because another list follows it.
    pub(super) fn list_begins_anew(&self) -> bool {
        match self.stack.as_slice() {
            [Frame::Array { elements }] => !elements.is_empty() && elements.iter().all(Value::is_object),
            _ => false,
        }
    }

    /// `{` where a key should stand: an object begins anew, so the one before was never closed.
    pub(super) fn object_for_key(&mut self) -> Result<(), ParseStop> {
        if self.stack.last().is_some_and(Frame::is_empty) {
            if self.resumes_here() {
                return self.cut_here();
            }
            self.repair(JsonRepair::ExtraOpener, self.at)?;
            self.at += 1;
            return Ok(());
        }
        while self.in_object() {
            if self.next_is_like() {
                self.close_before_bracket(self.at)?;
            } else {
                self.damage(DamageKind::Unclosed, self.at)?;
                self.close_before(self.at)?;
            }
        }
        self.expect = Expect::Item { after_comma: true };
        Ok(())
    }

    /// A key without a value: it is left out.
    pub(super) fn drop_key(&mut self) -> Result<(), ParseStop> {
        self.damage(DamageKind::LeftOut, self.at)?;
        self.forget_key();
        self.expect = Expect::Comma;
        Ok(())
    }

    /// Takes the key at hand for none.
    pub(super) fn forget_key(&mut self) {
        if let Some(Frame::Object { key, .. }) = self.stack.last_mut() {
            *key = None;
        }
    }

    /// A string that stands where a value should be; a colon after it makes it a key of an object around.
    pub(super) fn string_read(&mut self, start: usize, text: String) -> Result<(), ParseStop> {
        let bytes = self.text.as_bytes();
        if self.in_object() || bytes.get(blanks(bytes, self.at)) != Some(&b':') {
            self.push(Value::String(text));
            return Ok(());
        }
        if self.lacks_opener(&text) {
            self.repair(JsonRepair::MissingOpener, start)?;
            self.stack.push(Frame::object(0));
            return self.key_read(text, start);
        }
        if !self.stack.iter().any(Frame::is_object) {
            self.damage(DamageKind::LeftOut, start)?;
            self.expect = Expect::Comma;
            return Ok(());
        }
        while !self.in_object() {
            self.close_before(start)?;
        }
        self.key_read(text, start)
    }

    /// The text ends inside the value.
    pub(super) fn end_of_text(&mut self) -> Result<(), ParseStop> {
        let pending = match self.expect {
            Expect::Comma => false,
            Expect::Item { after_comma } => after_comma || self.stack.last().is_some_and(Frame::is_empty),
            Expect::Colon | Expect::Value => true,
        };
        if pending {
            self.damage(DamageKind::Cut, self.at)?;
        }
        self.forget_key();
        self.close_all()
    }

    /// The reply ends inside the value, where its fence or its tag is closed or prose begins.
    pub(super) fn end_of_reply(&mut self) -> Result<(), ParseStop> {
        match self.expect {
            Expect::Item { after_comma: true } => self.repair(JsonRepair::TrailingComma, self.at)?,
            Expect::Item { after_comma: false } | Expect::Comma => {}
            Expect::Colon | Expect::Value => self.damage(DamageKind::Cut, self.at)?,
        }
        self.forget_key();
        while !self.stack.is_empty() {
            self.close_before(self.at)?;
        }
        Ok(())
    }

    /// A fence or a tag inside the value.
    pub(super) fn fenced(&mut self, fence: Fence) -> Result<(), ParseStop> {
        match fence {
            Fence::Closes => self.end_of_reply(),
            Fence::Opens => self.end_of_text(),
        }
    }

    /// Closes the innermost container, whose bracket is missing before `at`. That what follows belongs to what is around does
    /// not tell of an entry that it has all its members.
    pub(super) fn close_before(&mut self, at: usize) -> Result<(), ParseStop> {
        if self.may_lack_members() {
            self.damage(DamageKind::Unclosed, at)?;
        }
        self.close_without_bracket(at)
    }

    /// The same before a bracket. There the list around tells of its entries that they have all their members, when it goes on to
    /// its own bracket.
    pub(super) fn close_before_bracket(&mut self, at: usize) -> Result<(), ParseStop> {
        let damage = self.may_lack_members().then(|| self.damage_here(DamageKind::Unclosed, at));
        self.close_without_bracket(at)?;
        if let Some(damage) = damage {
            self.damage_until_list_ends(damage);
        }
        Ok(())
    }

    fn close_without_bracket(&mut self, at: usize) -> Result<(), ParseStop> {
        self.repair(JsonRepair::MissingCloser, at)?;
        self.close();
        Ok(())
    }

    /// Is true if the object at hand stands in a list, and an object with the same first key follows.
    fn next_is_like(&self) -> bool {
        let [.., Frame::Array { .. }, object] = self.stack.as_slice() else { return false };
        first_key(self.text, self.at).is_some_and(|key| object.first_key() == Some(key))
    }

    /// Closes everything that is open, where the text or the reply breaks off.
    pub(super) fn close_all(&mut self) -> Result<(), ParseStop> {
        while !self.stack.is_empty() {
            self.damage(DamageKind::Unclosed, self.at)?;
            self.repair(JsonRepair::MissingCloser, self.at)?;
            self.close();
        }
        Ok(())
    }

    /// Notes that the container at hand can be read in two ways, unless it is known to be damaged.
    pub(super) fn doubt(&mut self) {
        let pointer = frame::pointer(&self.stack);
        if !self.damage.iter().any(|damage| damage.pointer.starts_with(&pointer)) {
            self.note(DamageKind::TwoReadings, self.at);
        }
    }
}

/// What a fence, or a tag, says of the value in which it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fence {
    /// It closes the reply: whoever wrote it had written all, but for some brackets.
    Closes,
    /// It opens the next reply: the one at hand was cut off.
    Opens,
}

/// The fence or the closing tag that stands where this text begins.
pub(super) fn fence(text: &str) -> Option<Fence> {
    if let Some(tag) = text.strip_prefix("</") {
        return tag.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(Fence::Closes);
    }
    let after = text.strip_prefix("```")?;
    let opens =
        after.starts_with(|c: char| c.is_ascii_alphanumeric()) || after.trim_start().starts_with(['{', '[']);
    Some(if opens { Fence::Opens } else { Fence::Closes })
}
