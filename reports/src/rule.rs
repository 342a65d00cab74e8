//! Output of `explain`: a rule with its explanation.

use mcp_compat_judge::rules::Levels;
use mcp_compat_model::audit::Severity;
use mcp_compat_model::verdict::{Level, Party};

use crate::page::Page;
use crate::style::{Style, Tone};

/// Rule with its texts.
#[derive(Clone, Debug)]
pub struct Explained {
    pub id: String,
    /// Requirement, in a sentence.
    pub title: String,
    pub level: Levels,
    pub party: Party,
    /// Revisions in which it applies, in words.
    pub revisions: String,
    /// Address in the specification.
    pub source: String,
    /// Consequences of a violation, and the fix.
    pub explanation: String,
}

/// Rule that only an audit checks.
#[derive(Clone, Copy, Debug)]
pub struct ExplainedOfAudit<'a> {
    pub id: &'a str,
    /// Requirement, in a sentence.
    pub title: &'a str,
    pub severity: Severity,
    /// Fix for the author of the server.
    pub remedy: &'a str,
    /// Address in the specification, if the rule follows from a page of it.
    pub source: Option<&'a str>,
}

/// Width of the names of the fields.
const FIELD: usize = 13;

pub fn render(rule: &Explained, style: Style) -> String {
    let mut page = Page::new(style);
    begin(&mut page, &rule.id, &rule.title);
    let tone = match rule.level.newest() {
        Level::Must => Tone::Bad,
        Level::Should => Tone::Warning,
        Level::May => Tone::Good,
    };
    let level = page.paint(tone, &rule.level.to_string());
    page.field(FIELD, "  binds", &format!("the {} ({level})", rule.party));
    page.field(FIELD, "  revisions", &rule.revisions);
    source(&mut page, &rule.source);
    for paragraph in rule.explanation.split("\n\n") {
        page.blank();
        page.paragraph("", &paragraph.replace('\n', " "));
    }
    page.finish()
}

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

/// Adds an address on one line, because a broken address opens nothing.
fn source(page: &mut Page, address: &str) {
    page.line(&format!("{}{address}", page.paint(Tone::Aside, "  source     ")));
}
