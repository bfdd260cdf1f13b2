//! Closing brackets that do not fit: which are too many, which are missing, which are of the wrong kind.

use serde_json::Value;

use super::frame::{Expect, Frame};
use super::lookahead::{Next, first_key, list_follows, next_item, unquoted_key};
use super::parser::{Mode, ParseStop, Parser};
use super::resync::is_entry_field;
use super::{DamageKind, JsonRepair};
use crate::entries::names_a_file;
use crate::names::is_lines_key;

/// The most closing brackets in a row, and open containers, that are looked at together.
const WINDOW: usize = 24;

/// The treatment of one of the brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The bracket closes the innermost container.
    Close,
    /// The bracket is left out.
    Drop,
    /// A bracket that is missing closes the innermost container.
    Insert,
    /// The bracket is of the wrong kind and closes the innermost container all the same.
    Replace,
}

/// The doubt that is left when a run of brackets was read in its cheapest way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    None,
    /// There is none if the container that is left open is closed by its own bracket.
    UntilClosed,
    /// What follows belongs to something that these brackets close, or seems to.
    Stands,
}

/// Costs: a wrong kind is likelier than one missing beside one too many.
const DROP: u32 = 10;
const INSERT: u32 = 10;
const REPLACE: u32 = 12;
/// What follows the brackets does not fit the container that they leave open.
const MISMATCH: u32 = 15;
/// More of an entry follows, and nothing is open that awaits it.
const LOST: u32 = 25;
/// Something is left open at the end of the text, for each container.
const LEFT_OPEN: u32 = 4;

impl Parser<'_, '_> {
    /// A closing bracket.
    pub(super) fn closer(&mut self, byte: u8) -> Result<(), ParseStop> {
        match self.expect {
            Expect::Colon | Expect::Value => self.drop_key()?,
            Expect::Item { after_comma: true } => self.repair(JsonRepair::TrailingComma, self.at)?,
            Expect::Item { after_comma: false } | Expect::Comma => {}
        }
        self.expect = Expect::Comma;
        if self.mode != Mode::Lenient {
            // Reading ends at a bracket that does not fit, whatever follows.
            if self.stack.last().is_none_or(|frame| frame.closer() != byte) {
                return Err(self.at);
            }
            self.at += 1;
            self.take_back(true);
            self.close();
            return self.closed();
        }
        let run = self.closing_run();
        let in_order = run.fits();
        let way = if in_order {
            // Each bracket closes what it should.
            let closed = run.brackets.len().min(run.open.len());
            CloserRepair { steps: vec![Step::Close; closed], closed }
        } else {
            run.cheapest()
        };
        // A key after them may also be the second one of its name in the object that they close.
        let before_key = matches!(run.next, Next::Key { .. });
        let close_before = if before_key { Self::close_before } else { Self::close_before_bracket };
        let doubt = match run.doubt(&way) {
            Doubt::None => None,
            Doubt::UntilClosed => Some(self.damage_here(DamageKind::TwoReadings, self.at)),
            Doubt::Stands => {
                self.damage(DamageKind::TwoReadings, self.at)?;
                None
            }
        };
        for step in way.steps {
            if step == Step::Insert {
                close_before(self, self.at)?;
            } else {
                self.skip_to_closer();
                match step {
                    Step::Close | Step::Insert => {}
                    Step::Drop => self.repair(JsonRepair::ExtraCloser, self.at)?,
                    Step::Replace => self.repair(JsonRepair::WrongCloser, self.at)?,
                }
                self.at += 1;
                if step == Step::Close {
                    self.take_back(in_order);
                }
                if step != Step::Drop {
                    self.close();
                }
            }
            if self.done.is_some() {
                break;
            }
        }
        if let Some(damage) = doubt {
            self.damage_until_closed(damage);
        }
        self.closed()
    }

    /// Is true if the object at hand is an entry to which, as far as the one before it and the other ones in the text tell, members
    /// may have been to come.
    pub(super) fn may_lack_members(&self) -> bool {
        let [around @ .., Frame::Object { members, .. }] = self.stack.as_slice() else { return false };
        if !names_a_file(members) {
            return false;
        }
        let before = around.last().and_then(Frame::last).and_then(Value::as_object);
        !before.is_some_and(|before| before.keys().eq(members.keys()))
            && !self.memory.shapes.end_with(members)
    }

