//! The parameters of a request, as far as the mock server reads them.

use std::borrow::Cow;

use crate::wire::jsonrpc::present;
use crate::wire::object::read_string;
use mcp_compat_model::Revision;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::server::protocol::ProtocolError;

/// The members that any method of a tools server may have. `null` is `Some`; an absent member is `None`.
#[derive(Default, Deserialize)]
pub(crate) struct Params<'a> {
    #[serde(default, borrow, deserialize_with = "present", rename = "_meta")]
    meta: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present", rename = "protocolVersion")]
    protocol_version: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    name: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    uri: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    arguments: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    cursor: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present")]
    notifications: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present", rename = "requestId")]
    request_id: Option<&'a RawValue>,
}

/// The members of `_meta`, mostly of modern requests.
#[derive(Default, Deserialize)]
struct Meta<'a> {
    #[serde(default, borrow, deserialize_with = "present", rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present", rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present", rename = "io.modelcontextprotocol/clientInfo")]
    info: Option<&'a RawValue>,
    #[serde(default, borrow, deserialize_with = "present", rename = "progressToken")]
    progress_token: Option<&'a RawValue>,
}

/// Notifications that a `subscriptions/listen` request asks for. A tools server has only this.
#[derive(Default, Deserialize)]
struct Wanted {
    #[serde(default, rename = "toolsListChanged")]
    tools_list_changed: Option<bool>,
}

impl<'a> Params<'a> {
    /// Reads the parameters of a request.
    pub(crate) fn read(raw: Option<&'a RawValue>) -> Result<Self, ProtocolError> {
        match raw {
            None => Ok(Self::default()),
            Some(raw) if is_object(raw) => serde_json::from_str(raw.get())
                .map_err(|error| ProtocolError::invalid_params(format!("the parameters cannot be read: {error}"))),
            Some(_) => Err(ProtocolError::invalid_params("`params` has to be an object")),
        }
    }

    /// Returns whether the request names a revision in its `_meta`, as only modern ones do.
    pub(crate) fn names_a_revision(&self) -> bool {
        self.meta().is_some_and(|meta| meta.version.is_some())
    }

    /// The revision that a modern request names, as it is written. Checks that `_meta` is complete.
    pub(crate) fn modern_version(&self) -> Result<Cow<'a, str>, ProtocolError> {
        let meta = self.meta().ok_or_else(|| {
            ProtocolError::malformed("a request of 2026-07-28 has to carry `_meta`, an object, in its parameters")
        })?;
        let version = meta.version.and_then(|version| read_string(version.get())).ok_or_else(|| {
            ProtocolError::malformed("`_meta` lacks `io.modelcontextprotocol/protocolVersion`, a string")
        })?;
        if !meta.capabilities.is_some_and(is_object) {
            return Err(ProtocolError::malformed(
                "`_meta` lacks `io.modelcontextprotocol/clientCapabilities`, an object",
            ));
        }
        if !meta.info.is_none_or(is_object) {
            return Err(ProtocolError::malformed(
                "`io.modelcontextprotocol/clientInfo` in `_meta` has to be an object",
            ));
        }
        Ok(version)
    }

    fn meta(&self) -> Option<Meta<'a>> {
        self.meta.filter(|meta| is_object(meta)).and_then(|meta| serde_json::from_str(meta.get()).ok())
    }

    /// The revision that `initialize` requests, if it is a known one.
    pub(crate) fn requested_revision(&self) -> Result<Option<Revision>, ProtocolError> {
        let version = self.protocol_version.and_then(|version| read_string(version.get()));
        let version = version.ok_or_else(|| ProtocolError::invalid_params("`protocolVersion` has to be a string"))?;
        Ok(version.parse().ok())
    }

    /// The tool that a call names. Its arguments have to be an object, absent, or `null`.
    pub(crate) fn tool(&self) -> Result<Cow<'a, str>, ProtocolError> {
        if !self.arguments.is_none_or(|arguments| is_object(arguments) || is_null(arguments)) {
            return Err(ProtocolError::invalid_params("`arguments` has to be an object"));
        }
        let name = self.name.and_then(|name| read_string(name.get()));
        name.ok_or_else(|| ProtocolError::invalid_params("`name` has to be a string"))
    }

    /// The progress token, as JSON text.
    pub(crate) fn progress_token(&self) -> Option<&'a str> {
        let token = self.meta()?.progress_token.map(RawValue::get)?;
        token.starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit()).then_some(token)
    }

    /// The cursor of a list request. `null` counts as absent.
    pub(crate) fn cursor(&self) -> Result<Option<Cow<'a, str>>, ProtocolError> {
        match self.cursor.filter(|cursor| !is_null(cursor)) {
            None => Ok(None),
            Some(cursor) => match read_string(cursor.get()) {
                Some(cursor) => Ok(Some(cursor)),
                None => Err(ProtocolError::invalid_params("`cursor` has to be a string")),
            },
        }
    }

    /// Returns whether a subscription asks for changes of the tools.
    pub(crate) fn wants_tool_changes(&self) -> Result<bool, ProtocolError> {
        let filter = self.notifications.filter(|filter| is_object(filter));
        let filter = filter.ok_or_else(|| ProtocolError::invalid_params("`notifications` has to be an object"))?;
        let wanted: Wanted = serde_json::from_str(filter.get())
            .map_err(|error| ProtocolError::invalid_params(format!("`notifications` cannot be read: {error}")))?;
        Ok(wanted.tools_list_changed.unwrap_or(false))
    }

    /// The id of the request that is cancelled, as JSON text.
    pub(crate) fn cancelled(&self) -> Option<&'a str> {
        self.request_id.map(RawValue::get)
    }

    /// Returns the text that `Mcp-Name` has to contain for a method: the name of the tool or prompt, or the URI of the resource.
    pub(crate) fn named_item(&self, method: &str) -> Option<Cow<'a, str>> {
        let source = match method {
            "tools/call" | "prompts/get" => self.name,
            "resources/read" => self.uri,
            _ => None,
        };
        source.and_then(|source| read_string(source.get()))
    }

    /// The arguments of a call, as JSON text.
    pub(crate) fn arguments(&self) -> Option<&'a str> {
        self.arguments.map(RawValue::get)
    }
}

fn is_object(raw: &RawValue) -> bool {
    raw.get().starts_with('{')
}

fn is_null(raw: &RawValue) -> bool {
    raw.get() == "null"
}
