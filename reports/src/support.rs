//! Output of `support`: the releases of each SDK that work with a scenario.

use std::fmt::Write as _;

use mcp_compat_model::Role;
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::support::{Statement, Support, SupportRange, Sweep};
use mcp_compat_model::verdict::Rating;

use crate::markdown::escape::{code, prose};
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::wording;

/// The two tables of a page.
const ROLES: [(Role, &str); 2] = [(Role::Client, "Clients"), (Role::Server, "Servers")];

const NOTE: &str = "The first and the last release of each range were played. A release between them is inferred if it was not \
                    played. Releases between two ranges were not played.";

/// Renders the support for one scenario for a terminal. `data` has the statements about this scenario only.
pub fn scenario(id: &str, title: &str, data: &Support, style: Style) -> String {
    let mut page = Page::new(style);
    page.paragraph("", &format!("{}: {}", page.paint(Tone::Strong, id), neutralised(title)));
    for (role, name) in ROLES {
        let rows: Vec<Row> = rows(data, role).collect();
        if rows.is_empty() {
            continue;
        }
        page.heading(name);
        let width = |of: fn(&Row) -> &str| rows.iter().map(|row| of(row).chars().count()).max().unwrap_or_default();
        let (peers, releases) = (width(|row| &row.peer), width(|row| &row.releases));
        let mut before = "";
        for row in &rows {
            let peer = if row.peer == before { "" } else { row.peer.as_str() };
            before = &row.peer;
            let rating = page.paint(row.tone, &format!("{:<8}", row.rating));
            let first = format!("  {peer:<peers$}  {rating}  {:<releases$}  ", row.releases);
            page.paragraph(&first, &row.evidence);
        }
    }
    page.blank();
    for line in measured(data) {
        page.toned(Tone::Aside, "", &line);
    }
    page.toned(Tone::Aside, "", NOTE);
    page.finish()
}

/// Renders the support for one scenario as Markdown.
pub fn markdown(id: &str, title: &str, data: &Support) -> String {
    let mut text = format!("## {}: {}\n", code(id), prose(title));
    for (role, name) in ROLES {
        let rows: Vec<Row> = rows(data, role).collect();
        if rows.is_empty() {
            continue;
        }
        let _ = write!(text, "\n| {name} | | Releases | Evidence |\n|---|---|---|---|\n");
        for Row { peer, rating, releases, evidence, .. } in rows {
            let _ = writeln!(text, "| {} | {rating} | {releases} | {evidence} |", code(&peer));
        }
    }
    for line in measured(data) {
        let _ = write!(text, "\n{line}\n");
    }
    let _ = writeln!(text, "\n{NOTE}");
    text
}

/// Renders the list of the measured families, and of the scenarios with their titles.
pub fn list(data: &Support, titles: &[(&str, &str)], style: Style) -> String {
    let mut page = Page::new(style);
    let families = counted(data.sweeps.len(), "SDK");
    page.paragraph(
        "",
        &format!(
            "{} and {families}. `mcp-compat support SCENARIO` prints one of them.",
            counted(titles.len(), "scenario")
        ),
    );
    page.heading("Measured");
    let width = data.sweeps.iter().map(|sweep| sweep.family.len()).max().unwrap_or_default();
    for sweep in &data.sweeps {
        page.paragraph(&format!("  {:<width$}  ", sweep.family), &extent(sweep));
    }
    page.heading("Scenarios");
    let width = titles.iter().map(|(id, _)| id.len()).max().unwrap_or_default();
    for (id, title) in titles {
        page.paragraph(&format!("  {id:<width$}  "), &neutralised(title));
    }
    page.finish()
}

/// Range of releases, in words.
struct Row {
    peer: String,
    rating: &'static str,
    tone: Tone,
    releases: String,
    evidence: String,
}

fn rows(data: &Support, role: Role) -> impl Iterator<Item = Row> {
    let statements = data.statements.iter().filter(move |statement| statement.role == role);
    statements.flat_map(|statement| statement.ranges.iter().map(|range| row(statement, range)))
}

