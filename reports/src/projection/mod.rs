//! Renders what the servers of SDK releases send to clients of each era, of output that only 2026-07-28 has.

mod ledger;

use std::fmt::Write as _;

use mcp_compat_model::Era;
use mcp_compat_model::count::counted;
use mcp_compat_model::projection::{
    EraProjection, Input, Projection, Projections, SentSchema, SentValue, ServerProjection,
};

use crate::markdown::escape::code;
use crate::page::Page;
use crate::style::{Style, Tone};

/// Headings of the columns with what they mean, in the order of [`Input`].
const COLUMNS: [(&str, &str); Input::ALL.len()] = [
    ("array", "an array"),
    ("union", "an object, whose schema has `anyOf` at the root and no type"),
    ("null", "null, whose schema has the types object and null"),
    ("no type", "an object, whose schema has `properties` at the root and no type"),
];

/// Explanation of the rows.
const ROWS: &str = "/typed is the server with the typed API of an SDK; it has a row where it differs. The first and the last \
release of each range were tested. The first sentence is about the newest releases, and the typed API if it has such a value.";

/// Renders the table for a terminal.
pub fn terminal(data: &Projections, style: Style) -> String {
    let mut page = Page::new(style);
    page.paragraph("", &headline(data));
    for era in [Era::Legacy, Era::Modern] {
        let Table { rows, alike } = Table::of(data, era);
        page.heading(title(era));
        let width = |of: fn(&Row) -> &str| rows.iter().map(|row| of(row).chars().count()).max().unwrap_or_default();
        let (names, releases) = (width(|row| &row.name), width(|row| &row.releases));
        let column = |at: usize| {
            let words = rows.iter().map(|row| row.words[at].chars().count());
            words.max().unwrap_or_default().max(COLUMNS[at].0.len())
        };
        let cells = |words: &[String]| {
            let padded = words.iter().enumerate().map(|(at, word)| format!("{word:<width$}", width = column(at)));
            padded.collect::<Vec<_>>().join("  ")
        };
        if !rows.is_empty() {
            let heads = cells(&COLUMNS.map(|(heading, _)| heading.to_owned()));
            page.line(&page.paint(Tone::Aside, format!("  {:names$}  {:releases$}  {heads}", "", "").trim_end()));
        }
        let mut before = "";
        for row in &rows {
            let name = if row.name == before { "" } else { row.name.as_str() };
            before = &row.name;
            page.line(&format!("  {name:<names$}  {:<releases$}  {}", row.releases, cells(&row.words)));
        }
        if !alike.is_empty() {
            page.paragraph("  ", &all_raw(&alike, !rows.is_empty()));
        }
    }
    page.blank();
    let legend = legend(data);
    let width = legend.iter().map(|(word, _)| word.len()).max().unwrap_or_default();
    for (word, meaning) in legend {
        page.toned(Tone::Aside, &format!("{word:<width$}  "), &meaning);
    }
    page.blank();
    page.toned(Tone::Aside, "", ROWS);
    page.toned(Tone::Aside, "", &measured(data));
    page.finish()
}

/// Renders the tables as Markdown, and the questions that the specification leaves open.
pub fn markdown(data: &Projections) -> String {
    let mut text = format!("{}\n", headline(data));
    for era in [Era::Legacy, Era::Modern] {
        let Table { rows, alike } = Table::of(data, era);
        let _ = write!(text, "\n**{}**\n", title(era));
        if !rows.is_empty() {
            let _ = write!(
                text,
                "\n| | | {} |\n|---|---|{}\n",
                COLUMNS.map(|(heading, _)| heading).join(" | "),
                "---|".repeat(COLUMNS.len())
            );
        }
        for Row { name, releases, words } in &rows {
            let _ = writeln!(text, "| {} | {releases} | {} |", code(name), words.join(" | "));
        }
        if !alike.is_empty() {
            let _ = write!(text, "\n{}\n", all_raw(&alike, !rows.is_empty()));
        }
    }
    text.push('\n');
    for (word, meaning) in legend(data) {
        let _ = writeln!(text, "- **{word}**: {meaning}");
    }
    let _ = write!(text, "\n{ROWS}\n\n{}\n", measured(data));
    let _ = write!(text, "\n{OPEN}\n\n{}", ledger::markdown(data));
    text
}

