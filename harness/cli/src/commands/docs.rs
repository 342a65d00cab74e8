//! `docs`: a page of the book, in the terminal.

use std::io::{IsTerminal as _, Write as _, stdout};
use std::process::{Command, Stdio};

use anyhow::{Result, bail};
use clap::Args as ClapArgs;
use mcp_compat_book::{nearest, render, text, topics};
use mcp_compat_reports::list;

use crate::exit::Exit;
use crate::output::{eprintln, print};
use crate::terminal;

const HOW: &str = "\
On a terminal, the page is shown with $PAGER, or with less.

Examples:
  mcp-compat docs
  mcp-compat docs audit
  mcp-compat docs peers --markdown > peers.md";

#[derive(Debug, ClapArgs)]
#[command(after_help = HOW)]
pub(crate) struct DocsArgs {
    /// The page; without it, the topics are listed
    #[arg(value_name = "TOPIC")]
    topic: Option<String>,
    /// Print Markdown
    #[arg(long, requires = "topic")]
    markdown: bool,
}

pub(crate) fn execute(args: &DocsArgs) -> Result<Exit> {
    let style = terminal::style();
    let Some(name) = &args.topic else {
        let rows: Vec<_> = topics().into_iter().map(|topic| (topic.name, topic.title)).collect();
        print!("{}", list::table(&rows, style));
        eprintln!("\nRead one with `mcp-compat docs TOPIC`.");
        return Ok(Exit::Success);
    };
    let Some(page) = text(name) else {
        let meant = nearest(name).map(|near| format!("did you mean {near}? ")).unwrap_or_default();
        bail!("no topic is called {name:?}; {meant}`mcp-compat docs` lists all topics");
    };
    if args.markdown {
        print!("{page}");
    } else {
        show(&render(&page, style.width, style.colour));
    }
    Ok(Exit::Success)
}

/// Shows a page: through a pager if somebody looks.
fn show(page: &str) {
    if !(stdout().is_terminal() && paged(page)) {
        print!("{page}");
    }
}

/// Whether a pager has shown a page.
fn paged(page: &str) -> bool {
    let pager =
        std::env::var("PAGER").ok().filter(|pager| !pager.trim().is_empty()).unwrap_or_else(|| "less".to_owned());
    let mut command = Command::new("sh");
    // Colours stay, and a page that fits on the screen is only printed.
    command.args(["-c", &pager]).env("LESS", std::env::var("LESS").unwrap_or_else(|_| "FRX".to_owned()));
    let Ok(mut pager) = command.stdin(Stdio::piped()).spawn() else { return false };
    if let Some(mut input) = pager.stdin.take() {
        // Whoever leaves the pager has read enough.
        let _ = input.write_all(page.as_bytes());
    }
    pager.wait().is_ok_and(|status| status.code() != Some(127))
}
