//! Random tokens, which keep other programs on the machine out of a cell.

use std::fs::File;
use std::io::{self, Read as _};

/// Length of a token, in characters.
pub(crate) const LENGTH: usize = 32;

/// Draws a token from the system's random bytes.
pub(crate) fn draw() -> io::Result<String> {
    let mut bytes = [0u8; LENGTH / 2];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_have_their_length() {
        let (one, other) = (draw().unwrap(), draw().unwrap());
        assert_ne!(one, other);
        assert_eq!((one.len(), other.len()), (LENGTH, LENGTH));
    }
}
