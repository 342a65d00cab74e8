//! The comparison as a page: the verdict first, then tool by tool the changes.

use std::fmt::Write as _;

use mcp_compat_model::comparison::{Change, Comparison};

use super::{SHOWN, objection, place, revisions, shows, title, verdict};
use crate::markdown::escape::{code, escaped, prose};
use crate::text::clipped;

/// The page.
#[must_use]
pub fn render(comparison: &Comparison) -> String {
    let mut page = format!("# {}\n\n**{}**\n", escaped(&title(comparison)), escaped(&verdict(comparison)));
    if !comparison.changes.is_empty() {
        page.push('\n');
        comparison.changes.iter().for_each(|change| write(&mut page, change));
    }
    for tool in &comparison.tools {
        line(&mut page, &format!("\n## {}\n", code(&tool.tool)));
        if let Some(revisions) = revisions(comparison, tool) {
            line(&mut page, &format!("At {revisions}.\n"));
        }
        tool.changes.iter().for_each(|change| write(&mut page, change));
    }
    page
}

fn write(page: &mut String, change: &Change) {
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

fn line(page: &mut String, text: &str) {
    // Writing into a string cannot fail.
    let _ = writeln!(page, "{text}");
}
