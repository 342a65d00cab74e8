//! Output of `lock check`: changes in a later version of a server, the worst first.

use mcp_compat_model::comparison::{Change, ChangeKind, Comparison, Effect, Part, ToolComparison, Witness};
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::invisible_chars::neutralised;

use crate::github::{Level, annotation};
use crate::markdown::escape::{code, escaped, line, prose};
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::clipped;

/// Number of characters of a witness and of the message about it that are shown.
const SHOWN: usize = 240;

/// The effects, the worst first.
const EFFECTS: [Effect; 4] = [Effect::BreaksCallers, Effect::BreaksSomeClients, Effect::Unknown, Effect::Safe];

/// Title with the two versions.
fn title(comparison: &Comparison) -> String {
    let name = if comparison.server.is_empty() { "a server without a name" } else { &comparison.server };
    let version = |version: &str| if version.is_empty() { "(no version)".to_owned() } else { version.to_owned() };
    format!("{name}: old {}, new {}", version(&comparison.old), version(&comparison.new))
}

/// Place of a change: the part of the definition, and the pointer in it.
fn place(change: &Change) -> String {
    match (change.part, change.pointer.as_str()) {
        (Part::Server | Part::Tool, "") => String::new(),
        (Part::Server | Part::Tool, pointer) => pointer.to_owned(),
        (part @ (Part::Input | Part::Output), pointer) => format!("{part} {pointer}").trim_end().to_owned(),
    }
}

/// Words before the value of a witness.
fn shows(change: &Change) -> &'static str {
    match change.part {
        Part::Input => "callers could send",
        Part::Output | Part::Server | Part::Tool => "callers may now get",
    }
}

/// Reason why the other schema rejects a witness.
fn objection(change: &Change, witness: &Witness) -> String {
    let other = match change.part {
        Part::Input => "new",
        Part::Output | Part::Server | Part::Tool => "old",
    };
    format!("the {other} schema refuses it: {}", witness.message)
}

/// Revisions at which a tool has these changes; `None` if it has them at all revisions.
fn revisions(comparison: &Comparison, tool: &ToolComparison) -> Option<String> {
    let some = tool.revisions != comparison.revisions;
    some.then(|| tool.revisions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}

/// Verdict on the whole comparison, in one line.
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
    let parts: Vec<String> = std::iter::once(counts.join(", ")).chain(together).collect();
    format!("{effect}: {} ({})", counted(all, "change"), parts.join("; "))
}

/// Number of changes that an entry counts for. An entry about the joint effect of all changes counts for none.
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

/// Verb phrase for a number of changes of an effect.
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

/// Renders the changes that are not safe as annotations of GitHub Actions.
pub fn github(comparison: &Comparison) -> String {
    let of_server = comparison.changes.iter().map(|change| ("the server", change));
    let of_tools =
        comparison.tools.iter().flat_map(|tool| tool.changes.iter().map(|change| (tool.tool.as_str(), change)));
    let unsafe_ones = of_server.chain(of_tools).filter(|(_, change)| change.effect != Effect::Safe);
    let annotation_of = |(tool, change): (&str, &Change)| {
        let level = if change.effect == Effect::BreaksCallers { Level::Error } else { Level::Warning };
        annotation(level, &format!("{tool}: {}", change.effect), &format!("{} {}", place(change), change.what))
    };
    unsafe_ones.map(annotation_of).collect()
}

/// Width of the column of effects.
const COLUMN: usize = 21;

/// Renders the comparison for a terminal.
pub fn terminal(comparison: &Comparison, style: Style) -> String {
    let mut page = Page::new(style);
    page.line(&page.paint(Tone::Strong, &neutralised(&title(comparison))));
    if !comparison.changes.is_empty() {
        page.blank();
        comparison.changes.iter().for_each(|change| write(&mut page, change));
    }
    for tool in &comparison.tools {
        page.blank();
        let name = page.paint(Tone::Strong, &neutralised(&tool.tool));
        let at = revisions(comparison, tool).map(|revisions| format!("  at {revisions}")).unwrap_or_default();
        page.line(&format!("{name}{}", page.paint(Tone::Aside, &at)));
        tool.changes.iter().for_each(|change| write(&mut page, change));
    }
    page.blank();
    page.toned(tone(comparison.effect()), "", &verdict(comparison));
    page.finish()
}

