//! Decoding the bytes of a message, before it is parsed as one.
//!
//! An honest client decodes every JSON text within the size limit. Real clients fail at some depth, at half a surrogate
//! pair, or at a number that their language cannot hold.

use std::borrow::Cow;

use crate::wire::deviations::Deviations;
use mcp_compat_json::lexemes;

use crate::client::quirk::ClientQuirk;

/// The depth limit of each of these quirks.
const DEPTHS: [(ClientQuirk, usize); 3] =
    [(ClientQuirk::DepthLimit, 64), (ClientQuirk::DepthLimit128, 128), (ClientQuirk::DepthLimit200, 200)];

/// The longest message that a client with the quirk `size-limit` can read.
const SIZE_LIMIT: usize = 64 * 1024;

/// The mark that some editors and libraries put before a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The bytes of a message as a client decodes them.
pub(crate) enum Decoded<'b> {
    /// Text, as the client decodes it.
    Text(Cow<'b, [u8]>),
    /// Nothing that the client can decode.
    Undecodable,
    EndsSession,
}

/// Decodes the bytes of a message.
pub(crate) fn decode(deviations: Deviations<ClientQuirk>, bytes: &[u8]) -> Decoded<'_> {
    let mut text = Cow::Borrowed(bytes);
    if deviations == Deviations::None {
        return Decoded::Text(text);
    }
    let does = |quirk| deviations.has(quirk);
    if does(ClientQuirk::SkipsByteOrderMark)
        && let Some(rest) = bytes.strip_prefix(BYTE_ORDER_MARK)
    {
        text = Cow::Borrowed(rest);
    }
    if std::str::from_utf8(&text).is_err() {
        if does(ClientQuirk::ChokesOnBadUtf8) {
            return Decoded::EndsSession;
        }
        if does(ClientQuirk::ReplacesBadUtf8) {
            text = Cow::Owned(String::from_utf8_lossy(&text).into_owned().into_bytes());
        }
    }
    if does(ClientQuirk::ReplacesLoneSurrogates) && has_lone_surrogate(&text) {
        text = Cow::Owned(without_lone_surrogates(&text));
    }
    let too_deep = DEPTHS.into_iter().any(|(quirk, limit)| does(quirk) && depth(&text) > limit);
    let beyond = too_deep
        || (does(ClientQuirk::SizeLimit) && text.len() > SIZE_LIMIT)
        || (does(ClientQuirk::RefusesLoneSurrogates) && has_lone_surrogate(&text))
        || (does(ClientQuirk::RefusesHugeNumbers) && has_huge_number(&text));
    if beyond { Decoded::Undecodable } else { Decoded::Text(text) }
}

