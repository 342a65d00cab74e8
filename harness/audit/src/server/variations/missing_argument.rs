//! Calls without a required argument. A tool that refuses one has to mark the refusal.

use mcp_compat_json::{Json, Object};
use mcp_compat_model::audit::AuditFinding;

use super::super::evidence::shown_text;
use super::super::members::without;
use super::super::own_arguments::is_refusal;
use super::super::results::text_blocks;
use super::Trial;
use super::calls::ToolCall;
use super::rules::REFUSALS_ARE_MARKED;
use crate::probe::ProbeError;

/// The longest text that is taken for a refusal.
const LONGEST: usize = 400;

/// Report: github/github-mcp-server#1952.
const LOST: &str = "every client whose model leaves the argument out: the model takes the refusal for the value";

impl ToolCall<'_> {
    /// A refusal that is not marked, of a call that succeeds with the argument.
    pub(super) async fn missing(&mut self, trial: &mut Trial<'_>) -> Result<Option<AuditFinding>, ProbeError> {
        let Some(key) = self.required().filter(|_| !trial.is_over()) else { return Ok(None) };
        let [plain, less] = [self.arguments.clone(), without(&self.arguments, |name, _| name == key)]
            .map(|arguments| self.params(&arguments.to_compact()));
        let Ok(refused) = self.answer(trial, &less).await? else { return Ok(None) };
        let Some(words) = refusal(&refused, &key, self.name) else { return Ok(None) };
        // A value that speaks of the argument does so in any call.
        let Ok(served) = self.answer(trial, &plain).await? else { return Ok(None) };
        if refusal(&served, &key, self.name).is_some() {
            return Ok(None);
        }
        let detail =
            format!("a call without `{key}`, which the inputSchema requires, is refused in a text, without `isError`");
        let finding = self.finding(&REFUSALS_ARE_MARKED, detail, LOST, trial);
        Ok(Some(AuditFinding { returned: Some(format!("text {}", shown_text(&words))), ..finding }))
    }

    /// A required argument that the call has.
    fn required(&self) -> Option<String> {
        let names = self.schema.get("required").and_then(Json::as_array)?.iter().filter_map(Json::as_str);
        names.into_iter().find(|name| self.arguments.get(name).is_some()).map(str::to_owned)
    }
}

/// The text of a result by which a tool refuses a call without an argument.
fn refusal(result: &Json, key: &str, tool: &str) -> Option<String> {
    const WORDS: [&str; 8] =
        ["required", "missing", "must ", "is empty", "is undefined", "not provided", "please provide", "is not set"];
    let has_value = result.get("structuredContent").is_some_and(|value| !value.is_null());
    let text = text_blocks(result).next().filter(|text| !has_value && text.len() <= LONGEST)?;
    let words = match Json::parse(text) {
        Ok(Json::Object(object)) => told(&object)?,
        Ok(_) => return None,
        Err(_) => text.to_owned(),
    };
    let lower = words.to_lowercase();
    let is_about = has_word(&lower, &key.to_lowercase()) && WORDS.iter().any(|word| lower.contains(word));
    (is_about || is_refusal(&words, tool)).then_some(words)
}

/// Returns whether a text has a word that is no part of another.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// The words of an error in JSON.
fn told(object: &Object) -> Option<String> {
    ["error", "message"].iter().find_map(|key| object.get(key)?.as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::by_hand("missing required parameter: owner", true)]
    #[case::in_json(r#"{"success":false,"error":"owner is required"}"#, true)]
    #[case::of_pydantic("1 validation error for call[get]\nowner\n  Missing required argument", true)]
    #[case::a_value("owner: octocat", false)]
    #[case::a_list(r#"[{"owner":"required"}]"#, false)]
    #[case::another_failure("Release not found", false)]
    fn a_refusal_names_the_argument_or_a_validation(#[case] text: &str, #[case] expected: bool) {
        let block = Json::Object([("type", Json::from("text")), ("text", Json::from(text))].into_iter().collect());
        let result = Json::Object([("content", Json::Array(vec![block]))].into_iter().collect());
        assert_eq!(refusal(&result, "owner", "get").is_some(), expected);
    }
}
