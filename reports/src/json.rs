//! A JSON text over several lines, raw: every lexeme stays as it was sent, only the white space between them is ours.

use mcp_compat_model::json::minify;

/// How far the members of an array or object are set in.
const STEP: usize = 2;

/// The lines of a JSON text, arrays and objects on one line where they fit `width`; nothing when the text is not JSON.
pub(crate) fn lines(text: &str, width: usize) -> Option<Vec<String>> {
    let text = minify(text).ok()?;
    let tokens = tokens(&text);
    let ends = ends(&tokens);
    let widths = widths(&tokens);
    let mut lines = vec![];
    let mut line = String::new();
    let mut depth = 0;
    // However deep the nesting, half of the width is left to the values.
    let indented = |depth: usize| " ".repeat((depth * STEP).min(width / 2));
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        match *token {
            "{" | "[" => {
                let end = ends[place];
                // One column more is for the comma that may follow.
                let fits = line.chars().count() + (widths[end + 1] - widths[place]) < width;
                if fits || end == place + 1 {
                    line.extend(tokens[place..=end].iter().map(|token| spaced(token)));
                    place = end;
                } else {
                    line.push_str(token);
                    depth += 1;
                    lines.push(std::mem::replace(&mut line, indented(depth)));
                }
            }
            "}" | "]" => {
                depth -= 1;
                lines.push(std::mem::replace(&mut line, indented(depth)));
                line.push_str(token);
            }
            "," => {
                line.push(',');
                lines.push(std::mem::replace(&mut line, indented(depth)));
            }
            token => line.push_str(spaced(token)),
        }
        place += 1;
    }
    lines.push(line);
    Some(lines)
}

/// The token as it is followed on one line.
fn spaced(token: &str) -> &str {
    match token {
        ":" => ": ",
        "," => ", ",
        token => token,
    }
}

/// The lexemes of a JSON text without white space.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = vec![];
    let mut rest = text;
    while !rest.is_empty() {
        let end = match rest.as_bytes()[0] {
            b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
            b'"' => string_end(rest),
            _ => rest.find(['}', ']', ',']).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(end);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// Where the string ends with which the text begins.
fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (place, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return place + 1,
            _ => {}
        }
    }
    text.len()
}

/// For each bracket that opens, where it closes; for every other token its own place.
fn ends(tokens: &[&str]) -> Vec<usize> {
    let mut ends: Vec<usize> = (0..tokens.len()).collect();
    let mut open = vec![];
    for (place, token) in tokens.iter().enumerate() {
        match *token {
            "{" | "[" => open.push(place),
            "}" | "]" => {
                if let Some(start) = open.pop() {
                    ends[start] = place;
                }
            }
            _ => {}
        }
    }
    ends
}

/// The width of everything before each token, on one line.
fn widths(tokens: &[&str]) -> Vec<usize> {
    let mut width = 0;
    let after = tokens.iter().map(|token| {
        width += spaced(token).chars().count();
        width
    });
    std::iter::once(0).chain(after).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn laid_out(text: &str, width: usize) -> String {
        lines(text, width).unwrap().join("\n")
    }

    #[test]
    fn what_fits_stays_on_one_line() {
        assert_eq!(laid_out("{\"a\":[1,2 , 3],\n\"b\":{}}", 40), r#"{"a": [1, 2, 3], "b": {}}"#);
    }

    #[test]
    fn what_does_not_fit_is_opened_as_far_as_needed() {
        let text = r#"{"id":1,"result":{"tools":[{"name":"one"},{"name":"two"}],"nextCursor":"page-2"}}"#;
        insta::assert_snapshot!(laid_out(text, 40), @r#"
        {
          "id": 1,
          "result": {
            "tools": [
              {"name": "one"},
              {"name": "two"}
            ],
            "nextCursor": "page-2"
          }
        }
        "#);
    }

    #[test]
    fn lexemes_stay_as_they_were_sent() {
        let text = r#"[1.0,1e400,"\u00e9é","a,b:{c}\"",{"a":1,"a":2},-0]"#;
        for width in [1, 10, 100] {
            assert_eq!(minify(&laid_out(text, width)).unwrap(), text);
        }
    }

    #[test]
    fn what_is_not_json_is_not_laid_out() {
        for text in ["", "{", "[1,]", "{} {}", "plain"] {
            assert_eq!(lines(text, 40), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_laid_out_or_left_alone(text in "[\\[\\]{},:\"\\\\a1 ]{0,40}", width in 0usize..50) {
            if let Some(lines) = lines(&text, width) {
                prop_assert_eq!(minify(&lines.join("\n")).unwrap(), minify(&text).unwrap());
            }
        }
    }
}
