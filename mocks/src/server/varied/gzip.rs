//! The gzip form of a body, without compression: RFC 1952 with stored blocks.

/// Most bytes of a stored block.
const BLOCK: usize = 0xffff;

/// Bytes that decode to `body`.
pub(super) fn gzip(body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    let last = body.len().saturating_sub(1) / BLOCK;
    for (number, block) in body.chunks(BLOCK).enumerate() {
        let length = u16::try_from(block.len()).unwrap_or(u16::MAX);
        bytes.push(u8::from(number == last));
        bytes.extend(length.to_le_bytes());
        bytes.extend((!length).to_le_bytes());
        bytes.extend(block);
    }
    bytes.extend(crc32(body).to_le_bytes());
    bytes.extend(u32::try_from(body.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let of_byte = |crc: u32, byte: &u8| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    };
    !bytes.iter().fold(!0, of_byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_sum_is_that_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn a_short_body_is_one_stored_block() {
        let bytes = gzip(b"{}");
        assert_eq!(bytes[10..17], [1, 2, 0, 0xfd, 0xff, b'{', b'}']);
        assert_eq!(bytes[bytes.len() - 4..], [2, 0, 0, 0]);
    }
}