/// Introduction to the questions.
const OPEN: &str = "The specification leaves these questions about clients of earlier revisions open. The answers are those of \
the newest releases:";

const fn title(era: Era) -> &'static str {
    match era {
        Era::Legacy => "Sent to a client of 2025-11-25 or earlier",
        Era::Modern => "Sent to a client of 2026-07-28",
    }
}

/// Releases of a server that send the same.
struct Row {
    name: String,
    releases: String,
    words: Vec<String>,
}

/// Rows of an era, and the servers that send every value and schema as they are.
struct Table {
    rows: Vec<Row>,
    alike: Vec<String>,
}

impl Table {
    /// Rows for an era. To modern clients, servers whose releases all send everything raw have none.
    fn of(data: &Projections, era: Era) -> Self {
        let mut rows: Vec<(Row, &EraProjection)> = Vec::new();
        for server in data.servers.iter().filter(|server| !is_as_untyped(server, data, era)) {
            let (Some(sent), name) = (server.of(era), name(server)) else { continue };
            let release = server.server.release().map_or("", |(_, version)| version.as_str());
            match rows.last_mut() {
                Some((row, last)) if row.name == name && is_same(last, sent) => {
                    let first = row.releases.split(' ').next().unwrap_or_default();
                    row.releases = format!("{first} – {release}");
                }
                _ => {
                    let is_typed = server.server.flavour().is_some();
                    let words = Input::ALL.map(|input| word(sent.of(input), is_typed)).to_vec();
                    rows.push((Row { name, releases: release.to_owned(), words }, sent));
                }
            }
        }
        let mut rows: Vec<Row> = rows.into_iter().map(|(row, _)| row).collect();
        let is_raw = |row: &Row| row.words.iter().all(|word| word == RAW);
        let mut alike: Vec<String> = Vec::new();
        if era == Era::Modern {
            let names: Vec<String> = rows.iter().map(|row| row.name.clone()).collect();
            for name in names {
                if rows.iter().filter(|row| row.name == name).all(is_raw) && !alike.contains(&name) {
                    alike.push(name);
                }
            }
            rows.retain(|row| !alike.contains(&row.name));
        }
        Self { rows, alike }
    }
}

/// Returns true if the server is one with a typed API and each release of it sends the same as the server without it.
fn is_as_untyped(server: &ServerProjection, data: &Projections, era: Era) -> bool {
    let plain = |typed: &ServerProjection| {
        let mut releases = data.servers.iter().filter(|other| other.server.flavour().is_none());
        releases.find(|other| other.server.release() == typed.server.release())
    };
    let is_as_plain = |typed: &ServerProjection| match (plain(typed).and_then(|plain| plain.of(era)), typed.of(era)) {
        (Some(plain), Some(typed)) => is_same(plain, typed),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    };
    let name = name(server);
    server.server.flavour().is_some() && data.servers.iter().filter(|other| self::name(other) == name).all(is_as_plain)
}

/// Family and API of a server, such as `go/typed`.
fn name(server: &ServerProjection) -> String {
    let family = server.server.release().map_or_else(|| server.server.as_str(), |(family, _)| family);
    server.server.flavour().map_or_else(|| family.to_owned(), |flavour| format!("{family}/{flavour}"))
}

/// Returns true if two servers send the same. Words of errors and reasons do not count, nor does the revision.
fn is_same(one: &EraProjection, other: &EraProjection) -> bool {
    Input::ALL.into_iter().all(|input| word(one.of(input), false) == word(other.of(input), false))
}

/// Word for a value and a schema that are sent as they are.
const RAW: &str = "raw";

/// Part of an explanation, in place of which the key stands if there is only one.
const A_KEY: &str = "a key";

