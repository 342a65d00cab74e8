//! The mock client against servers that are nothing but what each test says, byte for byte; and against the mock
//! server.

#[cfg(test)]
mod adapter;
#[cfg(test)]
mod concurrent_calls;
#[cfg(test)]
mod deadlines;
#[cfg(test)]
mod elsewhere;
#[cfg(test)]
mod eras;
#[cfg(test)]
mod fake;
#[cfg(test)]
mod http;
#[cfg(test)]
mod lenient;
#[cfg(test)]
mod lists;
#[cfg(test)]
mod paired;
#[cfg(test)]
mod policies;
#[cfg(test)]
mod quirks;
#[cfg(test)]
mod web;
