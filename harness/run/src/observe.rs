//! From what a peer gave, or failed to give, to what was seen. Pure.

use mcp_compat_drive::{AdapterFailure, HostFailure};
use mcp_compat_json::Json;
use mcp_compat_model::Role;
use mcp_compat_model::observation::{End, Observation, Seen};
use mcp_compat_model::peer_contract::{Answer, JobStep};
use mcp_compat_model::transcript::Transcript;
use serde_json::value::RawValue;

use crate::black_box::{URL, result_of_call};

/// Reads a client's answer to a job of `asked` steps.
pub fn answered(answer: Answer, asked: usize) -> Observation {
    let Answer { id: _, negotiated, unsupported, error, steps } = answer;
    let end = match (unsupported, error) {
        (Some(reason), _) => End::Unsupported { by: Role::Client, reason },
        (None, Some(error)) => End::NoSession(error),
        (None, None) => End::Answered {},
    };
    let steps: Result<Vec<Seen>, _> = steps.iter().enumerate().map(|(place, step)| step.seen(place)).collect();
    match steps {
        Ok(steps) if steps.len() > asked => {
            let how = format!("it answered {} steps of a job of {asked}", steps.len());
            Observation { negotiated, steps: Vec::new(), end: End::Crashed { who: Role::Client, how } }
        }
        Ok(steps) => Observation { negotiated, steps, end },
        Err(breach) => {
            let how = format!("adapter: {breach}");
            Observation { negotiated, steps: Vec::new(), end: End::Crashed { who: Role::Client, how } }
        }
    }
}

/// Reads the answer of a host beside what the server sent. Errors are marked as the server did, where the model is sent no
/// mark of them: then the text alone can tell. A link whose address stands in a text is there.
pub(crate) fn as_a_model_reads(mut answer: Answer, steps: &[JobStep], transcript: &Transcript) -> Answer {
    for (step, answer) in steps.iter().zip(&mut answer.steps) {
        let (JobStep::Call { tool, .. }, Some(content)) = (step, &mut answer.content) else { continue };
        let sent = result_of_call(transcript, tool);
        let is_marked = |sent: &Json| sent.get("isError").and_then(Json::as_bool) == Some(true);
        answer.is_error = answer.is_error.or_else(|| Some(sent.as_ref().is_some_and(is_marked)));
        let links: Vec<String> = sent.iter().flat_map(|sent| links_in_texts(sent, content)).collect();
        content.extend(links.into_iter().filter_map(|link| RawValue::from_string(link).ok()));
    }
    answer
}

/// The links of a result that are no blocks of the content, and whose addresses stand in its texts.
fn links_in_texts(sent: &Json, content: &[Box<RawValue>]) -> Vec<String> {
    let read: Vec<Json> = content.iter().filter_map(|block| Json::parse(block.get()).ok()).collect();
    let is_text = |block: &&Json| block.get("type").and_then(Json::as_str) == Some("text");
    let texts: Vec<&str> = read.iter().filter(is_text).filter_map(|block| block.get("text")?.as_str()).collect();
    let stands_in_text = |link: &Json| {
        let uri = link.get("uri").and_then(Json::as_str).filter(|uri| !uri.is_empty());
        uri.is_some_and(|uri| texts.iter().any(|text| text.contains(uri)))
    };
    let blocks = sent.get("content").and_then(Json::as_array).unwrap_or_default();
    let is_link = |block: &&Json| block.get("type").and_then(Json::as_str) == Some("resource_link");
    blocks
        .iter()
        .filter(is_link)
        .filter(|link| !read.contains(link) && stands_in_text(link))
        .map(Json::to_compact)
        .collect()
}

pub(crate) fn adapter_failed(who: Role, failure: &AdapterFailure) -> Observation {
    let how = words_of(failure);
    ended(match failure {
        AdapterFailure::NotStarted(_) => End::NotStarted { who, why: how },
        AdapterFailure::TimedOut { .. } => End::TimedOut { waiting_for: who, what: how },
        AdapterFailure::Unsupported => End::Unsupported { by: who, reason: how },
        AdapterFailure::Stopped | AdapterFailure::NotSerializable { .. } => End::HarnessFailed { why: how },
        AdapterFailure::Died { .. }
        | AdapterFailure::GaveUp { .. }
        | AdapterFailure::Garbage { .. }
        | AdapterFailure::Noise { .. }
        | AdapterFailure::Overflow { .. }
        | AdapterFailure::NoAddress { .. }
        | AdapterFailure::AcceptsUnknownStep { .. } => End::Crashed { who, how },
    })
}

/// Describes the failure of an adapter, with the last words of its process.
pub(crate) fn words_of(failure: &AdapterFailure) -> String {
    if let AdapterFailure::Died { log_tail, .. } | AdapterFailure::GaveUp { log_tail, .. } = failure {
        with_log_tail(failure.to_string(), log_tail)
    } else {
        failure.to_string()
    }
}

/// Returns the observation for a server that does not serve a script.
pub(crate) fn hosting_failed(failure: &HostFailure) -> Observation {
    match failure {
        HostFailure::Unsupported { why } => ended(End::Unsupported { by: Role::Server, reason: why.clone() }),
        HostFailure::Adapter(failure @ AdapterFailure::TimedOut { .. }) => {
            let what = format!("its adapter did not take up the scenario: {failure}");
            ended(End::TimedOut { waiting_for: Role::Server, what })
        }
        HostFailure::Adapter(failure) => adapter_failed(Role::Server, failure),
    }
}

/// Removes the server's address, which is another one in every run.
pub(crate) fn without_address(seen: Observation, url: &str) -> Observation {
    let Observation { negotiated, mut steps, mut end } = seen;
    let errors = steps.iter_mut().filter_map(|step| if let Seen::Failed(error) = step { Some(error) } else { None });
    let of_end = if let End::NoSession(error) = &mut end { Some(error) } else { None };
    let host = url.split('/').nth(2).unwrap_or(url);
    for error in errors.chain(of_end) {
        error.message = error.message.replace(url, URL).replace(host, "{host}");
    }
    Observation { negotiated, steps, end }
}

/// Describes the end of a process, with the end of its log if it wrote any.
pub fn with_log_tail(how: String, log_tail: &str) -> String {
    match log_tail.trim() {
        "" => how,
        words => format!("{how}; its log ends with: {words}"),
    }
}

/// Returns an observation of nothing but the end.
pub(crate) fn ended(end: End) -> Observation {
    Observation { negotiated: None, steps: Vec::new(), end }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::observation::{Layer, PeerError};

    use super::*;

    #[test]
    fn errors_do_not_hold_the_address_of_the_run() {
        let error = |message: &str| PeerError { layer: Layer::Connect, code: None, message: message.to_owned() };
        let seen = |step: &str, end: &str| Observation {
            negotiated: None,
            steps: vec![Seen::Failed(error(step)), Seen::NotReported {}],
            end: End::NoSession(error(end)),
        };
        let url = "http://127.0.0.1:4321/a1b2";
        let told = seen(&format!("400 for '{url}'"), "connect ECONNREFUSED 127.0.0.1:4321; see http://example.org/");
        let named = seen("400 for '{url}'", "connect ECONNREFUSED {host}; see http://example.org/");
        assert_eq!(without_address(told, url), named);
    }
}