/// Words of the table, with what they mean.
const WORDS: [(&str, &str); 11] = [
    (RAW, "the value and the schema are sent as they are"),
    ("wrapped", "both are put in an object, under a key"),
    ("text only", "structuredContent and outputSchema are omitted, the text is kept"),
    ("text+note", "as text only, with a message beside the text"),
    ("no schema", "outputSchema is omitted, the value is sent as it is"),
    ("with type", "the root of the schema has `type: object`, the value is sent as it is"),
    ("refused", "the SDK cannot send this value with this schema"),
    ("n/a", "the typed API has no such value or schema"),
    ("no list", "the server answers tools/list with an error, and all tools are lost"),
    ("no tool", "the server lists its tools without this one"),
    ("error", "the server answers the call with an error"),
];

/// Word of the table for what was sent. A typed API takes no schema, but makes it of types.
fn word(sent: &Projection, is_typed: bool) -> String {
    let Projection::Sent { schema, value } = sent else {
        return match sent {
            Projection::ListFails(_) => "no list",
            Projection::Refused(_) if is_typed => "n/a",
            Projection::Refused(_) | Projection::Sent { .. } => "refused",
        }
        .to_owned();
    };
    let word = match (schema, value) {
        (SentSchema::ToolOmitted, _) => "no tool",
        (_, SentValue::ErrorResult(_) | SentValue::Error(_)) => "error",
        (SentSchema::Raw, SentValue::Raw) => RAW,
        (SentSchema::Wrapped(of_schema), SentValue::Wrapped(of_value)) if of_schema == of_value => "wrapped",
        (SentSchema::Omitted, SentValue::Text) => "text only",
        (SentSchema::Omitted, SentValue::TextWithMessage(_)) => "text+note",
        (SentSchema::Omitted, SentValue::Raw) => "no schema",
        (SentSchema::ObjectRoot, SentValue::Raw) => "with type",
        (schema, value) => return format!("{}, schema {}", of_value(value), of_schema(schema)),
    };
    word.to_owned()
}

const fn of_value(value: &SentValue) -> &'static str {
    match value {
        SentValue::Raw => RAW,
        SentValue::Wrapped(_) => "wrapped",
        SentValue::Changed => "changed",
        SentValue::Text => "text",
        SentValue::TextWithMessage(_) => "text+note",
        SentValue::Nothing => "nothing",
        SentValue::ErrorResult(_) | SentValue::Error(_) => "error",
    }
}

const fn of_schema(schema: &SentSchema) -> &'static str {
    match schema {
        SentSchema::Raw => RAW,
        SentSchema::Wrapped(_) => "wrapped",
        SentSchema::ObjectRoot => "object",
        SentSchema::Changed => "changed",
        SentSchema::Omitted => "omitted",
        SentSchema::ToolOmitted => "no tool",
    }
}

/// Sentence about the servers without a row.
fn all_raw(names: &[String], has_rows: bool) -> String {
    let rest = if has_rows { "All four raw" } else { "All four raw, from every server" };
    format!("{rest}: {}.", names.join(", "))
}

/// Answers of the newest release of each SDK to older clients for a value: with the typed API, where that has such a value.
fn newest(data: &Projections, input: Input) -> Vec<(&str, &Projection)> {
    let mut newest: Vec<(&str, &Projection)> = Vec::new();
    // Releases are in order, and those of a typed API come after the others.
    for server in &data.servers {
        let (Some((family, _)), Some(legacy)) = (server.server.release(), server.legacy.as_ref()) else { continue };
        let sent = legacy.of(input);
        if server.server.flavour().is_some() && matches!(sent, Projection::Refused(_)) {
            continue;
        }
        newest.retain(|(known, _)| *known != family);
        newest.push((family, sent));
    }
    newest
}

/// Families by what is said of them, the most frequent first.
fn grouped<'d>(said: impl Iterator<Item = (&'d str, String)>) -> Vec<(String, Vec<&'d str>)> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for (family, words) in said {
        match groups.iter_mut().find(|(known, _)| *known == words) {
            Some((_, families)) => families.push(family),
            None => groups.push((words, vec![family])),
        }
    }
    groups.sort_by_key(|(_, families)| std::cmp::Reverse(families.len()));
    groups
}

