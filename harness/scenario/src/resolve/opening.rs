//! Scripted answers to requests that are no calls, and whether a session comes about with them.

use mcp_compat_model::peer_contract::{AnsweredMethod, ScriptedAnswer};

use super::answer::{self, Answering};
use super::beside::Beside;
use super::effect;
use crate::file::besides::Answer;
use crate::file::table::{At, Field};
use crate::sink::Sink;

/// Whether a client and the server come to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Session {
    /// The server sees to it.
    Sure,
    /// What the server answers first is written in the scenario, and may prevent it.
    InDoubt,
}

impl Session {
    /// What becomes of the session with these answers.
    pub(super) fn of(answers: &[ScriptedAnswer]) -> Self {
        let opens = |answer: &ScriptedAnswer| match answer.to {
            AnsweredMethod::Initialize | AnsweredMethod::Discover => true,
            AnsweredMethod::ListTools => false,
        };
        if answers.iter().any(opens) { Self::InDoubt } else { Self::Sure }
    }
}

/// The answers of a member. None, if one of them is not well.
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
        let reply = answer::reply(&written.reply, &by, beside, sink);
        let page = match &written.page {
            Field::Given(page) => Some(page.value.0),
            Field::Absent => None,
            Field::Broken => return None,
        };
        Some(ScriptedAnswer { to: written.to.given()?.value, page, reply: reply? })
    };
    let answers: Vec<Option<ScriptedAnswer>> = written.iter().map(answer).collect();
    let answers = answers.into_iter().collect();
    effect::answers_are_used(written, sink).then_some(answers)?
}
