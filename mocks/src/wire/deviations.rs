//! Deviations of a mock from the specification: none, one, or all that were observed in a real SDK.
//!
//! One deviation is a quirk, and each quirk takes effect in one place of the mock. A sabotaged mock has exactly one quirk, so
//! that a check can be shown to detect it. A profile has all quirks of an SDK, each with its source.

use std::fmt;

use mcp_compat_model::Revision;

/// Defines the quirks of one side: each is a variant with its documentation, its name in peer ids, what it does in a line,
/// and the only carrier over which it shows, if there is just one.
macro_rules! quirks {
    (
        $(#[$attribute:meta])*
        pub enum $Quirk:ident {
            $($(#[$documentation:meta])* $variant:ident = $name:literal, $about:literal $(, only over $carrier:ident)?;)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $Quirk {
            $(#[doc = concat!("A peer that ", $about, ".\n")] $(#[$documentation])* $variant,)*
        }

        impl $Quirk {
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name used in peer ids: `sabotaged/<name>`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// Describes it in one line.
            pub const fn about(self) -> &'static str {
                match self {
                    $(Self::$variant => $about,)*
                }
            }

            /// The only carrier over which it shows; `None` if it shows over all.
            pub const fn only_over(self) -> Option<$crate::wire::deviations::Carrier> {
                match self {
                    $(Self::$variant => $crate::wire::deviations::only_over!($($carrier)?),)*
                }
            }

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

/// The carrier in the definition of a quirk.
#[doc(hidden)]
macro_rules! only_over {
    () => {
        None
    };
    ($carrier:ident) => {
        Some($crate::wire::deviations::Carrier::$carrier)
    };
}

pub(crate) use {only_over, quirks};

/// Carrier of messages: an SDK may read lines in another way than it reads the bodies of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Carrier {
    /// A byte stream, a message a line.
    Lines,
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

/// The revisions of an SDK that speaks the legacy era only.
pub(crate) const LEGACY: &[Revision] =
    &[Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

/// A quirk that a real SDK was observed to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservedQuirk<Q> {
    pub quirk: Q,
    /// The carrier over which it does it; `None` if it does it over all.
    pub over: Option<Carrier>,
    /// Cause in the SDK, as a clause.
    pub cause: &'static str,
    /// The address of the line that causes it, in the SDK's public repository at the release that was measured.
    pub source: &'static str,
}

impl<Q: Copy> ObservedQuirk<Q> {
    /// A quirk that shows over every carrier.
    pub const fn of(quirk: Q, cause: &'static str, source: &'static str) -> Self {
        Self { quirk, over: None, cause, source }
    }

    pub const fn over(self, carrier: Carrier) -> Self {
        Self { over: Some(carrier), ..self }
    }
}

/// Deviations of a mock from the specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deviations<Q: 'static> {
    /// Nowhere: it is honest.
    #[default]
    None,
    /// In one way, on purpose.
    Sabotage(Q),
    /// In the ways of a real SDK, over the carrier in use.
    Observed(&'static [ObservedQuirk<Q>], Option<Carrier>),
}

impl<Q: Copy + PartialEq> Deviations<Q> {
    pub fn over(self, carrier: Carrier) -> Self {
        match self {
            Self::None | Self::Sabotage(_) => self,
            Self::Observed(observed, _) => Self::Observed(observed, Some(carrier)),
        }
    }

    /// Returns whether this quirk is among them.
    pub fn has(self, quirk: Q) -> bool {
        self.find(|known| (known == quirk).then_some(())).is_some()
    }

    /// The first value that `pick` returns for a quirk.
    pub fn find<T>(self, pick: impl Fn(Q) -> Option<T>) -> Option<T> {
        match self {
            Self::None => None,
            Self::Sabotage(only) => pick(only),
            Self::Observed(observed, carrier) => {
                let here = observed.iter().filter(|known| known.over.is_none() || known.over == carrier);
                here.filter_map(|known| pick(known.quirk)).next()
            }
        }
    }
}

/// The id that is most like a text, if any is like it.
pub(crate) fn nearest(text: &str, known: impl IntoIterator<Item = String>) -> Option<String> {
    let likely = known.into_iter().map(|known| (strsim::jaro_winkler(&known, text), known));
    likely
        .filter(|(likeness, _)| *likeness > 0.85)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, known)| known)
}

/// Describes a profile in one line.
pub fn about_profile(sdk: &str, measured: &str, quirks: usize) -> String {
    format!(
        "emulates {sdk}, as observed with release {measured}: {quirks} {}",
        if quirks == 1 { "quirk" } else { "quirks" }
    )
}

/// Returns the first problem of a profile's observed quirks: each stands once for a carrier, with a cause that is a clause and a
/// source that can be looked up.
pub fn problem<Q: Copy + fmt::Debug + PartialEq>(observed: &[ObservedQuirk<Q>]) -> Option<String> {
    observed.iter().enumerate().find_map(|(index, known)| {
        let twice = observed[..index].iter().any(|other| (other.quirk, other.over) == (known.quirk, known.over));
        let source = known.source.strip_prefix("https://github.com/").unwrap_or_default();
        let sourced = source.contains("#L") || source.contains("/issues/");
        let caused = !known.cause.is_empty() && !known.cause.ends_with('.');
        (twice || !sourced || !caused).then(|| format!("{known:?}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBSERVED: [ObservedQuirk<u8>; 2] =
        [ObservedQuirk::of(2, "", ""), ObservedQuirk::of(3, "", "").over(Carrier::Http)];

    #[test]
    fn an_honest_mock_has_no_quirk_a_sabotaged_one_has_one_and_a_profile_has_its_own() {
        let profile = Deviations::Observed(&OBSERVED, None);
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
        assert_eq!(Deviations::Observed(&OBSERVED, None).find(even), Some(2));
        assert_eq!(Deviations::Sabotage(1).find(even), None);
    }
}