/// Returns the depth of arrays and objects in JSON text.
fn depth(text: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for token in lexemes(text) {
        match token {
            [b'[' | b'{', ..] => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            [b']' | b'}', ..] => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Returns whether a string holds an escaped half of a surrogate pair without the other half.
fn has_lone_surrogate(text: &[u8]) -> bool {
    lexemes(text).any(|token| {
        token.starts_with(b"\"") && token.contains(&b'\\') && {
            // Half a pair is the only thing in a sound string that serde_json refuses.
            let sound = serde_json::from_slice::<serde::de::IgnoredAny>(token).is_ok();
            sound && serde_json::from_slice::<String>(token).is_err()
        }
    })
}

/// The text with `\ufffd` in place of each escaped half of a surrogate pair that stands alone.
fn without_lone_surrogates(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    let mut place = 0;
    while place < text.len() {
        let width = match (text[place], escaped_unit(&text[place..])) {
            (_, Some(0xd800..0xdc00)) if matches!(escaped_unit(&text[place + 6..]), Some(0xdc00..0xe000)) => 12,
            (_, Some(0xd800..0xe000)) => {
                text[place + 2..place + 6].copy_from_slice(b"fffd");
                6
            }
            (b'\\', _) => 2,
            _ => 1,
        };
        place += width;
    }
    text
}

/// The code unit of the escape `\uXXXX` with which a text begins, if it does.
fn escaped_unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(br"\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Returns whether a number is beyond every double.
fn has_huge_number(text: &[u8]) -> bool {
    lexemes(text).any(|token| {
        let numeric = matches!(token.first(), Some(b'-' | b'0'..=b'9'));
        let number = std::str::from_utf8(token).ok().filter(|_| numeric).and_then(|token| token.parse::<f64>().ok());
        number.is_some_and(f64::is_infinite)
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn reads(quirk: ClientQuirk, bytes: &[u8]) -> Option<Vec<u8>> {
        match decode(Deviations::Sabotage(quirk), bytes) {
            Decoded::Text(text) => Some(text.into_owned()),
            Decoded::Undecodable | Decoded::EndsSession => None,
        }
    }

    #[test]
    fn depth_counts_what_stands_in_each_other_and_not_what_strings_say() {
        for (text, expected) in [("1", 0), ("[[],[]]", 2), (r#"{"a\"[[[":"[{"}"#, 1), (r#"["\\",[]]"#, 2), ("]]]", 0)] {
            assert_eq!(depth(text.as_bytes()), expected, "{text}");
        }
        let nested = |depth: usize| [b"[".repeat(depth), b"]".repeat(depth)].concat();
        for (quirk, limit) in DEPTHS {
            assert!(reads(quirk, &nested(limit)).is_some() && reads(quirk, &nested(limit + 1)).is_none(), "{quirk}");
        }
    }

    #[rstest]
    #[case::pair(r#""\ud83d\ude80""#, false)]
    #[case::first_half(r#"{"a":"Launch \ud83d"}"#, true)]
    #[case::second_half(r#"["\ude80"]"#, true)]
    #[case::in_a_key(r#"{"\ud83d":1}"#, true)]
    #[case::not_an_escape(r#""\\ud83d""#, false)]
    #[case::broken(r#""\x""#, false)]
    fn half_a_pair_is_found(#[case] text: &str, #[case] found: bool) {
        assert_eq!(has_lone_surrogate(text.as_bytes()), found);
        assert_eq!(reads(ClientQuirk::RefusesLoneSurrogates, text.as_bytes()).is_none(), found);
    }

    #[rstest]
    #[case::pair(r#""\ud83d\ude80""#, r#""\ud83d\ude80""#)]
    #[case::first_half(r#"{"a":"Launch \ud83d"}"#, r#"{"a":"Launch \ufffd"}"#)]
    #[case::second_half(r#"["\uDE80!"]"#, r#"["\ufffd!"]"#)]
    #[case::two_first_halves(r#""\ud83d\ud83d\ude80""#, r#""\ufffd\ud83d\ude80""#)]
    #[case::not_an_escape(r#""\\ud83d \ud83d""#, r#""\\ud83d \ufffd""#)]
    fn half_a_pair_is_replaced(#[case] text: &str, #[case] expected: &str) {
        let read = reads(ClientQuirk::ReplacesLoneSurrogates, text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(read).unwrap(), expected);
    }

    #[rstest]
    #[case::huge(r#"{"a":[1e400]}"#, true)]
    #[case::as_huge("-1E999", true)]
    #[case::largest("1.7976931348623157e308", false)]
    #[case::smallest("1e-400", false)]
    #[case::in_a_string(r#""1e400""#, false)]
    fn a_number_beyond_every_double_is_found(#[case] text: &str, #[case] found: bool) {
        assert_eq!(reads(ClientQuirk::RefusesHugeNumbers, text.as_bytes()).is_none(), found);
    }

    #[test]
    fn what_comes_before_a_text_and_what_is_none_is_read_as_the_decoder_has_it() {
        assert_eq!(reads(ClientQuirk::SkipsByteOrderMark, b"\xef\xbb\xbf{}").unwrap(), b"{}");
        assert_eq!(reads(ClientQuirk::SizeLimit, b"\xef\xbb\xbf{}").unwrap(), b"\xef\xbb\xbf{}");
        assert_eq!(reads(ClientQuirk::ReplacesBadUtf8, b"\"\xdf\"").unwrap(), "\"\u{fffd}\"".as_bytes());
        assert!(matches!(decode(Deviations::Sabotage(ClientQuirk::ChokesOnBadUtf8), b"\xdf"), Decoded::EndsSession));
        assert!(reads(ClientQuirk::ChokesOnBadUtf8, "ß".as_bytes()).is_some());
    }
}
