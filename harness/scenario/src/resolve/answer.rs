//! What a tool answers, and what it means with it unless the author says otherwise.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_compat_json::{Json, Object};
use mcp_compat_model::peer_contract::Reply;

use super::beside::Beside;
use crate::file::reply::Reply as Written;
use crate::file::stance::Meaning;
use crate::file::table::{At, Completeness, Field};
use crate::file::tool::Tool;
use crate::file::vocabulary::Does;
use crate::room::Size;
use crate::scenario::Means;
use crate::sink::{Sink, Span};

/// The exit status of a tool that `does = "exit"`: not a success, and not one that means anything else here.
const EXIT_STATUS: i32 = 1;

/// Something that answers, for messages.
pub(super) struct Answering<'f> {
    /// What it is: "a tool".
    pub(super) what: &'static str,
    pub(super) header: &'f Span,
    pub(super) completeness: Completeness,
}

/// What something answers. It must be written in exactly one way.
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

/// The bytes of a file beside the scenario.
fn raw_file(name: &At<String>, beside: Beside<'_>, sink: &mut Sink<'_>) -> Option<Vec<u8>> {
    let plain = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':']);
    let folder = sink.path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let path = format!("{folder}{}", name.value);
    let (label, help) = if name.value.split('/').all(plain) {
        if let Some(bytes) = beside(&path) {
            return sink.has_room(Size::of_bytes(bytes.len()), &name.span).then_some(bytes);
        }
        ("the file does not exist", format!("looked for `{path}`"))
    } else {
        ("expected the name of a file beside this one", "a raw file cannot be elsewhere".to_owned())
    };
    let mistake = sink.mistake(&name.span, format!("`{}` cannot be read", name.value));
    sink.report(mistake.label(label).help(help));
    None
}

/// What is written under `means`.
pub(super) fn said(meaning: &Meaning) -> Means {
    match meaning {
        Meaning::Invalid => Means::Invalid,
        Meaning::ToolError(words) => Means::ToolError(words.clone()),
        Meaning::Text(text) => Means::Text(text.clone()),
        Meaning::Value(json) => Means::Value(json.value.clone()),
    }
}

/// What the tool means. Nothing, if it is not said and cannot be seen from the answer.
pub(super) fn means(tool: &Tool) -> Option<Means> {
    match &tool.means {
        Field::Given(meaning) => Some(said(&meaning.value)),
        Field::Broken => None,
        Field::Absent => match (tool.reply.returns.given(), tool.reply.error.given()) {
            (Some(result), _) => shown(&result.value.members),
            (None, Some(error)) => Some(Means::ToolError(error.value.message.clone())),
            (None, None) => None,
        },
    }
}

/// What a result shows of its meaning: that of an error are its words, else it is the structured content, or else the
/// first text.
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
