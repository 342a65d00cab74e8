//! Errors of SDKs, in short: what is wrong comes first, and where.
//!
//! SDKs wrap what they say: a list of issues in JSON (zod), several lines for each branch of a union (pydantic), the name of
//! a type before the error (rmcp), one error in another (Go). Cut to a sentence as they are, such texts end before their
//! point. Each form is recognised by its shape; any other text is only shortened.
//!
//! ```text
//! text ── rmcp ──> text ── zod | pydantic ──> issues ── best branch of each union ──> words ── excerpt
//!                       └─ go: the end of the chain ────────────────────────────────> words ── excerpt
//! ```

mod go;
mod issue;
mod pydantic;
mod rmcp;
mod zod;

use crate::excerpt::{WORDS, excerpt};

/// The longest text that is looked into.
const LONGEST: usize = 64 * 1024;

/// The words of an error, in at most [`WORDS`] characters.
#[must_use]
pub fn in_short(text: &str) -> String {
    if text.len() > LONGEST {
        return excerpt(text);
    }
    let text = rmcp::without_transport(text);
    let told = zod::told(text, WORDS).or_else(|| pydantic::told(text, WORDS)).or_else(|| go::told(text, WORDS));
    told.map_or_else(|| excerpt(text), |told| excerpt(&told))
}

#[cfg(test)]
mod tests;
