//! The comparison for a person in a terminal: tool by tool the changes, last of all the verdict.

use mcp_compat_model::comparison::{Change, Comparison, Effect};
use mcp_compat_model::unseen::neutralised;

use super::{SHOWN, objection, place, revisions, shows, title, verdict};
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::clipped;

/// How wide the column of effects is.
const COLUMN: usize = 21;

/// The report.
#[must_use]
pub fn render(comparison: &Comparison, style: Style) -> String {
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
