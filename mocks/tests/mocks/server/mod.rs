//! The mock server, seen from the wire: raw clients over memory and TCP, and what has to come back.
//!
//! `cfg(test)` tells clippy that everything here is a test, also what only helps one.

#[cfg(test)]
mod answers;
#[cfg(test)]
mod cues;
#[cfg(test)]
mod downgrades;
#[cfg(test)]
mod http_client;
#[cfg(test)]
mod http_legacy;
#[cfg(test)]
mod http_modern;
#[cfg(test)]
mod quirks;
#[cfg(test)]
mod schemas;
#[cfg(test)]
mod scripts;
#[cfg(test)]
mod stream;
#[cfg(test)]
mod stream_client;
