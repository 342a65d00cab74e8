//! The types into which a client's SDK decodes definitions and results, beside schemas and values.

use base64::engine::general_purpose::{GeneralPurpose, NO_PAD, STANDARD};
use base64::{Engine, alphabet};
use mcp_compat_json::Json;
use mcp_compat_model::observation::PeerError;
use mcp_compat_model::shapes::{Kind, Member, Reader, Shape, mismatches};
use mcp_compat_model::{Era, Revision};

use crate::client::client_error::undecodable;
use crate::client::policy::Types;

/// The types, in a revision.
struct Decoder {
    types: Types,
    revision: Revision,
}

/// Requires a definition, a result or a block to fit the types. `what` names it.
///
/// # Errors
/// The first member that does not.
pub(crate) fn require(
    types: Types,
    revision: Revision,
    shape: &'static Shape,
    text: &str,
    what: &str,
) -> Result<(), PeerError> {
    match misfit(types, revision, shape, text) {
        None => Ok(()),
        Some(misfit) => Err(undecodable(format!("{what}: {misfit}"))),
    }
}

/// The first member that does not fit the types, in words.
pub(crate) fn misfit(types: Types, revision: Revision, shape: &'static Shape, text: &str) -> Option<String> {
    if types == Types::Open {
        return None;
    }
    let value = Json::parse(text).ok()?;
    let misfit = mismatches(&Decoder { types, revision }, shape, &value).into_iter().next()?;
    Some(format!("{} {}", misfit.path(), misfit.problem))
}

/// A flag as the types read it. `None` if they do not take it.
pub(crate) fn flag(types: Types, value: &str) -> Option<bool> {
    match (types, value) {
        (_, "true") => Some(true),
        (_, "false") => Some(false),
        (Types::Pydantic1 | Types::Pydantic2 | Types::Jackson, _) => lax_flag(types, &Json::parse(value).ok()?),
        (Types::Open | Types::Zod1 | Types::Zod2 | Types::Go | Types::Serde, _) => None,
    }
}

