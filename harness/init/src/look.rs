//! What is in a folder.

use std::path::Path;

use crate::folder::Folder;
use crate::languages::{go, jvm, node, python, rust};
use crate::said::{LookError, Said};
use crate::{Found, Language, Role, Runner};

/// Looks at a folder.
///
/// # Errors
/// When there is no server or client, or it cannot be told how it is started.
pub fn look(folder: &Path) -> Result<Found, LookError> {
    let said = said(folder)?;
    let (mut without, mut no_start) = (Vec::new(), None);
    for said in said {
        match said {
            Said::Uses(found) if !found.start.is_empty() => return Ok(found),
            Said::Uses(found) => no_start = no_start.or(Some(found.because)),
            Said::NoSdk(file) => without.push(file),
        }
    }
    match (no_start, without.is_empty()) {
        (Some(because), _) => Err(LookError::NoStart { because }),
        (None, true) => Err(LookError::NoManifest),
        (None, false) => Err(LookError::NoSdk { files: without.join(" or ") }),
    }
}

/// What is known of a server that is given as its command: how it is installed, built and tested, if the folder shows that.
#[must_use]
pub fn of_command(folder: &Path, start: &[String]) -> Found {
    let because = "you gave its command".to_owned();
    let uses = said(folder).unwrap_or_default().into_iter().find_map(|said| match said {
        Said::Uses(found) => Some(found),
        Said::NoSdk(_) => None,
    });
    let Some(found) = uses else {
        let (language, start) = (Language::Unknown, start.to_vec());
        let (install, build) = (Vec::new(), Vec::new());
        return Found { role: Role::Server, language, because, install, build, start, runner: None };
    };
    let runner = found.runner.map(|runner| match runner {
        // The command need not be that binary.
        Runner::Cargo { .. } => Runner::Cargo { binary: None },
        runner @ (Runner::Node { .. } | Runner::Pytest { .. }) => runner,
    });
    Found { role: Role::Server, because, start: start.to_vec(), runner, ..found }
}

/// What each manifest says.
fn said(folder: &Path) -> Result<Vec<Said>, LookError> {
    let folder = Folder(folder);
    let said = [rust::look(folder), node::look(folder), python::look(folder), go::look(folder), jvm::look(folder)];
    Ok(said.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}
