//! Records what passes between the client and the server of one cell, raw and in order.
//!
//! Links and the proxy record messages, and the code that stops a process records its end. [`Tap::finish`] returns the
//! [`Transcript`]. A message is recorded *before* it is passed on, so an answer never precedes its request.

use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mcp_compat_model::Role;
use mcp_compat_model::transcript::{Entry, Event, Head, Raw, Transcript};
use tokio::sync::{SetOnce, watch};

use crate::order::settled;

/// Largest part of a peer's output that is kept, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest message: a line, a body, the data of one server-sent event.
    pub message_bytes: usize,
    /// All messages of one side of a cell together.
    pub cell_bytes: usize,
    /// The end of what a process wrote to its standard error.
    pub stderr_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { message_bytes: 16 << 20, cell_bytes: 64 << 20, stderr_bytes: 64 << 10 }
    }
}

/// Number of bytes that are shown of a message that is too long.
const OVERFLOW_START: usize = 1024;

/// Overhead of an entry beside its bytes, here and where it is read as JSON: it bounds a peer that sends very many short
/// messages.
const ENTRY_WEIGHT: usize = 512;

/// Overhead of a message's header beside its bytes.
const HEADER_WEIGHT: usize = 96;

/// Number of closings, exits and stops that are still taken once the cell is full. They explain the rest.
const ENTRIES_BEYOND_FULL: u32 = 32;

/// Records one cell. Cheap to clone: all clones write into the same transcript.
#[derive(Clone)]
pub struct Tap {
    shared: Arc<Shared>,
}

struct Shared {
    began: Instant,
    limits: Limits,
    exchanges: AtomicU32,
    tape: Mutex<Tape>,
    /// Set once a side is full.
    full: SetOnce<()>,
    /// For code that follows the recording while it goes on: how many entries there are.
    news: Option<watch::Sender<usize>>,
}

#[derive(Default)]
struct Tape {
    entries: Vec<Entry>,
    finished: bool,
    client: Side,
    server: Side,
}

