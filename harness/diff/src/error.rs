//! Why two runs cannot be compared at all.

/// Why two runs cannot be compared at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Incomparable {
    /// One of them has no cells.
    #[error("{name} has no cells, so there is nothing to compare: play it again with `mcp-compat run`")]
    Empty {
        /// The run.
        name: String,
    },
    /// They are parts of one run.
    #[error("{before} and {after} are different parts of one run: join them with `mcp-compat merge`")]
    Parts {
        /// The one.
        before: String,
        /// The other.
        after: String,
    },
    /// They have no scenario in common.
    #[error(
        "{before} and {after} have no scenario in common (corpus {before_corpus} and {after_corpus}): play both with the \
         same scenarios"
    )]
    OtherCorpus {
        /// The one.
        before: String,
        /// The other.
        after: String,
        /// The corpus of the one.
        before_corpus: String,
        /// The corpus of the other.
        after_corpus: String,
    },
}
