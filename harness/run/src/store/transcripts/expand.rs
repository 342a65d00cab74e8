//! Evidence with everything written out that it refers to.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_compat_model::observation::{Observation, Seen};
use mcp_compat_model::record::Evidence;
use mcp_compat_model::shared_evidence::{Act, SharedEvent, SharedEvidence, WireEntry};
use mcp_compat_model::transcript::{Entry, Event, Head, Raw, Transcript};
use mcp_compat_model::{CellId, Role};

use super::pieces::{Kind, Number, Piece, Weighed};

/// Everything that a line refers to, as often as it does.
pub(super) fn references(line: &SharedEvidence) -> impl Iterator<Item = Number> {
    let of_entry = |entry: &WireEntry| {
        let message = |act: &Option<Act>| match act {
            Some(Act::Message(number)) => Some((Kind::Message, *number)),
            Some(Act::Event(_)) | None => None,
        };
        let head = entry.http.map(|(_, number)| (Kind::Head, number));
        [message(&entry.client), message(&entry.server), head].into_iter().flatten()
    };
    let steps = line.steps.iter().map(|number| (Kind::Seen, *number));
    line.wire.iter().flat_map(of_entry).chain(steps)
}

/// The evidence of a line, with the pieces that it refers to.
pub(super) fn expand(line: SharedEvidence, pieces: &HashMap<Number, Arc<Weighed>>) -> Result<Evidence, String> {
    let cell = CellId::parse(line.cell.as_str()).map_err(|error| error.to_string())?;
    let entry = |(place, entry): (usize, WireEntry)| {
        let seq = u32::try_from(place).map_err(|_| "it has too many messages".to_owned())?;
        wire_entry(seq, entry, pieces)
    };
    let entries = line.wire.into_iter().enumerate().map(entry).collect::<Result<_, _>>()?;
    let steps = line.steps.into_iter().map(|number| seen(number, pieces)).collect::<Result<_, _>>()?;
    let observation = Observation { negotiated: line.negotiated, steps, end: line.end };
    Ok(Evidence { cell, transcript: Transcript { entries }, observation, shortened: line.shortened })
}

fn wire_entry(seq: u32, entry: WireEntry, pieces: &HashMap<Number, Arc<Weighed>>) -> Result<Entry, String> {
    let WireEntry { at, client, server, http } = entry;
    let (from, act) = match (client, server) {
        (Some(act), None) => (Role::Client, act),
        (None, Some(act)) => (Role::Server, act),
        (Some(_), Some(_)) | (None, None) => {
            return Err(format!("entry {seq} of its wire is not of one side: it needs a `client` or a `server`"));
        }
    };
    let mut http = http.map(|(exchange, number)| head(exchange, number, pieces)).transpose()?;
    let event = match act {
        Act::Message(number) => Event::Message { raw: message(number, pieces)?, http: http.take() },
        Act::Event(SharedEvent::Head {}) => {
            Event::Head { http: http.take().ok_or_else(|| format!("entry {seq} of its wire lacks its `http`"))? }
        }
        Act::Event(SharedEvent::Overflow { limit, start }) => Event::Overflow { limit, start: start.into() },
        Act::Event(SharedEvent::Fetched { path }) => Event::Fetched { path },
        Act::Event(SharedEvent::Closed {}) => Event::Closed {},
        Act::Event(SharedEvent::Exited { how }) => Event::Exited { how },
        Act::Event(SharedEvent::Stopped { stage }) => Event::Stopped { stage },
    };
    match http {
        None => Ok(Entry { seq, at_us: at, from, event }),
        Some(_) => Err(format!("entry {seq} of its wire has an `http`, but is neither a message nor a head")),
    }
}

fn piece(number: Number, pieces: &HashMap<Number, Arc<Weighed>>) -> Option<&Piece> {
    pieces.get(&number).map(|weighed| &weighed.piece)
}

fn message(number: u32, pieces: &HashMap<Number, Arc<Weighed>>) -> Result<Raw, String> {
    match piece((Kind::Message, number), pieces) {
        Some(Piece::Message(message)) => Ok(message.clone().into()),
        Some(Piece::Head(_) | Piece::Seen(_)) | None => Err(missing(Kind::Message, number)),
    }
}

fn head(exchange: u32, number: u32, pieces: &HashMap<Number, Arc<Weighed>>) -> Result<Head, String> {
    match piece((Kind::Head, number), pieces) {
        Some(Piece::Head(head)) => Ok(Head { exchange, start: head.start.clone(), headers: head.headers.clone() }),
        Some(Piece::Message(_) | Piece::Seen(_)) | None => Err(missing(Kind::Head, number)),
    }
}

fn seen(number: u32, pieces: &HashMap<Number, Arc<Weighed>>) -> Result<Seen, String> {
    match piece((Kind::Seen, number), pieces) {
        Some(Piece::Seen(seen)) => Ok(seen.clone()),
        Some(Piece::Message(_) | Piece::Head(_)) | None => Err(missing(Kind::Seen, number)),
    }
}

fn missing(kind: Kind, number: u32) -> String {
    format!("it refers to {} {number}, which the file does not have", kind.as_str())
}
