//! The fix patterns: for each a name, a sentence, a buggy and a fixed example, how often it repairs bugs, and a generator
//! that makes edits of it.
//!
//! [`all`] begins with the sixteen kinds of single-statement bugs that Karampatsis and Sutton found to recur in Java
//! projects ("How Often Do Single-Statement Bugs Occur?", MSR 2020: ManySStuBs4J), which prompts show; the others are
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

use serde::{Deserialize, Serialize};

pub use ingredients::Ingredients;
pub use plan::{Pass, PassKind, PlannedEdit, RepairPlan, SuspiciousLine};
pub use propose::{FixLocation, OverfitReason, Proposal, combine, propose};
pub use table::all;

/// One recurring kind of fix.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
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
    /// Is true if prompts show it: it is one of the study.
    #[serde(default)]
    pub in_prompt: bool,
    /// The relative frequency with which fixes of this kind repair real bugs: above 0, at most 1.
    pub weight: f64,
    #[serde(skip_serializing, deserialize_with = "generators::named")]
    pub(crate) generate: Generator,
    /// The example once more in the other language, where prompts show the pattern and that language has such bugs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counterpart: Option<Example>,
}

/// A bug and its fix in some language.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The language: `java` or `python`.
    pub language: &'static str,
    /// Code with a bug.
    pub buggy: &'static str,
    /// The same code, repaired.
    pub fixed: &'static str,
}

impl Pattern {
    /// The examples of it, each in a language of its own.
    ///
    /// ```
    /// let pattern = patchwright_patterns::all().iter().find(|pattern| pattern.name == "change operand").unwrap();
    /// let languages: Vec<&str> = pattern.examples().map(|example| example.language).collect();
    /// assert_eq!(languages, ["python", "java"]);
    /// ```
    pub fn examples(&self) -> impl Iterator<Item = Example> {
        let own = Example { language: self.language, buggy: self.buggy, fixed: self.fixed };
        std::iter::once(own).chain(self.counterpart)
    }
}

/// A function that collects the mutations of a pattern at a site.
pub(crate) type Generator = fn(&site::Site, &mut mutation::Mutations);

impl PartialEq for Pattern {
    /// Patterns are told apart by their names.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Pattern {}
