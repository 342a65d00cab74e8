//! Newline-delimited messages over a byte stream, bounded: the framing of stdio and of in-memory pairs.

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _};

use crate::wire::jsonrpc::MESSAGE_LIMIT;

/// Reason why no line could be read.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    #[error("reading a message failed: {0}")]
    Io(#[from] std::io::Error),
    #[error("a message is longer than {MESSAGE_LIMIT} bytes")]
    TooLong,
}

/// Reads the next line that is not blank into `line`, without its line end. Returns whether there was one.
///
/// A last line without a line end counts. Cancel safe only between lines: call it again with the same `line` to go on.
///
/// # Errors
/// When the stream fails, or the line is longer than [`MESSAGE_LIMIT`].
pub async fn read_line<R: AsyncBufRead + Unpin>(read: &mut R, line: &mut Vec<u8>) -> Result<bool, LineError> {
    line.clear();
    loop {
        let chunk = read.fill_buf().await?;
        if chunk.is_empty() {
            trim(line);
            return Ok(!line.is_empty());
        }
        let (taken, ended) = match chunk.iter().position(|byte| *byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (chunk.len(), false),
        };
        if line.len() + taken > MESSAGE_LIMIT {
            return Err(LineError::TooLong);
        }
        line.extend_from_slice(&chunk[..taken]);
        read.consume(taken);
        if ended {
            trim(line);
            if !line.is_empty() {
                return Ok(true);
            }
        }
    }
}

/// Takes the white space off the end of a line; a line of nothing else becomes empty.
fn trim(line: &mut Vec<u8>) {
    line.truncate(line.trim_ascii_end().len());
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(mut bytes: &[u8]) -> Vec<String> {
        let (mut line, mut all) = (Vec::new(), Vec::new());
        while read_line(&mut bytes, &mut line).await.unwrap() {
            all.push(String::from_utf8(line.clone()).unwrap());
        }
        all
    }

    #[tokio::test]
    async fn lines_end_with_any_line_end_and_blank_ones_do_not_count() {
        assert_eq!(lines(b"a\r\n\n  \nb\nc").await, ["a", "b", "c"]);
    }

    #[tokio::test]
    async fn a_line_without_end_is_refused_before_it_fills_the_memory() {
        let endless = tokio::io::repeat(b'x');
        let mut read = tokio::io::BufReader::new(endless);
        assert!(matches!(read_line(&mut read, &mut Vec::new()).await, Err(LineError::TooLong)));
    }
}