/// Amount that one side has sent. Each has its own bound, so that a side that floods leaves room for the other.
#[derive(Default)]
struct Side {
    weight: usize,
    budget: Budget,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Budget {
    #[default]
    Left,
    /// The bound was passed; so many entries were taken since.
    Full(u32),
}

impl Default for Tap {
    /// A tap with the usual limits.
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl Tap {
    /// A tap whose clock starts now.
    pub fn new(limits: Limits) -> Self {
        Self::made(limits, None)
    }

    /// A tap that can be followed while it records: the receiver gets the number of entries.
    pub fn followed(limits: Limits) -> (Self, watch::Receiver<usize>) {
        let (news, followed) = watch::channel(0);
        (Self::made(limits, Some(news)), followed)
    }

    fn made(limits: Limits, news: Option<watch::Sender<usize>>) -> Self {
        let (exchanges, tape, full) = (AtomicU32::new(0), Mutex::new(Tape::default()), SetOnce::new());
        Self { shared: Arc::new(Shared { began: Instant::now(), limits, exchanges, tape, full, news }) }
    }

    /// The entries from this place on.
    pub fn since(&self, seq: usize) -> Vec<Entry> {
        self.tape().entries.get(seq..).unwrap_or_default().to_vec()
    }

    /// The bounds that this tap keeps.
    pub fn limits(&self) -> Limits {
        self.shared.limits
    }

    /// Records a message, or its beginning when it is longer than the bound.
    pub fn message(&self, from: Role, raw: &[u8], http: Option<Head>) {
        if raw.len() > self.shared.limits.message_bytes {
            return self.overflow(from, raw);
        }
        let weight = raw.len() + http.as_ref().map_or(0, head_weight);
        let mut tape = self.tape();
        if tape.admits(from, weight, self.shared.limits.cell_bytes) {
            let event = Event::Message { raw: Raw::from_bytes(raw), http };
            self.push(&mut tape, from, event);
        } else {
            self.fill(&mut tape, from);
        }
    }

    /// Records that a message was longer than the bound, of which `start` is the beginning.
    pub(crate) fn overflow(&self, from: Role, start: &[u8]) {
        let limit = self.shared.limits.message_bytes;
        let start = &start[..start.len().min(OVERFLOW_START)];
        self.event(from, Event::Overflow { limit: limit as u64, start: Raw::from_bytes(start) });
    }

    /// Records anything that is not a message.
    pub fn event(&self, from: Role, event: Event) {
        let weight = match &event {
            Event::Message { raw, http } => {
                let text = match raw {
                    Raw::Text(text) | Raw::Base64(text) => text.len(),
                };
                text + http.as_ref().map_or(0, head_weight)
            }
            Event::Head { http } => head_weight(http),
            Event::Overflow { .. } => OVERFLOW_START,
            Event::Fetched { path } => path.len(),
            Event::Closed {} | Event::Exited { .. } | Event::Stopped { .. } => 0,
        };
        let mut tape = self.tape();
        if tape.admits(from, weight, self.shared.limits.cell_bytes) {
            self.push(&mut tape, from, event);
            return;
        }
        match event {
            Event::Message { .. } | Event::Head { .. } | Event::Overflow { .. } | Event::Fetched { .. } => {
                self.fill(&mut tape, from);
            }
            Event::Closed {} | Event::Exited { .. } | Event::Stopped { .. } => match tape.side(from).budget {
                Budget::Left => self.push(&mut tape, from, event),
                Budget::Full(beyond) if beyond < ENTRIES_BEYOND_FULL => {
                    tape.side(from).budget = Budget::Full(beyond + 1);
                    self.push(&mut tape, from, event);
                }
                Budget::Full(_) => {}
            },
        }
    }

    /// The number of a new HTTP exchange, from 0.
    pub(crate) fn next_exchange(&self) -> u32 {
        self.shared.exchanges.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns the time since the last entry, if there is one.
    pub fn silence(&self) -> Option<Duration> {
        let last = self.tape().entries.last().map(|entry| Duration::from_micros(entry.at_us))?;
        Some(self.shared.began.elapsed().saturating_sub(last))
    }

    /// Waits until one side has sent more than is kept of a cell. From then on nothing of that side is recorded.
    pub async fn filled(&self) {
        self.shared.full.wait().await;
    }

    /// Ends the recording and gives what was recorded. Whatever comes later is ignored.
    pub fn finish(&self) -> Transcript {
        let mut tape = self.tape();
        tape.finished = true;
        Transcript { entries: settled(mem::take(&mut tape.entries)) }
    }

    fn tape(&self) -> MutexGuard<'_, Tape> {
        self.shared.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, tape: &mut Tape, from: Role, event: Event) {
        if tape.finished {
            return;
        }
        let seq = u32::try_from(tape.entries.len()).unwrap_or(u32::MAX);
        let at_us = u64::try_from(self.shared.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        tape.entries.push(Entry { seq, at_us, from, event });
        if let Some(news) = &self.shared.news {
            news.send_replace(tape.entries.len());
        }
    }

    /// Marks a side as full.
    fn fill(&self, tape: &mut Tape, from: Role) {
        if tape.side(from).budget == Budget::Left {
            tape.side(from).budget = Budget::Full(0);
            let limit = self.shared.limits.cell_bytes as u64;
            self.push(tape, from, Event::Overflow { limit, start: Raw::Text(String::new()) });
            let _ = self.shared.full.set(());
        }
    }
}

impl Tape {
    fn side(&mut self, from: Role) -> &mut Side {
        match from {
            Role::Client => &mut self.client,
            Role::Server => &mut self.server,
        }
    }

    /// Takes that much from the budget of one side. Returns whether it was enough.
    fn admits(&mut self, from: Role, weight: usize, bound: usize) -> bool {
        let side = self.side(from);
        let total = side.weight.saturating_add(weight).saturating_add(ENTRY_WEIGHT);
        let admitted = side.budget == Budget::Left && total <= bound;
        if admitted {
            side.weight = total;
        }
        admitted
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap").field("entries", &self.tape().entries.len()).finish_non_exhaustive()
    }
}

fn head_weight(head: &Head) -> usize {
    head.headers.iter().map(|(name, value)| name.len() + value.len() + HEADER_WEIGHT).sum()
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::transcript::Start;

    use super::*;

    fn tap(message_bytes: usize, cell_bytes: usize) -> Tap {
        Tap::new(Limits { message_bytes, cell_bytes, ..Limits::default() })
    }

    #[test]
    fn entries_are_numbered_and_timed_in_the_order_recorded() {
        let tap = tap(100, 10_000);
        let head = Head { exchange: 0, start: Start::Response { status: 202 }, headers: Vec::new() };
        tap.message(Role::Client, b"{}", None);
        tap.clone().event(Role::Server, Event::Head { http: head });
        tap.event(Role::Server, Event::Closed {});
        let entries = tap.finish().entries;
        assert_eq!(entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(entries.is_sorted_by_key(|entry| entry.at_us));
        assert_eq!(entries[0].event, Event::Message { raw: Raw::Text("{}".to_owned()), http: None });
    }

    #[test]
    fn a_message_at_the_bound_is_kept_and_one_beyond_it_is_not() {
        let tap = tap(4, 10_000);
        tap.message(Role::Server, b"1234", None);
        tap.message(Role::Server, b"12345", None);
        let events: Vec<_> = tap.finish().entries.into_iter().map(|entry| entry.event).collect();
        assert!(!tap.shared.full.initialized(), "there is room for more");
        let whole = Event::Message { raw: Raw::Text("1234".to_owned()), http: None };
        assert_eq!(events, [whole, Event::Overflow { limit: 4, start: Raw::Text("12345".to_owned()) }]);
    }

    #[test]
    fn a_full_cell_says_so_once_and_still_tells_how_it_ends() {
        let tap = tap(1000, 1000);
        for _ in 0..100_000 {
            tap.message(Role::Server, b"", None);
        }
        tap.event(Role::Server, Event::Exited { how: "exit status 0".to_owned() });
        for _ in 0..100_000 {
            tap.event(Role::Server, Event::Closed {});
        }
        assert!(tap.shared.full.initialized());
        let entries = tap.finish().entries;
        let overflows = entries.iter().filter(|entry| matches!(entry.event, Event::Overflow { limit: 1000, .. }));
        assert_eq!(overflows.count(), 1);
        assert!(entries.iter().any(|entry| matches!(entry.event, Event::Exited { .. })));
        assert!(entries.len() < 100, "{}", entries.len());
    }

    #[test]
    fn what_comes_after_the_end_is_ignored() {
        let tap = tap(100, 1000);
        assert!(tap.finish().entries.is_empty());
        tap.message(Role::Client, b"late", None);
        tap.event(Role::Client, Event::Closed {});
        assert!(tap.finish().entries.is_empty());
    }

    #[test]
    fn exchanges_are_counted_over_all_clones() {
        let tap = tap(1, 1);
        assert_eq!((tap.next_exchange(), tap.clone().next_exchange(), tap.next_exchange()), (0, 1, 2));
    }
}
