//! What `contract check` prints: what a later version of a server breaks, the worst first.

mod markdown;
mod terminal;

use mcp_compat_model::comparison::{Change, ChangeKind, Comparison, Effect, Part, ToolComparison, Witness};
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
    let number =
        |effect| -> usize { comparison.all_changes().filter(|change| change.effect == effect).map(changes_in).sum() };
    let counts: Vec<String> = EFFECTS
        .into_iter()
        .map(|effect| (number(effect), effect))
        .filter(|(count, _)| *count > 0)
        .map(|(count, effect)| format!("{} {}", thousands(count as u64), predicate(effect, count)))
        .collect();
    let together: Vec<String> = EFFECTS.into_iter().filter_map(|effect| together(comparison, effect)).collect();
    let (effect, all) = (comparison.effect(), comparison.all_changes().map(changes_in).sum());
    if all == 0 {
        return format!("{effect}: {}", together.join("; "));
    }
    let told: Vec<String> = std::iter::once(counts.join(", ")).chain(together).collect();
    format!("{effect}: {} ({})", counted(all, "change"), told.join("; "))
}

/// How many changes an entry is of. What all changes come to together is not one more.
fn changes_in(change: &Change) -> usize {
    match change.unlisted {
        Some(number) => usize::try_from(number).unwrap_or(usize::MAX),
        None => usize::from(change.kind != ChangeKind::Together),
    }
}

/// Returns the number of tools that have this effect by all their changes together.
fn together(comparison: &Comparison, effect: Effect) -> Option<String> {
    let is_it = |change: &Change| change.effect == effect && changes_in(change) == 0;
    let tools = comparison.tools.iter().filter(|tool| tool.changes.iter().any(is_it)).count();
    (tools > 0).then(|| format!("together, the changes of {} {}", counted(tools, "tool"), predicate(effect, 2)))
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
