//! Names that are near to what somebody typed.

/// The likeness from which on a name is suggested.
const SUGGESTED: f64 = 0.75;

/// The longest text, in bytes, that is compared. A longer one is no slip of any name, and comparing it takes long.
const LONGEST: usize = 512;

/// Limit of the distance of another suggestion from the nearest name.
const BESIDE_NEAREST: f64 = 0.1;

/// Likeness of a typed text and a name, from 0 to 1. A text without a folder means the name in its folder.
#[must_use]
pub fn likeness(typed: &str, name: &str) -> f64 {
    // One slip is a large part of a short name.
    if is_one_slip(typed, name) {
        return 0.99;
    }
    let last = name.rsplit('/').next().unwrap_or(name);
    let whole = strsim::jaro_winkler(typed, name);
    if typed.contains('/') { whole } else { whole.max(strsim::jaro_winkler(typed, last)) }
}

/// Returns true if one character was added, left out, replaced, or swapped with its neighbour, in a text of three bytes
/// or more. What the two have in common at the ends is passed over first: to compare tens of thousands of long names in
/// full takes seconds.
fn is_one_slip(typed: &str, name: &str) -> bool {
    if typed.len() < 3 {
        return false;
    }
    let pairs = || typed.chars().zip(name.chars());
    let same: usize = pairs().take_while(|(one, other)| one == other).map(|(one, _)| one.len_utf8()).sum();
    let (mut typed, mut name) = (&typed[same..], &name[same..]);
    while let (Some(one), Some(other)) = (typed.chars().next_back(), name.chars().next_back())
        && one == other
    {
        typed = &typed[..typed.len() - one.len_utf8()];
        name = &name[..name.len() - other.len_utf8()];
    }
    let is_short = |text: &str| text.chars().nth(2).is_none();
    is_short(typed) && is_short(name) && strsim::damerau_levenshtein(typed, name) == 1
}

/// The first of the names that is one slip away from what was typed. This is quick among a million names.
#[must_use]
pub fn one_slip_away<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    names.into_iter().find(|name| is_one_slip(typed, name))
}

/// The names that are near to what was typed, the nearest first and at most `limit` of them.
#[must_use]
pub fn near<'n>(typed: &str, names: impl IntoIterator<Item = &'n str>, limit: usize) -> Vec<&'n str> {
    if typed.len() > LONGEST {
        return Vec::new();
    }
    let mut near: Vec<(f64, &str)> = names.into_iter().map(|name| (likeness(typed, name), name)).collect();
    near.retain(|(likeness, _)| *likeness > SUGGESTED);
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    near.dedup();
    let nearest = near.first().map_or(0.0, |(likeness, _)| *likeness);
    near.retain(|(likeness, _)| nearest - likeness < BESIDE_NEAREST);
    near.into_iter().take(limit).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_near_and_another_word_is_not() {
        let names = ["client", "server", "scenario", "rating"];
        assert_eq!(near("clinet", names, 3), ["client"]);
        assert_eq!(near("sever", names, 3), ["server"]);
        assert!(near("xyzzy", names, 3).is_empty());
        assert!(near(&"client".repeat(1_000_000), names, 3).is_empty());
    }

    #[test]
    fn one_slip_is_what_the_whole_comparison_says() {
        let names = ["", "a", "ab", "ba", "abc", "acb", "abcd", "bacd", "aab", "aaab", "äb", "bä", "abab", "baba"];
        for (one, other) in names.iter().flat_map(|one| names.map(|other| (one, other))) {
            let expected = one.len() > 2 && strsim::damerau_levenshtein(one, other) == 1;
            assert_eq!(is_one_slip(one, other), expected, "{one} {other}");
            assert_eq!(one_slip_away(one, [other]), expected.then_some(other));
        }
    }

    #[test]
    fn the_nearest_comes_first_and_there_are_not_too_many() {
        let names = ["typescript@1.25.3", "typescript@1.32.2", "typescript@2.4.0+auto", "python@2.3.0"];
        assert_eq!(near("typscript@1.32.2", names, 1), ["typescript@1.32.2"]);
        assert_eq!(near("typscript@1.", names, 3).len(), 3);
    }
}
