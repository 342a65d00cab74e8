//! What is made of a test before it becomes a scenario.

use mcp_compat_json::Json;
use mcp_compat_model::schema_suite::SuiteTest;

/// A test of the suite, ready to become a scenario.
#[derive(Clone, Debug)]
pub struct SuiteCase {
    /// What the suite says of it.
    pub test: SuiteTest,
    /// The schema as it goes over the wire.
    pub schema: Json,
    /// The value.
    pub value: Json,
    pub(super) schema_text: String,
    pub(super) value_text: String,
}
