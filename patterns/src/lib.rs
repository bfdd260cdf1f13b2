//! The fix patterns: for each a name, a sentence, a buggy and a fixed example, how often it repairs bugs, and a generator
//! that makes edits of it.
//!
//! [`PATTERNS`] are the sixteen kinds of single-statement bugs that Karampatsis and Sutton found to recur in Java
//! projects ("How Often Do Single-Statement Bugs Occur?", MSR 2020: ManySStuBs4J), which prompts show; [`all`] adds
//! what studies of larger fixes describe. [`propose()`] tries all of them at a location of a project, made of
//! [`Ingredients`] of that project, and says which are likely; a [`RepairPlan`] does so for many places, and works out only
//! what it is asked for.

mod edit_of;
mod expansion;
mod file;
mod generators;
mod grammar;
mod ingredients;
mod mutation;
mod name_usage;
mod plan;
mod propose;
mod rank;
mod scope;
mod similarity;
mod site;
mod table;
mod types;
mod view;
mod window;

use std::fmt;

use serde::ser::{Serialize, SerializeStruct, Serializer};

pub use ingredients::Ingredients;
pub use plan::{Pass, PassKind, PlannedEdit, RepairPlan, SuspiciousLine};
pub use propose::{FixLocation, OverfitReason, Proposal, combine, propose};
pub use table::{PATTERNS, all, find};

/// One recurring kind of fix.
#[derive(Clone, Copy)]
pub struct Pattern {
    /// The name in lowercase words; that of the study, where it has one.
    pub name: &'static str,
    /// The bug and its fix, in a sentence or two.
    pub sentence: &'static str,
    /// Code with a bug of this kind.
    pub buggy: &'static str,
    /// The same code, repaired.
    pub fixed: &'static str,
    /// The language of the example: `java` or `python`.
    pub language: &'static str,
    /// The relative frequency with which fixes of this kind repair real bugs: above 0, at most 1.
    pub weight: f64,
    pub(crate) generate: Generator,
}

/// A function that collects the mutations of a pattern at a site.
pub(crate) type Generator = fn(&site::Site, &mut mutation::Mutations);

impl Pattern {
    /// Is true if prompts show it: it is one of the study.
    pub fn in_prompt(&self) -> bool {
        PATTERNS.contains(self)
    }
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Pattern", 7)?;
        fields.serialize_field("name", self.name)?;
        fields.serialize_field("sentence", self.sentence)?;
        fields.serialize_field("buggy", self.buggy)?;
        fields.serialize_field("fixed", self.fixed)?;
        fields.serialize_field("language", self.language)?;
        fields.serialize_field("in_prompt", &self.in_prompt())?;
        fields.serialize_field("weight", &self.weight)?;
        fields.end()
    }
}

impl PartialEq for Pattern {
    /// Patterns are told apart by their names.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Pattern {}

impl fmt::Debug for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Pattern").field(&self.name).finish()
    }
}
