//! The error in what a program wrote before it ended. Pure.

/// Longest excerpt in characters.
const MAX_CHARS: usize = 600;

/// Frame around a group of errors in Python.
const MARKS: [char; 4] = [' ', '|', '+', '-'];

/// Beginning of a line of Pydantic that only has a link.
const FURTHER_INFORMATION: &str = "For further information visit";

/// The text from the last line that names an exception, or else from the last line that mentions an error, or else the
/// last line. Stack frames are left out.
pub(super) fn error_excerpt(text: &str) -> String {
    let lines = without_frames(text);
    let exception = lines.iter().rposition(|line| names_an_exception(line));
    let error = || lines.iter().rposition(|line| mentions_an_error(line));
    let from = exception.or_else(error).unwrap_or(lines.len().saturating_sub(1));
    let words: Vec<&str> = lines[from..].iter().flat_map(|line| line.split_whitespace()).collect();
    words.join(" ").chars().take(MAX_CHARS).collect()
}

/// The lines with text, without stack frames and without the marks around groups of errors.
fn without_frames(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    // How far a frame is indented in Python. The source line that follows it is indented further.
    let mut frame = None;
    for line in text.lines() {
        let said = line.trim_start_matches(MARKS);
        let indent = line.len() - said.len();
        if said.starts_with("File \"") {
            frame = Some(indent);
        } else if frame.is_none_or(|frame| indent <= frame) {
            frame = None;
            if !said.is_empty() && !said.starts_with("at ") && !said.starts_with(FURTHER_INFORMATION) {
                lines.push(said);
            }
        }
    }
    lines
}

/// Returns true if a line has the name of an exception followed by a colon, or is such a name:
/// `pydantic.ValidationError: …`.
fn names_an_exception(line: &str) -> bool {
    let is_name = |word: &str| {
        let of_a_name = |c: char| c.is_alphanumeric() || "._$:".contains(c);
        word.chars().all(of_a_name) && ["Error", "Exception", "ExceptionGroup"].iter().any(|end| word.ends_with(end))
    };
    is_name(line.trim_end()) || line.split_whitespace().filter_map(|word| word.strip_suffix(':')).any(is_name)
}

/// Returns true if a line mentions an error, and not only in an address.
fn mentions_an_error(line: &str) -> bool {
    line.split_whitespace().any(|word| !word.contains("://") && word.to_ascii_lowercase().contains("error"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_excerpt_begins_at_the_error() {
        let python =
            "Traceback (most recent call last):\n  File \"a.py\", line 1\n    x()\npydantic.ValidationError: no\n";
        assert_eq!(error_excerpt(python), "pydantic.ValidationError: no");
        let node = "listing\nError: ZodError: expected object\n    at a (b.js:1:1)\n    at c\n";
        assert_eq!(error_excerpt(node), "Error: ZodError: expected object");
        let zod = "Error: [\n  {\n    \"code\": \"invalid_type\"\n  }\n]\n    at a (b.js:1:1)\n";
        assert_eq!(error_excerpt(zod), r#"Error: [ { "code": "invalid_type" } ]"#);
        assert_eq!(error_excerpt("2026/01/01 tool not found\n\n"), "2026/01/01 tool not found");
        assert_eq!(error_excerpt(""), "");
    }

    #[test]
    fn for_pydantic_the_excerpt_has_the_exception_and_the_fields() {
        let plain = "Traceback (most recent call last):
  File \"client.py\", line 9, in <module>
    asyncio.run(main(sys.argv[1]))
    ~~~~~~~~~~~^^^^^^^^^^^^^^^^^^^
  File \"mcp/client/session.py\", line 300, in send_request
    return result_type.model_validate(response_or_error.result)
pydantic_core._pydantic_core.ValidationError: 1 validation error for ListToolsResult
tools.0.outputSchema
  Input should be a valid dictionary [type=dict_type, input_value=True, input_type=bool]
    For further information visit https://errors.pydantic.dev/2.12/v/dict_type
";
        let expected = "pydantic_core._pydantic_core.ValidationError: 1 validation error for ListToolsResult \
                        tools.0.outputSchema \
                        Input should be a valid dictionary [type=dict_type, input_value=True, input_type=bool]";
        assert_eq!(error_excerpt(plain), expected);
        let grouped: String = plain.lines().map(|line| format!("    | {line}\n")).collect();
        let grouped = format!(
            "  + Exception Group Traceback (most recent call last):\n\
             \x20 |   File \"client.py\", line 9, in <module>\n\
             \x20 |     asyncio.run(main(sys.argv[1]))\n\
             \x20 | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n\
             \x20 +-+---------------- 1 ----------------\n{grouped}    +------------------------------------\n"
        );
        assert_eq!(error_excerpt(&grouped), expected);
    }

    #[test]
    fn an_address_is_not_an_error() {
        assert_eq!(
            error_excerpt("error: no such tool\nsee https://errors.example/1\n"),
            "error: no such tool see https://errors.example/1"
        );
        assert_eq!(error_excerpt("see https://errors.example/1\nbye\n"), "bye");
    }
}
