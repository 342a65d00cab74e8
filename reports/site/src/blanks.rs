//! A script without the blanks that mean nothing. Texts, templates and patterns stay as they are.

/// The script without blanks between its words and signs. A line end stays where a statement may end with it.
pub(crate) fn shipped(source: &str) -> String {
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    // For each open `${`: how many braces are open within it.
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

/// What stays of a gap.
fn between(before: &str, gap: &str, after: &str) -> &'static str {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let (Some(last), Some(next)) = (before.chars().last(), after.chars().next()) else { return "" };
    let ends = "{}()[];,<>=+-*/%&|^!~?:.";
    if gap.contains('\n') {
        // After these no statement ends, and before those none begins.
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

/// Whether a slash begins a pattern: where a value is expected.
fn begins_pattern(before: &str) -> bool {
    let last = before.trim_end();
    last.ends_with("return") || last.chars().last().is_none_or(|c| "(,=:[!&|?{};+<>~".contains(c))
}

/// How long a quoted text is that stands at the beginning.
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

/// How long a pattern is that stands at the beginning.
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

/// How long the part of a template is that stands at the beginning: to its end, or to the next `${`, which is then open.
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
    use super::*;

    #[test]
    fn blanks_go_where_they_mean_nothing() {
        assert_eq!(
            shipped("const a = 1 + +b;\nlet c = (d) => {\nreturn d;\n}\ne();\n"),
            "const a=1+ +b;let c=(d)=>{return d;}\ne();"
        );
        assert_eq!(shipped("if (a in b) c\nelse d\n"), "if(a in b)c\nelse d");
        assert_eq!(shipped("x = [\n1,\n2\n]\n.map(f)\n"), "x=[1,2].map(f)");
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
            assert_eq!(shipped(text), text);
        }
        assert_eq!(shipped("f(`a ${ { b: 1 }.b } c`)"), "f(`a ${{b:1}.b} c`)");
        assert_eq!(shipped("a = b / c / d"), "a=b/c/d");
    }
}
