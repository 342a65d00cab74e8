//! A call of a tool that no server has, under a name beyond ASCII: an error that quotes the name shows how it was read.

use mcp_compat_json::Json;
use mcp_compat_model::Era;
use mcp_compat_model::audit::AuditFinding;
use mcp_compat_model::excerpt::{bounded, excerpt};

use super::super::results::text_blocks;
use super::Trial;
use super::calls::{OF_UTF_8, in_escapes};
use super::rules::ARGUMENTS_ARE_UTF_8;
use crate::probe::{ProbeError, Reply, Sent};

const NAME: &str = "mcp_compat_unlisted_größe";

/// The part of the name that any encoding keeps.
const ASCII: &str = "mcp_compat_unlisted_gr";

/// Most characters of an answer in a sentence.
const SHOWN: usize = 120;

impl Trial<'_> {
    /// Calls the tool, with its name as UTF-8 and as escapes.
    pub(super) async fn name_beyond_ascii(&mut self) -> Result<Option<AuditFinding>, ProbeError> {
        // A header has the name too, from 2026-07-28 on.
        if self.revision.era() == Era::Modern || self.is_over() {
            return Ok(None);
        }
        let [raw, escaped] = [Json::from(NAME).to_compact(), in_escapes(NAME)];
        let read = self.quoted_name(&raw).await?;
        let garbled = read.filter(|words| words.contains(ASCII) && !words.contains(NAME));
        let Some(words) = garbled else { return Ok(None) };
        let of_escapes = self.quoted_name(&escaped).await?;
        if !of_escapes.is_some_and(|words| words.contains(NAME)) {
            return Ok(None);
        }
        let detail = format!(
            "a call of the unknown tool \"{NAME}\" is answered with {} where the name is sent as UTF-8, and with the \
             right name where it is escaped",
            excerpt(&bounded(&words, SHOWN))
        );
        let finding = ARGUMENTS_ARE_UTF_8.violated(detail, vec![self.revision]);
        Ok(Some(AuditFinding { lost_elsewhere: Some(OF_UTF_8.to_owned()), ..finding }))
    }

    /// The words of the answer to a call.
    async fn quoted_name(&mut self, name: &str) -> Result<Option<String>, ProbeError> {
        let params = format!(r#""name":{name},"arguments":{{}}"#);
        Ok(match self.ask(&Sent::request("1004", "tools/call", Some(&params))).await?.reply {
            Reply::Error { message, .. } => Some(message),
            Reply::Result(result) => text_blocks(&result).next().map(str::to_owned),
            Reply::OtherId(_) | Reply::Status(..) | Reply::Ended | Reply::Nothing => None,
        })
    }
}