/// The sentence that matters first: how many SDKs treat an array for older clients in which way.
fn headline(data: &Projections) -> String {
    let newest = newest(data, Input::Array);
    let groups = grouped(newest.iter().map(|(family, sent)| (*family, doing(sent))));
    let parts = groups.iter().enumerate().map(|(at, (doing, families))| {
        let verb = if families.len() == 1 { doing.replacen('|', "s", 1) } else { doing.replacen('|', "", 1) };
        let whole = if at == 0 { format!(" of {}", counted(newest.len(), "server SDK")) } else { String::new() };
        format!("{}{whole} {verb} ({})", families.len(), families.join(", "))
    });
    format!(
        "Revisions before 2026-07-28 have objects only. If a tool returns an array to a client of these, {}. The \
         specification leaves this open.",
        parts.collect::<Vec<_>>().join("; ")
    )
}

/// Verb phrase about an array; `|` stands where the verb of one ends with an s.
fn doing(sent: &Projection) -> String {
    match sent {
        Projection::Refused(_) => "refuse| the tool".to_owned(),
        Projection::ListFails(_) => "answer| tools/list with an error, so that all tools are lost".to_owned(),
        Projection::Sent { schema: SentSchema::ToolOmitted, .. } => "omit| the tool".to_owned(),
        Projection::Sent { value, .. } => match value {
            SentValue::Raw => "send| it as it is".to_owned(),
            SentValue::Wrapped(key) => format!("wrap| it in an object under `{key}`"),
            SentValue::Changed => "send| another value".to_owned(),
            SentValue::Text => "send| its text only".to_owned(),
            SentValue::TextWithMessage(_) => "send| its text and a message".to_owned(),
            SentValue::Nothing => "send| nothing of it".to_owned(),
            SentValue::ErrorResult(_) | SentValue::Error(_) => "answer| the call with an error".to_owned(),
        },
    }
}

/// Headings, and the words that the tables have, with what they mean.
fn legend(data: &Projections) -> Vec<(&'static str, String)> {
    let tables = [Era::Legacy, Era::Modern].map(|era| Table::of(data, era));
    let is_used = |word: &str| {
        let mut words = tables.iter().flat_map(|table| &table.rows).flat_map(|row| &row.words);
        words.any(|used| used == word)
    };
    let keys = data.servers.iter().flat_map(|server| [&server.legacy, &server.modern]).flatten();
    let keys = keys.flat_map(|sent| Input::ALL.map(|input| sent.of(input)));
    let mut keys: Vec<&str> = keys
        .filter_map(|sent| match sent {
            Projection::Sent { value: SentValue::Wrapped(key), .. } => Some(key.as_str()),
            Projection::Sent { .. } | Projection::Refused(_) | Projection::ListFails(_) => None,
        })
        .collect();
    keys.sort_unstable();
    keys.dedup();
    let used = WORDS.into_iter().filter(|(word, _)| is_used(word)).map(|(word, meaning)| match &keys[..] {
        [key] => (word, meaning.replacen(A_KEY, &format!("`{key}`"), 1)),
        _ => (word, meaning.to_owned()),
    });
    COLUMNS.into_iter().map(|(heading, meaning)| (heading, meaning.to_owned())).chain(used).collect()
}

