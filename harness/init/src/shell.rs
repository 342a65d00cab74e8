//! Words and lines of a shell.

/// The words of a command whose words have no spaces.
fn words(command: &str) -> Vec<String> {
    command.split_whitespace().map(str::to_owned).collect()
}

/// The same, with one more word that may have any characters.
pub(crate) fn command(words_before: &str, last: &str) -> Vec<String> {
    let mut words = words(words_before);
    words.push(last.to_owned());
    words
}

/// The line that a shell reads as these words.
pub(crate) fn line<W: AsRef<str>>(words: &[W]) -> String {
    let words = words.iter().map(AsRef::as_ref);
    // Only a NUL cannot be quoted, and no command has one.
    shlex::try_join(words.clone()).unwrap_or_else(|_| words.collect::<Vec<_>>().join(" ").replace('\0', ""))
}

/// The line that runs these lines as long as each succeeds.
pub(crate) fn all(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().collect::<Vec<_>>().join(" && ")
}
