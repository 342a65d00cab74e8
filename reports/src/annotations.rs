//! Annotations of an audit for GitHub Actions: one for each cause, and one for each expectation that was not met. They are
//! errors only if the audit fails, and there is an error if it does.

use mcp_compat_model::audit::{Audit, Severity};

use crate::audit::block::{Row, rows};
use crate::audit::cause::{Cause, causes};
use crate::audit::expected::{is_known, not_met};
use crate::audit::{Options, why_failed};
use crate::github::{Level, annotation};
use crate::server_list::{AuditedList, ListedAudit};
use crate::text::first_of;

/// Number of tools in a title.
const TOOLS: usize = 8;

/// The annotations of an audit: its errors, warnings and losses. `server` is the name in the titles.
pub fn of_audit(server: &str, audit: &Audit, failed: bool) -> String {
    let causes = causes(audit);
    let new = causes.iter().filter(|cause| cause.severity > Severity::Note && !is_known(cause, audit));
    let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = |text: &str| text.lines().map(plain).collect::<Vec<_>>().join("\n");
    let mut parts: Vec<(Level, String, String)> = new.map(|cause| of_cause(server, cause, audit)).collect();
    parts.extend(not_met(audit).map(|text| (Level::Error, server.to_owned(), plain(text))));
    if failed && !parts.iter().any(|(level, _, _)| *level == Level::Error) {
        let why = why_failed(audit, Options { failed: Some(failed), notes: true, ..Options::default() });
        parts.push((Level::Error, server.to_owned(), why));
    }
    let at_most = |level: Level| if failed || level != Level::Error { level } else { Level::Warning };
    parts.iter().map(|(level, title, message)| annotation(at_most(*level), title, message)).collect()
}

/// The annotations of several servers. A server that could not be audited has one.
pub fn of_list(list: &AuditedList) -> String {
    let of_server = |listed: &ListedAudit| match (&listed.audit, &listed.why) {
        (Some(audit), _) => of_audit(&listed.name, audit, listed.failed),
        (None, Some(why)) if listed.failed => annotation(Level::Error, &format!("{}: not audited", listed.name), why),
        (None, _) => String::new(),
    };
    list.servers.iter().map(of_server).collect()
}

fn of_cause(server: &str, cause: &Cause<'_>, audit: &Audit) -> (Level, String, String) {
    let tools = first_of(&cause.tools, TOOLS);
    let about = if tools.is_empty() { server.to_owned() } else { format!("{server}, {tools}") };
    let rows = rows(cause, audit);
    let labelled =
        |row: &Row| if row.label.is_empty() { row.text.clone() } else { format!("{}: {}", row.label, row.text) };
    let lines: Vec<String> = rows.iter().map(labelled).collect();
    (cause.severity.into(), format!("{about}: {}", cause.title()), lines.join("\n"))
}
