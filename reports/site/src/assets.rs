//! The style sheet and the script, written by hand. What is shipped has no comments and no blanks that mean nothing.

use crate::blanks::shipped;

const CSS: &str = include_str!("../assets/site.css");

const JS: [&str; 4] = [
    include_str!("../assets/query.js"),
    include_str!("../assets/data.js"),
    include_str!("../assets/view.js"),
    include_str!("../assets/site.js"),
];

const LOCAL: &str = include_str!("../assets/local.js");

/// Blanks that mean nothing in the style sheet.
const CSS_BLANKS: [(&str, &str); 9] = [
    (", ", ","),
    ("; }", "}"),
    (": ", ":"),
    (" {", "{"),
    ("{ ", "{"),
    ("; ", ";"),
    ("{\n", "{"),
    (";\n", ";"),
    ("}\n", "}"),
];

/// The style sheet.
pub(crate) fn css() -> String {
    CSS_BLANKS.iter().fold(lines(CSS), |source, (from, to)| source.replace(from, to))
}

/// The script.
pub(crate) fn js() -> String {
    shipped(&JS.map(lines).concat())
}

/// The script of the page that shows records which somebody chooses.
pub(crate) fn local_js() -> String {
    shipped(&lines(LOCAL))
}

/// The lines that do something. No literal of ours goes over a line, so that blanks at the beginning mean nothing.
fn lines(source: &str) -> String {
    let lines = source
        .lines()
        .map(str::trim_start)
        .filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("/*"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::verdict::{Fault, Outcome};
    use mcp_compat_model::{Revision, Transport};

    use super::*;

    #[test]
    fn both_together_are_small() {
        let size = css().len() + js().len();
        assert!(size < 60_000, "{size} bytes");
    }

    #[test]
    fn the_viewer_of_files_knows_the_words_of_the_filter() {
        let list = |words: &[&str]| serde_json::to_string(words).unwrap().replace(',', ", ");
        for words in [
            list(&Transport::ALL.map(Transport::as_str)),
            list(&Outcome::ALL.map(Outcome::as_str)),
            list(&Revision::ALL.map(Revision::as_str)),
            list(&Fault::ALL.map(Fault::as_str)),
        ] {
            assert!(LOCAL.contains(&words), "{words}");
        }
    }

    #[test]
    fn no_literal_goes_over_a_line() {
        for source in JS.into_iter().chain([LOCAL]) {
            for line in source.lines() {
                assert!(line.matches('`').count().is_multiple_of(2), "{line}");
            }
        }
    }

    #[test]
    fn the_script_makes_no_markup_of_text_and_no_request() {
        for word in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "fetch(",
            "XMLHttpRequest",
            "sendBeacon",
        ] {
            assert!(!js().contains(word) && !local_js().contains(word), "{word}");
        }
    }
}
