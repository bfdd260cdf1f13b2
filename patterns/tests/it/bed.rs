//! A project in a folder, and what the patterns make of it.

use patchwright_edits::{Edit, EditRules, apply};
use patchwright_patterns::{FixLocation, Ingredients, Proposal, propose};
use patchwright_syntax::{Language, Project, normal_form};
use tempfile::TempDir;

/// A proposal that repairs a bug.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The name of its pattern.
    pub pattern: &'static str,
    /// Its rank from 1: among those that are marked as likely to suit the tests only, or among the others.
    pub rank: usize,
}

/// A project of files made for a test.
pub struct Bed {
    _folder: TempDir,
    pub project: Project,
    pub ingredients: Ingredients,
}

impl Bed {
    pub fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = TempDir::new().unwrap();
        for (path, bytes) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        let project = Project::open(folder.path()).unwrap();
        let ingredients = Ingredients::gather(&project, &|path| !path.contains("test"));
        Self { _folder: folder, project, ingredients }
    }

    pub fn propose(&self, path: &str, line: u32, omission: bool) -> Vec<Proposal> {
        propose(&self.project, &self.ingredients, &FixLocation { path: path.to_owned(), line, omission })
    }

    /// The file after a proposal.
    pub fn after(&self, proposal: &Proposal) -> Vec<u8> {
        let applied = apply(&self.project, std::slice::from_ref(&proposal.edit), &EditRules::default());
        let applied =
            applied.unwrap_or_else(|error| panic!("{}: {error}: {:?}", proposal.what, proposal.edit));
        applied.files[0].after.clone().unwrap()
    }

    /// The first proposal that gives this text.
    pub fn repair(&self, path: &str, line: u32, omission: bool, fixed: &str) -> Option<Repair> {
        let language = Language::of_path(path.as_ref());
        let wanted = normal_form(language, fixed.as_bytes());
        let before = std::fs::read_to_string(self.project.root().join(path)).unwrap();
        let all = self.propose(path, line, omission);
        // White space apart, equal texts are the only ones with equal forms here, and to see that nothing need be parsed.
        let dense = |text: &str| text.split_whitespace().collect::<String>();
        let dense_wanted = dense(fixed);
        let at = all.iter().position(|proposal| {
            let after = by_lines(&before, &proposal.edit);
            dense(&after) == dense_wanted && normal_form(language, after.as_bytes()) == wanted
        })?;
        assert_eq!(normal_form(language, &self.after(&all[at])), wanted);
        let marked = all[at].overfit.is_some();
        let rank = all[..=at].iter().filter(|proposal| proposal.overfit.is_some() == marked).count();
        Some(Repair { pattern: all[at].pattern.name, rank })
    }
}

/// What an edit by line numbers makes of a text.
pub fn by_lines(text: &str, edit: &Edit) -> String {
    let mut after = String::new();
    let inserted =
        |number: u32| edit.insertions.iter().filter(move |insertion| insertion.line_number == number);
    let mut number = 0;
    for line in text.lines() {
        number += 1;
        inserted(number)
            .flat_map(|insertion| &insertion.new_lines)
            .for_each(|line| after.push_str(&format!("{line}\n")));
        match edit.modifications.iter().find(|modification| modification.line_number == number) {
            Some(modification) => after.push_str(&format!("{}\n", modification.modified_line)),
            None if edit.deletions.contains(&number) => {}
            None => after.push_str(&format!("{line}\n")),
        }
    }
    inserted(number + 1)
        .flat_map(|insertion| &insertion.new_lines)
        .for_each(|line| after.push_str(&format!("{line}\n")));
    after
}

/// The first line that differs, and whether the other text only has more before it.
pub fn place_of(buggy: &str, fixed: &str) -> (u32, bool) {
    let (old, new): (Vec<&str>, Vec<&str>) = (buggy.lines().collect(), fixed.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let more = new.len() > old.len() && new[same + new.len() - old.len()..] == old[same..];
    let line = if same >= old.len() { old.len() } else { same + 1 };
    (u32::try_from(line).unwrap(), more && same < old.len())
}
