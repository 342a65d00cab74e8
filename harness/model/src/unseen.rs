//! Characters that are not seen, or that change how others are seen.
//!
//! Whoever writes a peer's words where a person reads them asks here first. What becomes of such a character depends on
//! the place: one writes an escape, another a mark.

/// Whether a character is no part of what a reader sees: a control character, what Unicode says may be shown as nothing
/// (fillers, joiners, directions, tags, variation selectors), a separator of lines, or no character at all.
#[must_use]
pub fn is_unseen(character: char) -> bool {
    let noncharacter = u32::from(character) & 0xfffe == 0xfffe;
    noncharacter
        || character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_signs_and_blanks_are_seen() {
        for character in ['a', 'ü', '語', '🙂', ' ', '\u{a0}', '\u{301}', '\u{fffd}', '|', '\\'] {
            assert!(!is_unseen(character), "{character:?}");
        }
    }

    #[test]
    fn what_hides_moves_or_reorders_is_not() {
        for character in [
            '\0',
            '\n',
            '\u{1b}',
            '\u{7f}',
            '\u{9b}',
            '\u{200b}',
            '\u{202e}',
            '\u{2066}',
            '\u{feff}',
            '\u{e0041}',
            '\u{1ffff}',
        ] {
            assert!(is_unseen(character), "{character:?}");
        }
    }
}
