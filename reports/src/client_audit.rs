//! Output of `audit-client`: the behaviour of a client with each server, and the findings.

use mcp_compat_model::audit::Severity;
use mcp_compat_model::client_audit::{BrokenRule, ClientAudit, Conclusion, Probe, Variation, Visit};
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::verdict::Fault;
use mcp_compat_model::{PeerId, Revision};

use crate::markdown::escape::{code, escaped, line, prose};
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::clipped;

/// Legend of the columns.
const COLUMNS: &str = "spoke: the negotiated revision; listed: whether it got the list; called: whether it called the \
                       tool; other tool: whether it can still be called; fetched: whether the client \
                       connected to an address that a schema names.";

/// Limit of an audit without an adapter.
const NOT_OBSERVED: &str = "The wire does not show which value the client's user got. The exit status shows whether the client \
                      raised an error; a line of JSON that the client prints (see --help), or an adapter (peer.toml), \
                      shows the value.";

const HEAD: [&str; 7] = ["probe", "spoke", "listed", "called", "other tool", "fetched", "ended with"];

/// End of a command that reported no error.
const ENDED_WELL: &str = "exit status 0";

/// Number of characters of a sentence that are shown.
const SHOWN: usize = 700;

/// Number of places that are named before the rest is only counted.
const PLACES: usize = 6;

/// Renders the audit for a terminal: findings, and a line for all servers with which the client behaved the same.
pub fn terminal(audit: &ClientAudit, style: Style) -> String {
    let mut page = Page::new(style);
    page.paragraph("", &title(audit, &neutralised(&audit.client), &neutralised(&audit.calls)));
    page.heading(&heading(audit));
    for (number, conclusion) in audit.conclusions.iter().enumerate() {
        let first = format!("{:>3}. ", number + 1);
        page.paragraph(&first, &format!("{}{}", label(conclusion), clipped(&neutralised(&conclusion.what), SHOWN)));
        if conclusion.is_the_clients || conclusion.known {
            page.field(16, "     severity", &severity(conclusion));
        }
        if let Some(broken) = &conclusion.rule {
            page.field(16, "     rule", &format!("{}, mcp-compat explain {}", broken.level, broken.id));
        }
        if let Some(source) = &conclusion.source {
            page.field(16, "     source", source);
        }
        let varied = (!conclusion.variations.is_empty()).then(|| variations(conclusion));
        let seen: Vec<String> = varied.into_iter().chain(places(conclusion, 1)).collect();
        if !seen.is_empty() {
            page.field(16, "     seen", &seen.join(", "));
        }
    }
    if !audit.servers.is_empty() {
        page.heading("With each server");
        summary(&mut page, audit);
    }
    page.blank();
    page.toned(Tone::Aside, "", NOT_OBSERVED);
    if let Some(skipped) = skipped(audit) {
        page.toned(Tone::Aside, "", &skipped);
    }
    let each = if audit.variations.is_empty() { "each probe" } else { "each probe and each variation" };
    page.toned(Tone::Aside, "", &format!("`--markdown` shows {each}."));
    for stale in &audit.stale {
        page.paragraph("", &format!("The baseline no longer holds: {}", neutralised(stale)));
    }
    page.blank();
    page.paragraph("", &tally(audit));
    page.finish()
}

/// Number of the findings of each severity, such as `1 error, 2 warnings; 1 known`.
fn tally(audit: &ClientAudit) -> String {
    let of =
        |severity: Severity| audit.conclusions.iter().filter(move |found| !found.known && found.severity == severity);
    let count = |severity: Severity| counted(of(severity).count(), &severity.to_string());
    let known = audit.conclusions.iter().filter(|found| found.known).count();
    let known = if known == 0 { String::new() } else { format!("; {known} known by the baseline") };
    format!("{}, {}, {}{known}", count(Severity::Error), count(Severity::Warning), count(Severity::Note))
}

