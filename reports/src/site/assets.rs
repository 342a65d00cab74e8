//! Style sheet and scripts, written by hand. The site has them without comments and unnecessary blanks.

const CSS: &str = include_str!("../../assets/site.css");

const JS: [&str; 4] = [
    include_str!("../../assets/query.js"),
    include_str!("../../assets/data.js"),
    include_str!("../../assets/view.js"),
    include_str!("../../assets/site.js"),
];

const LOCAL: &str = include_str!("../../assets/local.js");

/// Unnecessary blanks in the style sheet, with their replacements.
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

/// Style sheet of the site.
pub(crate) fn css() -> String {
    CSS_BLANKS.iter().fold(lines(CSS), |source, (from, to)| source.replace(from, to))
}

/// Script of the site.
pub(crate) fn js() -> String {
    minified(&JS.map(lines).concat())
}

/// Script of the page that shows a record chosen by the reader.
pub(crate) fn local_js() -> String {
    minified(&lines(LOCAL))
}

/// Lines with code. Their indentation can go because no literal of ours continues over a line.
fn lines(source: &str) -> String {
    let lines = source
        .lines()
        .map(str::trim_start)
        .filter(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with("/*"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Removes the blanks between words and signs of a script. A line end stays if a statement may end with it.
pub(crate) fn minified(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    // Number of open braces within each open `${`.
    let mut templates: Vec<usize> = Vec::new();
    while let Some(next) = rest.chars().next() {
        let blank = rest.len() - rest.trim_start().len();
        let length = match next {
            _ if blank > 0 => {
                let (gap, after) = rest.split_at(blank);
                out.push_str(between(&out, gap, after));
                blank
            }
            '"' | '\'' => put(&mut out, rest, quoted(rest, next)),
            '/' if begins_pattern(&out) => put(&mut out, rest, pattern(rest)),
            '`' => put(&mut out, rest, template(rest, &mut templates)),
            '}' if templates.last() == Some(&0) => {
                templates.pop();
                put(&mut out, rest, template(rest, &mut templates))
            }
            '{' | '}' => {
                if let Some(open) = templates.last_mut() {
                    *open = if next == '{' { *open + 1 } else { open.saturating_sub(1) };
                }
                put(&mut out, rest, 1)
            }
            other => put(&mut out, rest, other.len_utf8()),
        };
        rest = &rest[length..];
    }
    out
}

fn put(out: &mut String, rest: &str, length: usize) -> usize {
    out.push_str(&rest[..length]);
    length
}

/// Returns the part of a gap that has to stay.
fn between(before: &str, gap: &str, after: &str) -> &'static str {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let (Some(last), Some(next)) = (before.chars().last(), after.chars().next()) else { return "" };
    let ends = "{}()[];,<>=+-*/%&|^!~?:.";
    if gap.contains('\n') {
        // No statement ends after the first signs, and none begins with the second ones.
        let goes_on = "{([;,=+-*&|?:<>!".contains(last) || "})].,;=*&|?:<>".contains(next);
        return if goes_on { "" } else { "\n" };
    }
    let is_sign = last == next && (last == '+' || last == '-');
    if (is_word(last) && is_word(next))
        || is_sign
        || !(ends.contains(last) || ends.contains(next) || is_quote(last) || is_quote(next))
    {
        " "
    } else {
        ""
    }
}

const fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`')
}

/// Returns whether a slash begins a regular expression, because a value is expected.
fn begins_pattern(before: &str) -> bool {
    let last = before.trim_end();
    last.ends_with("return") || last.chars().last().is_none_or(|c| "(,=:[!&|?{};+<>~".contains(c))
}

/// Length of the quoted text at the beginning.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = true;
    for (at, c) in text.char_indices() {
        if at > 0 && c == quote && !escaped {
            return at + 1;
        }
        escaped = at > 0 && c == '\\' && !escaped;
    }
    text.len()
}

/// Length of the regular expression at the beginning.
fn pattern(text: &str) -> usize {
    let (mut escaped, mut in_class) = (false, false);
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of the part of a template at the beginning: to its end, or to the next `${`, which is then open.
fn template(text: &str, open: &mut Vec<usize>) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '`' => return at + 1,
            '$' if text[at..].starts_with("${") => {
                open.push(0);
                return at + 2;
            }
            _ => {}
        }
    }
    text.len()
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

    #[test]
    fn unnecessary_blanks_are_removed() {
        assert_eq!(
            minified("const a = 1 + +b;\nlet c = (d) => {\nreturn d;\n}\ne();\n"),
            "const a=1+ +b;let c=(d)=>{return d;}\ne();"
        );
        assert_eq!(minified("if (a in b) c\nelse d\n"), "if(a in b)c\nelse d");
        assert_eq!(minified("x = [\n1,\n2\n]\n.map(f)\n"), "x=[1,2].map(f)");
    }

    #[test]
    fn texts_templates_and_patterns_stay_as_they_are() {
        for text in [
            r#"f("a  =  \"b\" ; c")"#,
            "f('a , b')",
            "f(`a  ${b}  , c`)",
            "f(`a ${`x ${y} z`} , b`)",
            r"f(/a  [/ ]  \/ b/g)",
        ] {
            assert_eq!(minified(text), text);
        }
        assert_eq!(minified("f(`a ${ { b: 1 }.b } c`)"), "f(`a ${{b:1}.b} c`)");
        assert_eq!(minified("a = b / c / d"), "a=b/c/d");
    }
}
