//! The releases of rmcp that open every session with `initialize`: 0.x, 1.x and 2.x.

pub mod client;
pub mod server;
