//! What writing a draft gives.

/// A scenario file, and the files that it needs beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file itself.
    pub text: String,
    /// What its `raw-file`s name: bytes that no TOML can hold.
    pub beside: Vec<Beside>,
}

/// A file beside a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// Its name, without a folder.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}
