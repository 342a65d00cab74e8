//! Writes transcripts: each distinct message, head and step once.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::io::{self, Write};

use mcp_compat_model::Role;
use mcp_compat_model::record::{Evidence, TranscriptLine};
use mcp_compat_model::shared_evidence::{Act, SharedEvent, SharedEvidence, SharedHead, WireEntry};
use mcp_compat_model::transcript::{Entry, Event, Head, Raw};

/// Number of texts of a kind that the writer remembers. Others are written again: that takes space in the file, and no memory.
const REMEMBERED: usize = 1 << 18;

/// Writes the evidence of cells, line by line.
#[derive(Debug)]
pub struct TranscriptWriter<W: Write> {
    file: W,
    cells: u64,
    keys: [RandomState; 2],
    messages: Numbers,
    heads: Numbers,
    seen: Numbers,
}

/// The numbers of the texts of one kind, by their digests.
///
/// The digest has 128 bits of a hash with random keys, so that nobody can make two texts that have one.
#[derive(Debug, Default)]
struct Numbers {
    known: HashMap<u128, u32>,
    next: u32,
}

impl Numbers {
    /// The number of a text, and whether it is new.
    fn of(&mut self, digest: u128) -> io::Result<(u32, bool)> {
        let is_full = self.known.len() >= REMEMBERED;
        match self.known.entry(digest) {
            Place::Occupied(place) => Ok((*place.get(), false)),
            Place::Vacant(place) => {
                let number = self.next;
                self.next = number.checked_add(1).ok_or_else(|| io::Error::other("the run has too many messages"))?;
                if !is_full {
                    place.insert(number);
                }
                Ok((number, true))
            }
        }
    }
}

impl<W: Write> TranscriptWriter<W> {
    /// Writes to `file`, from its beginning.
    pub fn new(file: W) -> Self {
        Self {
            file,
            cells: 0,
            keys: [RandomState::new(), RandomState::new()],
            messages: Numbers::default(),
            heads: Numbers::default(),
            seen: Numbers::default(),
        }
    }

    /// Writes what happened in a cell.
    pub fn write(&mut self, evidence: &Evidence) -> io::Result<()> {
        let mut shared = SharedEvidence {
            cell: evidence.cell.id(),
            messages: Vec::new(),
            heads: Vec::new(),
            seen: Vec::new(),
            wire: Vec::with_capacity(evidence.transcript.entries.len()),
            negotiated: evidence.observation.negotiated.clone(),
            steps: Vec::with_capacity(evidence.observation.steps.len()),
            end: evidence.observation.end.clone(),
            shortened: evidence.shortened,
        };
        for entry in &evidence.transcript.entries {
            let entry = self.entry(entry, &mut shared)?;
            shared.wire.push(entry);
        }
        for step in &evidence.observation.steps {
            let (number, is_new) = self.seen.of(digest(&self.keys, &serde_json::to_string(step)?))?;
            if is_new {
                shared.seen.push(step.clone());
            }
            shared.steps.push(number);
        }
        self.cells += 1;
        self.line(&TranscriptLine::Evidence(shared))
    }

    /// Writes the footer.
    pub fn finish(mut self) -> io::Result<W> {
        let cells = self.cells;
        self.line(&TranscriptLine::Footer { cells })?;
        self.file.flush()?;
        Ok(self.file)
    }

    fn line(&mut self, line: &TranscriptLine<'_>) -> io::Result<()> {
        serde_json::to_writer(&mut self.file, line)?;
        self.file.write_all(b"\n")
    }

    fn entry(&mut self, entry: &Entry, shared: &mut SharedEvidence) -> io::Result<WireEntry> {
        let mut head = None;
        let act = match &entry.event {
            Event::Message { raw, http } => {
                head = http.as_ref();
                Act::Message(self.message(raw, shared)?)
            }
            Event::Head { http } => {
                head = Some(http);
                Act::Event(SharedEvent::Head {})
            }
            Event::Overflow { limit, start } => {
                Act::Event(SharedEvent::Overflow { limit: *limit, start: start.clone().into() })
            }
            Event::Fetched { path } => Act::Event(SharedEvent::Fetched { path: path.clone() }),
            Event::Closed {} => Act::Event(SharedEvent::Closed {}),
            Event::Exited { how } => Act::Event(SharedEvent::Exited { how: how.clone() }),
            Event::Stopped { stage } => Act::Event(SharedEvent::Stopped { stage: *stage }),
        };
        let http = head.map(|head| self.head(head, shared)).transpose()?;
        let (client, server) = match entry.from {
            Role::Client => (Some(act), None),
            Role::Server => (None, Some(act)),
        };
        Ok(WireEntry { at: entry.at_us, client, server, http })
    }

    fn message(&mut self, raw: &Raw, shared: &mut SharedEvidence) -> io::Result<u32> {
        let (text, is_text) = match raw {
            Raw::Text(text) => (text, true),
            Raw::Base64(text) => (text, false),
        };
        let (number, is_new) = self.messages.of(digest(&self.keys, &(text, is_text)))?;
        if is_new {
            shared.messages.push(raw.clone().into());
        }
        Ok(number)
    }

    fn head(&mut self, head: &Head, shared: &mut SharedEvidence) -> io::Result<(u32, u32)> {
        let Head { exchange, start, headers } = head;
        let head = SharedHead { start: start.clone(), headers: headers.clone() };
        let (number, is_new) = self.heads.of(digest(&self.keys, &serde_json::to_string(&head)?))?;
        if is_new {
            shared.heads.push(head);
        }
        Ok((*exchange, number))
    }
}

fn digest(keys: &[RandomState; 2], text: &impl Hash) -> u128 {
    let [one, other] = keys;
    u128::from(one.hash_one(text)) << 64 | u128::from(other.hash_one(text))
}
