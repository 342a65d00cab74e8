//! A file of a plan.

/// A file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    /// Its path in the folder of the project.
    pub path: String,
    /// Its content.
    pub text: String,
}
