//! The words of reports and of the program's help, each with its meaning: the table of the glossary.

use crate::text;

/// A word, and its meaning in the Markdown of the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub word: String,
    meaning: String,
}

/// All words, in alphabetical order.
#[must_use]
pub fn words() -> Vec<Word> {
    let page = text("glossary").unwrap_or_default();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| *")?.strip_suffix(" |")?.split_once("* | "));
    rows.map(|(word, meaning)| Word { word: word.to_owned(), meaning: meaning.to_owned() }).collect()
}

/// The entry of a word, or the one whose meaning explains it, such as that of the era for `legacy`: the entry's word, and
/// its meaning without the marks of Markdown.
#[must_use]
pub fn entry(word: &str) -> Option<(String, String)> {
    let marked = format!("*{word}*");
    let words = words();
    let explained = || words.iter().find(|known| known.meaning.contains(&marked));
    let Word { word, meaning } = words.iter().find(|known| known.word == word).or_else(explained)?;
    Some((word.clone(), meaning.replace('*', "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_told_or_the_word_whose_meaning_explains_it() {
        let told = ("silent".to_owned(), "a break that raises no error anywhere".to_owned());
        assert_eq!(entry("silent"), Some(told));
        for (word, of) in [
            ("legacy", "era"),
            ("session", "blast radius"),
            ("degraded", "rating"),
            ("spec", "fault"),
            ("http", "transport"),
        ] {
            assert_eq!(entry(word).map(|(of, _)| of).as_deref(), Some(of), "{word}");
        }
        assert!(entry("xyzzy").is_none());
    }

    #[test]
    fn every_row_of_the_glossary_is_read_in_alphabetical_order() {
        let words: Vec<String> = words().into_iter().map(|known| known.word).collect();
        let page = text("glossary").unwrap();
        assert_eq!(words.len(), page.lines().filter(|line| line.starts_with("| *")).count());
        assert!(words.len() > 30 && words.is_sorted(), "{words:?}");
    }
}
