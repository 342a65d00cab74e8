//! Output of `support`: the releases of each SDK that work with a scenario.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use mcp_compat_model::Role;
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::peer::Mode;
use mcp_compat_model::support::{AddedRelease, RecordedRelease, Statement, Support, SupportRange, Sweep};
use mcp_compat_model::verdict::Rating;

use crate::markdown::escape::{code, prose};
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::wording;

/// A table of a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Clients,
    Hosts,
    Servers,
}

impl Part {
    const ALL: [Self; 3] = [Self::Clients, Self::Hosts, Self::Servers];

    const fn name(self) -> &'static str {
        match self {
            Self::Clients => "Clients",
            Self::Hosts => "Hosts, as their models read it",
            Self::Servers => "Servers",
        }
    }

    /// The part that has a statement.
    fn of(statement: &Statement, data: &Support) -> Self {
        match statement.role {
            Role::Server => Self::Servers,
            Role::Client if data.sweep(&statement.family).is_some_and(|sweep| sweep.is_host) => Self::Hosts,
            Role::Client => Self::Clients,
        }
    }
}

/// Explains the ranges.
fn note(data: &Support) -> String {
    let has_recorded = data.sweeps.iter().any(|sweep| !sweep.recorded.is_empty());
    let tested = if has_recorded { "tested, or recorded on another machine" } else { "tested" };
    format!(
        "The first and the last release of each range were {tested}. A release between them is inferred if it was not \
         tested. Releases between two ranges were not tested."
    )
}

/// What a page of support data is about.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'s> {
    /// One scenario with every SDK.
    Scenario { id: &'s str, title: &'s str },
    /// One SDK with every scenario.
    Sdk { name: &'s str },
}

impl Subject<'_> {
    /// Returns the rows of a statement. For an SDK, those are the ranges that lose something.
    fn rows(self, statement: &Statement) -> Vec<Row> {
        match self {
            Self::Scenario { .. } => {
                let name = |range: &SupportRange| format!("{}{}", statement.family, mode(range));
                statement.ranges.iter().map(|range| row(name(range), range)).collect()
            }
            Self::Sdk { .. } => losing(statement),
        }
    }
}

/// The ranges that break or degrade: those with one result and one loss are one row. Modes are named where a range does not
/// have all of them.
fn losing(statement: &Statement) -> Vec<Row> {
    let all: BTreeSet<Option<Mode>> = statement.ranges.iter().map(|range| range.mode).collect();
    let mut rows: Vec<(Row, Vec<Releases>)> = Vec::new();
    let has_lost = |range: &&SupportRange| matches!(range.rating, Rating::Degraded | Rating::Breaks);
    for range in statement.ranges.iter().filter(has_lost) {
        let row = Row { evidence: lost(range).unwrap_or_default(), ..row(statement.scenario.to_string(), range) };
        let releases = (row.releases.clone(), vec![range.mode]);
        match rows.iter_mut().find(|(other, _)| (other.rating, &other.evidence) == (row.rating, &row.evidence)) {
            Some((_, known)) => match known.iter_mut().find(|(span, _)| *span == releases.0) {
                Some((_, modes)) => modes.push(range.mode),
                None => known.push(releases),
            },
            None => rows.push((row, vec![releases])),
        }
    }
    let in_words = |(span, modes): &Releases| {
        let named = modes.iter().flatten().map(|mode| format!(" +{mode}")).collect::<String>();
        if modes.len() == all.iter().flatten().count() { span.clone() } else { format!("{span}{named}") }
    };
    let joined = |releases: &[Releases]| releases.iter().map(in_words).collect::<Vec<_>>().join(", ");
    rows.into_iter().map(|(row, releases)| Row { releases: joined(&releases), ..row }).collect()
}

/// Releases from one to another, and the modes.
type Releases = (String, Vec<Option<Mode>>);

/// Mode of a range, such as `+auto`; empty if its releases have none.
fn mode(range: &SupportRange) -> String {
    range.mode.map(|mode| format!("+{mode}")).unwrap_or_default()
}

