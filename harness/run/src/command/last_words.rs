//! What a program said of its end, out of all that it wrote. Pure.

/// How much of it is told.
const MOST: usize = 600;

/// What frames a group of errors in Python.
const MARKS: [char; 4] = [' ', '|', '+', '-'];

/// How Pydantic begins a line that says nothing of the error.
const READ_ON: &str = "For further information visit";

/// From the last line that names an exception; or else from the last one that speaks of an error; or else the last one.
/// The frames of a stack are left out.
pub(super) fn last_words(text: &str) -> String {
    let lines = without_frames(text);
    let exception = lines.iter().rposition(|line| names_an_exception(line));
    let error = || lines.iter().rposition(|line| speaks_of_an_error(line));
    let from = exception.or_else(error).unwrap_or(lines.len().saturating_sub(1));
    let words: Vec<&str> = lines[from..].iter().flat_map(|line| line.split_whitespace()).collect();
    words.join(" ").chars().take(MOST).collect()
}

/// The lines that say something, without what frames them.
fn without_frames(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    // How far a frame is indented in Python; the source that follows it is so further.
    let mut frame = None;
    for line in text.lines() {
        let said = line.trim_start_matches(MARKS);
        let indent = line.len() - said.len();
        if said.starts_with("File \"") {
            frame = Some(indent);
        } else if frame.is_none_or(|frame| indent <= frame) {
            frame = None;
            if !said.is_empty() && !said.starts_with("at ") && !said.starts_with(READ_ON) {
                lines.push(said);
            }
        }
    }
    lines
}

/// Whether a line holds the name of an exception with a colon behind it, or is one: `pydantic.ValidationError: …`.
fn names_an_exception(line: &str) -> bool {
    let is_name = |word: &str| {
        let of_a_name = |c: char| c.is_alphanumeric() || "._$:".contains(c);
        word.chars().all(of_a_name) && ["Error", "Exception", "ExceptionGroup"].iter().any(|end| word.ends_with(end))
    };
    is_name(line.trim_end()) || line.split_whitespace().filter_map(|word| word.strip_suffix(':')).any(is_name)
}

/// Whether a line speaks of an error, and not only in an address.
fn speaks_of_an_error(line: &str) -> bool {
    line.split_whitespace().any(|word| !word.contains("://") && word.to_ascii_lowercase().contains("error"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_words_are_those_of_the_error() {
        let python =
            "Traceback (most recent call last):\n  File \"a.py\", line 1\n    x()\npydantic.ValidationError: no\n";
        assert_eq!(last_words(python), "pydantic.ValidationError: no");
        let node = "listing\nError: ZodError: expected object\n    at a (b.js:1:1)\n    at c\n";
        assert_eq!(last_words(node), "Error: ZodError: expected object");
        let zod = "Error: [\n  {\n    \"code\": \"invalid_type\"\n  }\n]\n    at a (b.js:1:1)\n";
        assert_eq!(last_words(zod), r#"Error: [ { "code": "invalid_type" } ]"#);
        assert_eq!(last_words("2026/01/01 tool not found\n\n"), "2026/01/01 tool not found");
        assert_eq!(last_words(""), "");
    }

    #[test]
    fn of_pydantic_the_exception_is_told_and_the_fields() {
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
        assert_eq!(last_words(plain), expected);
        let grouped: String = plain.lines().map(|line| format!("    | {line}\n")).collect();
        let grouped = format!(
            "  + Exception Group Traceback (most recent call last):\n\
             \x20 |   File \"client.py\", line 9, in <module>\n\
             \x20 |     asyncio.run(main(sys.argv[1]))\n\
             \x20 | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)\n\
             \x20 +-+---------------- 1 ----------------\n{grouped}    +------------------------------------\n"
        );
        assert_eq!(last_words(&grouped), expected);
    }

    #[test]
    fn an_address_is_no_error() {
        assert_eq!(
            last_words("error: no such tool\nsee https://errors.example/1\n"),
            "error: no such tool see https://errors.example/1"
        );
        assert_eq!(last_words("see https://errors.example/1\nbye\n"), "bye");
    }
}
