//! The words of reports and of this program's help, each with its meaning. The glossary of the book has the same table: a
//! test compares them.

/// The words, in alphabetical order, each with its meaning in the Markdown of the book.
pub(crate) const WORDS: [(&str, &str); 37] = [
    ("adapter", "a small program that drives a real SDK through its public API, so that mcp-compat can play it"),
    ("baseline", "a file of known breaks: they pass, new breaks fail, and so do entries that no longer break"),
    ("blast radius", "what is lost by a break: one *call*, one *tool*, all tools of the *server*, or the *session*"),
    (
        "bystander",
        "a plain, correct tool that every server offers beside those of the scenario; it shows how far the damage \
         goes",
    ),
    ("cause", "what cells that break for the same reason have in common: fault, outcome, rule or error, and place"),
    ("cell", "one scenario with one client and one server over one transport"),
    (
        "comparison",
        "what `diff` says of a cell: *worse*, *better*, *changed* (another outcome or cause, with the same \
         rating), *same*, *new*, *gone*, *peer-added*, *peer-gone*, *not-comparable*, flaky, or *spurious* \
         (mcp-compat or the set-up failed in one run)",
    ),
    ("control", "a tool with the same schema whose result violates it; a client that accepts it does not validate"),
    ("corpus", "all scenarios that are part of mcp-compat"),
    ("coverage", "how much of the matrix is played: *smoke*, *pairwise* or *full*"),
    (
        "downgrade",
        "what a server does for a client of an older revision: *naive* (nothing: it sends the same to every \
         client), *omit* (it leaves out the structured output), *wrap* (it puts the output into an object), or \
         *text-only* (it sends only text, to every client)",
    ),
    (
        "era",
        "*legacy*: revisions that open with `initialize`, up to 2025-11-25; *modern*: stateless revisions, from \
         2026-07-28",
    ),
    (
        "fault",
        "the party that has to fix a break: *client*, *server*, *both*, *spec* (the specification is silent or \
         ambiguous), or *harness* (mcp-compat itself)",
    ),
    (
        "flaky",
        "a cell whose outcome was another one when it was played again, or that a baseline lists as such: it may \
         break or work",
    ),
    ("fleet", "the SDK releases that `peers/fleet.toml` lists"),
    (
        "frees",
        "said of a change to a server: clients that lost a tool lose it no longer. Each change was played again \
         with every client",
    ),
    ("known", "said of a break that a baseline lists: it has a reason and does not fail the run"),
    (
        "mock",
        "a client or server without an SDK: *honest* (`mock/…`, follows the specification), *sabotaged* \
         (`sabotaged/…`, with one quirk), or a *profile*",
    ),
    ("mode", "how a client negotiates: `+legacy`, `+modern`, or *auto* (`+auto`: it tries the modern way first)"),
    ("outcome", "what happened to a value, an error or an invalid result, see below"),
    ("peer", "a client or a server: `mock/dual`, `profile/python@1`, `rmcp@3.9.0+auto`"),
    ("policy", "how a mock client reads a result: which part it prefers, and whether it validates"),
    ("profile", "a mock that behaves like a released SDK"),
    ("quirk", "one named deviation of a mock from an honest one"),
    ("rating", "*works*, *degraded* (less than expected, but the information can be had), *breaks*, *skipped*"),
    ("record", "all results of a run: `run.json` and `transcripts.jsonl`"),
    (
        "reference peers",
        "the mocks that every other peer is played with: `mock/dual`, `mock/dual+auto`, `mock/2025-11-25`",
    ),
    ("revision", "a dated revision of the specification, such as 2025-11-25"),
    ("rule", "one requirement of the specification that mcp-compat checks, with its source"),
    ("scenario", "tools, what they return, the steps of the client, what each tool *means*, and what a user must get"),
    ("schema lock", "a file with the schemas of a server's tools, to compare later versions with"),
    ("severity", "how bad a finding of an audit is: *error*, *warning* or *note*"),
    ("signature", "the short form of a cause, such as `client:hung:session:refusal-ignored`; `explain` reads it"),
    ("silent", "a break that raises no error anywhere"),
    ("transcript", "every message of a cell, as it was on the wire"),
    ("transport", "what carries the messages of a cell: *memory*, *stdio* or *http*"),
    ("vacuous", "the cell works, but the client also accepts the control, so passing shows nothing"),
];

/// The entry of a word, or the one whose meaning explains it, such as that of the era for `legacy`: the entry's word, and
/// its meaning without the marks of Markdown.
pub(crate) fn entry(word: &str) -> Option<(&'static str, String)> {
    let marked = format!("*{word}*");
    let explained = || WORDS.iter().find(|(_, meaning)| meaning.contains(&marked));
    let (known, meaning) = WORDS.iter().find(|(known, _)| *known == word).or_else(explained)?;
    Some((known, meaning.replace('*', "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_glossary_of_the_book_has_the_same_words() {
        let book = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src/glossary.md");
        // The packages have no book.
        let Ok(book) = std::fs::read_to_string(book) else { return };
        let rows: Vec<&str> = book.lines().filter(|line| line.starts_with("| *")).collect();
        let words: Vec<String> = WORDS.iter().map(|(word, meaning)| format!("| *{word}* | {meaning} |")).collect();
        assert_eq!(words, rows);
        assert_eq!(entry("silent"), Some(("silent", "a break that raises no error anywhere".to_owned())));
        for (word, of) in [
            ("legacy", "era"),
            ("session", "blast radius"),
            ("degraded", "rating"),
            ("spec", "fault"),
            ("http", "transport"),
        ] {
            assert_eq!(entry(word).map(|(of, _)| of), Some(of), "{word}");
        }
    }
}
