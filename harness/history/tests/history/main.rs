//! Runs over months.

mod compact;
mod records;
