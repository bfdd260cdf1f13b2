//! Issues by what they say: whether one already holds a reproduction, and how long it is. The rules of both stand here and nowhere else.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Languages of code blocks that are no programs: settings, shells and their output, changes.
const NO_PROGRAMS: [&str; 16] = [
    "sh", "bash", "shell", "zsh", "console", "text", "txt", "diff", "patch", "toml", "yaml", "yml", "json",
    "ini", "cfg", "sql",
];

/// What an issue says, as far as reports group by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueTraits {
    /// It holds a reproduction.
    pub reproduction: bool,
    /// Its words.
    pub words: u64,
}

/// The length of an issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IssueLength {
    /// Up to 100 words.
    Short,
    /// Up to 200.
    Medium,
    /// Up to 400.
    Long,
    /// More.
    VeryLong,
}

impl IssueTraits {
    /// Reads an issue.
    ///
    /// It holds a reproduction where it has a stack trace with its frames, a dialogue with an interpreter, or a block of code (fenced, or
    /// indented by four after an empty line) in which something is called. Blocks in a language that is no program (settings, shells,
    /// differences) do not count, nor does code within a sentence.
    pub fn of(text: &str) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let reproduction = has_trace(&lines)
            || lines.iter().any(|line| is_dialogue(line))
            || blocks(&lines).iter().any(|block| block.iter().any(|line| calls(line)));
        Self { reproduction, words: text.split_whitespace().count() as u64 }
    }

    /// Its length.
    pub fn length(self) -> IssueLength {
        match self.words {
            0..=100 => IssueLength::Short,
            101..=200 => IssueLength::Medium,
            201..=400 => IssueLength::Long,
            _ => IssueLength::VeryLong,
        }
    }
}

impl IssueLength {
    /// All of them, the shortest first.
    pub const ALL: [Self; 4] = [Self::Short, Self::Medium, Self::Long, Self::VeryLong];
}

impl fmt::Display for IssueLength {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Short => "up to 100 words",
            Self::Medium => "101 to 200 words",
            Self::Long => "201 to 400 words",
            Self::VeryLong => "more than 400 words",
        })
    }
}

/// Is true if there is a stack trace of Python or Java with a frame of it.
fn has_trace(lines: &[&str]) -> bool {
    let python = |line: &&&str| line.trim_start().starts_with("File \"") && line.contains(", line ");
    let java = |line: &&&str| line.trim_start().starts_with("at ") && line.contains(".java:");
    let begins = lines.iter().any(|line| line.contains("Traceback (most recent call last)"));
    (begins && lines.iter().any(|line| python(&line))) || lines.iter().any(|line| java(&line))
}

/// Is true if the line is typed into an interpreter.
fn is_dialogue(line: &str) -> bool {
    let line = line.trim_start();
    let typed = line.strip_prefix(">>> ").or_else(|| line.strip_prefix("jshell> "));
    let typed = typed.or_else(|| {
        line.strip_prefix("In [").and_then(|rest| rest.split_once("]: ")).map(|(_, typed)| typed)
    });
    typed.is_some_and(|typed| !typed.trim().is_empty())
}

/// The blocks of code that may be programs.
fn blocks<'a>(lines: &[&'a str]) -> Vec<Vec<&'a str>> {
    let mut blocks = Vec::new();
    let mut fenced: Option<(&str, bool, Vec<&str>)> = None;
    let mut indented: Vec<&str> = Vec::new();
    let mut after_blank = true;
    for line in lines {
        let start = line.trim_start();
        if let Some((fence, is_program, mut block)) = fenced.take() {
            if start.starts_with(fence) {
                blocks.extend(is_program.then_some(block));
            } else {
                block.push(line);
                fenced = Some((fence, is_program, block));
            }
            continue;
        }
        let fence = ["```", "~~~"].into_iter().find(|fence| start.starts_with(fence));
        if let Some(fence) = fence {
            let language = start.trim_start_matches(['`', '~']).split_whitespace().next().unwrap_or_default();
            let is_program = !NO_PROGRAMS.contains(&language.to_lowercase().as_str());
            fenced = Some((fence, is_program, Vec::new()));
        }
        let is_indented =
            fence.is_none() && line.starts_with("    ") && (after_blank || !indented.is_empty());
        if is_indented {
            indented.push(line);
        } else if !start.is_empty() && !indented.is_empty() {
            blocks.push(std::mem::take(&mut indented));
        }
        after_blank = start.is_empty();
    }
    // A fence that is not closed holds the rest.
    blocks.extend(fenced.filter(|(_, is_program, _)| *is_program).map(|(_, _, block)| block));
    blocks.push(indented);
    blocks
}

/// Is true if something is called on a line of code: a name, an opening bracket right behind it, and no definition.
fn calls(line: &str) -> bool {
    let line = line.trim();
    let defines =
        ["def ", "class ", "async def ", "#", "//", "*", "$ "].iter().any(|word| line.starts_with(word));
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    !defines && line.match_indices('(').any(|(at, _)| line[..at].ends_with(is_name)) && line.contains(')')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reproductions_are_traces_dialogues_and_blocks_that_call_something() {
        let check =
            |text: &str, expect: bool| assert_eq!(IssueTraits::of(text).reproduction, expect, "{text}");
        check("It fails:\n```python\nfrom shop import Cart\nCart().add(3)\n```\n", true);
        check("It fails:\n```\nCart().add(3)\n", true);
        check("It fails:\n\n    cart = Cart()\n    cart.add(3)\n\nalways.", true);
        check(
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nKeyError: 'a'\n",
            true,
        );
        check("java.lang.IllegalStateException\n\tat shop.Cart.add(Cart.java:12)\n", true);
        check(">>> Cart().total\n0\n", true);
        check("In [2]: cart.total\nOut[2]: 0\n", true);
        check("Calling `Cart().add(3)` fails.", false);
        check("It fails with Traceback (most recent call last), see above.", false);
        check("```bash\npip install shop (newest)\nrun(1)\n```", false);
        check("```\nshop 1.2.3\nPython 3.9\n```", false);
        check("Please add:\n```python\ndef total(self):\n    ...\n```", false);
        check("- first point\n    continued (really) here\n", false);
        check("", false);
    }

    #[test]
    fn lengths_are_counted_in_words() {
        let check = |words: usize, expect: IssueLength| {
            assert_eq!(IssueTraits::of(&"word ".repeat(words)).length(), expect, "{words}");
        };
        check(0, IssueLength::Short);
        check(100, IssueLength::Short);
        check(101, IssueLength::Medium);
        check(400, IssueLength::Long);
        check(401, IssueLength::VeryLong);
    }
}
