//! Gathers the files of `languages/`: each is an entry of the table, and names the grammar by which it is read.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "what fails here fails the build"
)]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

/// The beginning of the line of an entry that names its grammar: the path of a constant of a crate.
const GRAMMAR: &str = "grammar = '";

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("Cargo says where the crate lies"));
    let folder = root.join("languages");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .expect("the folder `languages` can be read")
        .map(|entry| entry.expect("an entry of `languages` can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    files.sort();
    let (mut entries, mut grammars) = (String::new(), String::new());
    for file in &files {
        let text = fs::read_to_string(file).expect("a language can be read");
        let named = text.lines().find_map(|line| line.strip_prefix(GRAMMAR)?.strip_suffix('\''));
        let named = named.unwrap_or_else(|| panic!("{}: no line {GRAMMAR}CRATE::CONSTANT'", file.display()));
        let path = file.to_str().expect("the folder has a name in UTF-8");
        writeln!(entries, "    include_str!({path:?}),").expect("text can be written");
        writeln!(grammars, "    ({named:?}, || {named}.into()),").expect("text can be written");
    }
    let table = format!(
        "/// The text of each entry, by name.\nstatic FILES: &[&str] = &[\n{entries}];\n\n\
         /// The grammars that the entries name.\n\
         static GRAMMARS: &[(&str, Grammar)] = &[\n{grammars}];\n"
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo says where to write"));
    fs::write(out.join("languages.rs"), table).expect("the table can be written");
}
