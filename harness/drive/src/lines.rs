//! Splits a stream into lines: chunks of bytes in, complete lines out, each up to a limit.

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
                    self.partial = Vec::new();
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
        let budget = self.limit - self.partial.len();
        if bytes.len() <= budget {
            self.partial.extend_from_slice(bytes);
            return true;
        }
        self.partial.extend_from_slice(&bytes[..budget]);
        emit(Line::Overflow(&self.partial));
        self.partial = Vec::new();
        self.state = State::Dropping;
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug, PartialEq, Eq)]
    enum Owned {
        Whole(Vec<u8>),
        Overflow(Vec<u8>),
    }

    impl From<Line<'_>> for Owned {
        fn from(line: Line<'_>) -> Self {
            match line {
                Line::Whole(bytes) => Self::Whole(bytes.to_vec()),
                Line::Overflow(bytes) => Self::Overflow(bytes.to_vec()),
            }
        }
    }

    fn split<'a>(limit: usize, chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Owned> {
        let mut lines = Vec::new();
        let mut splitter = LineSplitter::new(limit);
        for chunk in chunks {
            splitter.push(chunk, |line| lines.push(line.into()));
            assert!(splitter.partial.len() <= limit);
        }
        splitter.finish(|line| lines.push(line.into()));
        lines
    }

    #[test]
    fn lines_lose_their_newline_and_nothing_else() {
        let expected = [b"{\"a\":1}\r".as_slice(), b"", b"\xff", b"rest"].map(|line| Owned::Whole(line.to_vec()));
        assert_eq!(split(100, [b"{\"a\":1}\r\n\n\xff\nrest".as_slice()]), expected);
    }

    #[test]
    fn a_line_that_is_too_long_is_given_up_and_the_next_one_is_not() {
        let expected = [Owned::Whole(b"1234".to_vec()), Owned::Overflow(b"1234".to_vec()), Owned::Whole(b"6".to_vec())];
        assert_eq!(split(4, [b"1234\n12345\n6\n".as_slice()]), expected);
        assert_eq!(split(4, [b"12".as_slice(), b"34\n1", b"2345", b"5555", b"\n6", b"\n"]), expected);
    }

    proptest! {
        #[test]
        fn it_does_not_matter_how_the_bytes_are_cut(
            bytes in prop::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..60),
            cuts in prop::collection::vec(1usize..7, 1..20),
            limit in 1usize..12,
        ) {
            let mut chunks = Vec::new();
            let mut rest = bytes.as_slice();
            for cut in cuts.iter().cycle() {
                if rest.is_empty() {
                    break;
                }
                let (chunk, tail) = rest.split_at((*cut).min(rest.len()));
                chunks.push(chunk);
                rest = tail;
            }
            prop_assert_eq!(split(limit, chunks), split(limit, [bytes.as_slice()]));
        }
    }
}