/// Loss in a range.
fn lost(range: &SupportRange) -> Option<String> {
    match (range.lost, range.silent) {
        (Some(lost), silent) => {
            Some(format!("lost: {}{}", wording::lost(lost), if silent { ", silently" } else { "" }))
        }
        (None, true) => Some("silently".to_owned()),
        (None, false) => None,
    }
}

/// Renders the support for a terminal. `data` has only the statements about the subject.
pub fn terminal(subject: Subject<'_>, data: &Support, style: Style) -> String {
    let mut page = Page::new(style);
    match subject {
        Subject::Scenario { id, title } => {
            page.paragraph("", &format!("{}: {}", page.paint(Tone::Strong, id), neutralised(title)));
        }
        Subject::Sdk { name } => {
            let measured = data.sweeps.iter().map(extent).collect::<Vec<_>>().join("; ");
            page.paragraph("", &format!("{}: {measured}", page.paint(Tone::Strong, name)));
        }
    }
    for part in Part::ALL {
        let Table { rows, others } = table(subject, data, part);
        if rows.is_empty() && others == 0 {
            continue;
        }
        page.heading(part.name());
        let width = |of: fn(&Row) -> &str| rows.iter().map(|row| of(row).chars().count()).max().unwrap_or_default();
        let (names, releases) = (width(|row| &row.name), width(|row| &row.releases));
        let mut before = "";
        for row in &rows {
            let name = if row.name == before { "" } else { row.name.as_str() };
            before = &row.name;
            let rating = page.paint(row.tone, &format!("{:<8}", row.rating));
            let first = match subject {
                Subject::Scenario { .. } => format!("  {name:<names$}  {rating}  {:<releases$}  ", row.releases),
                Subject::Sdk { .. } => {
                    if !name.is_empty() {
                        page.line(&format!("  {name}"));
                    }
                    format!("      {rating}  {:<releases$}  ", row.releases)
                }
            };
            page.paragraph(&first, &row.evidence);
        }
        if others > 0 {
            page.paragraph("  ", &working(others));
        }
    }
    page.blank();
    for line in measured(data) {
        page.toned(Tone::Aside, "", &line);
    }
    page.toned(Tone::Aside, "", &note(data));
    page.finish()
}

/// Renders the support as Markdown. `data` has only the statements about the subject.
pub fn markdown(subject: Subject<'_>, data: &Support) -> String {
    let mut text = match subject {
        Subject::Scenario { id, title } => format!("## {}: {}\n", code(id), prose(title)),
        Subject::Sdk { name } => format!("## {}\n", code(name)),
    };
    for part in Part::ALL {
        let (Table { rows, others }, name) = (table(subject, data, part), part.name());
        if !rows.is_empty() {
            let _ = write!(text, "\n| {name} | | Releases | Evidence |\n|---|---|---|---|\n");
        }
        for Row { name, rating, releases, evidence, .. } in rows {
            let _ = writeln!(text, "| {} | {rating} | {releases} | {evidence} |", code(&name));
        }
        if others > 0 {
            let _ = write!(text, "\n{name}: {}\n", working(others));
        }
    }
    for line in measured(data) {
        let _ = write!(text, "\n{line}\n");
    }
    let _ = writeln!(text, "\n{}", note(data));
    text
}

/// Sentence about the scenarios without a row.
fn working(others: usize) -> String {
    match others {
        1 => "1 other scenario: nothing is lost by a release that can be tested with it.".to_owned(),
        many => format!("{many} other scenarios: nothing is lost by a release that can be tested with them."),
    }
}

/// Renders the list of the measured families, and of the scenarios with their titles.
pub fn list(data: &Support, titles: &[(&str, &str)], style: Style) -> String {
    let mut page = Page::new(style);
    let hosts = data.sweeps.iter().filter(|sweep| sweep.is_host).count();
    let sdks = counted(data.sweeps.len() - hosts, "SDK");
    let families = if hosts == 0 { sdks } else { format!("{sdks} and {}", counted(hosts, "host")) };
    let scenarios = counted(titles.len(), "scenario");
    page.paragraph("", &format!("{scenarios} with {families}. `mcp-compat support NAME` prints one of them."));
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
    name: String,
    rating: &'static str,
    tone: Tone,
    releases: String,
    evidence: String,
}

/// Rows of one part, and the number of statements without a row.
struct Table {
    rows: Vec<Row>,
    others: usize,
}

