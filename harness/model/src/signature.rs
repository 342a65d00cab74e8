//! The cause of a break in short, equal for cells that break alike.
//!
//! ```text
//! server:rejected:tools/list:output-schema-object-root:decode:/outputSchema/type
//! fault  outcome  place      ground                    error  pointer
//! ```
//!
//! Nothing of one cell alone is part of it: no names of peers or tools, no values, ids, ports or words of a peer. Records
//! and reports hold the text; programs hold the fields. The text is parsed where a record is read, and nowhere else.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::named::named;
use crate::observation::{Layer, PeerError};
use crate::verdict::{Fault, Outcome};

/// The cause of a break.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The party responsible for the fix.
    pub fault: Fault,
    /// The outcome for what the tool meant.
    pub outcome: Outcome,
    /// Place of the break.
    pub place: Place,
    /// Ground of that party's fault.
    pub ground: Ground,
    /// The error that the user got, if there was one.
    pub error: Option<ErrorKind>,
    /// Place in a value or schema, as a JSON Pointer with `*` for places in lists.
    pub pointer: Option<String>,
}

named! {
    /// The place of a break: the method whose answer was refused, or what stands for it.
    pub enum Place {
        /// The session as a whole.
        Session = "session",
        /// The list of tools.
        List = "tools/list",
        /// The step to the next stage of a scenario.
        Evolve = "evolve",
        /// The call.
        Call = "tools/call",
    }
}

/// Ground of a fault.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ground {
    /// A rule was violated: its id.
    Rule(String),
    /// No session was opened, and no rule was violated.
    NoSession(NoSessionCause),
    /// The specification does not say what has to happen.
    SpecSilent,
    /// The specification contradicts itself.
    SpecConflict,
    /// No rule explains it.
    NoRule,
}

named! {
    /// Cause of a session that was not opened.
    pub enum NoSessionCause {
        /// The client did not ask for one.
        NeverAsked = "never-asked",
        /// The client gave the session up after the handshake.
        BrokenOff = "broken-off",
        /// The client left although the server agreed to its revision.
        RevisionDeclined = "revision-declined",
        /// The two share no revision.
        NoCommonRevision = "no-common-revision",
        /// The server refused both eras.
        EveryEraRefused = "every-era-refused",
        /// The server did not answer the first modern request.
        ProbeUnanswered = "probe-unanswered",
        /// The client did not fall back to `initialize`.
        NoFallback = "no-fallback",
        /// The server did not answer a request.
        RequestUnanswered = "request-unanswered",
        /// The server did not answer the GET for its stream.
        StreamWithheld = "stream-withheld",
        /// The client passed over the error with which the server answered `initialize`.
        RefusalIgnored = "refusal-ignored",
    }
}

/// The kind of an error that a client raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ErrorKind {
    /// Layer of the client in which it arose.
    pub layer: Layer,
    /// Its JSON-RPC code.
    pub code: Option<i64>,
}

impl From<&PeerError> for ErrorKind {
    fn from(error: &PeerError) -> Self {
        Self { layer: error.layer, code: error.code }
    }
}

impl Signature {
    /// The same without the pointer: what stays equal when only the place in the schema or the value changes.
    #[must_use]
    pub fn without_pointer(&self) -> Self {
        Self { pointer: None, ..self.clone() }
    }

    /// Returns true if both are the same but for their pointers.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let parts = |it: &Self| (it.fault, it.outcome, it.place, it.error);
        parts(self) == parts(other) && self.ground == other.ground
    }

    /// Symptom of the break, whatever the responsible party and the reason.
    #[must_use]
    pub const fn symptom(&self) -> (Outcome, Place, Option<ErrorKind>) {
        (self.outcome, self.place, self.error)
    }

    /// Returns true if the scenario says that the specification leaves it open.
    #[must_use]
    pub const fn is_left_open(&self) -> bool {
        matches!(self.ground, Ground::SpecSilent | Ground::SpecConflict)
    }
}

const SPEC_SILENT: &str = "spec-silent";
const SPEC_CONFLICT: &str = "spec-conflict";
const NO_RULE: &str = "no-rule";