    /// Skips a container that is nested too deeply.
    pub(super) fn too_deep(&mut self) -> Result<(), ParseStop> {
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

    /// Over the blanks between two closing brackets.
    fn skip_to_closer(&mut self) {
        while self.byte().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }
}

/// A run of closing brackets, what is open, and what follows.
struct CloserRun<'p, 't> {
    brackets: Vec<u8>,
    /// The open containers, the innermost first.
    open: Vec<&'p Frame>,
    /// Is true if these are all that are open.
    whole: bool,
    next: Next<'t>,
    /// A list of texts or numbers follows.
    list: bool,
    /// The first key of the object that follows.
    next_key: Option<&'t str>,
    /// Is true if the key that follows is a known one.
    known: bool,
}

/// A way to read a run of closing brackets.
struct CloserRepair {
    steps: Vec<Step>,
    closed: usize,
}

impl Parser<'_, '_> {
    /// The run of closing brackets that begins here.
    fn closing_run(&self) -> CloserRun<'_, '_> {
        let bytes = self.text.as_bytes();
        let mut brackets = Vec::new();
        let mut at = self.at;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'}' | b']' | b')' if brackets.len() < WINDOW => brackets.push(byte),
                _ if byte.is_ascii_whitespace() => {}
                _ => break,
            }
            at += 1;
        }
        let next = match next_item(self.text, at) {
            Next::Other => unquoted_key(self.text, at)
                .filter(|name| self.keys.contains(name))
                .map_or(Next::Other, |name| Next::Key { name, comma: true }),
            next => next,
        };
        let open: Vec<&Frame> = self.stack.iter().rev().take(WINDOW).collect();
        CloserRun {
            brackets,
            whole: open.len() == self.stack.len(),
            list: list_follows(self.text, at),
            open,
            next,
            next_key: first_key(self.text, at),
            known: matches!(next, Next::Key { name, .. } if self.keys.contains(name)),
        }
    }
}

impl CloserRun<'_, '_> {
    /// Is true if the brackets match what is open, and what follows can stand where they lead.
    fn fits(&self) -> bool {
        let pairs = self.brackets.iter().zip(&self.open);
        if !pairs.clone().all(|(bracket, frame)| *bracket == frame.closer()) {
            return false;
        }
        match (&self.next, self.open.get(pairs.len())) {
            (_, None) if self.goes_on() => false,
            (Next::Key { .. }, Some(frame)) => self.follows(frame, pairs.len()),
            (Next::Open | Next::Text { .. } | Next::Word, Some(frame)) => {
                !frame.is_object() && (!self.goes_on() || self.follows(frame, pairs.len()))
            }
            (Next::Other | Next::End, _) | (_, None) => true,
        }
    }

    /// Is true if the brackets match and the key that follows could stand where they lead, but is none that belongs there.
    fn fits_in_form(&self) -> bool {
        let pairs = self.brackets.iter().zip(&self.open);
        let Some(frame) = self.open.get(pairs.len()) else { return false };
        pairs.clone().all(|(bracket, frame)| *bracket == frame.closer())
            && matches!(self.next, Next::Key { name, comma: true } if frame.is_object() && !frame.has_key(name))
            && !self.follows(frame, pairs.len())
    }

    /// The cheapest way to read the run.
    fn cheapest(&self) -> CloserRepair {
        let (run, open) = (self.brackets.len(), self.open.len());
        // cost[read][closed]: the cheapest way to have read so many brackets and closed so many containers.
        let mut cost = [[u32::MAX; WINDOW + 1]; WINDOW + 1];
        let mut came = [[None; WINDOW + 1]; WINDOW + 1];
        cost[0][0] = 0;
        for read in 0..=run {
            for closed in 0..=open {
                let so_far = cost[read][closed];
                if so_far == u32::MAX {
                    continue;
                }
                let mut reach = |read: usize, closed: usize, price: u32, step: Step| {
                    if so_far + price < cost[read][closed] {
                        cost[read][closed] = so_far + price;
                        came[read][closed] = Some(step);
                    }
                };
                if read < run {
                    reach(read + 1, closed, DROP, Step::Drop);
                    if closed < open {
                        let same = self.brackets[read] == self.open[closed].closer();
                        let (price, step) = if same { (0, Step::Close) } else { (REPLACE, Step::Replace) };
                        reach(read + 1, closed + 1, price, step);
                    }
                }
                if closed < open {
                    reach(read, closed + 1, INSERT, Step::Insert);
                }
            }
        }
        let total = |closed: usize| cost[run][closed].saturating_add(self.mismatch(closed));
        // Of two ways that cost the same, a key belongs to the innermost object, and other things follow the outermost.
        let best = if matches!(self.next, Next::Key { .. }) {
            (0..=open).min_by_key(|&closed| total(closed))
        } else {
            (0..=open).rev().min_by_key(|&closed| total(closed))
        };
        let best = best.unwrap_or(0);
        let (mut read, mut closed) = (run, best);
        let mut steps = Vec::new();
        while let Some(step) = came[read][closed] {
            steps.push(step);
            match step {
                Step::Close | Step::Replace => {
                    read -= 1;
                    closed -= 1;
                }
                Step::Drop => read -= 1,
                Step::Insert => closed -= 1,
            }
        }
        steps.reverse();
        CloserRepair { steps, closed: best }
    }

