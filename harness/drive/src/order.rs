//! Gives a recording over HTTP an order that does not depend on chance.
//!
//! Over HTTP a client has several requests under way, and the protocol leaves open which of them is first. In two
//! recordings of the same session some heads change places. Messages stay in the order in which they passed; heads without
//! a message are moved to where they could have passed:
//!
//! - the head of a response behind its request, such as 202 for a notification;
//! - the GET for the server's stream, with its answer, behind `notifications/initialized`.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::Role;
use mcp_compat_model::transcript::{Entry, Event, Head, Start};

/// The entries in that order, with new numbers for them and for their exchanges.
pub(crate) fn settled(entries: Vec<Entry>) -> Vec<Entry> {
    if !entries.iter().any(|entry| entry.event.head().is_some()) {
        return entries;
    }
    let mut settled = with_the_stream_opened(with_heads_behind_requests(entries));
    let mut exchanges = BTreeMap::new();
    for (seq, entry) in (0..).zip(&mut settled) {
        entry.seq = seq;
        if let Some(head) = head_mut(entry) {
            let next = u32::try_from(exchanges.len()).unwrap_or(u32::MAX);
            head.exchange = *exchanges.entry(head.exchange).or_insert(next);
        }
    }
    settled
}

fn with_heads_behind_requests(entries: Vec<Entry>) -> Vec<Entry> {
    let request =
        |entry: &Entry| (entry.from == Role::Client).then(|| entry.event.head().map(|head| head.exchange)).flatten();
    let requests: BTreeSet<u32> = entries.iter().filter_map(request).collect();
    let moves = |entry: &Entry| is_bare_response(entry) && requests.contains(&exchange(entry));
    let (answers, rest): (Vec<_>, Vec<_>) = entries.into_iter().partition(moves);
    let mut by_exchange: BTreeMap<u32, Vec<Entry>> = BTreeMap::new();
    for answer in answers {
        by_exchange.entry(exchange(&answer)).or_default().push(answer);
    }
    let mut ordered = Vec::new();
    for entry in rest {
        let answers = request(&entry).and_then(|request| by_exchange.remove(&request));
        ordered.push(entry);
        ordered.extend(answers.into_iter().flatten());
    }
    ordered
}

/// Moves the first GET, and what answers it at once, behind `notifications/initialized` and its answer.
fn with_the_stream_opened(mut entries: Vec<Entry>) -> Vec<Entry> {
    let position = |is: fn(&Entry) -> bool| entries.iter().position(is);
    let (Some(initialized), Some(get)) = (position(is_initialized), position(is_get)) else { return entries };
    let stream = exchange(&entries[get]);
    let of_the_stream = |entry: &Entry| entry.event.head().is_some_and(|head| head.exchange == stream);
    // In the transport of 2024-11-05 the whole session is on the stream.
    if entries[..initialized].iter().any(|entry| of_the_stream(entry) && is_on_a_stream(entry)) {
        return entries;
    }
    let opening = |entry: &Entry| of_the_stream(entry) && !is_on_a_stream(entry);
    let (mut opened, mut rest): (Vec<_>, Vec<_>) = (Vec::new(), Vec::new());
    let anchor = exchange(&entries[initialized]);
    for entry in entries.drain(..) {
        if opening(&entry) { opened.push(entry) } else { rest.push(entry) }
    }
    let behind = |entry: &Entry| entry.event.head().is_some_and(|head| head.exchange == anchor);
    let place = rest.iter().rposition(behind).map_or(rest.len(), |place| place + 1);
    rest.splice(place..place, opened);
    rest
}

/// The head of a response that came without a message.
fn is_bare_response(entry: &Entry) -> bool {
    matches!(&entry.event, Event::Head { http: Head { start: Start::Response { .. }, .. } })
}

/// A message of an event stream: it is where it is because the server sent it then.
fn is_on_a_stream(entry: &Entry) -> bool {
    matches!(&entry.event, Event::Message { http: Some(Head { start: Start::Response { status: 200 }, .. }), .. })
}

fn is_get(entry: &Entry) -> bool {
    matches!(&entry.event, Event::Head { http: Head { start: Start::Request { method }, .. } } if method == "GET")
}