impl fmt::Display for Ground {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rule(id) => id,
            Self::NoSession(cause) => cause.as_str(),
            Self::SpecSilent => SPEC_SILENT,
            Self::SpecConflict => SPEC_CONFLICT,
            Self::NoRule => NO_RULE,
        })
    }
}

impl From<&str> for Ground {
    fn from(text: &str) -> Self {
        match text {
            SPEC_SILENT => Self::SpecSilent,
            SPEC_CONFLICT => Self::SpecConflict,
            NO_RULE => Self::NoRule,
            _ => match NoSessionCause::named(text) {
                Some(cause) => Self::NoSession(cause),
                None => Self::Rule(text.to_owned()),
            },
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fault, outcome, place, ground, error, pointer } = self;
        write!(f, "{fault}:{outcome}:{place}:{ground}")?;
        if let Some(ErrorKind { layer, code }) = error {
            write!(f, ":{layer}")?;
            if let Some(code) = code {
                write!(f, ":{code}")?;
            }
        }
        match pointer {
            Some(pointer) => write!(f, ":{pointer}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Signature {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parsed(text).ok_or_else(|| format!("{text:?} is not a signature: expected fault:outcome:place:ground"))
    }
}

fn parsed(text: &str) -> Option<Signature> {
    // Only a pointer begins with a slash.
    let (head, pointer) = match text.split_once(":/") {
        Some((head, rest)) => (head, Some(format!("/{rest}"))),
        None => (text, None),
    };
    let mut parts = head.split(':');
    let (fault, outcome) = (Fault::named(parts.next()?)?, Outcome::named(parts.next()?)?);
    let place = Place::named(parts.next()?)?;
    let ground = Ground::from(parts.next().filter(|ground| !ground.is_empty())?);
    let error = match (parts.next(), parts.next()) {
        (Some(layer), code) => {
            let code = code.map(|code| code.parse().ok()).map_or(Some(None), |code: Option<i64>| code.map(Some))?;
            Some(ErrorKind { layer: Layer::named(layer)?, code })
        }
        (None, _) => None,
    };
    parts.next().is_none().then_some(Signature { fault, outcome, place, ground, error, pointer })
}

impl Serialize for Signature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Signature {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for Signature {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_reads_back_from_its_text() {
        for text in [
            "server:rejected:tools/list:output-schema-object-root:decode:/outputSchema/type",
            "client:rejected:tools/list:no-rule:decode:-32603:/outputSchema/a:/b",
            "client:rejected:tools/call:no-rule:protocol:-32603",
            "both:unreachable:session:no-common-revision",
            "spec:altered:evolve:spec-silent",
            "spec:altered:tools/call:spec-conflict:/id",
        ] {
            let signature: Signature = text.parse().unwrap();
            assert_eq!(signature.to_string(), text);
            assert_eq!(serde_json::to_string(&signature).unwrap(), format!("{text:?}"));
            assert_eq!(serde_json::from_str::<Signature>(&format!("{text:?}")).unwrap(), signature);
        }
    }

    #[test]
    fn its_fields_are_what_it_says() {
        let text = "client:rejected:tools/list:client-takes-any-value:decode:-32603:/a/*/b";
        let signature: Signature = text.parse().unwrap();
        assert_eq!(signature.ground, Ground::Rule("client-takes-any-value".to_owned()));
        assert_eq!(signature.error, Some(ErrorKind { layer: Layer::Decode, code: Some(-32603) }));
        assert_eq!(signature.pointer.as_deref(), Some("/a/*/b"));
        assert_eq!(signature.without_pointer().to_string(), text.split_once(":/").unwrap().0);
        let parted: Signature = "client:unreachable:session:broken-off".parse().unwrap();
        assert_eq!(parted.ground, Ground::NoSession(NoSessionCause::BrokenOff));
    }

    #[test]
    fn other_text_is_refused_with_what_is_expected() {
        for text in [
            "",
            "wrapped",
            "client:rejected:tools/list",
            "client:rejected:tools/list:",
            "nobody:rejected:tools/list:no-rule",
            "client:rejected:somewhere:no-rule",
            "client:rejected:tools/list:no-rule:decode:x",
            "client:rejected:tools/list:no-rule:decode:1:2",
        ] {
            let error = text.parse::<Signature>().unwrap_err();
            assert!(error.contains("expected fault:outcome:place:ground"), "{error}");
        }
    }
}
