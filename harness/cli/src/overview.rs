//! The help of the program: its first commands, and all of them with `--all`.

use std::fmt::Write as _;

use clap::Command;

use crate::args::GROUPS;

/// Option that lists all commands; it goes with `--help`.
const ALL: &str = "--all";

/// Returns whether the arguments ask for the help with all commands, as in `--help --all`.
pub(crate) fn is_asked_for_all(words: &[String]) -> bool {
    words.iter().any(|word| word == ALL) && words.iter().all(|word| [ALL, "--help", "-h", "help"].contains(&&**word))
}

/// Returns the program with the first commands in its help, and a line about the others.
pub(crate) fn with_first_commands(program: Command) -> Command {
    let list = format!("{}  {}", listed(&program, &GROUPS[..1]), other_commands(&program));
    with_list(program, &list)
}

/// Returns the program with every command in its help, by group.
pub(crate) fn with_all_commands(program: Command) -> Command {
    let list = listed(&program, &GROUPS);
    with_list(program, list.trim_end())
}

fn with_list(program: Command, list: &str) -> Command {
    let header = program.get_styles().get_header();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}\n\n{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    program.help_template(template)
}

/// Returns the commands of the groups, each group below its heading.
fn listed(program: &Command, groups: &[(&str, &[&str])]) -> String {
    let (header, literal) = (program.get_styles().get_header(), program.get_styles().get_literal());
    let mut list = String::new();
    for (at, (heading, names)) in groups.iter().enumerate() {
        let blank = if at == 0 { "" } else { "\n" };
        // Writing to a `String` cannot fail.
        let _ = writeln!(list, "{blank}{header}{heading}:{header:#}");
        for command in names.iter().filter_map(|name| program.find_subcommand(name)) {
            let (name, about) = (command.get_name(), command.get_about().map(ToString::to_string).unwrap_or_default());
            let _ = writeln!(list, "  {literal}{name:<width$}{literal:#}  {about}", width = width(program));
        }
    }
    list
}

fn other_commands(program: &Command) -> String {
    let literal = program.get_styles().get_literal();
    format!("{:<width$}  See all commands with {literal}--help {ALL}{literal:#}", "...", width = width(program))
}

/// Returns the width of the longest name of a command that is listed.
fn width(program: &Command) -> usize {
    let listed = program.get_subcommands().filter(|command| !command.is_hide_set());
    listed.map(|command| command.get_name().len()).max().unwrap_or_default()
}
