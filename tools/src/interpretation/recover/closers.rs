//! Closing brackets that do not fit: which are too many, which are missing, which are of the wrong kind.

use super::JsonRepair;
use super::follow::{Next, next_item};
use super::frame::Expect;
use super::parser::{Mode, Parser, Stopped};

/// How many closing brackets in a row are looked at together, and how many open containers.
const WINDOW: usize = 24;

/// What to do with the brackets, one after the other.
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

/// Costs: a wrong kind is likelier than one missing beside one too many.
const DROP: u32 = 10;
const INSERT: u32 = 10;
const REPLACE: u32 = 12;
/// What follows the brackets does not fit the container that they leave open.
const MISFIT: u32 = 15;
/// Something is left open at the end of the text, for each container.
const LEFT_OPEN: u32 = 4;

impl Parser<'_, '_, '_> {
    /// A closing bracket.
    pub(super) fn closer(&mut self, byte: u8) -> Result<(), Stopped> {
        match self.expect {
            Expect::Colon | Expect::Value => self.drop_key()?,
            Expect::Item { after_comma: true } => self.repair(JsonRepair::TrailingComma, self.at)?,
            Expect::Item { after_comma: false } | Expect::Comma => {}
        }
        self.expect = Expect::Comma;
        let fits = self.stack.last().is_some_and(|frame| frame.closer() == byte);
        if fits && !(self.mode == Mode::Lenient && self.closes_too_early(byte)) {
            self.at += 1;
            self.close();
            return Ok(());
        }
        if fits {
            self.repair(JsonRepair::ExtraCloser, self.at)?;
            self.at += 1;
            return Ok(());
        }
        // Strict reading ends here, whatever the brackets that follow.
        if self.mode == Mode::Strict {
            return Err(self.at);
        }
        for step in steps(self) {
            match step {
                Step::Close => {
                    self.skip_to_closer();
                    self.at += 1;
                    self.close();
                }
                Step::Drop => {
                    self.skip_to_closer();
                    self.repair(JsonRepair::ExtraCloser, self.at)?;
                    self.at += 1;
                }
                Step::Insert => {
                    self.repair(JsonRepair::MissingCloser, self.at)?;
                    self.close();
                }
                Step::Replace => {
                    self.skip_to_closer();
                    self.repair(JsonRepair::WrongCloser, self.at)?;
                    self.at += 1;
                    self.close();
                }
            }
            if self.done.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// Over the blanks between two closing brackets.
    fn skip_to_closer(&mut self) {
        while self.byte().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Whether the fitting bracket at hand closes its container too early: what follows belongs inside.
    fn closes_too_early(&mut self, byte: u8) -> bool {
        let parent_is_object = self.stack.iter().rev().nth(1).map(super::frame::Frame::is_object);
        let next = next_item(self.text, self.at + 1);
        match (byte, next) {
            (b'}', Next::Key { name, comma: true }) if parent_is_object != Some(true) => {
                let known = self.keys.contains(name);
                known && self.stack.last().is_some_and(|frame| !frame.has_key(name))
            }
            (b']', Next::Text { list: true, comma: true }) => parent_is_object == Some(true),
            _ => false,
        }
    }
}

/// The cheapest way to read the run of closing brackets that begins here.
fn steps(parser: &Parser) -> Vec<Step> {
    let bytes = parser.text.as_bytes();
    let mut run = Vec::new();
    let mut at = parser.at;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'}' | b']' | b')' if run.len() < WINDOW => run.push(byte),
            _ if byte.is_ascii_whitespace() => {}
            _ => break,
        }
        at += 1;
    }
    let next = next_item(parser.text, at);
    let open: Vec<u8> = parser.stack.iter().rev().take(WINDOW).map(super::frame::Frame::closer).collect();
    let whole = open.len() == parser.stack.len();

    // cost[read][closed]: the cheapest way to have read so many brackets and closed so many containers.
    let mut cost = vec![vec![u32::MAX; open.len() + 1]; run.len() + 1];
    let mut came = vec![vec![None; open.len() + 1]; run.len() + 1];
    cost[0][0] = 0;
    for read in 0..=run.len() {
        for closed in 0..=open.len() {
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
            if read < run.len() {
                reach(read + 1, closed, DROP, Step::Drop);
                if closed < open.len() {
                    let (price, step) =
                        if run[read] == open[closed] { (0, Step::Close) } else { (REPLACE, Step::Replace) };
                    reach(read + 1, closed + 1, price, step);
                }
            }
            if closed < open.len() {
                reach(read, closed + 1, INSERT, Step::Insert);
            }
        }
    }
    let last = run.len();
    let total = |closed: usize| -> u32 {
        let left = open.get(closed).copied();
        let inside = left.is_some() || !whole;
        let fits = match (&next, left) {
            (Next::End | Next::Other, _) => !inside,
            (Next::Key { name, .. }, Some(b'}')) => {
                !parser.stack[parser.stack.len() - 1 - closed].has_key(name)
            }
            (Next::Open | Next::Text { .. } | Next::Word, Some(b']' | b')')) | (Next::Open, None) => true,
            (Next::Key { .. } | Next::Open | Next::Text { .. } | Next::Word, _) => false,
        };
        let still_open =
            if matches!(next, Next::End) { (parser.stack.len() - closed) as u32 * LEFT_OPEN } else { 0 };
        let misfit = if fits {
            0
        } else if matches!(next, Next::End) {
            still_open
        } else {
            MISFIT
        };
        cost[last][closed].saturating_add(misfit)
    };
    let mut closed = (0..=open.len()).rev().min_by_key(|&closed| total(closed)).unwrap_or(0);
    let mut read = last;
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
    steps
}
