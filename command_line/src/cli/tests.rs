//! What can be typed, and the help of every command as `--help` prints it at a width of 100: what changes in it shows in the snapshots.

use clap::{CommandFactory, Parser};

use super::{Cli, CliCommand};

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

#[test]
#[allow(clippy::unwrap_used, clippy::panic)]
fn an_option_with_several_values_leaves_the_folder_alone() {
    for option in ["--failing", "--line", "--hidden", "--without"] {
        let typed = ["patchwright", "repair", option, "a#1,b#2", option, "c#3", "there"];
        let CliCommand::Repair(args) = Cli::try_parse_from(typed).unwrap().command else {
            panic!("{option}")
        };
        assert_eq!(args.dir, std::path::Path::new("there"), "{option}");
    }
    let typed = ["patchwright", "repair", "--line", "a#1,b#2", "--line", "c#3"];
    let CliCommand::Repair(args) = Cli::try_parse_from(typed).unwrap().command else { panic!() };
    assert_eq!(args.options.approach.line.unwrap(), ["a#1", "b#2", "c#3"]);
}
