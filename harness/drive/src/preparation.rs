//! A program that has to be made first, such as a binary that is built.

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

/// Makes a program and gives its path. It is run when the program is first needed, and may block for minutes.
#[derive(Clone)]
pub struct Preparation(Arc<Make>);

/// Reason why a program could not be made.
pub type PreparationError = Box<dyn Error + Send + Sync>;

type Make = dyn Fn() -> Result<OsString, PreparationError> + Send + Sync;

impl Preparation {
    /// A preparation that runs `make`. A [`Launch`](crate::Launch) is cloned, so `make` may be run several times.
    #[must_use]
    pub fn new(make: impl Fn() -> Result<OsString, PreparationError> + Send + Sync + 'static) -> Self {
        Self(Arc::new(make))
    }

    /// Makes the program.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn run(&self) -> Result<OsString, PreparationError> {
        (self.0)()
    }
}

/// Two are equal if they are clones of one.
impl PartialEq for Preparation {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Preparation {}

impl fmt::Debug for Preparation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Preparation").finish_non_exhaustive()
    }
}
