//! Annotations of an audit for GitHub Actions: one for each cause, and one for each expectation that was not met.

use mcp_compat_model::audit::{Audit, Severity};

use crate::audit::block::{Row, rows};
use crate::audit::cause::{Cause, causes};
use crate::audit::expected::{is_known, not_met};
use crate::github::{Level, annotation};
use crate::server_list::{AuditedList, ListedAudit};

/// Number of tools in a title.
const TOOLS: usize = 8;

/// The annotations of an audit: its errors, warnings and losses. `server` is the name in the titles.
pub fn of_audit(server: &str, audit: &Audit) -> String {
    let causes = causes(audit);
    let new = causes.iter().filter(|cause| cause.severity > Severity::Note && !is_known(cause, audit));
    let of_causes = new.map(|cause| of_cause(server, cause, audit));
    let plain = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let plain = |text: &str| text.lines().map(plain).collect::<Vec<_>>().join("\n");
    let others = not_met(audit).map(|text| annotation(Level::Error, server, &plain(text)));
    of_causes.chain(others).collect()
}

/// The annotations of several servers. A server that could not be audited has one.
pub fn of_list(list: &AuditedList) -> String {
    let of_server = |listed: &ListedAudit| match (&listed.audit, &listed.why) {
        (Some(audit), _) => of_audit(&listed.name, audit),
        (None, Some(why)) if listed.failed => annotation(Level::Error, &format!("{}: not audited", listed.name), why),
        (None, _) => String::new(),
    };
    list.servers.iter().map(of_server).collect()
}

fn of_cause(server: &str, cause: &Cause<'_>, audit: &Audit) -> String {
    let tools = cause.tools.iter().take(TOOLS).copied().collect::<Vec<_>>().join(", ");
    let more = cause.tools.len().saturating_sub(TOOLS);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let about = if tools.is_empty() { server.to_owned() } else { format!("{server}, {tools}{more}") };
    let rows = rows(cause, audit);
    let labelled =
        |row: &Row| if row.label.is_empty() { row.text.clone() } else { format!("{}: {}", row.label, row.text) };
    let lines: Vec<String> = rows.iter().map(labelled).collect();
    annotation(cause.severity.into(), &format!("{about}: {}", cause.title()), &lines.join("\n"))
}
