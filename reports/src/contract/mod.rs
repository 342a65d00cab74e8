//! What `contract check` prints: what a later version of a server breaks, the worst first.

mod markdown;
mod terminal;

use mcp_compat_model::comparison::{Change, Comparison, Effect, Part, ToolComparison, Witness};
use mcp_compat_model::count::{counted, thousands};

pub use markdown::render as markdown;
pub use terminal::render as terminal;

/// How much of a witness, and of what is said of it, is shown.
const SHOWN: usize = 240;

/// The effects, the worst first.
const EFFECTS: [Effect; 4] = [Effect::BreaksCallers, Effect::BreaksSomeClients, Effect::Unknown, Effect::Safe];

/// The versions that are compared.
fn title(comparison: &Comparison) -> String {
    let name = if comparison.server.is_empty() { "a server without a name" } else { &comparison.server };
    let version = |version: &str| if version.is_empty() { "(no version)".to_owned() } else { version.to_owned() };
    format!("{name}: old {}, new {}", version(&comparison.old), version(&comparison.new))
}

/// Where a change is: the part of the definition, and the place in it.
fn place(change: &Change) -> String {
    match (change.part, change.pointer.as_str()) {
        (Part::Server | Part::Tool, "") => String::new(),
        (Part::Server | Part::Tool, pointer) => pointer.to_owned(),
        (part @ (Part::Input | Part::Output), pointer) => format!("{part} {pointer}").trim_end().to_owned(),
    }
}

/// What a witness is, before its value.
fn shows(change: &Change) -> &'static str {
    match change.part {
        Part::Input => "callers could send",
        Part::Output | Part::Server | Part::Tool => "callers may now get",
    }
}

/// What the other schema has against a witness.
fn objection(change: &Change, witness: &Witness) -> String {
    let other = match change.part {
        Part::Input => "new",
        Part::Output | Part::Server | Part::Tool => "old",
    };
    format!("the {other} schema refuses it: {}", witness.message)
}

/// At which revisions a tool changed so, where it is not all of them.
fn revisions(comparison: &Comparison, tool: &ToolComparison) -> Option<String> {
    let some = tool.revisions != comparison.revisions;
    some.then(|| tool.revisions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}

/// The one line that says it all.
fn verdict(comparison: &Comparison) -> String {
    if comparison.all_changes().next().is_none() {
        return format!("safe: {}, nothing changed", counted(comparison.unchanged, "tool"));
    }
    let counts: Vec<String> = EFFECTS
        .into_iter()
        .map(|effect| (comparison.count(effect), effect))
        .filter(|(count, _)| *count > 0)
        .map(|(count, effect)| format!("{} {}", thousands(count as u64), predicate(effect, count)))
        .collect();
    let changes = counted(comparison.all_changes().count(), "change");
    format!("{}: {changes} ({})", comparison.effect(), counts.join(", "))
}

/// What so many changes do.
fn predicate(effect: Effect, count: usize) -> &'static str {
    match (effect, count) {
        (Effect::Safe, 1) => "is safe",
        (Effect::Safe, _) => "are safe",
        (Effect::Unknown, 1) => "is unknown",
        (Effect::Unknown, _) => "are unknown",
        (Effect::BreaksSomeClients, 1) => "breaks some clients",
        (Effect::BreaksSomeClients, _) => "break some clients",
        (Effect::BreaksCallers, 1) => "breaks callers",
        (Effect::BreaksCallers, _) => "break callers",
    }
}

#[cfg(test)]
mod tests;
