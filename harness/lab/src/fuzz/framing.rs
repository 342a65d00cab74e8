//! Lines and server-sent events: the result does not depend on how the bytes are cut, and equals that of a simple
//! reader.

use mcp_compat_drive::{Line, LineSplitter, SseEvent, SseItem, SseParser};

/// Splits off the limit of a message and the seed of the cuts, the first two bytes.
fn options(bytes: &[u8]) -> Option<(usize, u64, &[u8])> {
    let [limit, seed, rest @ ..] = bytes else { return None };
    Some((1 + usize::from(*limit), u64::from(*seed), rest))
}

/// Cuts the bytes into pieces.
fn pieces(mut bytes: &[u8], seed: u64) -> Vec<&[u8]> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let (piece, rest) = bytes.split_at(random.usize(0..=bytes.len().min(9)));
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}

pub(crate) fn lines(bytes: &[u8]) {
    let Some((limit, seed, stream)) = options(bytes) else { return };
    let split = |pieces: Vec<&[u8]>| {
        let mut lines = Vec::new();
        let mut keep = |line: Line<'_>| {
            lines.push(match line {
                Line::Whole(line) => Ok(line.to_vec()),
                Line::Overflow(start) => Err(start.to_vec()),
            });
        };
        let mut splitter = LineSplitter::new(limit);
        pieces.into_iter().for_each(|piece| splitter.push(piece, &mut keep));
        splitter.finish(keep);
        lines
    };
    let mut expected: Vec<_> = stream
        .split(|byte| *byte == b'\n')
        .map(|line| if line.len() > limit { Err(line[..limit].to_vec()) } else { Ok(line.to_vec()) })
        .collect();
    // An empty text after the last newline is no line.
    expected.pop_if(|last| last.as_ref().is_ok_and(Vec::is_empty));
    assert_eq!(split(vec![stream]), expected);
    assert_eq!(split(pieces(stream, seed)), expected);
}

pub(crate) fn sse(bytes: &[u8]) {
    let Some((limit, seed, stream)) = options(bytes) else { return };
    let parse = |limit, pieces: Vec<&[u8]>| {
        let mut items = Vec::new();
        let mut parser = SseParser::new(limit);
        pieces.into_iter().for_each(|piece| parser.push(piece, |item| items.push(item)));
        items
    };
    let whole = parse(limit, vec![stream]);
    assert_eq!(parse(limit, pieces(stream, seed)), whole, "cut in another way");
    let kept = |item: &SseItem| match item {
        SseItem::Event(event) => event.data.len().max(event.kind.len()),
        SseItem::Overflow(start) => start.len(),
    };
    assert!(whole.iter().all(|item| kept(item) <= limit), "more than the limit was kept");
    let unlimited: Vec<_> = by_the_book(stream).into_iter().map(SseItem::Event).collect();
    assert_eq!(parse(stream.len() + 1, vec![stream]), unlimited, "without a limit");
    assert_eq!(whole.len(), unlimited.len(), "an event that is too long is an event");
}

/// Parses the events of a stream literally by
/// <https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation>.
fn by_the_book(stream: &[u8]) -> Vec<SseEvent> {
    let stream = stream.strip_prefix(b"\xef\xbb\xbf").unwrap_or(stream);
    let mut lines = vec![Vec::new()];
    let mut bytes = stream.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' => {
                bytes.next_if_eq(&b'\n');
                lines.push(Vec::new());
            }
            b'\n' => lines.push(Vec::new()),
            other => lines.last_mut().expect("there is a line").push(other),
        }
    }
    // The last line has no end.
    lines.pop();
    let (mut events, mut event, mut has_data) = (Vec::new(), SseEvent::default(), false);
    for line in lines {
        if line.is_empty() {
            let done = std::mem::take(&mut event);
            events.extend(std::mem::take(&mut has_data).then_some(done));
            continue;
        }
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let name = parts.next().unwrap_or_default();
        let value = parts.next().unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value).to_vec();
        match name {
            b"data" => {
                if std::mem::replace(&mut has_data, true) {
                    event.data.push(b'\n');
                }
                event.data.extend(value);
            }
            b"event" => event.kind = value,
            b"id" if !value.contains(&0) => event.id = Some(value),
            _ => {}
        }
    }
    events
}