/// Values other than booleans that pydantic and Jackson read as booleans.
/// <https://pydantic.dev/docs/validation/latest/concepts/conversion_table/>
fn lax_flag(types: Types, value: &Json) -> Option<bool> {
    match value {
        Json::Bool(flag) => Some(*flag),
        // `1.0` is no integer to Jackson.
        Json::Number(number) if types == Types::Jackson && number.lexeme().parse::<i64>().is_err() => None,
        Json::Number(number) => match (types, number.as_i64()) {
            (_, Some(0)) => Some(false),
            (_, Some(1)) => Some(true),
            (Types::Jackson, Some(_)) => Some(true),
            _ => None,
        },
        Json::String(text) => match (types, text.as_str()?.to_ascii_lowercase().as_str()) {
            (_, "true") => Some(true),
            (_, "false") => Some(false),
            (Types::Jackson, "") => Some(false),
            (Types::Jackson, _) => None,
            (_, "1" | "on" | "t" | "y" | "yes") => Some(true),
            (_, "0" | "off" | "f" | "n" | "no") => Some(false),
            _ => None,
        },
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

impl Reader for Decoder {
    /// The negotiated revision does not matter to most types.
    fn knows(&self, member: &Member) -> bool {
        match (self.types, member.name) {
            // They are read elsewhere.
            (Types::Open, _) | (_, "inputSchema" | "outputSchema" | "isError") => false,
            (Types::Zod1 | Types::Zod2, "execution") => self.revision.era() == Era::Legacy,
            // Where results name the server, nobody looks at its members.
            (_, "io.modelcontextprotocol/serverInfo") => false,
            (_, "tasks") if self.revision.era() == Era::Modern => false,
            (Types::Zod1 | Types::Zod2, "ttlMs" | "cacheScope" | "resultType")
            | (Types::Go | Types::Jackson | Types::Serde, "execution" | "tasks")
            | (Types::Pydantic1, "theme" | "lastModified" | "extensions")
            | (Types::Jackson, "theme") => false,
            _ => true,
        }
    }

    fn requires(&self, member: &Member) -> bool {
        // Where the result of `server/discover` has no hints, they have defaults.
        let has_default = matches!(member.name, "ttlMs" | "cacheScope" | "resultType");
        member.required && !has_default && !matches!(self.types, Types::Go | Types::Jackson)
    }

    fn requires_one_of(&self) -> bool {
        self.types != Types::Go
    }

    fn drops_null(&self, member: &Member) -> bool {
        match self.types {
            Types::Zod1 | Types::Zod2 => false,
            Types::Go | Types::Jackson => true,
            Types::Open | Types::Pydantic1 | Types::Pydantic2 | Types::Serde => !member.required,
        }
    }

    fn takes(&self, kind: Kind, value: &Json) -> bool {
        match kind {
            Kind::Presence | Kind::Settings if self.types == Types::Zod1 => {
                matches!(value, Json::Object(_) | Json::Array(_))
            }
            Kind::Settings if matches!(self.types, Types::Go | Types::Jackson) => true,
            Kind::Map | Kind::Presence | Kind::Settings | Kind::MapOf(_) | Kind::Object(_) => {
                matches!(value, Json::Object(_))
            }
            Kind::List(_) => matches!(value, Json::Array(_)),
            Kind::Flag => match value {
                Json::Bool(_) => true,
                Json::Null | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => {
                    flag(self.types, &value.to_compact()).is_some()
                }
            },
            Kind::Count if self.types == Types::Pydantic2 => is_count_to_pydantic(value),
            Kind::Integer | Kind::Count | Kind::Share => self.takes_number(kind, value),
            Kind::Text | Kind::Uri | Kind::ImageUri | Kind::Base64 | Kind::Time | Kind::OneOf(_) => match value {
                Json::String(text) => self.takes_text(kind, &text.to_string_lossy()),
                // Jackson makes a string of every scalar.
                Json::Number(_) | Json::Bool(_) => self.types == Types::Jackson,
                Json::Null | Json::Array(_) | Json::Object(_) => false,
            },
        }
    }
}

impl Decoder {
    fn takes_text(&self, kind: Kind, text: &str) -> bool {
        match (self.types, kind) {
            (Types::Pydantic1, Kind::Uri) => has_scheme(text),
            (Types::Zod1 | Types::Zod2, Kind::Base64) => is_read_by_atob(text),
            (Types::Go, Kind::Base64) => is_standard(text),
            (Types::Zod1 | Types::Zod2, Kind::Time) => is_time(text),
            (Types::Go, Kind::OneOf(_)) => true,
            (_, Kind::OneOf(words)) => words.contains(&text),
            _ => true,
        }
    }

    fn takes_number(&self, kind: Kind, value: &Json) -> bool {
        let lax = matches!(self.types, Types::Pydantic1 | Types::Pydantic2 | Types::Jackson);
        let lexeme = match value {
            Json::Number(number) => number.lexeme().to_owned(),
            Json::String(text) if lax => text.to_string_lossy().trim().to_owned(),
            Json::Null | Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => return false,
        };
        let Ok(number) = lexeme.parse::<f64>() else { return false };
        match (self.types, kind) {
            (Types::Zod1 | Types::Zod2 | Types::Pydantic1 | Types::Pydantic2, Kind::Share) => {
                (0.0..=1.0).contains(&number)
            }
            (Types::Pydantic1 | Types::Pydantic2, Kind::Integer | Kind::Count) => number.fract() == 0.0,
            (Types::Go, Kind::Integer | Kind::Count) => lexeme.parse::<i64>().is_ok(),
            (Types::Serde, Kind::Integer | Kind::Count) => lexeme.parse::<u64>().is_ok(),
            _ => true,
        }
    }
}

/// Returns whether pydantic makes a whole number of a value that may not be negative. The Python SDK raises a negative number to 0
/// before, and leaves texts:
/// <https://github.com/modelcontextprotocol/python-sdk/blob/v2.3.0/src/mcp/client/session.py#L74>.
pub(crate) fn is_count_to_pydantic(value: &Json) -> bool {
    match value {
        Json::Bool(_) => true,
        Json::Number(number) => number.lexeme().parse::<f64>().is_ok_and(|number| number.fract() == 0.0),
        Json::String(text) => {
            let text = text.to_string_lossy();
            let digits = text.trim();
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        }
        Json::Null | Json::Array(_) | Json::Object(_) => false,
    }
}

/// Returns whether a text begins with the scheme of a URI.
fn has_scheme(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    text.split_once(':')
        .is_some_and(|(scheme, _)| scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(allowed))
}

/// Returns whether a text is a time as Zod's `iso.datetime({ offset: true })` has it.
fn is_time(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let Some(rest) = shape.strip_prefix("0000-00-00T00:00:00") else { return false };
    let rest = match rest.strip_prefix('.') {
        Some(fraction) if fraction.starts_with('0') => fraction.trim_start_matches('0'),
        Some(_) | None => rest,
    };
    matches!(rest, "Z" | "+00:00" | "-00:00")
}

/// Bits beyond the last byte are let go, as decoders of languages do.
const UNPADDED: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, NO_PAD.with_decode_allow_trailing_bits(true));

/// Returns whether Go's `encoding/json` reads bytes from it: with its padding. Line ends are skipped.
pub(crate) fn is_standard(text: &str) -> bool {
    STANDARD.decode(text.replace(['\r', '\n'], "")).is_ok()
}

/// Returns whether the `atob` of JavaScript reads it: the padding may be absent, and white space is skipped.
/// <https://infra.spec.whatwg.org/#forgiving-base64-decode>
pub(crate) fn is_read_by_atob(text: &str) -> bool {
    let text: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let padded = text.len().is_multiple_of(4);
    let text = match text.strip_suffix('=') {
        Some(rest) if padded => rest.strip_suffix('=').unwrap_or(rest),
        Some(_) | None => &text,
    };
    UNPADDED.decode(text).is_ok()
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::shapes::{DISCOVER, INITIALIZE, TOOL, block};
    use rstest::rstest;

    use super::*;

    const ALL: [Types; 6] = [Types::Zod2, Types::Pydantic1, Types::Pydantic2, Types::Go, Types::Jackson, Types::Serde];

    fn fits(shape: &'static Shape, text: &str) -> [bool; 6] {
        ALL.map(|types| require(types, Revision::V2025_11_25, shape, text, "it").is_ok())
    }

    /// As TypeScript 1.32.2 and 2.4.0, Python 1.30.0 and 2.3.0, Go 1.8.0, Java 2.1.0 and rmcp 3.9.0 were observed to.
    #[rstest]
    #[case::text(r#"{"description": 5}"#, [false, false, false, false, true, false])]
    #[case::flag(r#"{"annotations": {"readOnlyHint": "yes"}}"#, [false, true, true, false, false, false])]
    #[case::flag_in_text(r#"{"annotations": {"readOnlyHint": "true"}}"#, [false, true, true, false, true, false])]
    #[case::flag_of_one(r#"{"annotations": {"readOnlyHint": 1}}"#, [false, true, true, false, true, false])]
    #[case::flag_of_a_fraction(r#"{"annotations": {"readOnlyHint": 1.0}}"#, [false, true, true, false, false, false])]
    #[case::flag_of_nothing(r#"{"annotations": {"readOnlyHint": ""}}"#, [false, false, false, false, true, false])]
    #[case::null(r#"{"annotations": {"title": null}}"#, [false, true, true, true, true, true])]
    #[case::list(r#"{"icons": {}}"#, [false; 6])]
    #[case::no_source(r#"{"icons": [{}]}"#, [false, false, false, true, true, false])]
    #[case::theme(r#"{"icons": [{"src": "a", "theme": "blue"}]}"#, [false, true, false, true, true, false])]
    #[case::tasks(r#"{"execution": {"taskSupport": "maybe"}}"#, [false, false, false, true, true, true])]
    #[case::meta(r#"{"_meta": []}"#, [false; 6])]
    fn a_definition_fits_the_types(#[case] text: &str, #[case] expected: [bool; 6]) {
        assert_eq!(fits(&TOOL, text), expected);
    }

    #[rstest]
    #[case::no_text("text", r"{}", [false, false, false, true, true, false])]
    #[case::null_text("text", r#"{"text": null}"#, [false, false, false, true, true, false])]
    #[case::bad_base64("image", r#"{"data": "!", "mimeType": "a"}"#, [false, true, true, false, true, true])]
    #[case::unpadded("image", r#"{"data": "aGk", "mimeType": "a"}"#, [true, true, true, false, true, true])]
    #[case::path("resource_link", r#"{"uri": "/a", "name": "n"}"#, [true, false, true, true, true, true])]
    #[case::digits("resource_link", r#"{"uri": "a:b", "name": "n", "size": "5"}"#, [false, true, true, false, true, false])]
    #[case::fraction("resource_link", r#"{"uri": "a:b", "name": "n", "size": 1.5}"#, [true, false, false, false, true, false])]
    #[case::no_body("resource", r#"{"resource": {"uri": "a:b"}}"#, [false, false, false, true, false, false])]
    #[case::priority("text", r#"{"text": "", "annotations": {"priority": 5}}"#, [false, false, false, true, true, true])]
    #[case::audience("text", r#"{"text": "", "annotations": {"audience": ["robot"]}}"#, [false, false, false, true, false, false])]
    #[case::time("text", r#"{"text": "", "annotations": {"lastModified": "then"}}"#, [false, true, true, true, true, true])]
    fn a_block_fits_the_types(#[case] kind: &str, #[case] text: &str, #[case] expected: [bool; 6]) {
        assert_eq!(fits(block(kind).unwrap(), text), expected);
    }

    /// As TypeScript 1.32.2 and 2.4.0, Python 1.30.0 and 2.3.0, Go 1.8.0, Java 2.1.0 and rmcp 3.9.0 were observed to.
    #[rstest]
    #[case::sound("", "", [true; 7])]
    #[case::null("", r#","instructions":null"#, [false, false, true, true, true, true, true])]
    #[case::presence(r#""logging":true"#, "", [false; 7])]
    #[case::array_for_a_presence(r#""logging":[]"#, "", [true, false, false, false, false, false, false])]
    #[case::array_for_a_capability(r#""tools":[]"#, "", [false; 7])]
    #[case::tasks(r#""tasks":true"#, "", [false, false, false, false, true, true, true])]
    #[case::extensions(r#""extensions":true"#, "", [false, false, true, false, false, false, false])]
    #[case::null_extensions(r#""extensions":null"#, "", [false, false, true, true, true, true, true])]
    #[case::extension(r#""extensions":{"a/b":null}"#, "", [false, false, true, false, true, true, false])]
    fn an_opening_fits_the_types(#[case] capabilities: &str, #[case] rest: &str, #[case] expected: [bool; 7]) {
        let info = r#"{"name":"n","version":"1"}"#;
        let version = r#""protocolVersion":"2025-11-25""#;
        let result = format!(r#"{{{version},"capabilities":{{{capabilities}}},"serverInfo":{info}{rest}}}"#);
        let all = [Types::Zod1].into_iter().chain(ALL);
        let found: Vec<bool> =
            all.map(|types| misfit(types, Revision::V2025_11_25, &INITIALIZE, &result).is_none()).collect();
        assert_eq!(found, expected);
    }

    /// As TypeScript 2.4.0, Python 2.3.0, Go 1.8.0 and rmcp 3.9.0 were observed to.
    #[rstest]
    #[case::sound(r#""capabilities":{},"ttlMs":0,"cacheScope":"public","resultType":"complete""#, [true; 4])]
    #[case::no_hints(r#""capabilities":{}"#, [true; 4])]
    #[case::nothing("", [false, false, true, false])]
    #[case::null_for_capabilities(r#""capabilities":null"#, [false, false, true, false])]
    #[case::null(r#""capabilities":{},"instructions":null"#, [false, true, true, true])]
    #[case::tasks(r#""capabilities":{"tasks":null}"#, [true; 4])]
    #[case::experiment(r#""capabilities":{"experimental":{"a":null}}"#, [false, false, true, false])]
    #[case::null_time(r#""capabilities":{},"ttlMs":null"#, [true, false, true, false])]
    #[case::negative_time(r#""capabilities":{},"ttlMs":-1"#, [true, true, true, false])]
    #[case::time_in_text(r#""capabilities":{},"ttlMs":" 5 ""#, [true, true, false, false])]
    #[case::negative_time_in_text(r#""capabilities":{},"ttlMs":"-1""#, [true, false, false, false])]
    #[case::fraction(r#""capabilities":{},"ttlMs":1.5"#, [true, false, false, false])]
    #[case::scope(r#""capabilities":{},"cacheScope":"all""#, [true, false, true, false])]
    #[case::result_type(r#""capabilities":{},"resultType":1"#, [true, false, false, false])]
    fn an_answer_to_discover_fits_the_types(#[case] members: &str, #[case] expected: [bool; 4]) {
        let comma = if members.is_empty() { "" } else { "," };
        let result = format!(r#"{{"supportedVersions":["2026-07-28"]{comma}{members}}}"#);
        let found = [Types::Zod2, Types::Pydantic2, Types::Go, Types::Serde]
            .map(|types| misfit(types, Revision::V2026_07_28, &DISCOVER, &result).is_none());
        assert_eq!(found, expected);
    }

    #[test]
    fn an_honest_client_decodes_nothing_of_it_and_a_modern_list_has_no_tasks() {
        let tasks = r#"{"execution": 5}"#;
        assert!(require(Types::Open, Revision::V2025_11_25, &TOOL, tasks, "it").is_ok());
        assert!(require(Types::Zod2, Revision::V2026_07_28, &TOOL, tasks, "it").is_ok());
        let error = require(Types::Zod2, Revision::V2025_11_25, &TOOL, tasks, "tools[0]").unwrap_err();
        assert!(error.message.ends_with("tools[0]: execution is a JSON number instead of an object"), "{error:?}");
    }

    #[rstest]
    #[case("2026-01-12T15:00:58Z", true)]
    #[case("2026-01-12T15:00Z", false)]
    #[case("2026-01-12T15:00:58.123+01:00", true)]
    #[case("2026-01-12T15:00:58", false)]
    #[case("2026-01-12", false)]
    #[case("2026-01-12T15:00:58.Z", false)]
    fn a_time_has_its_offset(#[case] text: &str, #[case] expected: bool) {
        assert_eq!(is_time(text), expected);
    }

    #[rstest]
    #[case("", true, true)]
    #[case("aGk=", true, true)]
    #[case("aGk", false, true)]
    #[case("aGk=\n", true, true)]
    #[case("aG k=", false, true)]
    #[case("aGk==", false, false)]
    #[case("a", false, false)]
    #[case("_-_-", false, false)]
    #[case("not base64!", false, false)]
    fn base64_is_read(#[case] text: &str, #[case] by_go: bool, #[case] by_atob: bool) {
        assert_eq!((is_standard(text), is_read_by_atob(text)), (by_go, by_atob));
    }
}
