//! The style sheet and the script, written by hand. What is shipped has no indentation and no comments of its own line.

const CSS: &str = include_str!("../assets/site.css");

const JS: [&str; 4] = [
    include_str!("../assets/query.js"),
    include_str!("../assets/data.js"),
    include_str!("../assets/view.js"),
    include_str!("../assets/site.js"),
];

/// Blanks that mean nothing, in the style sheet and in the script.
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
const JS_BLANKS: [(&str, &str); 7] =
    [(") {", "){"), (" = ", "="), (" => ", "=>"), (" === ", "==="), (" !== ", "!=="), (" && ", "&&"), (" || ", "||")];

/// The style sheet.
pub(crate) fn css() -> String {
    without(shipped(CSS), &CSS_BLANKS)
}

/// The script.
pub(crate) fn js() -> String {
    without(JS.map(shipped).concat(), &JS_BLANKS)
}

fn without(source: String, blanks: &[(&str, &str)]) -> String {
    blanks.iter().fold(source, |source, (from, to)| source.replace(from, to))
}

/// The lines that do something. No literal of ours goes over a line, so that blanks at the beginning mean nothing.
fn shipped(source: &str) -> String {
    let lines = source.lines().map(str::trim_start).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_together_are_small() {
        let size = css().len() + js().len();
        assert!(size < 60_000, "{size} bytes");
    }

    #[test]
    fn no_literal_goes_over_a_line() {
        for source in JS {
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
            assert!(!js().contains(word), "{word}");
        }
    }
}
