//! One rule, explained. What `explain` prints.

use mcp_compat_model::verdict::{Level, Party};

use crate::page::Page;
use crate::style::{Style, Tone};

/// A rule, as text that its owner supplies.
#[derive(Clone, Debug)]
pub struct Explained {
    /// Its stable id.
    pub id: String,
    /// What must hold, in a sentence.
    pub title: String,
    /// How binding it is.
    pub level: Level,
    /// Whom it binds.
    pub party: Party,
    /// The revisions in which it holds, in words.
    pub revisions: String,
    /// The specification's address.
    pub source: String,
    /// What goes wrong when it is violated, and what to do.
    pub explanation: String,
}

/// The rule, as text.
#[must_use]
pub fn render(rule: &Explained, style: Style) -> String {
    let mut page = Page::new(style);
    page.heading(&rule.id);
    page.paragraph("", &rule.title);
    page.blank();
    let tone = match rule.level {
        Level::Must => Tone::Bad,
        Level::Should => Tone::Warning,
        Level::May => Tone::Good,
    };
    let level = page.paint(tone, rule.level.as_str());
    page.field(13, "  binds", &format!("the {} ({level})", rule.party));
    page.field(13, "  revisions", &rule.revisions);
    // Not a field: an address that is broken over two lines opens nothing.
    page.line(&format!("{}{}", page.paint(Tone::Aside, "  source     "), rule.source));
    for paragraph in rule.explanation.split("\n\n") {
        page.blank();
        page.paragraph("", &paragraph.replace('\n', " "));
    }
    page.finish()
}
