//! `man`: print the manual pages, generated from the command line.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args as ClapArgs, Command};
use clap_mangen::Man;

use crate::exit::{Exit, HarnessFailed};
use crate::output::{eprintln, print};

const WHERE: &str = "\
Examples:
  mcp-compat man > mcp-compat.1
  mcp-compat man --out ~/.local/share/man/man1
  man mcp-compat-run";

#[derive(Debug, ClapArgs)]
#[command(after_help = WHERE)]
pub(crate) struct ManArgs {
    /// Write the page of every command to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

pub(crate) fn execute(args: &ManArgs, mut program: Command) -> Result<Exit> {
    program.build();
    let Some(folder) = &args.out else {
        print!("{}", page(&program)?);
        return Ok(Exit::Success);
    };
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    write(&program, folder)?;
    eprintln!("The manual pages are in {}. Read one with `man {}/mcp-compat.1`.", folder.display(), folder.display());
    Ok(Exit::Success)
}

/// Writes the page of a command and of the commands below it.
fn write(command: &Command, folder: &Path) -> Result<()> {
    let path = folder.join(Man::new(command.clone()).get_filename());
    fs::write(&path, page(command)?).with_context(|| format!("cannot write {}", path.display()))?;
    command.get_subcommands().filter(|below| !below.is_hide_set()).try_for_each(|below| write(below, folder))
}

/// Returns the page of a command. The lines of its examples are not wrapped.
fn page(command: &Command) -> Result<String> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page).context(HarnessFailed("writing a manual page"))?;
    Ok(String::from_utf8_lossy(&page)
        .replace(".SH EXTRA\n", ".SH NOTES\n.nf\n")
        .replace("\n.SH VERSION", "\n.fi\n.SH VERSION"))
}