/// A table of the servers: with how many probes the client did what.
fn summary(page: &mut Page, audit: &ClientAudit) {
    let head = ["probes", "listed", "called", "no error", "servers"].map(str::to_owned);
    let rows: Vec<[String; 5]> = std::iter::once(head)
        .chain(alike(audit).into_iter().map(|(servers, visit)| {
            let count = |does: fn(&Probe) -> bool| visit.probes.iter().filter(|probe| does(probe)).count().to_string();
            let ended = count(|probe| probe.ended == ENDED_WELL);
            let (listed, called) = (count(|probe| probe.listed), count(|probe| probe.called));
            [visit.probes.len().to_string(), listed, called, ended, servers.join(", ")]
        }))
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    for (number, row) in rows.iter().enumerate() {
        let [counts @ .., servers] = row;
        let cells = counts.iter().enumerate().map(|(column, cell)| format!("{cell:>0$}", width(column)));
        let line = format!("  {}  {servers}", cells.collect::<Vec<_>>().join("  "));
        page.line(&if number == 0 { page.paint(Tone::Aside, &line) } else { line });
    }
}

/// Renders the audit as Markdown.
pub fn markdown(audit: &ClientAudit) -> String {
    let mut page = format!("# Client audit\n\n{}\n", title(audit, &code(&audit.client), &code(&audit.calls)));
    let mut line = |text: &str| line(&mut page, text);
    line(&format!("\n## {}\n", heading(audit)));
    for conclusion in &audit.conclusions {
        line(&format!("- {}{}", label(conclusion), prose(&clipped(&conclusion.what, SHOWN))));
        line(&format!("  - severity: {}", severity(conclusion)));
        if let Some(broken) = &conclusion.rule {
            line(&format!("  - rule: [{}]({})", escaped(&rule(broken)), broken.source));
        }
        if let Some(source) = &conclusion.source {
            line(&format!("  - source: {source}"));
        }
        let places: Vec<String> = places(conclusion, PLACES).iter().map(|place| code(place)).collect();
        if !places.is_empty() {
            line(&format!("  - seen: {}", places.join(", ")));
        }
        if !conclusion.variations.is_empty() {
            line(&format!("  - variation: {}", variations(conclusion)));
        }
    }
    for stale in &audit.stale {
        line(&format!("- the baseline no longer holds: {}", prose(stale)));
    }
    for (servers, visit) in alike(audit) {
        let servers: Vec<String> = servers.into_iter().map(code).collect();
        line(&format!("\n## {}\n", servers.join(", ")));
        line(&format!("| {} |", HEAD.join(" | ")));
        line(&format!("|{}", "---|".repeat(HEAD.len())));
        for probe in &visit.probes {
            let [name, rest @ ..] = row(probe);
            let rest: Vec<String> = rest.iter().map(|cell| escaped(cell)).collect();
            line(&format!("| {} | {} |", code(&name), rest.join(" | ")));
        }
    }
    line(&format!("\n{COLUMNS} {NOT_OBSERVED}"));
    if !audit.variations.is_empty() {
        line("\n## Variations of a plain server\n");
        line("| variation | the server … | passes |");
        line("|---|---|---|");
        for Variation { id, does, passes } in &audit.variations {
            line(&format!("| {} | {} | {} |", code(id), prose(does), if *passes { "yes" } else { "no" }));
        }
    }
    if let Some(skipped) = skipped(audit) {
        line(&format!("\n{skipped}"));
    }
    page
}

/// Groups the servers with which the client behaved the same.
fn alike(audit: &ClientAudit) -> Vec<(Vec<&str>, &Visit)> {
    let mut alike: Vec<(Vec<&str>, &Visit)> = Vec::new();
    for visit in &audit.servers {
        let rows = |visit: &Visit| visit.probes.iter().map(row).collect::<Vec<_>>();
        match alike.iter_mut().find(|(_, known)| rows(known) == rows(visit)) {
            Some((servers, _)) => servers.push(visit.server.as_str()),
            None => alike.push((vec![visit.server.as_str()], visit)),
        }
    }
    alike
}

