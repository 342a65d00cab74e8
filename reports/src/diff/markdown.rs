//! Changes as a comment on a pull request, which is edited in place.

use mcp_compat_model::Role;
use mcp_compat_model::count::counted;
use mcp_compat_model::diff::{Class, Diff, Group};

use super::{
    NAMES_SHOWN, REASON_SHOWN, SHOWN, due_to, example, facts, groups, not_compared, notes, peers, run, scenarios,
    title, verdict,
};
use crate::command;
use crate::markdown::escape::{code, escaped, line, prose};
use crate::text::clipped;

/// First line of the comment, by which a later run finds the comment to edit.
pub const MARKER: &str = "<!-- mcp-compat diff -->";

/// Number of causes of a class that are shown before the rest is only counted: a comment on GitHub holds 65,536
/// characters.
const CAUSES_SHOWN: usize = 10;

/// Renders the changes as Markdown.
pub fn render(diff: &Diff) -> String {
    let mut page = format!("{MARKER}\n### MCP compatibility: {}\n\n", escaped(&verdict(diff)));
    line(&mut page, &format!("{} → {}\n", escaped(&run(&diff.before)), escaped(&run(&diff.after))));
    for note in notes(diff) {
        line(&mut page, &format!("{}\n", escaped(&note)));
    }
    for (class, words) in SHOWN {
        let groups = groups(diff, class);
        if groups.is_empty() {
            continue;
        }
        line(&mut page, &format!("#### {words}: {}\n", title(&groups)));
        for (number, of) in groups.iter().take(CAUSES_SHOWN).enumerate() {
            group(&mut page, number + 1, diff, of);
        }
        if groups.len() > CAUSES_SHOWN {
            line(&mut page, &format!("\nAnd {}.", counted(groups.len() - CAUSES_SHOWN, "more cause")));
        }
        page.push('\n');
    }
    let lines = not_compared(diff);
    if !lines.is_empty() {
        line(&mut page, "#### Checks that were not compared\n");
    }
    for (cells, why) in lines {
        line(&mut page, &format!("- {}: {}", counted(cells, "check"), escaped(&why)));
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn group(page: &mut String, number: usize, diff: &Diff, group: &Group) {
    let Some(change) = example(diff, group) else { return };
    let Some(fate) = change.telling() else { return };
    let silent = if fate.silent && change.class != Class::Better { "**Silent:** " } else { "" };
    line(page, &format!("{number}. {silent}{}", prose(&clipped(&fate.reason, REASON_SHOWN))));
    line(page, &format!("    - {}", escaped(&facts(diff, group, change).join(" · "))));
    if let Some(due_to) = due_to(group) {
        line(page, &format!("    - due to {}", escaped(&due_to)));
    }
    for (role, name) in [(Role::Client, "clients"), (Role::Server, "servers")] {
        line(page, &format!("    - {name}: {}", peers(diff, group, role).list(NAMES_SHOWN, code)));
    }
    line(page, &format!("    - scenarios: {}", scenarios(diff, group).list(NAMES_SHOWN, code)));
    if let Some(bisection) = &group.bisection {
        line(page, &format!("    - {}", code(&command::bisect(bisection).to_string())));
    }
}
