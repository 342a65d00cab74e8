//! Whether a text is base64, by whoever decodes it.

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD, STANDARD};

/// Bits beyond the last byte are let go, as decoders of languages do.
const UNPADDED: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, NO_PAD.with_decode_allow_trailing_bits(true));

/// Whether Go's `encoding/json` reads bytes from it: with its padding. Line ends are skipped.
pub(crate) fn is_standard(text: &str) -> bool {
    STANDARD.decode(text.replace(['\r', '\n'], "")).is_ok()
}

/// Whether the `atob` of JavaScript reads it: the padding may be absent, and white space is skipped.
/// <https://infra.spec.whatwg.org/#forgiving-base64-decode>
pub(crate) fn is_read_by_atob(text: &str) -> bool {
    let text: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let padded = text.len().is_multiple_of(4);
    let text = match text.strip_suffix('=') {
        Some(rest) if padded => rest.strip_suffix('=').unwrap_or(rest),
        Some(_) | None => &text,
    };
    UNPADDED.decode(text).is_ok()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("", true, true)]
    #[case("aGk=", true, true)]
    #[case("aGk", false, true)]
    #[case("aGk=\n", true, true)]
    #[case("aG k=", false, true)]
    #[case("aGk==", false, false)]
    #[case("a", false, false)]
    #[case("_-_-", false, false)]
    #[case("not base64!", false, false)]
    fn base64_is_read(#[case] text: &str, #[case] by_go: bool, #[case] by_atob: bool) {
        assert_eq!((is_standard(text), is_read_by_atob(text)), (by_go, by_atob));
    }
}
