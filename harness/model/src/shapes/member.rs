//! Members of an object, and what each holds.

use crate::Revision;

/// An object: its members that are known.
#[derive(Debug)]
pub struct Shape {
    /// The members.
    pub members: &'static [Member],
    /// Members of which at least one has to be there and in order; none for most objects.
    pub one_of: &'static [&'static str],
}

/// A member of an object.
#[derive(Clone, Copy, Debug)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// Kind of its value.
    pub kind: Kind,
    /// True if it has to be there.
    pub required: bool,
    /// The first revision that has it.
    pub since: Revision,
    /// The last revision that has it.
    pub until: Revision,
}

/// Kind of the value of a member.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A string.
    Text,
    /// A string that is a URI.
    Uri,
    /// A string that is the URI of an image.
    ImageUri,
    /// A string that is bytes in base64.
    Base64,
    /// A string that is a time, such as `2026-01-12T15:00:58Z`. The official schema takes any string.
    Time,
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Integer,
    /// A whole number of 0 or more.
    Count,
    /// A number from 0 to 1.
    Share,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// Any object.
    Map,
    /// An object that says by being there that a server can do something, such as `logging`.
    Presence,
    /// An object whose members an extension or an experiment defines.
    Settings,
    /// An object whose members are all alike.
    MapOf(&'static Kind),
    /// An array of these.
    List(&'static Kind),
    /// An object of this shape.
    Object(&'static Shape),
}

impl Member {
    /// A member of every revision, which may be left out.
    #[must_use]
    pub const fn optional(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, required: false, since: Revision::V2024_11_05, until: Revision::NEWEST }
    }

    /// A member of every revision, which has to be there.
    #[must_use]
    pub const fn required(name: &'static str, kind: Kind) -> Self {
        Self { required: true, ..Self::optional(name, kind) }
    }

    /// The member, of this revision and those after it.
    #[must_use]
    pub const fn since(self, since: Revision) -> Self {
        Self { since, ..self }
    }

    /// The member, of this revision and those before it.
    #[must_use]
    pub const fn until(self, until: Revision) -> Self {
        Self { until, ..self }
    }
}
