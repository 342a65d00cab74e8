//! References that lead out of a schema: recorded, and never fetched.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_compat_validator::Retriever;

/// Refuses every document that the validator asks for, and keeps the first address.
#[derive(Clone, Debug, Default)]
pub(super) struct Outside(Arc<Mutex<Option<String>>>);

impl Outside {
    /// The first address that was asked for.
    pub(super) fn first(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the validator resolves references with.
    pub(super) fn retriever(&self) -> Retriever {
        let outside = self.clone();
        Box::new(move |address| {
            outside.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| address.to_owned());
            Err(format!("{address} is outside the schema, and mcp-compat fetches nothing"))
        })
    }
}
