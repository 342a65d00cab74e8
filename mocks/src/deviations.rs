//! What a mock does otherwise than the specification has it: nothing, one thing, or all that a real SDK was seen to do.
//!
//! One deviation is a quirk, and each quirk has one place in the mock where it strikes. A sabotaged mock has exactly one of
//! them, so that a check can be shown to notice it; a profile has those of an SDK together, each with its source.

use std::fmt;

/// Makes the quirks of one side: a variant each, with its documentation, its name in peer ids, and what it does in a line.
macro_rules! quirks {
    (
        $(#[$attribute:meta])*
        pub enum $Quirk:ident {
            $($(#[$documentation:meta])* $variant:ident = $name:literal, $about:literal;)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Quirk {
            $($(#[$documentation])* $variant,)*
        }

        impl $Quirk {
            /// Every quirk.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name used in peer ids: `sabotaged/<name>`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// What it does, in a line.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self {
                    $(Self::$variant => $about,)*
                }
            }

            /// The quirk of this name.
            pub(crate) fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|quirk| quirk.as_str() == name)
            }
        }

        impl std::fmt::Display for $Quirk {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}
pub(crate) use quirks;

/// What carries the messages: an SDK may read lines in another way than it reads the bodies of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carrier {
    /// A byte stream, a message a line.
    Lines,
    /// Streamable HTTP.
    Http,
}

impl fmt::Display for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Lines => "stdio",
            Self::Http => "HTTP",
        })
    }
}

/// A quirk that a real SDK was observed to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trait<Q> {
    /// What it does.
    pub quirk: Q,
    /// Over what it does it; nothing, where it makes no difference.
    pub over: Option<Carrier>,
    /// What in the SDK does it, in a clause.
    pub cause: &'static str,
    /// The address of the line that does it, in the SDK's public repository at the release that was measured.
    pub source: &'static str,
}

impl<Q: Copy> Trait<Q> {
    /// A trait that shows on every wire.
    pub(crate) const fn of(quirk: Q, cause: &'static str, source: &'static str) -> Self {
        Self { quirk, over: None, cause, source }
    }

    /// The same on one kind of wire.
    pub(crate) const fn over(self, carrier: Carrier) -> Self {
        Self { over: Some(carrier), ..self }
    }
}

/// What a mock does otherwise than the specification has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deviations<Q: 'static> {
    /// Nothing: it is honest.
    None,
    /// One thing, on purpose.
    Sabotage(Q),
    /// What a real SDK does, on the wire that it is on.
    Traits(&'static [Trait<Q>], Option<Carrier>),
}

impl<Q: Copy + PartialEq> Deviations<Q> {
    /// Those on this wire.
    pub(crate) fn over(self, carrier: Carrier) -> Self {
        match self {
            Self::None | Self::Sabotage(_) => self,
            Self::Traits(traits, _) => Self::Traits(traits, Some(carrier)),
        }
    }

    /// Whether this quirk is among them.
    pub(crate) fn has(self, quirk: Q) -> bool {
        self.find(|known| (known == quirk).then_some(())).is_some()
    }

    /// What the first quirk gives of which `pick` has something.
    pub(crate) fn find<T>(self, pick: impl Fn(Q) -> Option<T>) -> Option<T> {
        match self {
            Self::None => None,
            Self::Sabotage(only) => pick(only),
            Self::Traits(traits, carrier) => {
                let here = traits.iter().filter(|known| known.over.is_none() || known.over == carrier);
                here.filter_map(|known| pick(known.quirk)).next()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRAITS: [Trait<u8>; 2] = [Trait::of(2, "", ""), Trait::of(3, "", "").over(Carrier::Http)];

    #[test]
    fn an_honest_mock_has_no_quirk_a_sabotaged_one_has_one_and_a_profile_has_its_own() {
        let profile = Deviations::Traits(&TRAITS, None);
        for (deviations, had) in [
            (Deviations::None, [false, false, false]),
            (Deviations::Sabotage(1), [true, false, false]),
            (Deviations::Sabotage(1).over(Carrier::Http), [true, false, false]),
            (profile.over(Carrier::Http), [false, true, true]),
            (profile.over(Carrier::Lines), [false, true, false]),
        ] {
            assert_eq!([1, 2, 3].map(|quirk| deviations.has(quirk)), had, "{deviations:?}");
        }
    }

    #[test]
    fn what_a_quirk_gives_is_found() {
        let even = |quirk: u8| (quirk.is_multiple_of(2)).then_some(quirk);
        assert_eq!(Deviations::Traits(&TRAITS, None).find(even), Some(2));
        assert_eq!(Deviations::Sabotage(1).find(even), None);
    }
}