fn title(audit: &ClientAudit, client: &str, calls: &str) -> String {
    let runs: usize = audit.servers.iter().map(|visit| visit.probes.len()).sum();
    let of = |played: usize, planned: Option<usize>, word: &str| match planned {
        Some(planned) if planned > played => format!("{played} of {}", counted(planned, word)),
        Some(_) | None => counted(played, word),
    };
    let servers = counted(audit.servers.len(), "server");
    let tested = format!("{} with {servers}", of(runs, audit.planned.map(|planned| planned.probes), "probe"));
    let planned = audit.planned.and_then(|planned| planned.variations);
    let tested = match audit.variations.len() {
        0 if audit.complete => tested,
        0 if planned.unwrap_or_default() == 0 => format!("{tested}, no variation of a plain server"),
        number => format!("{tested}, {} of a plain server", of(number, planned, "variation")),
    };
    let tested = match (audit.complete, runs) {
        (true, _) => tested,
        (false, 0) => "cut short before the first probe had ended".to_owned(),
        (false, _) => format!("{tested}, then the audit was cut short"),
    };
    format!("{client}, which calls {calls}: {tested}")
}

/// Note on the servers that were not tested, and the reason.
fn skipped(audit: &ClientAudit) -> Option<String> {
    let servers: Vec<&str> = audit.skipped_servers.iter().map(PeerId::as_str).collect();
    let why = format!("they differ from mock/dual only for clients older than {}.", Revision::NEWEST);
    (!servers.is_empty()).then(|| format!("Not tested: {}, because {why}", servers.join(" and ")))
}

fn heading(audit: &ClientAudit) -> String {
    let is_tested = audit.servers.iter().any(|visit| !visit.probes.is_empty());
    let found = match (audit.conclusions.is_empty(), audit.complete) {
        (true, _) if !is_tested => "Nothing was tested to its end",
        (true, true) => "No problem was found",
        (true, false) => "No problem was found in what was tested",
        (false, _) => "Findings, worst first",
    };
    found.to_owned()
}

fn label(conclusion: &Conclusion) -> &'static str {
    match (conclusion.is_the_clients, conclusion.silent, conclusion.fault) {
        (true, true, _) => "client, without an error: ",
        (true, false, _) => "client: ",
        (false, _, Some(Fault::Server)) => "server: ",
        (false, _, Some(Fault::Spec)) => "unclear in the spec: ",
        (false, _, Some(Fault::Harness)) => "mcp-compat (please report it): ",
        (false, _, Some(Fault::Client | Fault::Both)) => "no common revision: ",
        (false, _, None) => "note: ",
    }
}

fn severity(conclusion: &Conclusion) -> String {
    let known = if conclusion.known { ", known by the baseline" } else { "" };
    format!("{}{known}", conclusion.severity)
}

fn rule(broken: &BrokenRule) -> String {
    format!("{} ({})", broken.id, broken.level)
}

/// The first places at which a finding was seen, and the number of the others.
fn places(conclusion: &Conclusion, named: usize) -> Vec<String> {
    let rest = conclusion.seen.len().saturating_sub(named);
    let named = conclusion.seen.iter().take(named).map(|place| format!("{} with {}", place.scenario, place.server));
    named.chain((rest > 0).then(|| format!("{rest} more"))).collect()
}

/// The ids of the variations that show a finding.
fn variations(conclusion: &Conclusion) -> String {
    let named: Vec<&str> = conclusion.variations.iter().take(PLACES).map(String::as_str).collect();
    let rest = conclusion.variations.len() - named.len();
    let more = if rest == 0 { String::new() } else { format!(", {rest} more") };
    format!("{}{more}", named.join(", "))
}