fn table(subject: Subject<'_>, data: &Support, part: Part) -> Table {
    let of_part = data.statements.iter().filter(|statement| Part::of(statement, data) == part);
    let rows: Vec<Vec<Row>> = of_part.map(|statement| subject.rows(statement)).collect();
    let others = rows.iter().filter(|rows| rows.is_empty()).count();
    Table { rows: rows.into_iter().flatten().collect(), others }
}

fn row(name: String, range: &SupportRange) -> Row {
    let (rating, tone) = match range.rating {
        Rating::Works => ("works", Tone::Good),
        Rating::Degraded => ("degraded", Tone::Warning),
        Rating::Breaks => ("breaks", Tone::Bad),
        Rating::Skipped => ("n/a", Tone::Aside),
    };
    let (from, to) = (&range.from, &range.to);
    let releases = if from == to { from.to_string() } else { format!("{from} – {to}") };
    let mut evidence: Vec<String> = lost(range).into_iter().collect();
    evidence.push(match range.inferred {
        0 => format!("{} tested", range.played),
        inferred => format!("{} tested, {inferred} inferred", range.played),
    });
    let evidence = evidence.join("; ");
    Row { name, rating, tone, releases, evidence }
}

/// Date and tools of the measurement, one line for families that were measured alike.
fn measured(data: &Support) -> Vec<String> {
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for sweep in &data.sweeps {
        let Sweep { date, tool_version, corpus, server, client, .. } = sweep;
        let corpus: String = corpus.chars().take(8).collect();
        let tested = if sweep.is_host {
            format!("hosts tested with {server}")
        } else {
            format!("clients tested with {server}, servers with {client}")
        };
        let how = if sweep.recorded.is_empty() { "measured" } else { "recorded on other machines, and judged" };
        let line = format!("{how} {date} with mcp-compat {tool_version} and scenarios {corpus}; {tested}");
        match lines.iter_mut().find(|(other, _)| *other == line) {
            Some((_, families)) => families.push(&sweep.family),
            None => lines.push((line, vec![&sweep.family])),
        }
    }
    let of_families = lines.into_iter().map(|(line, families)| format!("{}: {line}.", families.join(", ")));
    let later = data.sweeps.iter().flat_map(|sweep| sweep.added.iter().map(move |added| (&sweep.family, added)));
    let of_releases = later.map(|(family, AddedRelease { release, date, tool_version, corpus })| {
        let corpus: String = corpus.chars().take(8).collect();
        format!("{family} {release}: measured {date} with mcp-compat {tool_version} and scenarios {corpus}.")
    });
    let recorded = data.sweeps.iter().flat_map(|sweep| sweep.recorded.iter().map(move |it| (&sweep.family, it)));
    let of_recorded = recorded.map(|(family, RecordedRelease { release, recorded })| {
        format!("{family} {release}: {}.", wording::recorded(recorded))
    });
    of_families.chain(of_releases).chain(of_recorded).collect()
}

