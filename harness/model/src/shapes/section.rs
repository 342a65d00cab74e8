//! The sections of the specification, in each revision.
//!
//! The other revisions have a section of the same name, or one whose page was moved, or none: the schema has pages from
//! 2025-06-18 on, and is a file before.

use std::borrow::Cow;

use crate::Revision;

/// Beginning of the address of every page of the specification.
pub const PAGES: &str = "https://modelcontextprotocol.io/specification/";

/// Address of the schema of a revision that has no page for it.
pub const SCHEMAS: &str = "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/";

/// The address of a section of the specification in another revision; where that has no such page, and where it is a page
/// of another standard, the address itself. Whether the page has the section there is for the caller to know.
#[must_use]
pub fn section_at(source: &'static str, revision: Option<Revision>) -> Cow<'static, str> {
    let moved = || {
        let (named, section) = source.strip_prefix(PAGES)?.split_once('/')?;
        let revision = revision.filter(|revision| revision.as_str() != named)?;
        address(section, revision)
    };
    moved().map_or(Cow::Borrowed(source), Cow::Owned)
}

/// The address of the counterpart that a section of another revision has.
fn address(section: &str, revision: Revision) -> Option<String> {
    if section.starts_with("schema#") && revision < Revision::V2025_06_18 {
        return Some(format!("{SCHEMAS}{revision}/schema.ts"));
    }
    Some(format!("{PAGES}{revision}/{}", counterpart(section, revision)?))
}

/// The section of a revision that says what a section of another one says.
fn counterpart(section: &str, revision: Revision) -> Option<Cow<'_, str>> {
    let (page, heading) = section.split_once('#')?;
    let is_legacy = revision <= Revision::NEWEST_LEGACY;
    match page {
        "basic/index" if revision == Revision::V2024_11_05 && heading == "messages" => {
            Some(Cow::Borrowed("basic/messages"))
        }
        "basic/index" if revision == Revision::V2024_11_05 => Some(Cow::Owned(format!("basic/messages#{heading}"))),
        "basic/patterns/progress" if is_legacy => Some(Cow::Owned(format!("basic/utilities/progress#{heading}"))),
        "basic/transports/streamable-http" if is_legacy && heading == "sending-messages" => {
            Some(Cow::Borrowed("basic/transports#sending-messages-to-the-server"))
        }
        "schema" if heading == "initializeresult" && !is_legacy => None,
        "schema" if heading == "discoverresult" && is_legacy => None,
        "basic/index"
        | "basic/transports"
        | "schema"
        | "server/tools"
        | "server/utilities/logging"
        | "server/utilities/pagination" => Some(Cow::Borrowed(section)),
        "basic/lifecycle" if is_legacy => Some(Cow::Borrowed(section)),
        // What only one revision has, and the changes that a revision made.
        _ => None,
    }
}
