//! Why no site can be made.

/// Why no site can be made of these runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SiteError {
    /// Two runs began at the same time, so that their pages would have one name.
    #[error("two runs began at {started}: a site needs a time of its own for each; leave one of them out")]
    SameTime {
        /// When.
        started: String,
    },
    /// What must be there is larger than what was allowed.
    #[error("the site takes {needed} bytes without any evidence, and --max-size allows {allowed}: allow more")]
    TooLarge {
        /// How large it is.
        needed: u64,
        /// How large it may be.
        allowed: u64,
    },
}
