//! Why a library refuses a schema or a value.

/// Why a library refuses a schema or a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The schema cannot be used.
    #[error("the schema cannot be used: {0}")]
    Schema(String),
    /// The value violates a keyword.
    #[error("the value violates {0}")]
    Value(String),
    /// The library fails with an error of its own.
    #[error("the validator fails: {0}")]
    Failure(String),
    /// It is not known what the library does, because something here has a limit that it does not have. What is said of the
    /// schema.
    #[error("it is not known what the validator does: the schema {0}")]
    BeyondTheMock(&'static str),
    /// The validation takes longer than anybody waits.
    #[error("the validation does not end")]
    Endless,
}

impl Refusal {
    pub(crate) fn failure<T>(reason: impl Into<String>) -> Result<T, Self> {
        Err(Self::Failure(reason.into()))
    }

    pub(crate) fn schema<T>(reason: impl Into<String>) -> Result<T, Self> {
        Err(Self::Schema(reason.into()))
    }
}

/// What could not be found out of the keywords of one schema. All of them must hold, so one that is violated decides.
#[derive(Debug, Default)]
pub(crate) struct Unknown(Option<&'static str>);

impl Unknown {
    /// What a keyword says, if that is known.
    ///
    /// # Errors
    /// Every other refusal.
    pub(crate) fn unless<T>(&mut self, said: Result<T, Refusal>) -> Result<Option<T>, Refusal> {
        match said {
            Err(Refusal::BeyondTheMock(limit)) => {
                self.0.get_or_insert(limit);
                Ok(None)
            }
            said => said.map(Some),
        }
    }

    /// Whether it is known of every keyword until now what it says.
    pub(crate) const fn is_nothing(&self) -> bool {
        self.0.is_none()
    }

    /// What all keywords say together. `valid` is whether those hold of which it is known.
    ///
    /// # Errors
    /// That it is not known.
    pub(crate) fn decide<T>(self, valid: bool, said: T) -> Result<T, Refusal> {
        self.0.filter(|_| valid).map_or(Ok(said), |limit| Err(Refusal::BeyondTheMock(limit)))
    }
}
