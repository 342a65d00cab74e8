//! Tools that refuse arguments that their own inputSchema allows, or that crash at them.
//!
//! Arguments that conform to a schema may still name nothing that exists, or need an account. So only the words of the
//! answer accuse a tool: those of a validation, which contradict the schema, and those of a crash.

use mcp_compat_json::Json;
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::excerpt::{bounded, excerpt};
use mcp_compat_scenario::write::Answer;
use mcp_compat_schema::inclusion::{Conformance, check_with_formats};

use super::arguments::takes_arguments;
use super::audit_rule::{ACCEPTS_ITS_OWN_ARGUMENTS, CALLS_DO_NOT_CRASH};
use super::failing_revisions::succeeded;
use super::findings::answer_of;
use super::results::{is_error, text_blocks};
use super::snapshot::{ToolSnapshot, first_problem};
use super::unlisted_tool::{UnlistedTool, is_unknown};

/// Reaction of a tool to arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    Refused,
    Crashed,
}

/// The finding about a tool whose call failed at every revision. `snapshots` shows it at each, oldest first.
pub(super) fn contradicts_its_schema(
    snapshots: &[ToolSnapshot],
    unlisted: Option<&UnlistedTool>,
) -> Option<AuditFinding> {
    // Where it works elsewhere, the revision is the reason, or chance.
    if snapshots.iter().any(succeeded) {
        return None;
    }
    let problem = |snapshot: &ToolSnapshot| {
        let call = snapshot.call.as_ref().filter(|call| !is_unknown(call, unlisted))?;
        if snapshot.own_validation_error().is_some() {
            return None;
        }
        let (code, words) = words_of_error(snapshot)?;
        let failure = failure(&words, code, &snapshot.tool.name)?;
        let schema = snapshot.schema("inputSchema")?;
        let sent = call.arguments.as_deref().unwrap_or("{}");
        let arguments = Json::parse(sent).ok()?;
        if failure == Failure::Crashed && is_error_of_arguments(&arguments, &words) {
            return None;
        }
        let conforms = check_with_formats(&schema, &arguments) == Conformance::Conforms;
        conforms.then(|| (failure, sent.to_owned(), required(&schema), words))
    };
    let (first, (failure, sent, required, words), at) = first_problem(snapshots, problem)?;
    let tool = &first.tool.name;
    let words = bounded(&words.split_whitespace().collect::<Vec<_>>().join(" "), WORDS);
    let did = match failure {
        Failure::Refused => "refused them",
        Failure::Crashed => "failed with an error of its program",
    };
    let detail = format!(
        "`{tool}` was called with {}, which its inputSchema allows (it requires {required}), and {did}: {}",
        excerpt(&sent),
        words
    );
    let finding = match failure {
        Failure::Refused => ACCEPTS_ITS_OWN_ARGUMENTS.violated(detail, at),
        Failure::Crashed => {
            let lost = if takes_arguments(&first.tool.definition) {
                "every client that sends such arguments: the call"
            } else {
                "every client: each call of the tool"
            };
            let finding = CALLS_DO_NOT_CRASH.violated(detail, at);
            AuditFinding { lost_elsewhere: Some(lost.to_owned()), ..finding }
        }
    };
    Some(AuditFinding { wire: answer_of(first), way: Some(words), ..finding })
}

/// Names of parameters that hold a program or a query, which the tool runs.
const CODE: [&str; 10] =
    ["code", "script", "expression", "expr", "query", "sql", "command", "source", "program", "formula"];

/// Returns true if an error may be that of a program in the arguments, or of a value that they name.
fn is_error_of_arguments(arguments: &Json, words: &str) -> bool {
    let members = arguments.as_object().into_iter().flat_map(|object| object.iter());
    members.filter_map(|(key, value)| Some((key.as_str()?, value.as_str()?))).any(|(key, value)| {
        let is_quoted = ['\'', '"', '`'].iter().any(|mark| words.contains(&format!("{mark}{value}{mark}")));
        CODE.contains(&key.to_lowercase().as_str()) || is_quoted
    })
}

/// Most characters of an error in a sentence.
const WORDS: usize = 240;

/// The code of a JSON-RPC error and its message, or the text of a result that is an error.
fn words_of_error(snapshot: &ToolSnapshot) -> Option<(Option<i64>, String)> {
    match &snapshot.call.as_ref()?.answer {
        Answer::Returns(_) => {
            let result = snapshot.result().filter(is_error)?;
            let text = text_blocks(&result).next()?.to_owned();
            Some((None, text))
        }
        Answer::Error(text) => {
            let error = Json::parse(text).ok()?;
            let code = error.get("code").and_then(Json::as_number).and_then(|code| code.as_i64());
            Some((code, error.get("message")?.as_str()?.to_owned()))
        }
        Answer::Raw(_) | Answer::Hang | Answer::Exit => None,
    }
}

