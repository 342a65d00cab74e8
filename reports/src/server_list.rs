//! Report of an audit of several servers: one line each.

use mcp_compat_model::Transport;
use mcp_compat_model::audit::{Audit, AuditedTool, CallState, Severity};
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use textwrap::core::display_width;

use crate::audit::Options;
use crate::markdown::escape::escaped;
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::clipped;

/// Maximum width of the column of names.
const NAMES: usize = 28;

/// The servers of a file, audited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditedList {
    /// The path of the file.
    pub read_from: String,
    /// Its servers, in the order of the file.
    pub servers: Vec<ListedAudit>,
}

/// A server of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedAudit {
    /// Its name in the file.
    pub name: String,
    /// Transport of its messages, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transport: Option<Transport>,
    /// True if it was audited.
    pub state: ListedState,
    /// The reason why there is no audit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// True if it fails: its audit does, or there is none although there should be.
    pub failed: bool,
    /// The audit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<Audit>,
}

/// State of a server of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ListedState {
    /// It was audited.
    Audited,
    /// It could not be audited.
    NotAudited,
    /// The file turns it off.
    Disabled,
}

impl AuditedList {
    /// The servers that were audited.
    pub fn audits(&self) -> impl Iterator<Item = &Audit> {
        self.servers.iter().filter_map(|listed| listed.audit.as_ref())
    }

    fn calls_nothing(&self) -> bool {
        let mut tools = self.audits().flat_map(|audit| &audit.tools).peekable();
        tools.peek().is_some() && tools.all(|tool| matches!(tool.call, CallState::NotCalled { .. }))
    }

    /// The name of a server to look at: the first one that fails and was audited, or the first one.
    fn example(&self) -> Option<&str> {
        let audited = || self.servers.iter().filter(|listed| listed.audit.is_some());
        let example = audited().find(|listed| listed.failed).or_else(|| audited().next());
        example.map(|listed| listed.name.as_str())
    }

    /// The sum, for the last line.
    fn sum(&self) -> String {
        let many = |is: &dyn Fn(&ListedAudit) -> bool| self.servers.iter().filter(|listed| is(listed)).count();
        let audited = many(&|listed| listed.state == ListedState::Audited);
        let failed = many(&|listed| listed.state == ListedState::Audited && listed.failed);
        let not_audited = many(&|listed| listed.state == ListedState::NotAudited);
        let fails = if failed == 1 { "fails" } else { "fail" };
        let all = counted(audited, "server");
        let mut sum = match (audited, failed) {
            (0, _) => return "no server was audited".to_owned(),
            (_, 0) => format!("{all} audited, none fails"),
            (_, _) => format!("{failed} of {all} {fails}"),
        };
        if not_audited > 0 {
            sum += &format!(", {not_audited} could not be audited");
        }
        sum
    }

    fn failed(&self) -> bool {
        self.servers.iter().any(|listed| listed.failed)
    }
}

/// The list as text; of a single server, its full report. `command` is the command that audits it, without options. `notes`
/// is true to show notes.
pub fn terminal(list: &AuditedList, command: &str, notes: bool, style: Style) -> String {
    // A file with one server is as good as its command.
    if let [ListedAudit { audit: Some(audit), failed, .. }] = &list.servers[..] {
        return crate::audit::terminal(audit, style, Options { notes, failed: Some(*failed) });
    }
    let mut page = Page::new(style);
    let title = format!("{}: {}", neutralised(&list.read_from), counted(list.servers.len(), "server"));
    page.line(&page.paint(Tone::Strong, &title));
    page.blank();
    let names: Vec<String> = list.servers.iter().map(|listed| clipped(&neutralised(&listed.name), NAMES)).collect();
    let column = names.iter().map(|name| display_width(name)).max().unwrap_or(0);
    for (listed, name) in list.servers.iter().zip(&names) {
        let (mark, tone) = mark(listed);
        let blanks = " ".repeat(column - display_width(name));
        let transport = listed.transport.map_or("", |transport| transport.as_str());
        let begin = format!("{name}{blanks}  {transport:<5}  ");
        // The mark and its blanks take four columns, the mark of a cut one.
        let width = page.width().saturating_sub(display_width(&begin) + 5).max(20);
        let words = clipped(&words(listed), width);
        let words = if tone == Tone::Good { words } else { page.paint(tone, &words) };
        page.line(&format!("  {} {begin}{words}", page.paint(tone, mark)));
    }
    page.blank();
    if list.calls_nothing() {
        page.paragraph("  ", "No tool was called. --call '*' calls all that are not marked destructive.");
    }
    if let Some(name) = list.example() {
        page.line(&format!("  See one: {command} --server {}", quoted(name)));
    }
    page.blank();
    let (tone, verdict) = if list.failed() { (Tone::Bad, "FAILED") } else { (Tone::Good, "OK") };
    page.line(&format!("{}  {}", page.paint(tone, verdict), list.sum()));
    page.finish()
}