/// Date and tools of the measurement.
fn measured(data: &Projections) -> String {
    let mut days: Vec<&str> = data.servers.iter().map(|server| server.date.as_str()).collect();
    days.sort_unstable();
    days.dedup();
    let mut tools: Vec<&str> = data.servers.iter().map(|server| server.tool_version.as_str()).collect();
    tools.sort_unstable();
    tools.dedup();
    let days = match (days.first(), days.last()) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (first, _) => (*first.unwrap_or(&"")).to_owned(),
    };
    format!("Measured {days} with mcp-compat {}.", tools.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: &str = r#"{"schema_version":1,"servers":[
{"server":"ann@1.0.0","date":"2026-11-28","tool_version":"0.1.0","transport":"stdio","legacy":{"revision":"2025-11-25","array":{"sent":{"schema":"raw","value":"raw"}},"union":{"sent":{"schema":"raw","value":"raw"}},"null":{"refused":"no null"},"untyped":{"sent":{"schema":"raw","value":"raw"}}}},
{"server":"ann@1.1.0","date":"2026-11-29","tool_version":"0.1.0","transport":"stdio","legacy":{"revision":"2025-11-25","array":{"sent":{"schema":"raw","value":"raw"}},"union":{"sent":{"schema":"raw","value":"raw"}},"null":{"refused":"no null"},"untyped":{"sent":{"schema":"raw","value":"raw"}}}},
{"server":"ann@2.0.0","date":"2026-11-29","tool_version":"0.1.0","transport":"stdio","legacy":{"revision":"2025-11-25","array":{"sent":{"schema":{"wrapped":"result"},"value":{"wrapped":"result"}}},"union":{"sent":{"schema":{"wrapped":"result"},"value":{"wrapped":"result"}}},"null":{"sent":{"schema":{"wrapped":"result"},"value":{"wrapped":"result"}}},"untyped":{"sent":{"schema":"object-root","value":"raw"}}},"modern":{"revision":"2026-07-28","array":{"sent":{"schema":"raw","value":"raw"}},"union":{"sent":{"schema":"raw","value":"raw"}},"null":{"sent":{"schema":"raw","value":"raw"}},"untyped":{"sent":{"schema":"raw","value":"raw"}}}},
{"server":"ann@2.0.0/typed","date":"2026-11-29","tool_version":"0.1.0","transport":"stdio","legacy":{"revision":"2025-11-25","array":{"sent":{"schema":{"wrapped":"result"},"value":{"wrapped":"result"}}},"union":{"sent":{"schema":{"wrapped":"result"},"value":{"wrapped":"result"}}},"null":{"sent":{"schema":{"wrapped":"result"},"value":{"wrapped":"result"}}},"untyped":{"sent":{"schema":"object-root","value":"raw"}}},"modern":{"revision":"2026-07-28","array":{"sent":{"schema":{"wrapped":"result"},"value":{"wrapped":"result"}}},"union":{"sent":{"schema":"raw","value":"raw"}},"null":{"sent":{"schema":"raw","value":"raw"}},"untyped":{"sent":{"schema":"raw","value":"raw"}}}},
{"server":"bob@0.3.0","date":"2026-11-29","tool_version":"0.1.0","transport":"stdio","legacy":{"revision":"2025-11-25","array":{"sent":{"schema":"omitted","value":"text"}},"union":{"sent":{"schema":"omitted","value":"raw"}},"null":{"sent":{"schema":"raw","value":"text"}},"untyped":{"sent":{"schema":"tool-omitted","value":"raw"}}},"modern":{"revision":"2026-07-28","array":{"sent":{"schema":"raw","value":"raw"}},"union":{"sent":{"schema":"raw","value":"raw"}},"null":{"sent":{"schema":"raw","value":"raw"}},"untyped":{"sent":{"schema":"raw","value":"raw"}}}},
{"server":"cy@1.0.0","date":"2026-11-29","tool_version":"0.1.0","transport":"stdio","legacy":{"revision":"2025-11-25","array":{"list-fails":"invalid"},"union":{"sent":{"schema":"omitted","value":{"text-with-message":"old"}}},"null":{"sent":{"schema":"raw","value":{"error":"no"}}},"untyped":{"sent":{"schema":"raw","value":{"error-result":"no"}}}}}
]}"#;

    #[test]
    fn each_release_says_what_it_sends_and_the_sum_comes_first() {
        let data = Projections::parse(DATA).unwrap();
        insta::assert_snapshot!(terminal(&data, Style::plain(80)));
        insta::assert_snapshot!(markdown(&data));
    }

    #[test]
    fn no_line_of_a_terminal_is_wider_than_asked_for() {
        let data = Projections::parse(DATA).unwrap();
        let text = terminal(&data, Style::plain(80));
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
