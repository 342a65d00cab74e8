//! The mocks against bytes written by hand, each side alone and both together.

mod client;
mod model;
mod server;
mod validators;
