//! The words of this command, handed on to those who carry its parts out.

use std::ffi::OsString;

use patchwright_protocol::Failure;

/// The words behind the program's name, without these options and as many words behind each.
pub fn without(options: &[(&str, usize)]) -> Result<Vec<String>, Failure> {
    let typed: Result<Vec<String>, OsString> =
        std::env::args_os().skip(1).map(OsString::into_string).collect();
    let typed = typed.map_err(|word| {
        Failure::user(format!("{}: it is no text, and cannot be handed on", word.to_string_lossy()))
    })?;
    Ok(left(typed, options))
}

fn left(typed: Vec<String>, options: &[(&str, usize)]) -> Vec<String> {
    let mut left = Vec::new();
    let mut typed = typed.into_iter();
    while let Some(word) = typed.next() {
        let found = options.iter().find(|(option, _)| {
            word.strip_prefix(option).is_some_and(|behind| behind.is_empty() || behind.starts_with('='))
        });
        match found {
            // A value behind `=` is gone with the word.
            Some((option, behind)) if word == *option => typed.by_ref().take(*behind).for_each(drop),
            Some(_) => {}
            None => left.push(word),
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_left_out_with_their_values() {
        let typed = "bench run --on slurm --parts=3 --part-x --json --suite a --sbatch --json".split(' ');
        let left = left(
            typed.map(str::to_owned).collect(),
            &[("--on", 1), ("--parts", 1), ("--json", 0), ("--sbatch", 1)],
        );
        assert_eq!(left.join(" "), "bench run --part-x --suite a");
    }
}
