//! Processes, byte streams and HTTP under deadlines, with a tap on every wire.
