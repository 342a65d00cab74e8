//! The line in which a black-box client may report what its user got. Pure.
//!
//! ```text
//! {"structured": {"count": 3}, "content": [{"type": "text", "text": "3 rows"}], "isError": false}
//! ```
//!
//! The last such line of the standard output counts. A member that is absent is not reported. What is not reported is
//! taken as it was on the wire, if the members that decide the outcome are reported.

use mcp_compat_json::Json;
use mcp_compat_model::observation::CallResult;
use mcp_compat_scenario::scenario::Means;

/// The members of the line.
const MEMBERS: [&str; 3] = ["structured", "content", "isError"];

/// A result as a client reported it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Report {
    structured: Option<Json>,
    content: Option<Vec<Json>>,
    is_error: Option<bool>,
}

impl Report {
    /// Reads the last report in the output of a client. `None` if there is none.
    ///
    /// # Errors
    /// When the line cannot be used: the reason.
    pub(crate) fn read(output: &str) -> Option<Result<Self, String>> {
        let mut lines = output.lines().map(str::trim).filter(|line| line.starts_with('{'));
        lines.rfind(|line| is_report(line)).map(Self::of_line)
    }

    fn of_line(line: &str) -> Result<Self, String> {
        let json = Json::parse(line).map_err(|error| format!("it is not JSON: {error}"))?;
        let content = match json.get("content") {
            None => None,
            Some(Json::Array(blocks)) => Some(blocks.clone()),
            Some(_) => return Err("`content` is not an array".to_owned()),
        };
        let is_error = match json.get("isError") {
            None => None,
            Some(Json::Bool(is_error)) => Some(*is_error),
            Some(_) => return Err("`isError` is neither true nor false".to_owned()),
        };
        Ok(Self { structured: json.get("structured").cloned(), content, is_error })
    }

    /// The result, if what is reported decides the outcome of a tool that means this. `sent` is the result on the wire.
    pub(crate) fn result(self, means: &Means, sent: Option<&Json>) -> Option<CallResult> {
        let sent_value = sent.and_then(|sent| sent.get("structuredContent"));
        let reports_value = self.structured.is_some();
        // Programs write null for an absent value. It is a value only where null was sent.
        let no_value = |value: &Json| value.is_null() && !sent_value.is_some_and(Json::is_null);
        let structured =
            if reports_value { self.structured.filter(|value| !no_value(value)) } else { sent_value.cloned() };
        let decides = match means {
            Means::Value(_) if sent_value.is_some() => reports_value,
            Means::Value(_) | Means::Text(_) => self.content.is_some(),
            Means::ToolError(_) => self.is_error.is_some_and(|is_error| !is_error || self.content.is_some()),
            Means::Invalid => reports_value || self.content.is_some(),
        };
        let sent_content = || sent.and_then(|sent| sent.get("content")?.as_array()).unwrap_or_default().to_vec();
        let sent_error = || sent.and_then(|sent| sent.get("isError")?.as_bool()).unwrap_or_default();
        decides.then(|| CallResult {
            structured,
            content: self.content.unwrap_or_else(sent_content),
            is_error: self.is_error.unwrap_or_else(sent_error),
        })
    }

    /// Returns true if the client reports a tool error.
    pub(crate) fn is_error(&self) -> bool {
        self.is_error == Some(true)
    }
}

/// Returns whether a line is a report: an object of these members alone. A line that is cut is one if it begins with one of
/// them. Others are the program's own, such as a log.
fn is_report(line: &str) -> bool {
    match Json::parse(line) {
        Ok(json) => json.as_object().is_some_and(|object| {
            let mut keys = object.iter().map(|(key, _)| key.as_str());
            !object.is_empty() && keys.all(|key| key.is_some_and(|key| MEMBERS.contains(&key)))
        }),
        Err(_) => {
            let first = line.trim_start_matches(['{', ' ']);
            MEMBERS.iter().any(|member| first.starts_with(&format!("\"{member}\"")))
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    fn read(output: &str) -> Option<Result<Report, String>> {
        Report::read(output)
    }

    #[test]
    fn the_last_line_of_its_kind_counts() {
        let output =
            "listing\n{\"structured\": 1}\n  {\"structured\": 2, \"isError\": false}\n{\"level\": \"info\"}\nbye\n";
        let report = read(output).unwrap().unwrap();
        assert_eq!(report.structured, Some(json("2")));
        assert_eq!((report.content, report.is_error), (None, Some(false)));
        let message = r#"{"role": "assistant", "content": "3 rows"}"#;
        let nested = r#"{"message": {"result": {"content": []}}}"#;
        assert_eq!(
            read(&format!("{{\"structured\": 2}}\n{message}\n{nested}")).unwrap().unwrap().structured,
            Some(json("2"))
        );
        for output in ["", "{'content': [], 'isError': False}", "{\"level\": \"info\"}", "content\n", message, nested] {
            assert_eq!(read(output), None, "{output}");
        }
    }

    #[rstest]
    #[case::cut(r#"{"structured": "#, "it is not JSON: ")]
    #[case::text_for_blocks(r#"{"content": "3 rows"}"#, "`content` is not an array")]
    #[case::text_for_a_flag(r#"{"isError": "no"}"#, "`isError` is neither true nor false")]
    fn a_line_that_cannot_be_used_says_why(#[case] line: &str, #[case] why: &str) {
        let error = read(line).unwrap().unwrap_err();
        assert!(error.starts_with(why), "{error}");
    }

    const SENT: &str = r#"{"structuredContent": {"n": 3}, "content": [{"type": "text", "text": "3"}]}"#;

    fn result(line: &str, means: &Means, sent: &str) -> Option<CallResult> {
        read(line).unwrap().unwrap().result(means, Some(&json(sent)))
    }

    #[test]
    fn a_value_that_is_not_reported_is_not_judged() {
        let means = Means::Value(json(r#"{"n": 3}"#));
        assert_eq!(result(r#"{"content": []}"#, &means, SENT), None);
        let got = result(r#"{"structured": {"n": 3}}"#, &means, SENT).unwrap();
        assert_eq!(got.content, [json(r#"{"type": "text", "text": "3"}"#)], "the content is taken as it was sent");
        assert_eq!((got.structured, got.is_error), (Some(json(r#"{"n": 3}"#)), false));
    }

    #[test]
    fn null_is_a_value_only_where_null_was_sent() {
        let means = Means::Value(Json::Null);
        let null = r#"{"structured": null, "content": []}"#;
        let sent = r#"{"structuredContent": null, "content": []}"#;
        assert_eq!(result(null, &means, sent).unwrap().structured, Some(Json::Null));
        assert_eq!(result(null, &means, SENT).unwrap().structured, None, "the client dropped the value");
        let downgraded = r#"{"content": [{"type": "text", "text": "null"}]}"#;
        assert_eq!(result(null, &means, downgraded).unwrap().structured, None);
        assert_eq!(result(r#"{"structured": null}"#, &means, downgraded), None, "only the content has it");
    }

    #[test]
    fn a_tool_error_is_judged_by_its_flag_and_its_words() {
        let means = Means::ToolError("Out of stock".to_owned());
        let sent = r#"{"content": [{"type": "text", "text": "Out of stock"}], "isError": true}"#;
        assert_eq!(result(r#"{"isError": true}"#, &means, sent), None, "the words are not reported");
        assert!(!result(r#"{"isError": false}"#, &means, sent).unwrap().is_error);
        assert!(result(r#"{"isError": true, "content": []}"#, &means, sent).unwrap().content.is_empty());
    }
}