fn row(statement: &Statement, range: &SupportRange) -> Row {
    let mode = range.mode.map(|mode| format!("+{mode}")).unwrap_or_default();
    let (rating, tone) = match range.rating {
        Rating::Works => ("works", Tone::Good),
        Rating::Degraded => ("degraded", Tone::Warning),
        Rating::Breaks => ("breaks", Tone::Bad),
        Rating::Skipped => ("n/a", Tone::Aside),
    };
    let (from, to) = (&range.from, &range.to);
    let releases = if from == to { from.to_string() } else { format!("{from} – {to}") };
    let mut evidence = Vec::new();
    if let Some(lost) = range.lost {
        evidence.push(format!("lost: {}{}", wording::lost(lost), if range.silent { ", silently" } else { "" }));
    } else if range.silent {
        evidence.push("silently".to_owned());
    }
    evidence.push(match range.inferred {
        0 => format!("{} played", range.played),
        inferred => format!("{} played, {inferred} inferred", range.played),
    });
    let evidence = evidence.join("; ");
    Row { peer: format!("{}{mode}", statement.family), rating, tone, releases, evidence }
}

/// Date and tools of the measurement, one line for families that were measured alike.
fn measured(data: &Support) -> Vec<String> {
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for sweep in &data.sweeps {
        let Sweep { date, tool_version, corpus, server, client, .. } = sweep;
        let corpus: String = corpus.chars().take(8).collect();
        let line = format!(
            "measured {date} with mcp-compat {tool_version} and corpus {corpus}; clients played with {server}, servers with \
             {client}"
        );
        match lines.iter_mut().find(|(other, _)| *other == line) {
            Some((_, families)) => families.push(&sweep.family),
            None => lines.push((line, vec![&sweep.family])),
        }
    }
    lines.into_iter().map(|(line, families)| format!("{}: {line}.", families.join(", "))).collect()
}

fn extent(sweep: &Sweep) -> String {
    let Sweep { date, releases, played, left_out, .. } = sweep;
    let gaps = if left_out.is_empty() { String::new() } else { format!("; {} cannot be played", left_out.len()) };
    let span = match (releases.first(), releases.last()) {
        (Some(first), Some(last)) if first != last => format!(" from {first} to {last}"),
        (Some(only), _) => format!(" {only}"),
        (None, _) => String::new(),
    };
    format!("{} of {}{span}, {date}{gaps}", played.len(), counted(releases.len(), "release"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &str = r#"{"schema_version":1,"sweeps":[
{"family":"typescript","date":"2026-11-23","tool_version":"0.1.0","corpus":"0123456789abcdef","server":"mock/dual","client":"mock/dual+auto","releases":["1.0.0","1.1.0","1.2.0","2.0.0"],"played":["1.0.0","1.2.0","2.0.0"],"left_out":[{"release":"1.1.0","reason":"gone"}]}
],"statements":[
{"scenario":"root-type/array","family":"typescript","role":"client","transport":"http","ranges":[{"from":"1.0.0","to":"1.2.0","rating":"breaks","outcome":"rejected","lost":"server","revisions":["2025-11-25"],"played":2,"inferred":1},{"from":"2.0.0","to":"2.0.0","mode":"auto","rating":"works","outcome":"intact","revisions":["2026-07-28"],"played":1,"inferred":0}]}
]}"#;

    #[test]
    fn each_range_says_how_it_fares_and_what_is_inferred() {
        let data = Support::parse(DATA).unwrap();
        insta::assert_snapshot!(scenario("root-type/array", "An array at the root", &data, Style::plain(80)), @r#"
        root-type/array: An array at the root

        Clients

          typescript       breaks    1.0.0 – 1.2.0  lost: all tools; 2 played, 1
                                                    inferred
          typescript+auto  works     2.0.0          1 played

        typescript: measured 2026-11-23 with mcp-compat 0.1.0 and corpus 01234567;
        clients played with mock/dual, servers with mock/dual+auto.
        The first and the last release of each range were played. A release between them
        is inferred if it was not played. Releases between two ranges were not played.
        "#);
        insta::assert_snapshot!(markdown("root-type/array", "An array at the root", &data), @r#"
        ## `root-type/array`: An array at the root

        | Clients | | Releases | Evidence |
        |---|---|---|---|
        | `typescript` | breaks | 1.0.0 – 1.2.0 | lost: all tools; 2 played, 1 inferred |
        | `typescript+auto` | works | 2.0.0 | 1 played |

        typescript: measured 2026-11-23 with mcp-compat 0.1.0 and corpus 01234567; clients played with mock/dual, servers with mock/dual+auto.

        The first and the last release of each range were played. A release between them is inferred if it was not played. Releases between two ranges were not played.
        "#);
        insta::assert_snapshot!(list(&data, &[("root-type/array", "An array at the root")], Style::plain(80)), @r#"
        1 scenario and 1 SDK. `mcp-compat support SCENARIO` prints one of them.

        Measured

          typescript  3 of 4 releases from 1.0.0 to 2.0.0, 2026-11-23; 1 cannot be
                      played

        Scenarios

          root-type/array  An array at the root
        "#);
    }
}