fn is_initialized(entry: &Entry) -> bool {
    let Event::Message { raw, http: Some(_) } = &entry.event else { return false };
    // Some libraries escape the slash.
    let says = |text: &str| {
        text.contains(r#""notifications/initialized""#) || text.contains(r#""notifications\/initialized""#)
    };
    entry.from == Role::Client && raw.as_text().is_some_and(says)
}

fn exchange(entry: &Entry) -> u32 {
    entry.event.head().map_or(u32::MAX, |head| head.exchange)
}

fn head_mut(entry: &mut Entry) -> Option<&mut Head> {
    match &mut entry.event {
        Event::Message { http, .. } => http.as_mut(),
        Event::Head { http } => Some(http),
        Event::Overflow { .. }
        | Event::Fetched { .. }
        | Event::Closed {}
        | Event::Exited { .. }
        | Event::Stopped { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::transcript::Raw;

    use super::*;

    /// Lines such as `c1 POST notifications/initialized`, `s1 202`, `s2 200 text`, as entries.
    fn entries(lines: &[&str]) -> Vec<Entry> {
        let entry = |(seq, line): (u32, &&str)| {
            let (who, rest) = line.split_once(' ').unwrap();
            let (start, text) = rest.split_once(' ').map_or((rest, None), |(start, text)| (start, Some(text)));
            let from = if who.starts_with('c') { Role::Client } else { Role::Server };
            let start = match start.parse() {
                Ok(status) => Start::Response { status },
                Err(_) => Start::Request { method: start.to_owned() },
            };
            let http = Head { exchange: who[1..].parse().unwrap(), start, headers: Vec::new() };
            let event = match text {
                Some(text) => Event::Message { raw: Raw::Text(format!("\"{text}\"")), http: Some(http) },
                None => Event::Head { http },
            };
            Entry { seq, at_us: u64::from(seq), from, event }
        };
        (0..).zip(lines).map(entry).collect()
    }

    fn lines(entries: &[Entry]) -> Vec<String> {
        let line = |entry: &Entry| {
            let Head { exchange, start, .. } = entry.event.head().unwrap();
            let start = match start {
                Start::Request { method } => method.clone(),
                Start::Response { status } => status.to_string(),
            };
            let text = match &entry.event {
                Event::Message { raw, .. } => format!(" {}", raw.as_text().unwrap().trim_matches('"')),
                Event::Head { .. }
                | Event::Overflow { .. }
                | Event::Fetched { .. }
                | Event::Closed {}
                | Event::Exited { .. }
                | Event::Stopped { .. } => String::new(),
            };
            format!("{}{exchange} {start}{text}", &entry.from.as_str()[..1])
        };
        entries.iter().map(line).collect()
    }

    const SETTLED: [&str; 8] = [
        "c0 POST initialize",
        "s0 200 welcome",
        "c1 POST notifications/initialized",
        "s1 202",
        "c2 GET",
        "s2 200",
        "c3 POST tools/list",
        "s3 200 tools",
    ];

    #[test]
    fn recordings_of_one_session_come_to_the_same_order() {
        for recorded in [
            SETTLED,
            // The stream is asked for before the notification.
            [
                SETTLED[0],
                SETTLED[1],
                "c1 GET",
                "c2 POST notifications/initialized",
                "s1 200",
                "s2 202",
                SETTLED[6],
                SETTLED[7],
            ],
            // Its answer comes after the list was asked for.
            [SETTLED[0], SETTLED[1], SETTLED[2], SETTLED[3], SETTLED[4], SETTLED[6], SETTLED[5], SETTLED[7]],
            // Its request is the last one.
            [SETTLED[0], SETTLED[1], SETTLED[2], SETTLED[3], "c2 POST tools/list", "s2 200 tools", "c3 GET", "s3 200"],
        ] {
            let settled = settled(entries(&recorded));
            assert_eq!(lines(&settled), SETTLED);
            assert!((0..).zip(&settled).all(|(seq, entry)| entry.seq == seq));
        }
    }

    #[test]
    fn a_server_that_has_no_stream_answers_at_once() {
        let recorded = [
            "c0 POST notifications/initialized",
            "c1 POST tools/list",
            "c2 GET",
            "s0 202",
            "s2 405 none",
            "s1 200 tools",
        ];
        let expected = [
            "c0 POST notifications/initialized",
            "s0 202",
            "c1 GET",
            "s1 405 none",
            "c2 POST tools/list",
            "s2 200 tools",
        ];
        assert_eq!(lines(&settled(entries(&recorded))), expected);
    }

    #[test]
    fn messages_keep_their_order() {
        let recorded = [
            "c0 POST notifications/initialized",
            "s0 202",
            "c1 GET",
            "s1 200",
            "c2 POST tools/call",
            "s1 200 list-changed",
            "s2 200 result",
        ];
        assert_eq!(lines(&settled(entries(&recorded))), recorded);
    }

    #[test]
    fn a_session_on_a_stream_stays_there() {
        let recorded =
            ["c0 GET", "s0 200", "c1 POST initialize", "s1 202", "s0 200 welcome", "c2 POST notifications/initialized"];
        assert_eq!(lines(&settled(entries(&recorded))), recorded);
    }

    #[test]
    fn without_http_nothing_moves() {
        let closed = Entry { seq: 0, at_us: 0, from: Role::Client, event: Event::Closed {} };
        assert_eq!(settled(vec![closed.clone()]), [closed]);
    }
}
