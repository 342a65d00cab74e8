//! Why no site can be made.

use mcp_compat_model::count::kilobytes;

/// Why no site can be made of these runs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SiteError {
    /// Two runs began at the same time, so that their pages would have one name.
    #[error("two runs began at {started}: a site needs a time of its own for each; leave one of them out")]
    SameTime {
        /// When.
        started: String,
    },
    /// What must be there is larger than what was allowed, both in bytes.
    #[error(
        "the site takes {} without any messages, and --max-size allows {}: allow {}KB or more",
        kilobytes(*needed), kilobytes(*allowed), needed.div_ceil(1000)
    )]
    TooLarge {
        /// How large it is.
        needed: u64,
        /// How large it may be.
        allowed: u64,
    },
}
