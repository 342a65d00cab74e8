//! The manifest as it is written, key by key. The JSON Schema of `peer.toml` is made of these types.

use std::collections::BTreeMap;
use std::fmt;

use mcp_compat_host::HostForm;
use mcp_compat_model::{Mode, PeerId, Revision};
use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use mcp_compat_model::range::Range;
use mcp_compat_model::version::Version;

/// Manifest of a family of peers: its description, its installation and its commands.
///
/// In commands, `{peer}` is the folder of the manifest, `{home}` the copy of it that is made for one version, `{build}`
/// a folder that all peers of the language share, and `{version}` the version.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(title = "mcp-compat peer", rename = "Peer")]
#[schemars(extend("oneOf" = [{"required": ["id"]}, {"required": ["name", "versions"]}]))]
#[schemars(extend("anyOf" = [{"required": ["client"]}, {"required": ["host"]}, {"required": ["server"]}, {"required": ["server-typed"]}]))]
pub(crate) struct Form {
    /// The id of the one release that this is about, such as `rmcp@3.9.0`.
    pub(super) id: Option<PeerId>,
    /// Name of its releases: ids are `name@version`. Several manifests may share a name; their ranges do not
    /// meet.
    pub(super) name: Option<String>,
    /// The releases that this serves, such as `>=1.10.0, <2.0.0`.
    pub(super) versions: Option<Range>,
    /// The language that it is written in.
    pub(super) language: String,
    /// One line on what it is.
    pub(super) about: String,
    /// The revisions that it speaks.
    pub(super) revisions: Revisions,
    /// Registry that lists its releases.
    pub(super) registry: Option<Registry>,
    /// Tools that must be on the machine.
    #[serde(default)]
    pub(super) tool: Vec<Tool>,
    /// Installation; absent when nothing has to be done before it can be started.
    pub(super) setup: Option<Setup>,
    /// Command of its client; absent when it has none.
    pub(super) client: Option<ClientCommand>,
    /// Start of the host that it is, whose user is a model; absent when it is none.
    pub(super) host: Option<HostForm>,
    /// Commands of its server; absent when it has none.
    pub(super) server: Option<ServerCommand>,
    /// Commands of the server that is written with the SDK's typed API: a peer of its own, `name@version/typed`.
    pub(super) server_typed: Option<ServerCommand>,
}

/// The revisions that a family speaks.
#[derive(Clone, Debug, JsonSchema)]
#[schemars(untagged)]
pub enum Revisions {
    /// Revisions of every release.
    Always(Vec<Revision>),
    /// Revisions, each with its first release.
    #[schemars(extend("propertyNames" = {"$ref": "#/$defs/Revision"}))]
    Since(BTreeMap<Revision, Version>),
}

/// Registry that lists releases.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Registry {
    /// The command that prints them, in any form.
    pub list: Vec<String>,
}

/// A tool that must be on the machine.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Tool {
    /// The command that prints its version.
    pub command: Vec<String>,
    /// The oldest version that will do; any when absent.
    pub at_least: Option<Version>,
    /// Name of the tool and the place to get it.
    pub get: String,
}

/// Installation: either `command`, in the folder of the manifest, or `steps`, in a copy of it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Setup {
    /// The command, run in the folder of the manifest; for one release only.
    pub(super) command: Option<Vec<String>>,
    /// Variables to set for the commands.
    pub(super) env: BTreeMap<String, String>,
    /// Further files and folders that it depends on, beside the folder of the manifest. They are copied along.
    pub(super) inputs: Vec<String>,
    /// The lock file, or several: `locks/<version>/<lock>` is put into the copy where it is there.
    #[serde(deserialize_with = "one_or_more")]
    #[schemars(with = "OneOrMore")]
    pub(super) lock: Vec<String>,
    /// The commands where the lock files are there; `steps` when absent.
    pub(super) locked: Vec<Vec<String>>,
    /// The commands where they are not.
    pub(super) steps: Vec<Vec<String>>,
    /// The file that is there when it has succeeded.
    pub(super) produces: Option<String>,
}

/// Command of a client adapter.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClientCommand {
    /// The command.
    pub command: Vec<String>,
    /// The negotiation modes that it can be asked for; empty when it has no choice.
    #[serde(default)]
    pub modes: Vec<Mode>,
}

/// Commands of a server adapter, for one transport at least.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ServerCommand {
    /// The command of the server on standard streams; absent when it has none.
    pub stdio: Option<Vec<String>>,
    /// The command of the server over HTTP; absent when it has none.
    pub http: Option<Vec<String>>,
}

/// A text, or several.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "it stands here for the format's schema")]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

// An untagged enum would only report that nothing fits. These report the error and its place.

impl<'de> Deserialize<'de> for Revisions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Revisions;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of revisions, or a table with the first release that speaks each")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
                Deserialize::deserialize(SeqAccessDeserializer::new(seq)).map(Revisions::Always)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                Deserialize::deserialize(MapAccessDeserializer::new(map)).map(Revisions::Since)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    struct Either;

    impl<'de> Visitor<'de> for Either {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text, or an array of them")
        }

        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(vec![text.to_owned()])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
            Deserialize::deserialize(SeqAccessDeserializer::new(seq))
        }
    }

    deserializer.deserialize_any(Either)
}
