//! The mutations of one location with their scores, each materialized as an edit only when its turn comes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::vec::IntoIter;

use crate::Proposal;
use crate::file::File;
use crate::ingredients::Ingredients;
use crate::rank::{RankedMutation, rank};
use crate::site::Site;
use crate::window::Window;

/// Proposals of one place: beyond these, the next place is the better try.
const MOST: usize = 400;
/// Proposals of one place that are marked, beside those.
const MAX_OVERFITTING: usize = 60;
/// Mutations that are kept for each of these: some come to nothing.
const SPARE: usize = 2;

/// The windows of places, each made once: all lines of a function share one, and know what edits the others gave.
#[derive(Default)]
pub(crate) struct WindowCache(Mutex<BTreeMap<WindowKey, Arc<Window>>>);

/// A file and where the outermost function around a place begins, if there is one.
type WindowKey = (String, Option<usize>);

impl WindowCache {
    fn of(&self, file: &Arc<File>, site: &Site) -> Arc<Window> {
        let function = site.outermost_function().map(|function| function.start_byte());
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let window = windows.entry((file.path.clone(), function));
        Arc::clone(window.or_insert_with(|| Arc::new(Window::around(file, site))))
    }
}

/// The mutations of all patterns at one location.
pub(crate) struct Expansion {
    /// The method around the place, with the names of the classes and methods around it.
    pub(crate) method: Option<String>,
    /// The edits that are not marked as likely to suit the tests only.
    pub(crate) plain: Queue,
    /// Those that are.
    pub(crate) overfitting: Queue,
}

impl Expansion {
    /// Asks all patterns about a row of a file, from 0.
    pub(crate) fn of(
        file: &Arc<File>,
        ingredients: &Ingredients,
        row: usize,
        omission: bool,
        windows: &WindowCache,
    ) -> Self {
        let site = Site::at(file, ingredients, row, omission);
        let (overfitting, plain): (Vec<_>, Vec<_>) =
            rank(&site).into_iter().partition(|one| one.mutation.overfit.is_some());
        let window = windows.of(file, &site);
        let method = site.qualified_function();
        Self {
            method,
            plain: Queue::of(&window, plain, MOST),
            overfitting: Queue::of(&window, overfitting, MAX_OVERFITTING),
        }
    }
}

/// Mutations that are left of a place, the likeliest first.
pub(crate) struct Queue {
    window: Arc<Window>,
    mutations: IntoIter<RankedMutation>,
    /// The number of proposals that may still be made of them.
    room: usize,
}

impl Queue {
    fn of(window: &Arc<Window>, mut mutations: Vec<RankedMutation>, room: usize) -> Self {
        mutations.truncate(room * SPARE);
        Self { window: Arc::clone(window), mutations: mutations.into_iter(), room }
    }

    /// The likelihood of the next mutation; `None` where none is left.
    pub(crate) fn likelihood(&self) -> Option<f64> {
        let next = self.mutations.as_slice().first().filter(|_| self.room > 0);
        next.map(|next| next.likelihood)
    }

    /// Works out the next mutation; `None` where it comes to nothing: it does not parse, or gives a text that was given before.
    pub(crate) fn materialize(&mut self) -> Option<Proposal> {
        let RankedMutation { likelihood, pattern, mutation } = self.mutations.next()?;
        let (edit, line) = self.window.edit(&mutation.splices)?;
        self.room = self.room.saturating_sub(1);
        Some(Proposal {
            pattern,
            path: edit.file_path.clone(),
            line,
            edit,
            likelihood: likelihood.clamp(f64::MIN_POSITIVE, 1.0),
            overfit: mutation.overfit,
            what: mutation.what,
        })
    }

    /// Works out all that is left.
    pub(crate) fn materialize_all(&mut self) -> Vec<Proposal> {
        let mut found = Vec::new();
        while self.likelihood().is_some() {
            found.extend(self.materialize());
        }
        found
    }
}
