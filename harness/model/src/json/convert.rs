//! skeleton
use super::*;
/// Why a value has no exact `serde_json::Value`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{pointer}: {reason}")]
pub struct Inexact {
    /// Where, as a JSON Pointer.
    pub pointer: String,
    /// Why.
    pub reason: InexactReason,
}
/// What a `serde_json::Value` cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InexactReason {
    /// A number.
    #[error("number")]
    Number,
}
impl From<&serde_json::Value> for Json { fn from(_value: &serde_json::Value) -> Self { todo!() } }
impl Json {
    /// The same value as `serde_json` holds it, where it can.
    pub fn to_value(&self) -> Result<serde_json::Value, Inexact> { todo!() }
}
