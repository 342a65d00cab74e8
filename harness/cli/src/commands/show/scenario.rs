//! `show` of a scenario: its steps with their expected results, and its messages.

use std::sync::Arc;

use mcp_compat_author::wire_preview::{WirePreview, wire_previews};
use mcp_compat_json::Json;
use mcp_compat_model::Era;
use mcp_compat_reports::scenario as page;
use mcp_compat_scenario::Scenario;
use mcp_compat_scenario::scenario::{Call, Means, Purpose, SpecStance, Step};

use crate::exit::Exit;
use crate::output::print;
use crate::runtime::interruptible;
use crate::terminal;

/// Number of characters of a value or of arguments that a step shows. The messages below show all of it.
const SHOWN: usize = 200;

pub(super) fn execute(scenario: &Scenario, file: &str) -> anyhow::Result<Exit> {
    let mut shown = scenario.clone();
    shown.steps.truncate(page::MOST_SHOWN);
    let shown = Arc::new(shown);
    let played = async { Ok(wire_previews(&shown).await?) };
    let Some(played) = interruptible(|| {}, played)? else { return Ok(Exit::Interrupted) };
    let sheet = page::Sheet {
        id: scenario.id.to_string(),
        title: scenario.title.clone(),
        why: scenario.why.clone(),
        facts: facts(scenario),
        steps: steps(&shown),
        more_steps: scenario.steps.len() - shown.steps.len(),
        wire_previews: played.iter().map(wire_preview).collect(),
        file: if file.ends_with(".toml") { file.to_owned() } else { format!("{file}.toml") },
    };
    print!("{}", page::render(&sheet, terminal::style()));
    Ok(Exit::Success)
}

fn facts(scenario: &Scenario) -> Vec<(String, Vec<String>)> {
    let spec = match &scenario.spec {
        SpecStance::Clear => vec!["clear: it says what has to happen".to_owned()],
        SpecStance::Silent { source } => vec!["silent: a break is a gap of it".to_owned(), source.clone()],
        SpecStance::Conflict { source } => vec!["conflict: it says two things".to_owned(), source.clone()],
    };
    vec![
        ("since".to_owned(), vec![scenario.since.to_string()]),
        ("spec".to_owned(), spec),
        ("sources".to_owned(), scenario.sources.clone()),
    ]
}

/// Returns the steps of the client with their expected results.
pub(crate) fn steps(scenario: &Scenario) -> Vec<page::Step> {
    scenario.steps.iter().map(step).collect()
}

fn step(step: &Step) -> page::Step {
    match step {
        Step::List => page::Step { what: "list the tools".to_owned(), details: Vec::new() },
        Step::Evolve { notified } => {
            let notice = if *notified { "and notifies its clients" } else { "without a notification" };
            page::Step { what: format!("the server changes its tools {notice}"), details: Vec::new() }
        }
        Step::Call(call) => called(call),
    }
}

fn called(call: &Call) -> page::Step {
    let together = if call.concurrent { ", sent together with the call before" } else { "" };
    let what = format!("call {} {}{together}", call.tool, clipped(&call.arguments));
    let detail = |name: &str, value: String| (name.to_owned(), value);
    let mut details = match call.purpose {
        Purpose::Subject => vec![detail("means", meaning(&call.means)), detail("at least", least(call))],
        Purpose::Control => {
            vec![detail("means", "an invalid result (the control), which the client should reject".to_owned())]
        }
        Purpose::Bystander => vec![detail("means", "another tool, a plain one".to_owned())],
    };
    for (to, from) in &call.args_from {
        details.push(detail("arguments", format!("{to} is taken from {from} of the value before")));
    }
    for block in &call.also_expect.blocks {
        details.push(detail("also", format!("the block {}", clipped(&block.to_compact()))));
    }
    if let Some(value) = &call.also_expect.value {
        details.push(detail("also", format!("the value {}", clipped(&value.to_compact()))));
    }
    page::Step { what, details }
}

fn meaning(means: &Means) -> String {
    match means {
        Means::Value(value) => format!("the value {}", clipped(&value.to_compact())),
        Means::Text(text) => format!("the text {}", clipped(&Json::from(text.as_str()).to_compact())),
        Means::ToolError(words) => {
            format!("a tool error that says {}", clipped(&Json::from(words.as_str()).to_compact()))
        }
        Means::Invalid => "nothing valid: the result is wrong, and clients have to catch it".to_owned(),
    }
}

fn least(call: &Call) -> String {
    let [legacy, modern] = [Era::Legacy, Era::Modern].map(|era| call.expect.in_era(era));
    if legacy == modern {
        format!("{legacy}: {}", legacy.meaning())
    } else {
        format!("{modern} in modern, {legacy} in legacy")
    }
}

fn clipped(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn wire_preview(wire_preview: &WirePreview) -> page::WirePreview {
    let revisions: Vec<_> = wire_preview.revisions.iter().map(|revision| revision.as_str()).collect();
    let sendings = wire_preview.sendings.iter().map(|sending| {
        let single = sending.variants.len() == 1;
        let variants = sending.variants.iter().map(|(downgrades, sent)| {
            let names: Vec<_> = downgrades.iter().map(|downgrade| downgrade.as_str()).collect();
            let sent = sent.iter().map(|sent| (sent.what.to_owned(), sent.text.clone())).collect();
            page::Variant { downgrades: if single { String::new() } else { names.join(", ") }, sent }
        });
        page::Sending { asked: sending.asked.clone(), variants: variants.collect() }
    });
    page::WirePreview { revisions: revisions.join(", "), sendings: sendings.collect() }
}
