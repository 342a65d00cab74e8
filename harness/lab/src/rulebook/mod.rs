//! `rules`: plays the corpus and prints which rules it violates, and which statements of the specification are judged.

mod page;
mod statements;
mod violations;

use mcp_compat_cli::exit::Exit;
use mcp_compat_cli::inputs::corpus;
use mcp_compat_cli::output::print;
use mcp_compat_cli::progress::Spinner;
use mcp_compat_cli::runtime::interruptible;
use mcp_compat_judge::rules;
use mcp_compat_run::request::default_jobs;
use tokio_util::sync::CancellationToken;

use page::{Rulebook, Ruling};

/// Prints the rule book.
///
/// # Errors
/// When the corpus cannot be played.
pub fn execute() -> anyhow::Result<Exit> {
    let corpus = corpus::load(&[])?;
    let spinner = Spinner::start("playing every scenario with every mock");
    let played = async { Ok(violations::play(&corpus, default_jobs(), CancellationToken::new()).await?) };
    let found = interruptible(|| {}, played);
    drop(spinner);
    let Some(mut violations) = found? else { return Ok(Exit::Interrupted) };
    let rules = rules::all().iter();
    let book = Rulebook {
        rules: rules.map(|rule| Ruling { rule, violations: violations.remove(rule.id).unwrap_or_default() }).collect(),
        scenarios: corpus.len(),
        firsts: violations::firsts(&corpus).len(),
        statements: statements::all(),
    };
    print!("{}", page::render(&book));
    Ok(Exit::Success)
}
