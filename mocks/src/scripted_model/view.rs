//! What a model gets to see of a server, from the requests that a host sent it.

use super::conversation::{MadeCall, OfferedTool, ToolAnswer};
use super::deferred::found;
use super::http::ModelRequest;
use super::interface::Interface;
use super::names::offered_as;
use super::plan::Plan;

/// What a model got to see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelView {
    /// The interface of the requests; `None` if there was no request with tools.
    pub interface: Option<Interface>,
    /// All tools that were offered, those of the host itself too, in the order of their first request.
    pub offered: Vec<OfferedTool>,
    /// True if tools were found by searches, so that those it did not search for are not known.
    pub searches: bool,
    /// A result for each call of the plan.
    pub results: Vec<SeenResult>,
}

/// The result of a planned call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeenResult {
    /// The tool was never offered.
    NotOffered,
    /// The tool was offered, and no request has a result of its call.
    NotAnswered,
    Answered(ToolAnswer),
}

impl ModelView {
    /// Reads requests to a model, in the order in which they came.
    ///
    /// A result counts as it was sent first: hosts shorten the history of later requests.
    pub fn of(requests: &[ModelRequest], plan: &Plan) -> Self {
        let mut view = Self { results: vec![SeenResult::NotOffered; plan.calls.len()], ..Self::default() };
        for request in requests.iter().filter(|request| !request.conversation.offered.is_empty()) {
            view.interface.get_or_insert(request.interface);
            let found = found(&request.conversation);
            view.searches |= !found.is_empty();
            for tool in request.conversation.offered.iter().chain(&found) {
                if !view.offered.iter().any(|it| (&it.namespace, &it.name) == (&tool.namespace, &tool.name)) {
                    view.offered.push(tool.clone());
                }
            }
            for (seen, made) in view.results.iter_mut().zip(plan.made(&request.conversation)) {
                let Some(MadeCall { answer: Some(answer), .. }) = made else { continue };
                if !matches!(seen, SeenResult::Answered(_)) {
                    *seen = SeenResult::Answered(answer.clone());
                }
            }
        }
        for (seen, planned) in view.results.iter_mut().zip(&plan.calls) {
            if *seen == SeenResult::NotOffered && offered_as(&planned.tool, &view.offered).is_some() {
                *seen = SeenResult::NotAnswered;
            }
        }
        view
    }
}