fn write(page: &mut Page, change: &Change) {
    let effect = page.paint(tone(change.effect), &format!("{:<COLUMN$}", change.effect.as_str()));
    let blanks = " ".repeat(COLUMN + 2);
    let what = neutralised(&change.what);
    match place(change).as_str() {
        "" => page.paragraph(&format!("  {effect}"), &what),
        place => {
            page.paragraph(&format!("  {effect}"), &neutralised(place));
            page.paragraph(&blanks, &what);
        }
    }
    if let Some(witness) = &change.witness {
        let value = clipped(&neutralised(&witness.value.to_compact()), SHOWN);
        page.paragraph(&blanks, &format!("{} {value}", shows(change)));
        page.toned(Tone::Aside, &blanks, &clipped(&neutralised(&objection(change, witness)), SHOWN));
    }
    if let Some(why) = &change.why {
        page.toned(Tone::Aside, &blanks, &clipped(&neutralised(why), SHOWN));
    }
}

const fn tone(effect: Effect) -> Tone {
    match effect {
        Effect::Safe => Tone::Good,
        Effect::Unknown | Effect::BreaksSomeClients => Tone::Warning,
        Effect::BreaksCallers => Tone::Bad,
    }
}

/// Renders the comparison as Markdown.
pub fn markdown(comparison: &Comparison) -> String {
    let mut page = format!("# {}\n\n**{}**\n", escaped(&title(comparison)), escaped(&verdict(comparison)));
    if !comparison.changes.is_empty() {
        page.push('\n');
        comparison.changes.iter().for_each(|change| write_markdown(&mut page, change));
    }
    for tool in &comparison.tools {
        line(&mut page, &format!("\n## {}\n", code(&tool.tool)));
        if let Some(revisions) = revisions(comparison, tool) {
            line(&mut page, &format!("At {revisions}.\n"));
        }
        tool.changes.iter().for_each(|change| write_markdown(&mut page, change));
    }
    page
}

