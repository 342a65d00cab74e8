//! Newline framing, incremental and bounded: bytes in as they come, lines out as they are complete.

use std::mem;

/// One line, without its newline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line that ended with a newline, or the rest before the end of input.
    Whole(&'a [u8]),
    /// A line longer than the bound: its beginning. The rest of it is dropped.
    Overflow(&'a [u8]),
}

/// Cuts a stream of bytes into lines.
#[derive(Debug)]
pub struct LineSplitter {
    partial: Vec<u8>,
    limit: usize,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Within,
    /// The line was too long; its bytes are dropped up to the next newline.
    Dropping,
}

impl LineSplitter {
    /// A splitter for lines of at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { partial: Vec::new(), limit, state: State::Within }
    }

    /// Takes the next bytes and gives each line that they complete. A line that lies whole in `bytes` is not copied.
    pub fn push(&mut self, mut bytes: &[u8], mut emit: impl FnMut(Line<'_>)) {
        while let Some(at) = bytes.iter().position(|&byte| byte == b'\n') {
            let (line, rest) = (&bytes[..at], &bytes[at + 1..]);
            bytes = rest;
            match mem::replace(&mut self.state, State::Within) {
                State::Dropping => {}
                State::Within if self.partial.is_empty() => {
                    emit(if line.len() > self.limit { Line::Overflow(&line[..self.limit]) } else { Line::Whole(line) });
                }
                State::Within => {
                    if self.grow(line, &mut emit) {
                        emit(Line::Whole(&self.partial));
                    }
                    self.state = State::Within;
                    self.partial.clear();
                }
            }
        }
        match self.state {
            State::Dropping => {}
            State::Within => {
                self.grow(bytes, &mut emit);
            }
        }
    }

    /// Gives what is left at the end of input.
    pub fn finish(&mut self, mut emit: impl FnMut(Line<'_>)) {
        if !self.partial.is_empty() {
            emit(Line::Whole(&self.partial));
            self.partial = Vec::new();
        }
        self.state = State::Within;
    }

    /// Adds to the line under way; gives up on it, and says so, when it becomes too long.
    fn grow(&mut self, bytes: &[u8], emit: &mut impl FnMut(Line<'_>)) -> bool {
        let room = self.limit - self.partial.len();
        if bytes.len() <= room {
            self.partial.extend_from_slice(bytes);
            return true;
        }
        self.partial.extend_from_slice(&bytes[..room]);
        emit(Line::Overflow(&self.partial));
        self.partial = Vec::new();
        self.state = State::Dropping;
        false
    }
}
