//! A cell of the matrix: scenario × client × server × transport.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::named::named;
use crate::peer::{InvalidPeerId, PeerId};

named! {
    /// Carrier of the messages between client and server.
    pub enum Transport {
        /// A byte pipe within the process; mocks and in-process peers only.
        Memory = "memory",
        /// A subprocess and its standard streams.
        Stdio = "stdio",
        /// Streamable HTTP on loopback.
        Http = "http",
    }
}

impl FromStr for Transport {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::named(text).ok_or_else(|| format!("{text:?} is not a transport: expected memory, stdio or http"))
    }
}

/// The name of a scenario: its path below `scenarios/` without the extension, and the case in brackets for a
/// member of a family, such as `root-type/primitive[zero]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct ScenarioId(String);

impl ScenarioId {
    /// Reads a scenario id.
    ///
    /// # Errors
    /// When the text is not lower-case words of letters, digits and hyphens parted by `/`, with at most one
    /// case in brackets at its end.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidScenarioId> {
        let text = text.into();
        let word = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        };
        let (path, case) = match text.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
            Some((path, case)) => (path, Some(case)),
            None => (text.as_str(), None),
        };
        if path.split('/').all(word) && case.is_none_or(word) { Ok(Self(text)) } else { Err(InvalidScenarioId(text)) }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder of the scenario, its class: `root-type` for `root-type/array`.
    #[must_use]
    pub fn class(&self) -> &str {
        self.0.split_once('/').map_or(self.as_str(), |(class, _)| class)
    }

    /// The file of the scenario without its extension: `root-type/primitive` for `root-type/primitive[zero]`.
    #[must_use]
    pub fn file(&self) -> &str {
        self.0.split_once('[').map_or(self.as_str(), |(file, _)| file)
    }
}

impl fmt::Display for ScenarioId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for ScenarioId {
    type Err = InvalidScenarioId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

impl<'de> Deserialize<'de> for ScenarioId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// A text that cannot be a scenario id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a scenario id: expected lower-case words like root-type/array or root-type/primitive[zero]")]
pub struct InvalidScenarioId(pub String);

/// One square of the matrix, for one scenario over one transport.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// The scenario played.
    pub scenario: ScenarioId,
    /// The client, which lists and calls.
    pub client: PeerId,
    /// The server, which offers the tools.
    pub server: PeerId,
    /// Carrier of the messages.
    pub transport: Transport,
}

impl Cell {
    /// The stable name of the cell: `scenario::client::server::transport`.
    #[must_use]
    pub fn id(&self) -> CellId {
        CellId(format!("{}::{}::{}::{}", self.scenario, self.client, self.server, self.transport))
    }
}

/// The stable name of a cell, such as `root-type/array::rmcp@3.9.0+auto::mock/dual::stdio`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct CellId(String);

impl CellId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Takes the id apart again.
    ///
    /// # Errors
    /// When the text does not have four parts, or one of them is not what its place asks for.
    pub fn parse(text: &str) -> Result<Cell, InvalidCellId> {
        let parts: Vec<&str> = text.split("::").collect();
        let [scenario, client, server, transport] = parts[..] else {
            return Err(InvalidCellId::Shape(text.to_owned()));
        };
        Ok(Cell {
            scenario: scenario.parse()?,
            client: client.parse()?,
            server: server.parse()?,
            transport: transport.parse().map_err(InvalidCellId::Transport)?,
        })
    }
}

impl fmt::Display for CellId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Reason why a text is not a cell id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidCellId {
    /// Not four parts.
    #[error("{0:?} is not a cell id: expected scenario::client::server::transport")]
    Shape(String),
    /// The first part is not a scenario id.
    #[error(transparent)]
    Scenario(#[from] InvalidScenarioId),
    /// The second or third part is not a peer id.
    #[error(transparent)]
    Peer(#[from] InvalidPeerId),
    /// The fourth part is not a transport.
    #[error("{0}")]
    Transport(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_id_reads_back() {
        let text = "root-type/primitive[zero]::rmcp@3.9.0+auto::mock/dual/omit::http";
        let cell = CellId::parse(text).unwrap();
        assert_eq!(cell.id().as_str(), text);
        assert_eq!((cell.scenario.class(), cell.scenario.file()), ("root-type", "root-type/primitive"));
    }

    #[test]
    fn what_is_not_a_cell_id_is_refused() {
        for text in ["", "a", "a::b::c", "A::b::c::http", "a::b::c::tcp", "a[b::c::d::http", "a::b c::d::http"] {
            assert!(CellId::parse(text).is_err(), "{text:?}");
        }
    }
}
