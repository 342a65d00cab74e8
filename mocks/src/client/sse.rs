//! Server-sent events, read piece by piece: bytes in, the data of whole events out.

use crate::wire::jsonrpc::MESSAGE_LIMIT;

/// An event of more than [`MESSAGE_LIMIT`] bytes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Reads the event stream of one response.
#[derive(Default)]
pub(crate) struct Events {
    /// Bytes without a line end yet.
    pending: Vec<u8>,
    /// Number of leading bytes that hold no line end.
    scanned: usize,
    /// Tells whether the first line is behind.
    begun: bool,
    /// The last line ended with a carriage return, so a line feed that follows belongs to it.
    after_return: bool,
    data: Option<Vec<u8>>,
    /// The event's type, when it is not the default one.
    foreign: bool,
}

impl Events {
    /// Takes bytes in.
    ///
    /// # Errors
    /// When the event that they belong to is too long.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        let held = self.pending.len() + self.data.as_ref().map_or(0, Vec::len);
        if held + bytes.len() > MESSAGE_LIMIT {
            return Err(TooLong);
        }
        self.pending.extend_from_slice(bytes);
        Ok(())
    }

    /// The data of the next whole event. Events without data, and of types other than `message`, do not count.
    pub(crate) fn next(&mut self) -> Option<Vec<u8>> {
        let mut taken = 0;
        let mut event = None;
        while event.is_none() {
            if self.after_return && self.pending.get(taken) == Some(&b'\n') {
                taken += 1;
            }
            if self.pending.len() > taken {
                self.after_return = false;
            }
            let from = self.scanned.max(taken);
            let Some(end) = self.pending[from..].iter().position(|b| matches!(b, b'\n' | b'\r')).map(|at| from + at)
            else {
                self.scanned = self.pending.len();
                break;
            };
            self.after_return = self.pending[end] == b'\r';
            let line = self.pending[taken..end].to_vec();
            taken = end + 1;
            event = self.line(&line);
        }
        self.pending.drain(..taken);
        self.scanned = self.scanned.saturating_sub(taken);
        event
    }

    /// Returns whether an event has begun that no empty line has ended.
    pub(crate) fn is_unfinished(&self) -> bool {
        self.data.is_some() || self.pending.starts_with(b"data:")
    }

    fn line(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        let line = if self.begun { line } else { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) };
        self.begun = true;
        if line.is_empty() {
            let foreign = std::mem::take(&mut self.foreign);
            let data = self.data.take();
            return if foreign { None } else { data };
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => match &mut self.data {
                Some(data) => {
                    data.push(b'\n');
                    data.extend_from_slice(value);
                }
                data @ None => *data = Some(value.to_vec()),
            },
            b"event" => self.foreign = !value.is_empty() && value != b"message",
            // Comments, ids and retry times: streams are not resumed here.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every event, with the bytes coming in pieces of `size`.
    fn events(bytes: &[u8], size: usize) -> Vec<String> {
        let (mut reader, mut all) = (Events::default(), Vec::new());
        for piece in bytes.chunks(size) {
            reader.push(piece).unwrap();
            while let Some(data) = reader.next() {
                all.push(String::from_utf8(data).unwrap());
            }
        }
        all
    }

    #[test]
    fn events_are_the_same_however_the_bytes_are_cut() {
        let stream =
            "\u{feff}: hello\r\ndata: {\"a\":\ndata: \"ü\"}\n\nid: 1\rdata:x\r\revent: message\r\ndata: y\r\n\r\n";
        for size in 1..=stream.len() {
            assert_eq!(events(stream.as_bytes(), size), ["{\"a\":\n\"ü\"}", "x", "y"], "pieces of {size}");
        }
    }

    #[test]
    fn an_event_of_another_type_or_without_data_or_without_end_does_not_count() {
        assert!(events(b"event: ping\ndata: x\n\nid: 1\n\ndata: unfinished\n", 7).is_empty());
        assert_eq!(events(b"data\n\n", 3), [""], "an empty line of data is data");
    }

    #[test]
    fn an_event_is_unfinished_until_its_empty_line() {
        for (bytes, expected) in
            [(&b"data: x\n"[..], true), (b"data: x", true), (b"data: x\n\n", false), (b": ping\n", false)]
        {
            let mut reader = Events::default();
            reader.push(bytes).unwrap();
            while reader.next().is_some() {}
            assert_eq!(reader.is_unfinished(), expected, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn an_endless_event_is_refused() {
        let mut reader = Events::default();
        let piece = vec![b'x'; MESSAGE_LIMIT / 2];
        assert_eq!(reader.push(&piece), Ok(()));
        assert_eq!(reader.next(), None);
        assert_eq!(reader.push(&piece), Ok(()));
        assert_eq!(reader.push(b"x"), Err(TooLong));
    }
}
