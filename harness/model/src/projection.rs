//! Output that only 2026-07-28 has, as the servers of SDK releases send it to clients of each era.
//!
//! The specification does not say what a server of both eras sends to an older client. Each SDK answers for itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell::Transport;
use crate::data_file::{self, NotData};
use crate::named::named;
use crate::peer::PeerId;
use crate::revision::{Era, Revision};

/// The version of the format. Additions keep it; anything else raises it.
pub const SCHEMA_VERSION: u32 = 1;

/// The projections of the servers that were measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Projections {
    /// [`SCHEMA_VERSION`] at the time of writing.
    pub schema_version: u32,
    /// The servers, by name and release.
    pub servers: Vec<ServerProjection>,
}

/// Output of one server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerProjection {
    /// The release that was played, with the API that its server is written with.
    pub server: PeerId,
    /// The day, such as `2026-11-29`.
    pub date: String,
    /// The version of mcp-compat that played.
    pub tool_version: String,
    /// Transport of the messages.
    pub transport: Transport,
    /// Output to a client that opens with `initialize`; absent if the server has no such revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legacy: Option<EraProjection>,
    /// Output to a client of 2026-07-28; absent if the server does not speak it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modern: Option<EraProjection>,
}

/// Output of a server to the clients of an era.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EraProjection {
    /// The newest revision of the era that the server speaks.
    pub revision: Revision,
    /// An array, with its schema.
    pub array: Projection,
    /// An object of a union: the schema has `anyOf` at its root, and no type.
    pub union: Projection,
    /// Null, for which the schema has the types `object` and `null` at its root.
    pub null: Projection,
    /// An object whose schema has `properties` at its root, and no type.
    pub untyped: Projection,
}

named! {
    /// A value that a tool returns, with its schema.
    pub enum Input {
        /// An array.
        Array = "array",
        /// An object of a union.
        Union = "union",
        /// Null.
        Null = "null",
        /// An object whose schema has no type.
        Untyped = "untyped",
    }
}

/// Output of a server for one value and its schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Projection {
    /// The API of the SDK does not accept the tool or the value. The reason.
    Refused(String),
    /// The server answers `tools/list` with an error. Its message.
    ListFails(String),
    /// The server lists its tools and answers the call.
    Sent {
        /// The schema in the list.
        schema: SentSchema,
        /// The value in the answer.
        value: SentValue,
    },
}

/// The output schema of a tool in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SentSchema {
    /// It is the declared one; of a typed API, one whose root has the declared type or none.
    Raw,
    /// It is the only property of an object. The key.
    Wrapped(String),
    /// The root is one of objects, and the schema is not wrapped.
    ObjectRoot,
    /// It is another one.
    Changed,
    /// The tool has no output schema.
    Omitted,
    /// The tool is not in the list.
    ToolOmitted,
}

/// The value in the answer to a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SentValue {
    /// `structuredContent` is the value.
    Raw,
    /// `structuredContent` is an object whose only member is the value. The key.
    Wrapped(String),
    /// `structuredContent` is something else.
    Changed,
    /// There is no `structuredContent`. A text block has the value as JSON.
    Text,
    /// There is no `structuredContent`. A text block has the value as JSON, another one a message.
    TextWithMessage(String),
    /// There is no `structuredContent`, and no text has the value.
    Nothing,
    /// A result with `isError`. Its text.
    ErrorResult(String),
    /// A JSON-RPC error. Its message.
    Error(String),
}

impl EraProjection {
    /// The output for a value.
    #[must_use]
    pub const fn of(&self, input: Input) -> &Projection {
        match input {
            Input::Array => &self.array,
            Input::Union => &self.union,
            Input::Null => &self.null,
            Input::Untyped => &self.untyped,
        }
    }
}

impl ServerProjection {
    /// The output to clients of an era; `None` if the server does not speak it.
    #[must_use]
    pub const fn of(&self, era: Era) -> Option<&EraProjection> {
        match era {
            Era::Legacy => self.legacy.as_ref(),
            Era::Modern => self.modern.as_ref(),
        }
    }
}

impl Default for Projections {
    fn default() -> Self {
        Self { schema_version: SCHEMA_VERSION, servers: Vec::new() }
    }
}

impl Projections {
    /// Reads projections.
    ///
    /// # Errors
    /// When the text is something else, or of a newer format.
    pub fn parse(text: &str) -> Result<Self, NotData> {
        data_file::parse(text, SCHEMA_VERSION)
    }

    /// The text of a file: one line for each server, so that a difference of two files can be read.
    ///
    /// # Errors
    /// Never for data of this form: serde reports what cannot be JSON.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let (version, servers) = (self.schema_version, data_file::lines(&self.servers)?);
        Ok(format!("{{\"schema_version\":{version},\n\"servers\":[\n{servers}\n]}}\n"))
    }

    /// Puts what was measured of a server in the place of what is known of it.
    pub fn replace(&mut self, server: ServerProjection) {
        self.servers.retain(|known| known.server != server.server);
        self.servers.push(server);
        self.servers.sort_by(|one, other| key(one).cmp(&key(other)));
    }
}

/// Order of the servers: by family and API, the oldest release first.
fn key(server: &ServerProjection) -> impl Ord + '_ {
    let release = server.server.release();
    (release.map(|(family, _)| family), server.server.flavour(), release.map(|(_, version)| version))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(id: &str) -> ServerProjection {
        let sent = || Projection::Sent { schema: SentSchema::Omitted, value: SentValue::Wrapped("result".to_owned()) };
        let refused = || Projection::Refused("no".to_owned());
        let revision = Revision::V2025_11_25;
        let legacy = EraProjection { revision, array: sent(), union: sent(), null: refused(), untyped: sent() };
        ServerProjection {
            server: PeerId::new(id).unwrap(),
            date: "2026-11-29".to_owned(),
            tool_version: "0.1.0".to_owned(),
            transport: Transport::Stdio,
            legacy: Some(legacy),
            modern: None,
        }
    }

    #[test]
    fn a_file_is_read_as_it_was_written_and_has_a_line_a_server() {
        let mut data = Projections::default();
        for id in ["go@1.10.0", "go@1.9.0/typed", "go@1.9.0", "ann@2.0.0", "go@1.9.0"] {
            data.replace(server(id));
        }
        let ids: Vec<&str> = data.servers.iter().map(|server| server.server.as_str()).collect();
        assert_eq!(ids, ["ann@2.0.0", "go@1.9.0", "go@1.10.0", "go@1.9.0/typed"]);
        let text = data.to_text().unwrap();
        assert_eq!(Projections::parse(&text).unwrap(), data);
        assert_eq!(text.lines().count(), 2 + 4 + 1);
        assert!(text.contains(r#""array":{"sent":{"schema":"omitted","value":{"wrapped":"result"}}}"#), "{text}");
        assert!(text.contains(r#""null":{"refused":"no"}"#), "{text}");
    }

    #[test]
    fn another_text_is_refused() {
        assert!(matches!(Projections::parse("[]"), Err(NotData::Form(_))));
        let newer = Projections::parse(r#"{"schema_version":2,"releases":[]}"#);
        assert!(matches!(newer, Err(NotData::Newer { found: 2, .. })));
    }
}
