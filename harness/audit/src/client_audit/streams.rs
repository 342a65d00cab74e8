//! Conclusions from event streams: a client that takes an answer as JSON has to take the same answer as events.

use mcp_compat_model::audit::Severity;
use mcp_compat_model::client_audit::Conclusion;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::Fault;

use super::probes::{FIRST, STREAMS};
use super::{Session, clause, place};

/// A form of an event stream, and what a client has to do with it.
struct Form {
    server: &'static str,
    /// The form in words.
    is: &'static str,
    remedy: &'static str,
    source: &'static str,
}

/// Both forms of an answer over HTTP that a client has to support.
const TRANSPORTS: &str =
    "https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server";

/// Reading of the lines of an event stream.
const INTERPRETATION: &str =
    "https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation";

const FORMS: [Form; 3] = [
    Form {
        server: STREAMS[0],
        is: "the same answers as server-sent events",
        remedy: "read answers of the type text/event-stream, as the Accept header of a client has to offer",
        source: TRANSPORTS,
    },
    Form {
        server: STREAMS[1],
        is: "the same answers as server-sent events whose data stands in several lines",
        remedy: "join the `data:` lines of an event with line feeds, and parse what they say together",
        source: INTERPRETATION,
    },
    Form {
        server: STREAMS[2],
        is: "the same answers as server-sent events after a comment, `id:` and `retry:` lines and an event without data",
        remedy: "skip comments, and events whose data is empty; read `id:` and `retry:` lines as fields of the stream",
        source: INTERPRETATION,
    },
];

/// The conclusions from the forms of event streams that the client does not read, though it reads JSON.
pub(super) fn conclusions(session: &Session) -> Vec<Conclusion> {
    let cell_with = |server: &str| {
        let mut cells = session.record.cells.iter();
        cells.find(|cell| cell.server.as_str() == server && cell.scenario.as_str() == FIRST.0)
    };
    let Some(json) = cell_with(FIRST.1).filter(|cell| session.took(cell)) else { return Vec::new() };
    let mut found: Vec<Conclusion> = Vec::new();
    for form in &FORMS {
        let Some(cell) = cell_with(form.server).filter(|cell| !is_alike(session, json, cell)) else { continue };
        found.push(conclusion(session, form, cell));
        // A client that reads no events does not read those of the other forms.
        if form.server == STREAMS[0] {
            break;
        }
    }
    found
}

/// Returns true if the client did with one answer as with the other.
fn is_alike(session: &Session, one: &CellRecord, other: &CellRecord) -> bool {
    session.took(other) && one.outcome == other.outcome
}

fn conclusion(session: &Session, form: &Form, cell: &CellRecord) -> Conclusion {
    let told = session.notes.told.get(&cell.id).map(|words| clause(words));
    let lost = match session.notes.wires.get(&cell.id) {
        Some((activity, _)) if activity.answered => "the answer to its call was lost",
        Some((activity, _)) if activity.listed => "it called nothing",
        Some(_) | None => "it got no list",
    };
    let lost = told.unwrap_or_else(|| lost.to_owned());
    Conclusion {
        is_the_clients: true,
        fault: Some(Fault::Client),
        silent: cell.silent,
        severity: Severity::Error,
        known: false,
        what: format!(
            "The client takes answers as JSON, and does not take {}: {lost}. To fix in the client: {}.",
            form.is, form.remedy
        ),
        rule: None,
        source: Some(form.source.to_owned()),
        seen: vec![place(cell)],
        variations: Vec::new(),
    }
}
