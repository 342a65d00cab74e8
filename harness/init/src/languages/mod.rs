//! One file a language: which SDKs it has, and how its programs are built and started.

pub(crate) mod go;
pub(crate) mod jvm;
pub(crate) mod node;
pub(crate) mod python;
pub(crate) mod rust;

use crate::Role;
use crate::folder::Folder;

/// The role of a program, from what its sources mention. Most programs are servers, so only sources that mention a client
/// and no server are a client.
fn role(folder: Folder<'_>, endings: &[&str], server: &[&str], client: &[&str]) -> Role {
    if !folder.mentions(endings, server) && folder.mentions(endings, client) { Role::Client } else { Role::Server }
}