fn extent(sweep: &Sweep) -> String {
    let Sweep { date, releases, played, left_out, .. } = sweep;
    let gaps = if left_out.is_empty() { String::new() } else { format!("; {} cannot be tested", left_out.len()) };
    let span = match (releases.first(), releases.last()) {
        (Some(first), Some(last)) if first != last => format!(" from {first} to {last}"),
        (Some(only), _) => format!(" {only}"),
        (None, _) => String::new(),
    };
    let recorded = if sweep.recorded.is_empty() { "" } else { "; recorded on other machines" };
    format!("{} of {}{span}, {date}{gaps}{recorded}", played.len(), counted(releases.len(), "release"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &str = r#"{"schema_version":1,"sweeps":[
{"family":"typescript","date":"2026-11-23","tool_version":"0.1.0","corpus":"0123456789abcdef","server":"mock/dual","client":"mock/dual+auto","releases":["1.0.0","1.1.0","1.2.0","2.0.0"],"played":["1.0.0","1.2.0","2.0.0"],"left_out":[{"release":"1.1.0","reason":"gone"}]},
{"family":"codex","is_host":true,"date":"2026-11-29","tool_version":"0.1.0","corpus":"0123456789abcdef","server":"mock/dual","client":"mock/dual+auto","releases":["0.171.0"],"played":["0.171.0"]}
],"statements":[
{"scenario":"root-type/array","family":"codex","role":"client","transport":"stdio","ranges":[{"from":"0.171.0","to":"0.171.0","rating":"breaks","outcome":"lost","lost":"call","silent":true,"revisions":["2025-06-18"],"played":1,"inferred":0}]},
{"scenario":"root-type/array","family":"typescript","role":"client","transport":"http","ranges":[{"from":"1.0.0","to":"1.2.0","rating":"breaks","outcome":"rejected","lost":"server","revisions":["2025-11-25"],"played":2,"inferred":1},{"from":"2.0.0","to":"2.0.0","mode":"auto","rating":"works","outcome":"intact","revisions":["2026-07-28"],"played":1,"inferred":0}]}
]}"#;

    #[test]
    fn each_range_says_how_it_fares_and_what_is_inferred() {
        let data = Support::parse(DATA).unwrap();
        let subject = Subject::Scenario { id: "root-type/array", title: "An array at the root" };
        insta::assert_snapshot!(terminal(subject, &data, Style::plain(80)), @r#"
        root-type/array: An array at the root

        Clients

          typescript       breaks    1.0.0 – 1.2.0  lost: all tools; 2 tested, 1
                                                    inferred
          typescript+auto  works     2.0.0          1 tested

        Hosts, as their models read it

          codex  breaks    0.171.0  lost: the call, silently; 1 tested

        typescript: measured 2026-11-23 with mcp-compat 0.1.0 and scenarios 01234567;
        clients tested with mock/dual, servers with mock/dual+auto.
        codex: measured 2026-11-29 with mcp-compat 0.1.0 and scenarios 01234567; hosts
        tested with mock/dual.
        The first and the last release of each range were tested. A release between them
        is inferred if it was not tested. Releases between two ranges were not tested.
        "#);
        insta::assert_snapshot!(markdown(subject, &data), @r#"
        ## `root-type/array`: An array at the root

        | Clients | | Releases | Evidence |
        |---|---|---|---|
        | `typescript` | breaks | 1.0.0 – 1.2.0 | lost: all tools; 2 tested, 1 inferred |
        | `typescript+auto` | works | 2.0.0 | 1 tested |

        | Hosts, as their models read it | | Releases | Evidence |
        |---|---|---|---|
        | `codex` | breaks | 0.171.0 | lost: the call, silently; 1 tested |

        typescript: measured 2026-11-23 with mcp-compat 0.1.0 and scenarios 01234567; clients tested with mock/dual, servers with mock/dual+auto.

        codex: measured 2026-11-29 with mcp-compat 0.1.0 and scenarios 01234567; hosts tested with mock/dual.

        The first and the last release of each range were tested. A release between them is inferred if it was not tested. Releases between two ranges were not tested.
        "#);
        let mut of_sdk = data.clone();
        of_sdk.sweeps.retain(|sweep| !sweep.is_host);
        of_sdk.statements.retain(|statement| statement.family == "typescript");
        insta::assert_snapshot!(terminal(Subject::Sdk { name: "typescript" }, &of_sdk, Style::plain(80)), @r#"
        typescript: 3 of 4 releases from 1.0.0 to 2.0.0, 2026-11-23; 1 cannot be tested

        Clients

          root-type/array
              breaks    1.0.0 – 1.2.0  lost: all tools

        typescript: measured 2026-11-23 with mcp-compat 0.1.0 and scenarios 01234567;
        clients tested with mock/dual, servers with mock/dual+auto.
        The first and the last release of each range were tested. A release between them
        is inferred if it was not tested. Releases between two ranges were not tested.
        "#);
        insta::assert_snapshot!(list(&data, &[("root-type/array", "An array at the root")], Style::plain(80)), @r#"
        1 scenario with 1 SDK and 1 host. `mcp-compat support NAME` prints one of them.

        Measured

          typescript  3 of 4 releases from 1.0.0 to 2.0.0, 2026-11-23; 1 cannot be
                      tested
          codex       1 of 1 release 0.171.0, 2026-11-29

        Scenarios

          root-type/array  An array at the root
        "#);
    }
}
