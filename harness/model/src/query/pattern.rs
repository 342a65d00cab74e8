//! A pattern over names: `*` stands for anything, `?` for one character.

/// A part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Any number of characters.
    Any,
    /// One character.
    One,
    /// This character.
    Char(char),
}

/// A pattern over whole names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern(Vec<Mark>);

impl Pattern {
    pub(super) const fn new(marks: Vec<Mark>) -> Self {
        Self(marks)
    }

    /// The text, if nothing in it stands for something else.
    pub(super) fn plain(&self) -> Option<String> {
        self.0.iter().map(|mark| if let Mark::Char(c) = mark { Some(*c) } else { None }).collect()
    }

    /// The characters that stand for themselves.
    pub(super) fn letters(&self) -> String {
        self.0.iter().filter_map(|mark| if let Mark::Char(c) = mark { Some(*c) } else { None }).collect()
    }

    /// Whether it names this character.
    pub(super) fn has(&self, wanted: char) -> bool {
        self.0.contains(&Mark::Char(wanted))
    }

    /// Whether it matches the whole name. It takes at most the product of both lengths.
    pub(super) fn matches(&self, name: &str) -> bool {
        let marks = &self.0;
        let mut at = 0;
        let mut rest = name.chars();
        // Where to go on after the last star, if what follows it does not match here.
        let mut retry: Option<(usize, std::str::Chars<'_>)> = None;
        loop {
            let before = rest.clone();
            let next = rest.next();
            match (marks.get(at), next) {
                (Some(Mark::Any), _) => {
                    at += 1;
                    rest = before.clone();
                    retry = Some((at, before));
                    continue;
                }
                (None, None) => return true,
                (Some(Mark::One), Some(_)) => {
                    at += 1;
                    continue;
                }
                (Some(Mark::Char(wanted)), Some(found)) if *wanted == found => {
                    at += 1;
                    continue;
                }
                (Some(Mark::One | Mark::Char(_)) | None, _) => {}
            }
            let Some((star, from)) = retry.as_mut() else { return false };
            if from.next().is_none() {
                return false;
            }
            at = *star;
            rest = from.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pattern(text: &str) -> Pattern {
        let mark = |c| match c {
            '*' => Mark::Any,
            '?' => Mark::One,
            c => Mark::Char(c),
        };
        Pattern::new(text.chars().map(mark).collect())
    }

    #[test]
    fn stars_and_question_marks_stand_for_something() {
        for (text, name) in
            [("a*", "a"), ("a*", "abc"), ("*c", "abc"), ("a*c*", "abcc"), ("a?c", "aéc"), ("*", ""), ("**a", "ba")]
        {
            assert!(pattern(text).matches(name), "{text} {name}");
        }
        for (text, name) in [("a", "ab"), ("a?", "a"), ("*b", "abc"), ("", "a"), ("a*b*c", "acb")] {
            assert!(!pattern(text).matches(name), "{text} {name}");
        }
    }

    /// The definition, as slow as it is clear.
    fn by_definition(marks: &[Mark], name: &[char]) -> bool {
        match (marks.split_first(), name.split_first()) {
            (None, rest) => rest.is_none(),
            (Some((Mark::Any, more)), _) => (0..=name.len()).any(|from| by_definition(more, &name[from..])),
            (Some((Mark::One, more)), Some((_, name))) => by_definition(more, name),
            (Some((Mark::Char(wanted), more)), Some((found, name))) => wanted == found && by_definition(more, name),
            (Some(_), None) => false,
        }
    }

    proptest! {
        #[test]
        fn it_matches_what_its_definition_matches(text in "[ab*?]{0,8}", name in "[abc]{0,8}") {
            let pattern = pattern(&text);
            let letters: Vec<char> = name.chars().collect();
            prop_assert_eq!(pattern.matches(&name), by_definition(&pattern.0, &letters));
        }
    }
}
