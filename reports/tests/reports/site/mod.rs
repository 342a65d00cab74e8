//! Pages say what the record says, and nothing in a record is more than text.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod earlier;
mod hostile;
mod hosts;
mod made;
mod numbers;
mod specimen;
mod structure;
mod words;
