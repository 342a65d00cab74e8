//! Answers of tools and other requests, and the meaning of a tool's answer where the author does not give it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_compat_json::{Json, Object};
use mcp_compat_model::peer_contract::{AnsweredMethod, Reply, ScriptedAnswer};

use super::{Beside, effect};
use crate::budget::Size;
use crate::file::extras::Answer;
use crate::file::table::{At, Completeness, Field};
use crate::file::tool::Reply as Written;
use crate::file::tool::Tool;
use crate::file::vocabulary::{Does, Meaning};
use crate::scenario::Means;
use crate::sink::{Sink, Span};

/// Exit status of a tool with `does = "exit"`: a failure, and a status without another meaning here.
const EXIT_STATUS: i32 = 1;

/// Something that answers, for messages.
pub(super) struct Answering<'f> {
    /// Name of its kind: "a tool".
    pub(super) what: &'static str,
    pub(super) header: &'f Span,
    pub(super) completeness: Completeness,
}

/// Resolves the answer of a table. The file must give exactly one.
pub(super) fn reply(written: &Written, by: &Answering<'_>, beside: Beside<'_>, sink: &mut Sink<'_>) -> Option<Reply> {
    match written.ways()[..] {
        [] if by.completeness == Completeness::Partial => return None,
        [] => {
            let mistake = sink
                .mistake(by.header, format!("{} needs an answer", by.what))
                .label("expected `returns`, `error`, `raw`, `raw-file` or `does`")
                .help("for example: `returns = '''{\"content\": []}'''`");
            sink.report(mistake);
            return None;
        }
        [_] => {}
        [(first, first_key), (second, second_key), ..] => {
            if let (Some(first_key), Some(second_key)) = (first_key, second_key) {
                let mistake = sink
                    .mistake(second_key, format!("{} answers in one way", by.what))
                    .label(format!("or `{second}`"))
                    .context(first_key.clone(), format!("either `{first}`"));
                sink.report(mistake);
            }
            return None;
        }
    }
    if let Some(result) = written.returns.given() {
        return Some(Reply::Result(result.value.text.clone()));
    }
    if let Some(error) = written.error.given() {
        return Some(Reply::Error(error.value.text.clone()));
    }
    if let Some(raw) = written.raw.given() {
        return Some(Reply::Raw(STANDARD.encode(&raw.value.0)));
    }
    if let Some(name) = written.raw_file.given() {
        return Some(Reply::Raw(STANDARD.encode(raw_file(name, beside, sink)?)));
    }
    written.does.given().map(|does| match does.value {
        Does::Hang => Reply::Hang {},
        Does::Exit => Reply::Exit { status: EXIT_STATUS },
    })
}

/// Returns the bytes of a file beside the scenario.
fn raw_file(name: &At<String>, beside: Beside<'_>, sink: &mut Sink<'_>) -> Option<Vec<u8>> {
    let plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':']);
    let folder = sink.path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let path = format!("{folder}{}", name.value);
    let (label, help) = if name.value.split('/').all(plain) {
        if let Some(bytes) = beside(&path) {
            return sink.fits_budget(Size::of_bytes(bytes.len()), &name.span).then_some(bytes);
        }
        ("the file does not exist", format!("looked for `{path}`"))
    } else {
        ("expected the name of a file beside this one", "a raw file cannot be elsewhere".to_owned())
    };
    let mistake = sink.mistake(&name.span, format!("`{}` cannot be read", name.value));
    sink.report(mistake.label(label).help(help));
    None
}

/// Converts the value of `means`.
pub(super) fn given_meaning(meaning: &Meaning) -> Means {
    match meaning {
        Meaning::Invalid => Means::Invalid,
        Meaning::ToolError(words) => Means::ToolError(words.clone()),
        Meaning::Text(text) => Means::Text(text.clone()),
        Meaning::Value(json) => Means::Value(json.value.clone()),
    }
}

/// Returns the meaning of the tool's answer; nothing if it is neither given nor visible in the answer.
pub(super) fn means(tool: &Tool) -> Option<Means> {
    match &tool.means {
        Field::Given(meaning) => Some(given_meaning(&meaning.value)),
        Field::Broken => None,
        Field::Absent => match (tool.reply.returns.given(), tool.reply.error.given()) {
            (Some(result), _) => shown(&result.value.members),
            (None, Some(error)) => Some(Means::ToolError(error.value.message.clone())),
            (None, None) => None,
        },
    }
}

/// Derives the meaning from a result: of an error its text, else the structured content, or else the first text.
fn shown(result: &Object) -> Option<Means> {
    let is_text = |block: &&Json| block.get("type").and_then(Json::as_str) == Some("text");
    let content = result.get("content").and_then(Json::as_array);
    let text = content.and_then(|content| content.iter().find(is_text)?.get("text")?.as_str()).map(str::to_owned);
    let failed = result.get("isError").and_then(Json::as_bool) == Some(true);
    let mut structured = result.get_all("structuredContent");
    match (structured.next(), structured.next()) {
        (Some(_), _) if failed => Some(Means::ToolError(text.unwrap_or_default())),
        (Some(value), None) => Some(Means::Value(value.clone())),
        (Some(_), Some(_)) => None,
        (None, _) => text.map(|text| if failed { Means::ToolError(text) } else { Means::Text(text) }),
    }
}

/// Prospect of a session between client and server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Session {
    /// The server opens every session normally.
    Sure,
    /// The scenario scripts the server's first answers, which may prevent a session.
    InDoubt,
}

impl Session {
    /// Returns the prospect of a session with these answers.
    pub(super) fn of(answers: &[ScriptedAnswer]) -> Self {
        let opens = |answer: &ScriptedAnswer| match answer.to {
            AnsweredMethod::Initialize | AnsweredMethod::Discover => true,
            AnsweredMethod::ListTools => false,
        };
        if answers.iter().any(opens) { Self::InDoubt } else { Self::Sure }
    }
}

/// Returns the answers of a member; `None` if one of them is invalid.
pub(super) fn answers(
    written: &Field<Vec<At<Answer>>>,
    beside: Beside<'_>,
    sink: &mut Sink<'_>,
) -> Option<Vec<ScriptedAnswer>> {
    let written = match written {
        Field::Given(answers) => &answers.value[..],
        Field::Absent => &[],
        Field::Broken => return None,
    };
    let answer = |At { value: written, .. }: &At<Answer>| {
        let by = Answering { what: "an `[[answer]]`", header: &written.header, completeness: written.completeness };
        let reply = reply(&written.reply, &by, beside, sink);
        let page = match &written.page {
            Field::Given(page) => Some(page.value.0),
            Field::Absent => None,
            Field::Broken => return None,
        };
        Some(ScriptedAnswer { to: written.to.given()?.value, page, reply: reply? })
    };
    let answers: Vec<Option<ScriptedAnswer>> = written.iter().map(answer).collect();
    let answers = answers.into_iter().collect();
    if effect::answers_are_used(written, sink) { answers } else { None }
}
