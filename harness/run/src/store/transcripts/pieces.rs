//! Parts to which lines of transcripts refer: messages, heads and steps, by their numbers.
//!
//! The place of each in the file is remembered, and as many of them as fit into a cache. The others are read
//! again when a cell refers to them.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_compat_model::observation::Seen;
use mcp_compat_model::shared_evidence::{Message, SharedEvidence, SharedHead};
use serde::Serialize;

/// Size limit of a message. The tap keeps 16 MiB of one, and base64 makes that a third more.
const MESSAGE_BYTES: usize = 24 << 20;

/// Number of bytes that the cache holds.
const CACHED: usize = 32 << 20;

/// Number of texts that the cache holds.
const CACHED_PIECES: usize = 1 << 16;

/// Something that a line refers to.
#[derive(Debug)]
pub(super) enum Piece {
    Message(Message),
    Head(SharedHead),
    Seen(Seen),
}

/// Kind of a piece. Each kind has its own numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Message,
    Head,
    Seen,
}

pub(super) type Number = (Kind, u32);

impl Kind {
    const ALL: [Self; 3] = [Self::Message, Self::Head, Self::Seen];

    /// As an error names it.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Head => "head",
            Self::Seen => "step",
        }
    }
}

/// A piece, and how many bytes it has, roughly as in the file.
#[derive(Debug)]
pub(super) struct Weighed {
    pub(super) piece: Piece,
    pub(super) size: usize,
}

impl From<Piece> for Weighed {
    fn from(piece: Piece) -> Self {
        fn written(value: &impl Serialize) -> usize {
            serde_json::to_vec(value).map_or(0, |text| text.len())
        }
        let size = match &piece {
            Piece::Message(Message::Text(text) | Message::Bytes { base64: text }) => text.len(),
            Piece::Head(head) => written(head),
            Piece::Seen(seen) => written(seen),
        };
        Self { piece, size }
    }
}

/// A line that has something new: where it begins, and the numbers of what is new in it.
#[derive(Clone, Copy, Debug)]
struct NewIn {
    offset: u64,
    first: [u32; 3],
}

/// Index of the part of the file that was read, with some of its pieces.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    lines: Vec<NewIn>,
    next: [u32; 3],
    cache: HashMap<Number, Arc<Weighed>>,
    cached: usize,
}

impl Pieces {
    /// Takes what is new in a line that is read for the first time.
    pub(super) fn take(&mut self, line: &mut SharedEvidence, offset: u64) -> Result<(), String> {
        let sizes = [line.messages.len(), line.heads.len(), line.seen.len()];
        if sizes == [0; 3] {
            return Ok(());
        }
        let bytes = |message: &Message| match message {
            Message::Text(text) | Message::Bytes { base64: text } => text.len(),
        };
        if line.messages.iter().any(|message| bytes(message) > MESSAGE_BYTES) {
            return Err(format!("one of its messages has more than {} MiB", MESSAGE_BYTES >> 20));
        }
        let new = NewIn { offset, first: self.next };
        for (next, size) in self.next.iter_mut().zip(sizes) {
            let size = u32::try_from(size).ok();
            *next = size.and_then(|size| next.checked_add(size)).ok_or("the file has too many messages")?;
        }
        self.lines.push(new);
        for (number, piece) in drain(line, new.first) {
            self.remember(number, Arc::new(piece.into()));
        }
        Ok(())
    }

    /// Returns whether the file has it up to here.
    pub(super) fn has(&self, (kind, number): Number) -> bool {
        number < self.next[kind as usize]
    }

    pub(super) fn cached(&self, number: Number) -> Option<&Arc<Weighed>> {
        self.cache.get(&number)
    }

    /// Place at which the line of a piece begins, and the first numbers of that line.
    pub(super) fn place(&self, (kind, number): Number) -> Option<(u64, [u32; 3])> {
        // Of lines with the same first number all but the last have nothing of the kind.
        let after = self.lines.partition_point(|line| line.first[kind as usize] <= number);
        let line = self.lines.get(after.checked_sub(1)?)?;
        Some((line.offset, line.first))
    }

    /// Keeps it in the cache, if it has room.
    pub(super) fn remember(&mut self, number: Number, piece: Arc<Weighed>) {
        let size = piece.size;
        if self.cached + size > CACHED || self.cache.len() >= CACHED_PIECES {
            self.cache.clear();
            self.cached = 0;
        }
        if size <= CACHED {
            self.cached += size;
            self.cache.insert(number, piece);
        }
    }
}

/// Pieces that are new in a line, with the numbers that begin with `first`.
pub(super) fn drain(line: &mut SharedEvidence, first: [u32; 3]) -> impl Iterator<Item = (Number, Piece)> {
    let messages = std::mem::take(&mut line.messages).into_iter().map(Piece::Message);
    let heads = std::mem::take(&mut line.heads).into_iter().map(Piece::Head);
    let seen = std::mem::take(&mut line.seen).into_iter().map(Piece::Seen);
    let numbered = move |kind: Kind| (first[kind as usize]..).map(move |number| (kind, number));
    let [of_messages, of_heads, of_seen] = Kind::ALL.map(numbered);
    of_messages.zip(messages).chain(of_heads.zip(heads)).chain(of_seen.zip(seen))
}
