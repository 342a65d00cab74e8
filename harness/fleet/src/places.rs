//! The placeholders in a peer's commands: `{peer}`, `{home}`, `{build}`, `{version}`.

use std::path::{Path, PathBuf};

/// The values of the placeholders in a manifest.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// The folder of the manifest.
    pub(super) peer: PathBuf,
    /// The copy of it for one version; the folder itself if nothing is copied.
    pub(super) home: PathBuf,
    /// The folder that all peers of the language share.
    pub(super) build: PathBuf,
    /// The version; empty if the id has none.
    pub(super) version: String,
}

impl Places {
    /// The words of a command, with placeholders replaced.
    pub(super) fn fill_in(&self, words: &[String]) -> Vec<String> {
        words.iter().map(|word| self.fill(word)).collect()
    }

    /// A word, with placeholders replaced.
    pub(super) fn fill(&self, word: &str) -> String {
        let mut filled = String::with_capacity(word.len());
        let mut rest = word;
        while let Some((before, name, after)) = next(rest) {
            filled.push_str(before);
            match self.meaning(name) {
                Some(meaning) => filled.push_str(&meaning),
                None => filled.push_str(&format!("{{{name}}}")),
            }
            rest = after;
        }
        filled + rest
    }

    fn meaning(&self, name: &str) -> Option<String> {
        let folder = |path: &Path| Some(path.display().to_string());
        match name {
            "peer" => folder(&self.peer),
            "home" => folder(&self.home),
            "build" => folder(&self.build),
            "version" => Some(self.version.clone()),
            _ => None,
        }
    }
}

pub(super) fn placeholders(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let (_, name, after) = next(rest)?;
        rest = after;
        Some(name)
    })
}

/// The first placeholder of a text, with the text before and after it. A placeholder is a lower-case word in braces; a
/// shell's `${word}` and JSON's `{"key":` are not placeholders.
fn next(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(found) = text[from..].find('{') {
        let open = from + found;
        let inner = &text[open + 1..];
        let end = inner.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(inner.len());
        if end > 0 && inner[end..].starts_with('}') && !text[..open].ends_with('$') {
            return Some((&text[..open], &inner[..end], &inner[end + 1..]));
        }
        from = open + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_filled_in_once() {
        let places =
            Places { peer: "/p/{home}".into(), home: "/h".into(), build: "/b".into(), version: "1.2.3".to_owned() };
        assert_eq!(places.fill("{home}/bin:{build}@{version}"), "/h/bin:/b@1.2.3");
        assert_eq!(places.fill("{peer}"), "/p/{home}");
        let shell = r#"id=${id%%,*}; echo ${home} '{"id":%s}' {} { peer } {other"#;
        assert_eq!(places.fill(shell), shell);
    }

    #[test]
    fn placeholders_are_plain_words_in_braces() {
        let found: Vec<&str> = placeholders("{home}/{x}{{peer}}${build} {Home} {}").collect();
        assert_eq!(found, ["home", "x", "peer"]);
    }
}
