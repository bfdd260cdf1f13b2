//! The prompt: sections, templates, token budget, layouts.
//!
//! [`render`] makes the prompt of a cycle from a [`PromptView`]: the eight sections of the paper's Table I (role, goals,
//! guidelines, state, commands, gathered information, output format, last command and result). It is a pure function:
//! the same view and settings give the same bytes. Whatever is handed in, the prompt never exceeds
//! [`PromptSettings::prompt_tokens`]: each section has its share, is cut in its middle where it needs more, and says so.
//!
//! [`variants_prompt`] and [`method_body_prompt`] make the prompts of the two side questions that tools ask.
//!
//! [`stage_prompt`] makes those of the fixed pipeline, one question a stage, [`test_prompt`] those of the methods that write a test.
//!
//! What comes from a project or a model cannot pass for text of ours ([`one_line`] and the filters `line`, `name`, `inset` and
//! `fence` of the templates), and shows its hidden characters.
//!
//! All texts are template files (`prompts/templates/*.md`); a folder of the user's can replace any of them
//! ([`Templates::load`]).

mod arguments;
mod budget;
mod error;
mod example;
mod file_list;
mod folding;
mod gathered;
mod layout;
mod prompt;
mod sample;
mod sections;
mod settings;
mod side_questions;
mod stages;
mod templates;
mod test_questions;
mod untrusted;
mod view;

pub use budget::{estimate_tokens, without_budget};
pub use error::PromptError;
pub use folding::folded;
pub use layout::render;
pub use prompt::Prompt;
pub use settings::{Layout, PromptSettings, Protocol, Recall};
pub use side_questions::{MethodBodyView, VariantsView, method_body_prompt, variants_prompt};
pub use stages::{StageQuestion, TestKind, UnusableAnswer, stage_prompt};
pub use templates::Templates;
pub use test_questions::{TestQuestion, TestSurroundings, UnusableTest, test_prompt};
pub use untrusted::{one_line, visible};
pub use view::{
    BudgetLine, CallResult, Finding, FindingContent, Hypothesis, LastCommand, NativeCall, NativeTurn,
    PatternText, PromptView, Task,
};

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod tests;
