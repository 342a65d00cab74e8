//! One rule, explained. What `explain` prints.

use std::fmt::Write as _;

use mcp_compat_model::verdict::{Level, Party};

use crate::style::{Style, Tone};
use crate::text::paragraph;

/// A rule, in the words of whoever keeps the rules.
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
    let mut text = String::new();
    let _ = writeln!(text, "{}", style.paint(Tone::Strong, &rule.id));
    let _ = writeln!(text, "{}\n", paragraph(&rule.title, "", 0, style.width));
    let _ = writeln!(text, "  {:<11}{} ({})", "binds", rule.party, rule.level);
    let _ = writeln!(text, "  {:<11}{}", "revisions", rule.revisions);
    let _ = writeln!(text, "  {:<11}{}\n", "source", rule.source);
    text.push_str(&paragraph(&rule.explanation, "", 0, style.width));
    text
}