/// The members that a schema requires at its root, in words.
fn required(schema: &Json) -> String {
    let names = schema.get("required").and_then(Json::as_array).unwrap_or_default();
    let names: Vec<String> = names.iter().filter_map(Json::as_str).map(|name| format!("`{}`", excerpt(name))).collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

/// Words of failures that arguments that are made up, or the machine, may have: nothing is known about the schema then.
const LEGAL: [&str; 21] = [
    "not found",
    "no such",
    "does not exist",
    "enoent",
    "token",
    "api key",
    "api_key",
    "apikey",
    "credential",
    "secret",
    "password",
    "login",
    "log in",
    "authenti",
    "authoriz",
    "environ",
    "network",
    "fetch failed",
    "connect",
    "timed out",
    "response",
];

/// Beginnings by which SDKs say that they validated arguments: the TypeScript SDK (`McpServer.validateToolInput`), the
/// Python SDK (`Server.call_tool`, pydantic's model of a function's arguments) and FastMCP.
const OF_VALIDATION: [&str; 5] = [
    "input validation error",
    "invalid arguments for tool",
    "invalid params for tool",
    "validation error for call[",
    "validation errors for call[",
];

/// Words of a validation that contradict a schema by which the arguments are valid.
const CONTRADICTIONS: [&str; 25] = [
    "unrecognized key",
    "unrecognized_key",
    "required",
    "missing",
    "invalid_type",
    "invalid type",
    "invalid enum",
    "invalid option",
    "invalid literal",
    "invalid_union",
    "expected string",
    "expected number",
    "expected integer",
    "expected boolean",
    "expected object",
    "expected array",
    "additional propert",
    "unknown field",
    "unknown key",
    "unexpected propert",
    "is not of type",
    "is not one of",
    "must be equal to one of",
    "should be a valid",
    "extra inputs",
];

/// Words that tell of a validation of arguments by themselves.
const REFUSALS: [&str; 23] = [
    "missing required parameter",
    "missing required argument",
    "missing required field",
    "missing required property",
    "missing required input",
    "is a required property",
    "unrecognized key",
    "unrecognized_keys",
    "must have required property",
    "must not have additional properties",
    "additional properties are not allowed",
    "json: unknown field",
    "unknown field `",
    "missing field `",
    "unexpected keyword argument",
    "required positional argument",
    "missing properties:",
    "is missing but it is required",
    "required property '",
    "missing a value for the required parameter",
    "missing keyword:",
    "unknown keyword:",
    "too few arguments to function",
];

/// Words of errors of a program, in JavaScript, Python, Java, Go, C#, Ruby and Rust.
const CRASHES: [&str; 26] = [
    "cannot read propert",
    "is not a function",
    "is not iterable",
    "undefined is not",
    "cannot convert undefined",
    "nonetype",
    "object has no attribute",
    "object is not subscriptable",
    "attributeerror",
    "keyerror",
    "nameerror",
    "indexerror",
    "zerodivisionerror",
    "unboundlocalerror",
    "unsupported operand type",
    "traceback (most recent call last)",
    "referenceerror",
    "nullpointerexception",
    "classcastexception",
    "nullreferenceexception",
    "nil pointer dereference",
    "object reference not set",
    "undefined method",
    "panicked at",
    "runtime error: ",
    "call to a member function",
];

const INVALID_PARAMS: i64 = -32602;

/// Returns whether words tell of a validation of arguments.
pub(super) fn is_refusal(words: &str, tool: &str) -> bool {
    failure(words, None, tool) == Some(Failure::Refused)
}

/// Kind of a failure by its words. `None` if the tool may be right.
fn failure(words: &str, code: Option<i64>, tool: &str) -> Option<Failure> {
    // The validator of the Java SDK says `required property 'q' not found`.
    let words = words.to_lowercase().replace("' not found", "' is missing");
    let has = |known: &[&str]| known.iter().any(|known| words.contains(known));
    if has(&LEGAL) {
        return None;
    }
    let of_model = || {
        let tool = tool.to_lowercase();
        let models = [format!(" for {tool}arguments"), format!(" for {tool}\n")];
        words.contains("validation error") && models.iter().any(|model| words.contains(model))
    };
    let is_validation = code == Some(INVALID_PARAMS) || has(&OF_VALIDATION) || of_model();
    if has(&REFUSALS) || (is_validation && has(&CONTRADICTIONS)) {
        Some(Failure::Refused)
    } else {
        has(&CRASHES).then_some(Failure::Crashed)
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_author::capture::{CapturedCall, CapturedTool};
    use mcp_compat_model::Revision;
    use rstest::rstest;

    use super::*;
    use crate::server::handshake::Handshake;

    #[rstest]
    #[case::zod(
        "Input validation error: Invalid arguments for tool t: Unrecognized key(s) in object: 'type'",
        Some(Failure::Refused)
    )]
    #[case::pydantic(
        "Error executing tool t: 1 validation error for tArguments\nq\n  Field required",
        Some(Failure::Refused)
    )]
    #[case::pydantic_of_the_tool(
        "1 validation error for t\nq\n  Field required [type=missing]",
        Some(Failure::Refused)
    )]
    #[case::java("/: required property 'q' not found", Some(Failure::Refused))]
    #[case::go("validating root: required: missing properties: [\"q\"]", Some(Failure::Refused))]
    #[case::a_resource("the repository 'example' not found", None)]
    #[case::fastmcp("1 validation error for call[t]\nq\n  Missing required argument", Some(Failure::Refused))]
    #[case::by_hand("Missing required parameter: query", Some(Failure::Refused))]
    #[case::javascript("Cannot read properties of undefined (reading '_zod')", Some(Failure::Crashed))]
    #[case::python("'NoneType' object has no attribute 'lower'", Some(Failure::Crashed))]
    #[case::a_traceback(
        "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nTypeError: bad",
        Some(Failure::Crashed)
    )]
    #[case::go_panics("runtime error: invalid memory address or nil pointer dereference", Some(Failure::Crashed))]
    #[case::php("Call to a member function find() on null", Some(Failure::Crashed))]
    #[case::a_model_of_something_else("1 validation error for Page\nid\n  Field required", None)]
    #[case::a_refinement("Input validation error: Invalid arguments for tool t: start is after end", None)]
    #[case::no_file("ENOENT: no such file or directory, open 'example'", None)]
    #[case::a_key("KeyError: 'GITHUB_TOKEN'", None)]
    #[case::an_address("TypeError: Invalid URL", None)]
    #[case::another_server("error decoding response body: missing field `id`", None)]
    #[case::a_page("404 Not Found", None)]
    fn only_words_that_contradict_a_schema_or_tell_of_a_crash_accuse(
        #[case] words: &str,
        #[case] expected: Option<Failure>,
    ) {
        assert_eq!(failure(words, None, "t"), expected);
    }

    #[test]
    fn the_protocol_error_for_invalid_arguments_is_one_of_a_validation() {
        let of = |code| failure("q is required", Some(code), "t");
        assert_eq!((of(-32602), of(-32603)), (Some(Failure::Refused), None));
    }

    #[test]
    fn a_tool_is_told_of_arguments_that_its_schema_allows_alone() {
        let found = |schema: &str, text: &str| {
            let definition = format!(r#"{{"name":"t","inputSchema":{schema}}}"#);
            let answer =
                Answer::Returns(format!(r#"{{"isError":true,"content":[{{"type":"text","text":"{text}"}}]}}"#));
            let snapshot = ToolSnapshot {
                revision: Revision::NEWEST,
                tool: CapturedTool { name: "t".to_owned(), definition },
                call: Some(CapturedCall {
                    stage: 0,
                    tool: "t".to_owned(),
                    arguments: None,
                    answer,
                    without: Vec::new(),
                }),
                list: None,
                handshake: Handshake::default(),
            };
            contradicts_its_schema(&[snapshot], None)
        };
        let detail = |schema: &str, text: &str| found(schema, text).map(|found| found.detail);
        let refusal = "Missing required parameter: q";
        assert_eq!(
            detail(r#"{"type":"object"}"#, refusal).as_deref(),
            Some(
                "`t` was called with {}, which its inputSchema allows (it requires nothing), and refused them: Missing \
                 required parameter: q"
            )
        );
        assert_eq!(detail(r#"{"type":"object","required":["q"]}"#, refusal), None);
        assert_eq!(detail(r#"{"type":"object"}"#, "no copy left"), None);
        // A crash is no matter of the schema.
        let crash = "Cannot read properties of undefined (reading '_zod')";
        let told =
            |schema: &str| found(schema, crash).map(|found| (found.rule, found.remedy, found.lost_elsewhere.unwrap()));
        let remedy = CALLS_DO_NOT_CRASH.remedy.to_owned();
        let of = |lost: &str| Some(("calls-do-not-crash".to_owned(), remedy.clone(), lost.to_owned()));
        assert_eq!(told(r#"{"type":"object"}"#), of("every client: each call of the tool"));
        let with_parameter = r#"{"type":"object","properties":{"q":{"type":"string"}}}"#;
        assert_eq!(told(with_parameter), of("every client that sends such arguments: the call"));
    }
}
