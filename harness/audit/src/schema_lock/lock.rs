//! The lock: a server's tools at every revision that it speaks, each definition once.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_json::{Json, JsonError, Number};
use mcp_compat_model::Revision;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::probe::ServerName;
use crate::schema_lock::keywords::shown;

/// The version of the format that is written, and the newest that is read.
pub const LOCK_VERSION: u32 = 1;

/// The tools that a server declares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// The version of this format.
    lock_version: u32,
    /// The server.
    pub server: ServerName,
    /// The revisions that the server speaks, oldest first.
    pub revisions: Vec<Revision>,
    /// Each definition of a tool with the revisions at which it is listed so, by name.
    pub tools: Vec<LockedTool>,
}

/// A tool as it is listed at some revisions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LockedTool {
    /// The revisions, oldest first.
    pub revisions: Vec<Revision>,
    /// Its entry of `tools/list`, every lexeme as it was sent.
    pub definition: Json,
}

/// The tools that a server lists, by revision.
pub type Listing = BTreeMap<Revision, Vec<Json>>;

/// Error about a list of tools that cannot be locked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    #[error("the server speaks no revision, so there is nothing to lock")]
    Speechless,
    #[error("at {0} the server lists a tool without a name. Fix the server first")]
    Nameless(Revision),
    #[error("at {revision} the server lists {name:?} twice. Fix the server first")]
    Twice { name: String, revision: Revision },
}

/// Error about a text that is not a lock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotALock {
    #[error("it cannot be read as JSON: {error} (line {line}, column {column})")]
    Syntax { error: JsonError, line: usize, column: usize },
    #[error("it has no `lock_version`, so it is not a lock of mcp-compat")]
    Unversioned,
    #[error(
        "it has lock format {0}, and this version of mcp-compat reads formats up to {LOCK_VERSION}. Update mcp-compat"
    )]
    Newer(u64),
    #[error("it is not a valid lock: {0}")]
    Broken(String),
}

impl Lock {
    pub fn new(server: ServerName, listing: &Listing) -> Result<Self, LockError> {
        if listing.is_empty() {
            return Err(LockError::Speechless);
        }
        let mut by_name: BTreeMap<&str, Vec<LockedTool>> = BTreeMap::new();
        for (revision, tools) in listing {
            for definition in tools {
                let name = definition.get("name").and_then(Json::as_str).ok_or(LockError::Nameless(*revision))?;
                let kept = by_name.entry(name).or_default();
                if kept.iter().any(|tool| tool.revisions.contains(revision)) {
                    return Err(LockError::Twice { name: name.to_owned(), revision: *revision });
                }
                match kept.iter_mut().find(|tool| tool.definition == *definition) {
                    Some(same) => same.revisions.push(*revision),
                    None => kept.push(LockedTool { revisions: vec![*revision], definition: definition.clone() }),
                }
            }
        }
        let revisions = listing.keys().copied().collect();
        Ok(Self { lock_version: LOCK_VERSION, server, revisions, tools: by_name.into_values().flatten().collect() })
    }

    pub fn parse(text: &str) -> Result<Self, NotALock> {
        let json = Json::parse(text).map_err(|error| {
            let (line, column) = error.line_column(text);
            NotALock::Syntax { error, line, column }
        })?;
        // The version is checked first, because a newer format may look different.
        let version = json.get("lock_version").ok_or(NotALock::Unversioned)?;
        match version.as_number().and_then(Number::as_u64) {
            Some(version) if version > LOCK_VERSION.into() => return Err(NotALock::Newer(version)),
            None | Some(0) => {
                let why = format!("its `lock_version` is {}, which is not a lock format", shown(version));
                return Err(NotALock::Broken(why));
            }
            Some(_) => {}
        }
        let lock: Self = serde_json::from_str(text).map_err(|error| NotALock::Broken(error.to_string()))?;
        // A lock that is made again from its listing must be the same: no tool twice, none without a name.
        let again =
            Self::new(lock.server.clone(), &lock.listing()).map_err(|error| NotALock::Broken(error.to_string()))?;
        if again.revisions == lock.revisions && again.tools.len() == lock.tools.len() {
            Ok(again)
        } else {
            Err(NotALock::Broken("its tools do not match its revisions".to_owned()))
        }
    }

    pub fn to_text(&self) -> String {
        let object = |members: Vec<(&str, Json)>| Json::Object(members.into_iter().collect());
        let revisions = |list: &[Revision]| Json::Array(list.iter().map(|revision| revision.as_str().into()).collect());
        let tool = |tool: &LockedTool| {
            object(vec![("revisions", revisions(&tool.revisions)), ("definition", tool.definition.clone())])
        };
        let server = vec![("name", self.server.name.as_str().into()), ("version", self.server.version.as_str().into())];
        let lock = object(vec![
            ("lock_version", u64::from(self.lock_version).into()),
            ("server", object(server)),
            ("revisions", revisions(&self.revisions)),
            ("tools", self.tools.iter().map(tool).collect::<Vec<_>>().into()),
        ]);
        lock.to_pretty() + "\n"
    }

    /// The number of tools. A tool may have several definitions.
    pub fn tool_count(&self) -> usize {
        self.tools.iter().map(LockedTool::name).collect::<BTreeSet<_>>().len()
    }

    /// The tools by revision, sorted by name.
    fn listing(&self) -> Listing {
        let mut listing: Listing = self.revisions.iter().map(|revision| (*revision, Vec::new())).collect();
        for tool in &self.tools {
            for revision in &tool.revisions {
                listing.entry(*revision).or_default().push(tool.definition.clone());
            }
        }
        listing
    }
}

impl LockedTool {
    pub(crate) fn name(&self) -> &str {
        self.definition.get("name").and_then(Json::as_str).unwrap_or_default()
    }
}
