//! Least acceptable outcome of a call: as given for the step, the tool or the file, else derived from the meaning.

use mcp_compat_json::Json;
use mcp_compat_model::peer_contract::Reply;
use mcp_compat_model::verdict::{Outcome, OutcomeGroup};
use mcp_compat_model::{Era, Revision};

use super::answer::Session;
use crate::file::table::{At, Field};
use crate::file::vocabulary::Expectation;
use crate::scenario::{Expect, Means};
use crate::sink::{Sink, Span};
use crate::words::either;

/// Properties of a call that its outcome depends on.
pub(super) struct Asked<'f> {
    pub(super) means: &'f Means,
    /// Answer of the tool; `None` if the tool no longer exists.
    pub(super) reply: Option<&'f Reply>,
    pub(super) since: Revision,
    pub(super) session: Session,
    /// Expectations in the file, nearest first: of the step, the tool, the file.
    pub(super) written: [&'f Field<Expectation>; 3],
    /// Place of the tool or the step, for messages.
    pub(super) place: &'f Span,
}

impl Asked<'_> {
    /// Returns the least acceptable outcome in each era.
    pub(super) fn expect(&self, sink: &mut Sink<'_>) -> Option<Expect> {
        let legacy = self.in_era(Era::Legacy, sink);
        let modern = self.in_era(Era::Modern, sink);
        Some(Expect { legacy: legacy?, modern: modern? })
    }

    fn in_era(&self, era: Era, sink: &mut Sink<'_>) -> Option<Outcome> {
        for written in self.written {
            let outcome = match written {
                Field::Absent => continue,
                Field::Broken => return None,
                Field::Given(At { value: Expectation { legacy, modern }, .. }) => match era {
                    Era::Legacy => legacy,
                    Era::Modern => modern,
                },
            };
            match outcome {
                Field::Absent => {}
                Field::Broken => return None,
                Field::Given(outcome) => return self.fitting(outcome, sink),
            }
        }
        Some(self.default(era))
    }

    fn fitting(&self, written: &At<Outcome>, sink: &mut Sink<'_>) -> Option<Outcome> {
        let possible = self.possible();
        if possible.contains(&written.value) {
            return Some(written.value);
        }
        let meant = match self.means {
            Means::Value(_) => "a value",
            Means::Text(_) => "plain text",
            Means::ToolError(_) => "a tool error",
            Means::Invalid => "an invalid result",
        };
        let mistake = sink
            .mistake(&written.span, format!("`{}` is not an outcome of {meant}", written.value))
            .label(format!("expected {}", either(possible.iter().map(|outcome| outcome.as_str()))))
            .context(self.place.clone(), format!("this means {meant}"));
        sink.report(mistake);
        None
    }

    /// Returns the outcomes that a call can have, best first.
    fn possible(&self) -> Vec<Outcome> {
        let group = match self.means {
            Means::Value(_) | Means::Text(_) => OutcomeGroup::Value,
            Means::ToolError(_) => OutcomeGroup::ToolError,
            Means::Invalid => OutcomeGroup::InvalidResult,
        };
        // A text has no value that could be wrapped.
        let is_possible = |outcome: &Outcome| *outcome != Outcome::Wrapped || !matches!(self.means, Means::Text(_));
        let without_session = match self.session {
            Session::Sure => None,
            Session::InDoubt => Some(Outcome::Unreachable),
        };
        group.outcomes().filter(is_possible).chain(self.silence()).chain(without_session).collect()
    }

    /// Returns the outcome of a tool that does not answer.
    fn silence(&self) -> Option<Outcome> {
        match self.reply {
            Some(Reply::Hang {}) => Some(Outcome::Hung),
            Some(Reply::Exit { .. }) => Some(Outcome::Crashed),
            Some(Reply::Result(_) | Reply::Error(_) | Reply::Raw(_) | Reply::Evolve {}) | None => None,
        }
    }

    fn default(&self, era: Era) -> Outcome {
        if let Some(silence) = self.silence() {
            return silence;
        }
        match (self.means, era) {
            // Before revisions with any structured value, a server can return such a value only as text.
            (Means::Value(value), Era::Legacy) if self.since.has_any_value_output() && !is_object(value) => {
                Outcome::Text
            }
            (Means::Value(_) | Means::Text(_), _) => Outcome::Intact,
            (Means::ToolError(_), _) => Outcome::Told,
            (Means::Invalid, _) => Outcome::Caught,
        }
    }
}

fn is_object(value: &Json) -> bool {
    value.as_object().is_some()
}
