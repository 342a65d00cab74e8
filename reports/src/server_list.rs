//! Report of an audit of several servers: one line each.

use mcp_compat_model::audit::{Audit, CallState, Severity};
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::{PeerId, Transport};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use textwrap::core::display_width;

use crate::audit::Options;
use crate::audit::cause::{Cause, causes};
use crate::audit::expected::is_known;
use crate::audit::view::{is_unproven, losers_in_words};
use crate::command::option;
use crate::markdown::escape::escaped;
use crate::page::Page;
use crate::sdk;
use crate::style::{Style, Tone};
use crate::text::clipped;

/// Number of characters by which a line may be shorter because a word does not fit.
const WRAPPED: usize = 14;

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
    /// State: audited, not audited, or disabled.
    pub state: ListedState,
    /// The reason why there is no audit, or why it failed where its report does not say so.
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

/// Choices of the user about the report of several servers.
#[derive(Clone, Copy, Debug, Default)]
pub struct ListOptions<'a> {
    /// True to show notes; otherwise they are counted.
    pub notes: bool,
    /// The file, as a word of a command.
    pub file: &'a str,
    /// The options that ask for calls, as part of a command; may be empty.
    pub calls: &'a str,
}

impl ListOptions<'_> {
    /// The command that audits the file, with more words.
    fn command(self, more: &str) -> String {
        let words = ["mcp-compat audit", self.file, self.calls, more];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

impl ListedAudit {
    /// Returns whether nothing was judged but the list of tools.
    fn is_unproven(&self) -> bool {
        !self.failed && self.audit.as_ref().is_some_and(is_unproven)
    }

    /// Severity of the worst cause that is not known; `None` below a warning.
    fn worst(&self) -> Option<Severity> {
        let audit = self.audit.as_ref()?;
        causes(audit).iter().filter(|cause| is_told(cause, audit)).map(|cause| cause.severity).max()
    }
}

impl AuditedList {
    /// The servers that were audited.
    pub fn audits(&self) -> impl Iterator<Item = &Audit> {
        self.servers.iter().filter_map(|listed| listed.audit.as_ref())
    }

    /// Returns whether no tool of any server was called.
    fn calls_nothing(&self) -> bool {
        let mut tools = self.audits().flat_map(|audit| &audit.tools).peekable();
        tools.peek().is_some() && tools.all(|tool| matches!(tool.call, CallState::NotCalled { .. }))
    }

    /// The name of a server to look at: the worst of those that were audited; `None` if nothing is wrong with them.
    fn example(&self) -> Option<&str> {
        let audited = self.servers.iter().filter(|listed| listed.audit.is_some());
        let worst = audited.rev().max_by_key(|listed| (listed.failed, listed.worst()))?;
        (worst.failed || worst.worst().is_some()).then_some(worst.name.as_str())
    }

    /// The sum, for the last line.
    fn sum(&self) -> String {
        let many = |state: ListedState, failed: bool| {
            let is_it = |listed: &&ListedAudit| (listed.state, listed.failed) == (state, failed);
            self.servers.iter().filter(is_it).count()
        };
        let bad = many(ListedState::Audited, true);
        let not_audited = many(ListedState::NotAudited, true) + many(ListedState::NotAudited, false);
        let unproven = self.servers.iter().filter(|listed| listed.is_unproven()).count();
        let good = many(ListedState::Audited, false) - unproven;
        let disabled = self.servers.len() - bad - not_audited - good - unproven;
        let parts = [
            (bad, if bad == 1 { "fails" } else { "fail" }),
            (not_audited, "not audited"),
            (good, if good == 1 { "passes" } else { "pass" }),
            (unproven, "unproven"),
            (disabled, "disabled"),
        ];
        let some: Vec<String> =
            parts.iter().filter(|(many, _)| *many > 0).map(|(many, what)| format!("{many} {what}")).collect();
        format!("{}: {}", counted(self.servers.len(), "server"), some.join(", "))
    }

    fn failed(&self) -> bool {
        self.servers.iter().any(|listed| listed.failed)
    }
}

/// The list as text; of a single server, its full report.
pub fn terminal(list: &AuditedList, options: ListOptions<'_>, style: Style) -> String {
    let ListOptions { notes, file, calls } = options;
    // A file with one server is as good as its command.
    if let [ListedAudit { audit: Some(audit), failed, why, .. }] = &list.servers[..] {
        let report = crate::audit::terminal(audit, style, Options { notes, server: file, failed: Some(*failed) });
        let why = why.as_ref().map(|why| format!("{}\n", neutralised(why))).unwrap_or_default();
        return format!("{report}{why}");
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
        // Two lines at most; a line that is wrapped at a word is shorter than the rest of the page.
        let rest = page.width().saturating_sub(display_width(&begin) + 4).max(20);
        page.paragraph(&format!("  {} {begin}", page.paint(tone, mark)), &clipped(&words(listed), rest * 2 - WRAPPED));
    }
    page.blank();
    if list.calls_nothing() && calls.is_empty() {
        page.toned(
            Tone::Aside,
            "  ",
            "No tool was called, so no result was judged. To call those that are marked read-only:",
        );
        page.line(&format!("    {}", options.command("--call-read-only")));
    }
    if let Some(name) = list.example() {
        page.line(&format!("  See one: {}", options.command(&option("--server", name))));
    }
    page.blank();
    let has_no_audit = list.audits().next().is_none();
    let is_unproven = list.audits().all(is_unproven);
    let (tone, verdict) = match (list.failed() || has_no_audit, is_unproven) {
        (true, _) => (Tone::Bad, "FAILED"),
        (false, true) => (Tone::Warning, "UNPROVEN"),
        (false, false) => (Tone::Good, "OK"),
    };
    page.line(&format!("{}  {}", page.paint(tone, verdict), list.sum()));
    page.finish()
}

/// The list as Markdown.
pub fn markdown(list: &AuditedList, options: ListOptions<'_>) -> String {
    let ListOptions { notes, file, .. } = options;
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
            let server = format!("{file} {}", option("--server", &listed.name));
            let options = Options { notes, server: &server, failed: Some(listed.failed) };
            text += &format!("{}\n</details>\n", crate::audit::markdown(audit, options));
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
        (ListedState::Disabled, _) => ("-", Tone::Aside),
        (ListedState::Audited | ListedState::NotAudited, true) => ("✗", Tone::Bad),
        (ListedState::NotAudited, false) => ("!", Tone::Warning),
        (ListedState::Audited, false) if listed.worst().is_some() => ("!", Tone::Warning),
        (ListedState::Audited, false) if listed.is_unproven() => ("?", Tone::Warning),
        (ListedState::Audited, false) => ("✓", Tone::Good),
    }
}

