//! The results with which a server opened its sessions, one for each revision, and what is to be said of them beside the
//! rules of the specification.

use std::collections::BTreeMap;

use mcp_compat_judge::rules;
use mcp_compat_model::Revision;
use mcp_compat_model::audit::{AuditFinding, Severity};
use mcp_compat_model::peer_contract::AnsweredMethod;
use mcp_compat_model::unseen::neutralised;
use mcp_compat_shapes::later_member;
use mcp_compat_wire::message::messages;
use mcp_compat_wire::session::named_revision;

use super::audit_rule::{MEMBERS_OF_LATER_REVISIONS, OPENING_IS_REPLAYED};
use super::opening::{MOST_BYTES, Opening};
use super::session_results::SessionResults;
use crate::probe::{ProbeSession, Refused};

/// Those of a server.
#[derive(Default)]
pub(super) struct Openings {
    by_revision: BTreeMap<Revision, Opening>,
    /// What clients of any era ask first.
    discovered: Opening,
    /// The members that only later revisions define, in words, and at which revisions they came.
    later: BTreeMap<String, Vec<Revision>>,
    /// The results that are too large to be replayed, and their sizes in bytes.
    too_large: BTreeMap<&'static str, usize>,
}

impl Openings {
    /// Those of the sessions with a server, one for each revision.
    pub(super) fn of(sessions: &[ProbeSession]) -> Self {
        let mut all = Self::default();
        for session in sessions {
            let messages = messages(&session.transcript);
            let results = SessionResults::new(session, &messages);
            let opening = Opening::of(&results, |method: AnsweredMethod, bytes| {
                all.too_large.insert(method.as_str(), bytes);
            });
            let handshake = results.of("initialize").next();
            if let Some(member) = handshake.and_then(|result| later_member(result, named_revision(result)?)) {
                all.later.entry(member).or_default().push(session.revision);
            }
            all.discovered = std::mem::take(&mut all.discovered).or_discovered(&opening);
            all.by_revision.insert(session.revision, opening);
        }
        all
    }

    /// What is replayed to a client that speaks a revision in the end.
    pub(super) fn at(&self, revision: Revision) -> Opening {
        self.by_revision.get(&revision).cloned().unwrap_or_default().or_discovered(&self.discovered)
    }

    /// What is to be said of them.
    pub(super) fn findings(&self) -> Vec<AuditFinding> {
        let later = self.later.iter().map(|(member, at)| {
            let dates: Vec<&str> = at.iter().map(|revision| revision.as_str()).collect();
            let verb = if at.len() == 1 { "does" } else { "do" };
            let detail = format!("{member}, and {} {verb} not define it", dates.join(", "));
            MEMBERS_OF_LATER_REVISIONS.violated(detail, at.clone())
        });
        let too_large = self.too_large.iter().map(|(method, bytes)| {
            let detail = format!(
                "the result of `{method}` is not replayed to clients: it has {bytes} bytes even with its texts cut off, and at \
                 most {MOST_BYTES} are replayed"
            );
            OPENING_IS_REPLAYED.violated(detail, Vec::new())
        });
        later.chain(too_large).collect()
    }
}

/// A revision that the server speaks, and that nobody can speak with it.
pub(super) fn unreadable(refused: &Refused) -> Option<AuditFinding> {
    let rule = &rules::DISCOVER_MEMBERS;
    Some(AuditFinding {
        rule: rule.id.to_owned(),
        severity: Severity::Error,
        detail: neutralised(refused.unreadable.as_deref()?),
        way: None,
        at: vec![refused.revision],
        source: Some(rule.source.to_owned()),
        remedy: rule.remedy.to_owned(),
        wire: None,
    })
}
