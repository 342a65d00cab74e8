//! One rule, explained. What `explain` prints.

use mcp_compat_model::audit::Severity;
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

/// A rule that only an audit checks.
#[derive(Clone, Copy, Debug)]
pub struct ExplainedOfAudit<'a> {
    /// Its stable id.
    pub id: &'a str,
    /// What must hold, in a sentence.
    pub title: &'a str,
    /// How bad a violation is.
    pub severity: Severity,
    /// What the server's author has to do.
    pub remedy: &'a str,
    /// The specification's address, if it follows from a page of it.
    pub source: Option<&'a str>,
}

/// How wide the names of the fields are.
const FIELD: usize = 13;

/// The rule, as text.
#[must_use]
pub fn render(rule: &Explained, style: Style) -> String {
    let mut page = Page::new(style);
    begin(&mut page, &rule.id, &rule.title);
    let tone = match rule.level {
        Level::Must => Tone::Bad,
        Level::Should => Tone::Warning,
        Level::May => Tone::Good,
    };
    let level = page.paint(tone, rule.level.as_str());
    page.field(FIELD, "  binds", &format!("the {} ({level})", rule.party));
    page.field(FIELD, "  revisions", &rule.revisions);
    source(&mut page, &rule.source);
    for paragraph in rule.explanation.split("\n\n") {
        page.blank();
        page.paragraph("", &paragraph.replace('\n', " "));
    }
    page.finish()
}

/// The rule of an audit, as text.
#[must_use]
pub fn render_of_audit(rule: ExplainedOfAudit<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    begin(&mut page, rule.id, rule.title);
    let severity = page.paint(rule.severity.into(), rule.severity.as_str());
    page.field(FIELD, "  severity", &format!("{severity}, checked by `audit`"));
    page.field(FIELD, "  to fix", rule.remedy);
    rule.source.into_iter().for_each(|address| source(&mut page, address));
    page.finish()
}

fn begin(page: &mut Page, id: &str, title: &str) {
    page.heading(id);
    page.paragraph("", title);
    page.blank();
}

/// Not a field: an address that is broken over two lines opens nothing.
fn source(page: &mut Page, address: &str) {
    page.line(&format!("{}{address}", page.paint(Tone::Aside, "  source     ")));
}