fn row(probe: &Probe) -> [String; 7] {
    let yes = |done: bool| if done { "yes" } else { "no" }.to_owned();
    [
        probe.scenario.to_string(),
        probe.revision.map_or_else(|| "nothing".to_owned(), |revision| revision.to_string()),
        yes(probe.listed),
        yes(probe.called),
        match probe.neighbour {
            Some(true) => "survives".to_owned(),
            Some(false) => "lost".to_owned(),
            None => "-".to_owned(),
        },
        yes(probe.fetched),
        clipped(&neutralised(&probe.ended), 40),
    ]
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::client_audit::{Place, Planned};
    use mcp_compat_model::verdict::{Level, Outcome, Rating};

    use super::*;

    fn audit() -> ClientAudit {
        let server = PeerId::new("mock/dual").unwrap();
        let probe = |scenario: &str, called| Probe {
            scenario: scenario.parse().unwrap(),
            title: String::new(),
            connected: true,
            revision: Some(Revision::V2025_11_25),
            listed: true,
            called,
            fetched: false,
            neighbour: Some(called),
            ended: format!("exit status {}", i32::from(!called)),
            outcome: Outcome::Rejected,
            rating: Rating::Breaks,
            reason: String::new(),
        };
        ClientAudit {
            tool_version: "0.1.0".to_owned(),
            client: "node client.js\u{1b}[31m {url}".to_owned(),
            calls: "add_numbers".to_owned(),
            complete: true,
            planned: None,
            servers: vec![Visit {
                server: server.clone(),
                probes: vec![probe("root-type/array", false), probe("root-type/object", true)],
            }],
            stale: Vec::new(),
            variations: vec![Variation {
                id: "list/no-description".to_owned(),
                does: "lists a tool without `description`".to_owned(),
                passes: false,
            }],
            skipped_servers: ["mock/dual/omit", "mock/dual/wrap"].map(|server| PeerId::new(server).unwrap()).to_vec(),
            conclusions: vec![Conclusion {
                is_the_clients: true,
                fault: Some(Fault::Client),
                lost: None,
                silent: true,
                severity: Severity::Warning,
                known: true,
                source: None,
                what: "client handed on an invalid result of `add_numbers` as if it were valid.".to_owned(),
                rule: Some(BrokenRule {
                    id: "client-validates".to_owned(),
                    level: Level::Should,
                    source: "https://example.org/tools".to_owned(),
                }),
                seen: vec![Place { scenario: "invalid-result/wrong-type".parse().unwrap(), server }],
                variations: vec!["list/no-description".to_owned()],
            }],
        }
    }

    #[test]
    fn the_terminal_report() {
        insta::assert_snapshot!(terminal(&audit(), Style::plain(80)));
    }

    #[test]
    fn an_audit_that_was_cut_short_says_how_much_was_played() {
        let title = |complete, probes, variations| {
            let planned = Some(Planned { probes, variations });
            title(&ClientAudit { complete, planned, ..audit() }, "c", "t")
        };
        assert_eq!(
            title(false, 2, Some(119)),
            "c, which calls t: 2 probes with 1 server, 1 of 119 variations of a plain server, then the audit was cut short"
        );
        assert_eq!(
            title(false, 43, None),
            "c, which calls t: 2 of 43 probes with 1 server, 1 variation of a plain server, then the audit was cut short"
        );
        let planned = Some(Planned { probes: 43, variations: None });
        let early = ClientAudit { complete: false, planned, variations: Vec::new(), ..audit() };
        assert_eq!(
            super::title(&early, "c", "t"),
            "c, which calls t: 2 of 43 probes with 1 server, no variation of a plain server, then the audit was cut short"
        );
        assert_eq!(
            title(true, 2, Some(119)),
            "c, which calls t: 2 probes with 1 server, 1 of 119 variations of a plain server"
        );
    }

    #[test]
    fn the_markdown_report() {
        insta::assert_snapshot!(markdown(&audit()));
    }

    #[test]
    fn servers_with_the_same_behaviour_are_one_section() {
        let with = |server: &str, changed: bool| {
            let mut visit = audit().servers.remove(0);
            visit.server = PeerId::new(server).unwrap();
            visit.probes[0].fetched = changed;
            visit
        };
        let servers = vec![with("mock/dual", false), with("mock/dual/wrap", true), with("mock/dual/omit", false)];
        let text = markdown(&ClientAudit { servers, skipped_servers: Vec::new(), ..audit() });
        let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## `mock/")).collect();
        assert_eq!(headings, ["## `mock/dual`, `mock/dual/omit`", "## `mock/dual/wrap`"]);
    }
}
