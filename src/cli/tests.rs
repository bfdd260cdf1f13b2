//! The help of every command, as `--help` prints it at a width of 100. What changes in it shows in the snapshots.

use clap::CommandFactory;

use super::Cli;

/// What is printed of the command that these words name.
fn printed(words: &[&str]) -> String {
    let typed = words.iter().copied().chain(["--help"]);
    match Cli::command().term_width(100).try_get_matches_from(typed) {
        Ok(_) => String::new(),
        Err(help) => help.render().to_string(),
    }
}

/// The help of a command and of those below it, each behind what is typed.
fn help(command: &clap::Command, above: &[&str]) -> String {
    let words = [above, &[command.get_name()]].concat();
    let own = format!("$ {} --help\n{}", words.join(" "), printed(&words));
    let below = command.get_subcommands().map(|command| help(command, &words));
    std::iter::once(own).chain(below).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_help_of_every_command() {
    let check = |name: &str, text: String| {
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(format!("help_{name}"), text);
        });
    };
    check("patchwright", printed(&["patchwright"]));
    for command in Cli::command().get_subcommands() {
        check(command.get_name(), help(command, &["patchwright"]));
    }
}
