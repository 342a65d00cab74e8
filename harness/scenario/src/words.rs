//! Words: finding the nearest known one, and listing several.

use mcp_compat_model::excerpt::quoted;

/// Longest word that is compared with known ones, to save time.
const LONGEST: usize = 64;

/// Most words shown of a list.
const SHOWN: usize = 30;

/// Returns the known word that is nearest to `word`.
pub(crate) fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let length = word.chars().count();
    if length > LONGEST {
        return None;
    }
    let tolerated = length.max(3) / 3;
    // A character has at most four bytes, and a much longer word is not near.
    let longest = 4 * (length + tolerated);
    known
        .into_iter()
        .filter(|known| known.len() <= longest)
        .map(|known| (strsim::damerau_levenshtein(&word.to_lowercase(), &known.to_lowercase()), known))
        .filter(|(distance, _)| *distance <= tolerated)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Keys and words of earlier drafts of the format, with their present names.
const RENAMED: [(&str, &str); 5] = [
    ("also", "also-expect"),
    ("at-once", "concurrent"),
    ("feed", "args-from"),
    ("told", "notify"),
    ("untold", "silent"),
];

/// Returns the known word that an earlier draft of the format wrote as `word`.
pub(crate) fn renamed<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let (_, now) = RENAMED.into_iter().find(|(old, _)| *old == word)?;
    known.into_iter().find(|known| *known == now)
}

/// Formats the words as a choice: "`a`, `b` or `c`".
pub(crate) fn either<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    row(words, "or")
}

/// Formats the words as a list: "`a`, `b` and `c`".
pub(crate) fn both<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    row(words, "and")
}

fn row<'w>(words: impl IntoIterator<Item = &'w str>, joint: &str) -> String {
    let mut words = words.into_iter();
    let quoted: Vec<String> = words.by_ref().take(SHOWN).map(quoted).collect();
    let more = words.count();
    if more > 0 {
        return format!("{} {joint} {more} more", quoted.join(", "));
    }
    match quoted.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {joint} {last}", rest.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word() {
        let known = ["title", "sources", "since"];
        for (slip, meant) in [("tittle", "title"), ("source", "sources"), ("SINCE", "since"), ("snice", "since")] {
            assert_eq!(nearest(slip, known), Some(meant), "{slip}");
        }
    }

    #[test]
    fn another_word_is_not_taken_for_a_slip() {
        for other in ["", "x", "description", &"title".repeat(100_000)] {
            assert_eq!(nearest(other, ["title", "sources"]), None);
        }
    }

    #[test]
    fn words_are_told_in_a_row() {
        assert_eq!(either(["a"]), "`a`");
        assert_eq!(either(["a", "b"]), "`a` or `b`");
        assert_eq!(both(["a", "b", "c"]), "`a`, `b` and `c`");
    }
}
