//! `completions`: print the completions of a shell, generated from the command line.

use anyhow::Result;
use clap::{Args as ClapArgs, Command};
use clap_complete::Shell;

use crate::exit::Exit;
use crate::output::print;

const WHERE: &str = "\
Examples:
  mcp-compat completions bash >> ~/.bash_completion
  mcp-compat completions zsh > ~/.zfunc/_mcp-compat
  mcp-compat completions fish > ~/.config/fish/completions/mcp-compat.fish";

#[derive(Debug, ClapArgs)]
#[command(after_help = WHERE)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn execute(args: &CompletionsArgs, mut program: Command) -> Result<Exit> {
    let name = program.get_name().to_owned();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, name, &mut script);
    // In its script for bash, clap_complete spells a name with a hyphen in two ways (clap-rs/clap#6421).
    let script = String::from_utf8_lossy(&script).replace("mcp__subcmd__compat", "mcp__compat");
    print!("{script}");
    Ok(Exit::Success)
}
