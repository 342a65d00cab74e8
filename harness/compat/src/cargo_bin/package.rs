//! Reads the metadata of cargo about a package. Pure.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use mcp_compat_run::glob::{NothingMatches, nothing};

/// Package with the data that a build of a binary needs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Package {
    /// The target folder of cargo.
    pub(super) target: PathBuf,
    /// The folder of its workspace, which may be its own.
    pub(super) workspace: PathBuf,
    name: String,
    bins: Vec<String>,
}

/// Reason why a package has no binary to test.
#[derive(Debug, thiserror::Error)]
pub(super) enum PackageError {
    #[error("cargo does not say what it knows of {}: {why}", .manifest.display())]
    Unreadable { manifest: PathBuf, why: String },
    #[error("in the package `{package}`: {nothing}")]
    NoSuchBin { package: String, nothing: Box<NothingMatches> },
    #[error("the package `{0}` has no binary at all; add src/main.rs, or a [[bin]] to its Cargo.toml")]
    NoBins(String),
    #[error(
        "{} asks for Cargo's resolver \"1\", which turns on the features of dev-dependencies in every build: say \
         `resolver = \"2\"` there",
        .0.display()
    )]
    OldResolver(PathBuf),
    #[error("cargo has built it, and does not say where")]
    NoArtifact,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Described>,
    target_directory: PathBuf,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct Described {
    name: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

impl Target {
    fn is_bin(&self) -> bool {
        self.kind.iter().any(|kind| kind == "bin")
    }
}

impl Package {
    /// Reads the output of `cargo metadata --no-deps` about the package with this manifest.
    pub(super) fn read(metadata: &str, manifest: &Path) -> Result<Self, PackageError> {
        let unreadable = |why: String| PackageError::Unreadable { manifest: manifest.to_owned(), why };
        let metadata: Metadata = serde_json::from_str(metadata).map_err(|error| unreadable(error.to_string()))?;
        let is_it = |package: &Described| is_same(&package.manifest_path, manifest);
        let package = metadata.packages.into_iter().find(is_it);
        let package = package.ok_or_else(|| unreadable("it names other packages of its workspace only".to_owned()))?;
        let bins = package.targets.into_iter().filter(Target::is_bin).map(|target| target.name).collect();
        Ok(Self { target: metadata.target_directory, workspace: metadata.workspace_root, name: package.name, bins })
    }

    /// Checks that the package has the binary.
    pub(super) fn offers(&self, bin: &str) -> Result<(), PackageError> {
        if self.bins.is_empty() {
            return Err(PackageError::NoBins(self.name.clone()));
        }
        if self.bins.iter().any(|known| known == bin) {
            return Ok(());
        }
        let nothing = nothing("binary", bin, self.bins.iter().map(String::as_str));
        Err(PackageError::NoSuchBin { package: self.name.clone(), nothing: Box::new(nothing) })
    }
}

/// Returns whether two paths lead to the same file; cargo prints paths without links and dots.
fn is_same(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    one == other || whole(one) == whole(other)
}

/// Returns whether the manifest at the root of a workspace has Cargo turn on the features of dev-dependencies in every
/// build.
pub(super) fn unifies_always(manifest: &str) -> bool {
    let Ok(manifest) = toml::from_str::<toml::Table>(manifest) else { return false };
    let table = |name: &str| manifest.get(name).and_then(toml::Value::as_table);
    let text = |table: Option<&toml::Table>, key: &str| Some(table?.get(key)?.as_str()?.to_owned());
    let (workspace, package) = (table("workspace"), table("package"));
    let shared = workspace.and_then(|workspace| workspace.get("package")).and_then(toml::Value::as_table);
    match text(workspace, "resolver").or_else(|| text(package, "resolver")) {
        Some(resolver) => resolver == "1",
        // Only a package at the root has an edition that counts.
        None => package.is_none_or(|package| {
            let inherited = package.get("edition").is_some_and(toml::Value::is_table);
            let edition = if inherited { text(shared, "edition") } else { text(Some(package), "edition") };
            edition.is_none_or(|edition| edition.as_str() < "2021")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METADATA: &str = r#"{"packages": [
        {"name": "other", "manifest_path": "/w/other/Cargo.toml", "targets": [{"name": "server", "kind": ["bin"]}]},
        {"name": "mine", "manifest_path": "/w/mine/Cargo.toml", "targets": [
            {"name": "mine", "kind": ["lib"]}, {"name": "my-server", "kind": ["bin"]}, {"name": "compat", "kind": ["test"]}]}],
        "target_directory": "/w/target", "workspace_root": "/w", "version": 1}"#;

    #[test]
    fn the_package_of_the_test_is_picked_and_only_its_binaries_count() {
        let package = Package::read(METADATA, Path::new("/w/mine/Cargo.toml")).unwrap();
        assert_eq!(
            (package.target.as_path(), package.bins.as_slice()),
            (Path::new("/w/target"), &["my-server".to_owned()][..])
        );
        assert!(package.offers("my-server").is_ok());
        let error = package.offers("my-sever").unwrap_err().to_string();
        assert!(error.contains("my-server") && error.contains("`mine`"), "{error}");
        assert!(package.offers("server").is_err(), "it is another package's");
        assert!(Package::read(METADATA, Path::new("/w/third/Cargo.toml")).is_err());
    }

    #[test]
    fn only_the_old_resolver_is_refused() {
        for (manifest, always) in [
            ("[package]\nedition = \"2021\"", false),
            ("[package]\nedition = \"2018\"", true),
            ("[package]\nname = \"of 2015\"", true),
            ("[package]\nedition = \"2018\"\nresolver = \"2\"", false),
            ("[workspace]\nmembers = []", true),
            ("[workspace]\nresolver = \"3\"", false),
            ("[workspace.package]\nedition = \"2024\"\n[package]\nedition.workspace = true", false),
            ("[workspace]\nresolver = \"1\"\n[package]\nedition = \"2024\"", true),
        ] {
            assert_eq!(unifies_always(manifest), always, "{manifest}");
        }
    }
}