fn write_markdown(page: &mut String, change: &Change) {
    let place = match place(change).as_str() {
        "" => String::new(),
        place => format!("{}: ", code(place)),
    };
    line(page, &format!("- **{}**, {place}{}", change.effect, prose(&change.what)));
    if let Some(witness) = &change.witness {
        let value = code(&clipped(&witness.value.to_compact(), SHOWN));
        line(page, &format!("  - {} {value}; {}", shows(change), prose(&clipped(&objection(change, witness), SHOWN))));
    }
    if let Some(why) = &change.why {
        line(page, &format!("  - {}", prose(&clipped(why, SHOWN))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Style;
    use mcp_compat_json::Json;
    use mcp_compat_model::Revision;
    use mcp_compat_model::comparison::ChangeKind;

    fn change(part: Part, pointer: &str, kind: ChangeKind, what: &str, effect: Effect) -> Change {
        let (pointer, what) = (pointer.to_owned(), what.to_owned());
        Change { part, pointer, kind, what, effect, why: None, witness: None, unlisted: None }
    }

    fn comparison() -> Comparison {
        let mut widened = change(
            Part::Output,
            "/properties/id/type",
            ChangeKind::Type,
            r#"`type` changed from "string" to ["string","null"]"#,
            Effect::BreaksCallers,
        );
        let value = Json::parse(r#"{"id":null}"#).unwrap();
        widened.witness = Some(Witness { value, message: r#"null is not of type "string""#.to_owned() });
        let mut format = change(
            Part::Output,
            "/properties/at/format",
            ChangeKind::Format,
            "`format` removed",
            Effect::BreaksSomeClients,
        );
        format.why = Some("clients that check formats relied on it".to_owned());
        let words = change(Part::Tool, "/description", ChangeKind::Words, "`description` changed", Effect::Safe);
        let gone = change(
            Part::Server,
            "",
            ChangeKind::RevisionRemoved,
            "revision 2025-06-18 is no longer spoken",
            Effect::BreaksSomeClients,
        );
        let hostile = change(
            Part::Input,
            "/properties/\u{1b}[31m",
            ChangeKind::Keyword,
            "`x` added: <b>\u{202e}</b>",
            Effect::Unknown,
        );
        Comparison {
            tool_version: "0.1.0".to_owned(),
            server: "users".to_owned(),
            old: "1.2.0".to_owned(),
            new: "1.3.0".to_owned(),
            revisions: vec![Revision::V2025_11_25, Revision::V2026_07_28],
            changes: vec![gone],
            tools: vec![
                ToolComparison {
                    tool: "list_users".to_owned(),
                    revisions: vec![Revision::V2025_11_25, Revision::V2026_07_28],
                    changes: vec![widened, format, words],
                },
                ToolComparison {
                    tool: "\u{1b}]0;a|b".to_owned(),
                    revisions: vec![Revision::V2026_07_28],
                    changes: vec![hostile],
                },
            ],
            unchanged: 3,
        }
    }

    #[test]
    fn a_person_sees_the_worst_first_and_the_verdict_last() {
        insta::assert_snapshot!(terminal(&comparison(), Style::plain(90)));
    }

    #[test]
    fn a_page_has_the_same() {
        insta::assert_snapshot!(markdown(&comparison()));
    }

    #[test]
    fn nothing_changed_is_one_line() {
        let comparison = Comparison { changes: Vec::new(), tools: Vec::new(), ..comparison() };
        insta::assert_snapshot!(terminal(&comparison, Style::plain(90)), @r"
    users: old 1.2.0, new 1.3.0

    safe: 3 tools, nothing changed
    ");
    }

    /// The joint effect of all changes does not count as a change; changes that are not listed do.
    #[test]
    fn only_changes_are_counted() {
        let limit = |keyword: &str| change(Part::Output, "/properties/a", ChangeKind::Limit, keyword, Effect::Safe);
        let together = |what: &str, effect| change(Part::Output, "", ChangeKind::Together, what, effect);
        let all = |effect| together("all changes together", effect);
        let of = |tools: &[&[Change]]| {
            let tool = |changes: &&[Change]| ToolComparison {
                tool: "t".to_owned(),
                revisions: vec![Revision::V2026_07_28],
                changes: changes.to_vec(),
            };
            verdict(&Comparison { changes: Vec::new(), tools: tools.iter().map(tool).collect(), ..comparison() })
        };
        let two = [limit("`maximum` removed"), limit("`exclusiveMaximum` removed")];
        assert_eq!(of(&[&two]), "safe: 2 changes (2 are safe)");
        let breaks = [&two[..], &[all(Effect::BreaksCallers)]].concat();
        let expected = "breaks callers: 2 changes (2 are safe; together, the changes of 1 tool break callers)";
        assert_eq!(of(&[&breaks]), expected);
        let expected = "breaks callers: 4 changes (4 are safe; together, the changes of 2 tools break callers)";
        assert_eq!(of(&[&breaks, &breaks]), expected);
        let unlisted = |number| Change { unlisted: Some(number), ..together("more changes", Effect::Unknown) };
        let more = [&two[..], &[unlisted(1_500)]].concat();
        assert_eq!(of(&[&more]), "unknown: 1,502 changes (1,500 are unknown, 2 are safe)");
        let more = [&two[..1], &[unlisted(1)]].concat();
        assert_eq!(of(&[&more]), "unknown: 2 changes (1 is unknown, 1 is safe)");
        assert_eq!(of(&[&[all(Effect::Unknown)]]), "unknown: together, the changes of 1 tool are unknown");
    }
}
