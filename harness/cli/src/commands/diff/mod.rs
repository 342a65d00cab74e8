//! `diff`: what changed between two runs.
//!
//! ```text
//! BEFORE, AFTER ── open, judge alike ──> two runs ──> Diff ──> text, Markdown or JSON, and an exit status
//! ```

mod args;

use anyhow::bail;
use mcp_compat_model::diff::Diff;
use mcp_compat_reports::diff as report;

use crate::comparing::Compared;
use crate::exit::Exit;
use crate::json_text::json_text;
use crate::output::print;
use crate::terminal;
pub(crate) use args::DiffArgs;
use args::FailOn;

pub(crate) fn execute(args: &DiffArgs) -> anyhow::Result<Exit> {
    let compared = Compared::open(&args.before, &args.after, &args.scenarios)?;
    let diff = compared.diff(None)?;
    tell(&diff, args)
}

/// Prints what changed, and says how that is.
fn tell(diff: &Diff, args: &DiffArgs) -> anyhow::Result<Exit> {
    if diff.compared() == 0 && !args.json {
        print!("{}", report::terminal(diff, terminal::style()));
        bail!("no cell of the two runs can be compared: play both with the same scenarios, peers and transports");
    }
    if !(args.quiet && diff.is_empty()) {
        let text = if args.json {
            json_text(diff)?
        } else if args.markdown {
            report::markdown(diff)
        } else {
            report::terminal(diff, terminal::style())
        };
        print!("{text}");
    }
    let fails = match args.fail_on {
        _ if diff.compared() == 0 => return Ok(Exit::Usage),
        FailOn::Worse => diff.is_worse(),
        FailOn::Regression => diff.has_regression(),
        FailOn::Never => false,
    };
    Ok(if fails { Exit::Breaks } else { Exit::Success })
}