    /// The cost of so many containers being closed when what follows is read.
    fn mismatch(&self, closed: usize) -> u32 {
        let left = self.open.get(closed);
        match (&self.next, left) {
            (Next::End, Some(_)) => (self.open.len() - closed) as u32 * LEFT_OPEN,
            (Next::End | Next::Other, None) if self.whole => 0,
            (Next::Open, None) if !self.goes_on() => 0,
            (_, Some(frame)) if self.follows(frame, closed) => 0,
            _ if self.goes_on() => LOST,
            _ => MISMATCH,
        }
    }

    /// Is true if what comes next fits into `frame` when so many containers are closed: as a key that is not there yet, or
    /// as an element like the one before.
    fn follows(&self, frame: &Frame, closed: usize) -> bool {
        let (Frame::Array { elements } | Frame::Tuple { elements }) = frame else {
            let in_entry = self.open.iter().any(|frame| frame.names_a_file());
            let awaits = |name| !frame.has_key(name) && (!in_entry || frame.awaits(name));
            return matches!(self.next, Next::Key { name, .. } if awaits(name));
        };
        let before = closed.checked_sub(1).and_then(|last| self.open.get(last));
        match (&self.next, before, elements.last()) {
            // An object of which the opening bracket is missing.
            (Next::Key { name, comma: true }, Some(before), _) => before.first_key() == Some(name),
            (Next::Open, Some(before), _) => match self.next_key {
                Some(key) => before.has_key(key) || before.is_empty(),
                None => !before.is_object(),
            },
            (Next::Open, None, Some(last)) => match self.next_key {
                Some(key) => last.get(key).is_some(),
                None => last.is_array(),
            },
            (Next::Text { .. }, None, Some(last)) => last.is_string(),
            (Next::Word, None, Some(last)) => !(last.is_string() || last.is_array() || last.is_object()),
            (Next::Open | Next::Text { .. } | Next::Word, None, None) => true,
            (Next::Text { .. } | Next::Word, Some(_), _)
            | (Next::Key { .. } | Next::Other | Next::End, _, _) => false,
        }
    }

    /// Is true if more of an entry follows: a known key, a change, a list.
    fn goes_on(&self) -> bool {
        (self.known && matches!(self.next, Next::Key { comma: true, .. }))
            || self.next_key.is_some_and(is_entry_field)
            || (self.list && self.open.iter().take(self.brackets.len()).any(|frame| frame.names_a_file()))
    }

    /// The doubt that is left when the run is read in this way.
    fn doubt(&self, way: &CloserRepair) -> Doubt {
        let in_form = self.fits_in_form();
        let list_goes_on = self.list && way.steps.contains(&Step::Drop);
        if self.goes_on_without(way) || (in_form && !self.ends_change(way)) {
            Doubt::Stands
        } else if in_form || list_goes_on {
            Doubt::UntilClosed
        } else {
            Doubt::None
        }
    }

    /// Is true if a key of an entry follows the lines of a change in it, and the brackets between the two are all that is missing.
    fn ends_change(&self, way: &CloserRepair) -> bool {
        let missing = |step: &Step| matches!(step, Step::Close | Step::Insert);
        let has_lines = |frame: &&&Frame| frame.key().is_some_and(is_lines_key);
        let change = self.open.get(self.brackets.len()).filter(has_lines);
        change.is_some_and(|frame| frame.has_key("line_number"))
            && self.open.get(way.closed).is_some_and(|frame| frame.names_a_file())
            && way.steps.iter().all(missing)
    }

    /// Is true if more of an entry follows that has no place where this way leads.
    fn goes_on_without(&self, way: &CloserRepair) -> bool {
        self.goes_on() && !self.open.get(way.closed).is_some_and(|frame| self.follows(frame, way.closed))
    }
}