/// The list as Markdown. `notes` is true to show notes.
pub fn markdown(list: &AuditedList, notes: bool) -> String {
    let mut text = format!("## {}: {}\n\n", escaped(&list.read_from), escaped(&list.sum()));
    text += "| | Server | Transport | Result |\n|---|---|---|---|\n";
    for listed in &list.servers {
        let (mark, _) = mark(listed);
        let transport = listed.transport.map_or("", |transport| transport.as_str());
        text += &format!("| {mark} | {} | {transport} | {} |\n", escaped(&listed.name), escaped(&words(listed)));
    }
    for listed in &list.servers {
        if let Some(audit) = listed.audit.as_ref().filter(|_| listed.failed) {
            text += &format!("\n<details><summary>{}</summary>\n\n", in_html(&listed.name));
            text += &format!(
                "{}\n</details>\n",
                crate::audit::markdown(audit, Options { notes, failed: Some(listed.failed) })
            );
        }
    }
    text
}

/// A name inside an HTML block, where Markdown means nothing.
fn in_html(name: &str) -> String {
    neutralised(name).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn mark(listed: &ListedAudit) -> (&'static str, Tone) {
    match (listed.state, listed.failed) {
        (ListedState::Audited, false) => ("✓", Tone::Good),
        (ListedState::Audited, true) => ("✗", Tone::Bad),
        (ListedState::NotAudited, _) => ("!", Tone::Warning),
        (ListedState::Disabled, _) => ("-", Tone::Aside),
    }
}

/// The result of a server in one line.
fn words(listed: &ListedAudit) -> String {
    match (&listed.audit, &listed.why) {
        (Some(audit), _) => of_audit(audit),
        (None, Some(why)) => neutralised(why.lines().next().unwrap_or_default()),
        (None, None) => String::new(),
    }
}

fn of_audit(audit: &Audit) -> String {
    let clients = audit.in_session();
    let number = [Severity::Error, Severity::Warning].into_iter().find(|severity| audit.count(*severity) > 0);
    let number = number.map(|severity| counted(audit.count(severity), severity.as_str()));
    let tools = counted(audit.tools.len(), "tool");
    let most_lost =
        audit.tools.iter().max_by_key(|tool| (tool.breaks().count(), std::cmp::Reverse(place(audit, tool))));
    let lost = most_lost.map(|tool| (tool, tool.breaks().count())).filter(|(_, lost)| *lost > 0);
    let cut_short = if audit.cut_short.is_some() { "incomplete: " } else { "" };
    let out = audit.out_of_reach().count();
    let out = if out > 0 { format!("; {} cannot connect", counted(out, "client")) } else { String::new() };
    let found = match (number, lost) {
        (Some(number), Some((tool, lost))) => {
            format!("{number}; {lost} of {clients} clients lose {}", neutralised(&tool.name))
        }
        (None, Some((tool, lost))) => format!("{lost} of {clients} clients lose {}", neutralised(&tool.name)),
        (Some(number), None) => format!("{tools}, {clients}/{clients} clients; {number}: {}", worst_rule(audit)),
        (None, None) => format!("{tools}, {clients}/{clients} clients"),
    };
    format!("{cut_short}{found}{out}")
}

fn place(audit: &Audit, tool: &AuditedTool) -> usize {
    audit.tools.iter().position(|other| std::ptr::eq(other, tool)).unwrap_or_default()
}

/// The rule of the worst finding.
fn worst_rule(audit: &Audit) -> &str {
    let of_tools = audit.tools.iter().flat_map(|tool| &tool.findings);
    let findings = audit.findings.iter().chain(of_tools);
    // The first of those that are equally bad.
    let worst = findings.rev().max_by_key(|finding| finding.severity);
    worst.map_or("", |finding| finding.rule.as_str())
}

/// A name as one word for a shell.
fn quoted(name: &str) -> String {
    let name = neutralised(name);
    shlex::try_quote(&name).map_or_else(|_| name.clone(), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_audit(name: &str, state: ListedState, why: &str) -> ListedAudit {
        let failed = state == ListedState::NotAudited;
        ListedAudit { name: name.to_owned(), transport: None, state, why: Some(why.to_owned()), failed, audit: None }
    }

    #[test]
    fn each_server_is_one_line_within_the_width() {
        let servers = vec![
            without_audit("dead\u{1b}[2J", ListedState::NotAudited, "cannot start\nand its log"),
            without_audit(&"long".repeat(20), ListedState::NotAudited, &"why ".repeat(60)),
            without_audit("off", ListedState::Disabled, "disabled in the file"),
        ];
        let list = AuditedList { read_from: ".mcp.json".to_owned(), servers };
        let text = terminal(&list, "mcp-compat audit .mcp.json", false, Style::plain(80));
        assert_eq!(text.lines().count(), 7, "{text}");
        assert!(text.lines().all(|line| display_width(line) <= 80), "{text}");
        assert!(
            text.contains("! dead\\u{1b}[2J") && !text.contains('\u{1b}') && !text.contains("and its log"),
            "{text}"
        );
        assert!(text.ends_with("FAILED  no server was audited\n"), "{text}");
        assert!(markdown(&list, false).contains("| - | off |  | disabled in the file |"), "{}", markdown(&list, false));
    }
}