/// The result of a server in one line.
fn words(listed: &ListedAudit) -> String {
    match (&listed.audit, &listed.why) {
        // The reason of a failure that is no cause.
        (Some(_), Some(why)) if listed.failed && listed.worst().is_none() => neutralised(why),
        (Some(audit), _) => of_audit(audit),
        (None, Some(why)) => neutralised(why.lines().next().unwrap_or_default()),
        (None, None) => String::new(),
    }
}

/// Returns whether a cause is named here: it is no note, and the baseline does not list its losses.
fn is_told(cause: &Cause<'_>, audit: &Audit) -> bool {
    cause.severity > Severity::Note && !is_known(cause, audit)
}

fn of_audit(audit: &Audit) -> String {
    let clients = counted(audit.in_session(), "client");
    let called = audit.tools.iter().filter(|tool| !matches!(tool.call, CallState::NotCalled { .. })).count();
    let tools = match (called, audit.tools.len()) {
        (0, all) => format!("{}, none called", counted(all, "tool")),
        (called, all) if called == all => format!("{} called", counted(all, "tool")),
        (called, all) => format!("{}, {called} called", counted(all, "tool")),
    };
    let causes = causes(audit);
    let told: Vec<&Cause<'_>> = causes.iter().filter(|cause| is_told(cause, audit)).collect();
    let cut_short = if audit.cut_short.is_some() { "incomplete: " } else { "" };
    let Some(worst) = told.first() else {
        if called > 0 && is_unproven(audit) {
            return format!("{cut_short}{tools}, no call returned a result");
        }
        let fine = match (called, audit.in_session()) {
            (0, _) => "can list them",
            (_, 1) => "loses nothing",
            (_, _) => "lose nothing",
        };
        return format!("{cut_short}{tools}; {clients} {fine}");
    };
    let whose = worst.tools.first().map(|tool| neutralised(tool)).unwrap_or_default();
    let whose = match worst.tools.len() {
        0 => String::new(),
        1 => format!("{whose}: "),
        many => format!("{whose} and {} more: ", many - 1),
    };
    let what = if worst.radius().is_some() && audit.tools.is_empty() {
        format!("{}: {}", losers_in_words(&worst.losers(), audit.in_session()), worst.title())
    } else if worst.radius().is_none() || worst.tools.is_empty() {
        worst.title()
    } else {
        let (lost, all) = (worst.lost_by(), audit.clients.iter().map(|client| &client.id).collect::<Vec<&PeerId>>());
        let names =
            if lost.len() < audit.in_session() { format!(" ({})", sdk::names(lost, &all)) } else { String::new() };
        format!("{}{names}", losers_in_words(&worst.losers(), audit.in_session()))
    };
    let numbers: Vec<String> = [Severity::Error, Severity::Warning]
        .into_iter()
        .map(|severity| (severity, told.iter().filter(|cause| cause.severity == severity).count()))
        .filter(|(_, many)| *many > 0)
        .map(|(severity, many)| counted(many, severity.as_str()))
        .collect();
    format!("{cut_short}{}; {whose}{what}", numbers.join(", "))
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
        let options = ListOptions { file: ".mcp.json", ..ListOptions::default() };
        let text = terminal(&list, options, Style::plain(80));
        assert_eq!(text.lines().count(), 8, "a long reason has two lines: {text}");
        assert!(text.lines().all(|line| display_width(line) <= 80), "{text}");
        assert!(
            text.contains("✗ dead\\u{1b}[2J") && !text.contains('\u{1b}') && !text.contains("and its log"),
            "{text}"
        );
        assert!(text.ends_with("FAILED  3 servers: 2 not audited, 1 disabled\n"), "{text}");
        let text = markdown(&list, options);
        assert!(text.contains("| - | off |  | disabled in the file |"), "{text}");
    }
}
