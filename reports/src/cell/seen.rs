//! Observation of the user of the client's API, step by step, and the end of the session.

use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::observation::{CallResult, End, Observation, PeerError, Seen, SeenTool};

use crate::page::{Page, TRANSCRIPTS};
use crate::style::Tone;
use crate::text::clipped;

/// Number of characters of an error message or of a list of names that are shown.
const WORDS_SHOWN: usize = 1_000;

pub(super) fn write(page: &mut Page, observation: &Observation) {
    page.heading("What the client's user saw");
    for (place, seen) in observation.steps.iter().enumerate() {
        step(page, place + 1, seen);
    }
    let first = page.paint(Tone::Aside, "  end  ");
    page.paragraph(&first, &ended(&observation.end));
}

fn step(page: &mut Page, number: usize, seen: &Seen) {
    let first = page.paint(Tone::Strong, &format!("{number:>5}  "));
    page.paragraph(&first, &in_words(seen));
    if let Seen::Called(result) = seen {
        values(page, result);
    }
}

/// Result of one step in words, without the values.
pub fn in_words(seen: &Seen) -> String {
    let words = match seen {
        Seen::Listed { tools } => listed(tools),
        Seen::Called(result) if result.is_error => "a result that is a tool error".to_owned(),
        Seen::Called(_) => "a result".to_owned(),
        Seen::Evolved { told } => {
            let notice = if *told { "the client's user was notified" } else { "the client's user was not notified" };
            format!("the server changed its tools; {notice}")
        }
        Seen::NotReported {} => "no error; the returned value is unknown".to_owned(),
        Seen::Failed(error) => format!("error while {}", failure(error)),
    };
    clipped(&neutralised(&words), WORDS_SHOWN)
}

/// End of the session in words.
pub fn ended(end: &End) -> String {
    clipped(&neutralised(&self::end(end)), WORDS_SHOWN)
}

fn listed(tools: &[SeenTool]) -> String {
    let name = |tool: &SeenTool| match tool.output_schema {
        Some(_) => format!("{} (with an output schema)", tool.name),
        None => tool.name.clone(),
    };
    let names: Vec<String> = tools.iter().map(name).collect();
    let colon = if names.is_empty() { "" } else { ": " };
    format!("{}{colon}{}", counted(tools.len(), "tool"), names.join(", "))
}

fn values(page: &mut Page, result: &CallResult) {
    let name = |page: &Page, name: &str| page.paint(Tone::Aside, &format!("{:7}{name:<12}", ""));
    match &result.structured {
        Some(value) => page.message(&name(page, "structured"), &value.to_compact(), TRANSCRIPTS),
        None => page.paragraph(&name(page, "structured"), "(none)"),
    }
    if result.content.is_empty() {
        page.paragraph(&name(page, "content"), "(none)");
    }
    for (place, block) in result.content.iter().enumerate() {
        page.message(&name(page, if place == 0 { "content" } else { "" }), &block.to_compact(), TRANSCRIPTS);
    }
}

/// Layer, code and message of an error.
fn failure(error: &PeerError) -> String {
    use mcp_compat_model::observation::Layer;
    let layer = match error.layer {
        Layer::Connect => "connecting",
        Layer::Decode => "reading a message",
        Layer::Validate => "validating",
        Layer::Protocol => "calling (protocol error)",
        Layer::Tool => "calling (tool error)",
        Layer::Timeout => "waiting",
    };
    let code = error.code.map(|code| format!(" {code}")).unwrap_or_default();
    format!("{layer}{code}: {}", error.message)
}

fn end(end: &End) -> String {
    match end {
        End::Answered {} => "the client did all its steps".to_owned(),
        End::NoSession(error) => format!("no session: error while {}", failure(error)),
        End::Unsupported { by, reason } => format!("the {by} does not support this: {reason}"),
        End::TimedOut { waiting_for, what } => format!("the {waiting_for} did not answer in time: {what}"),
        End::Crashed { who, how } => format!("the {who} crashed: {how}"),
        End::NotStarted { who, why } => format!("the {who} could not be started: {why}"),
        End::HarnessFailed { why } => format!("the harness failed: {why}"),
    }
}
