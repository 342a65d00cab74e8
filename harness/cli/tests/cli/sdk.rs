//! An SDK with two manifests, as SDKs with two major versions have. Its clients and servers are mocks of the program under
//! test: which one depends on the release.

use crate::family::shared;
use crate::workshop::{PROGRAM, Workshop};

/// Releases that the registry lists.
const LISTED: &str = "echo 2.1.0 1.0.0 1.1.0 1.10.0 1.2.0 0.9.0; echo 2.0.0-rc.1 2.0.0 3.0.0";

/// The mock that each release of the first manifest is: it refuses arrays, at whatever revision.
const STRICT: &str = "*) id=mock/2025-11-25 ;;";

/// Settings of the family.
pub(crate) struct Sdk {
    /// Command that lists its releases.
    pub(crate) list: &'static str,
    /// Command that sets a release up, after it has logged itself.
    pub(crate) set_up: &'static str,
    /// Mock of each release of 1.x, as the cases of a shell: `id` names it.
    pub(crate) is: &'static str,
}

pub(crate) const SDK: Sdk = Sdk { list: LISTED, set_up: "true", is: STRICT };

impl Sdk {
    pub(crate) fn workshop(&self) -> Workshop {
        let workshop = Workshop::new();
        let Self { list, set_up, is } = self;
        let shell = |script: &str| format!("[\"sh\", \"-c\", '''{script}''']");
        let manifest = |versions: &str, revisions: &str, is: &str, modes: &str| {
            let (list, set_up) = (shell(list), shell(&format!("echo {{version}} >> {{build}}/log; {set_up}")));
            let adapter = |role| {
                shell(&format!("case {{version}} in {is} esac; exec '{PROGRAM}' mock {role} --adapter --id $id"))
            };
            let (client, server) = (adapter("client"), adapter("server"));
            format!(
                "name = \"sdk\"\nversions = \"{versions}\"\nlanguage = \"sh\"\nabout = \"an SDK\"\n\
                 [revisions]\n{revisions}\n[registry]\nlist = {list}\n[setup]\nsteps = [{set_up}]\n\
                 [client]\ncommand = {client}\n{modes}\n[server]\nstdio = {server}\n"
            )
        };
        let old = manifest(">=1.0.0, <2.0.0", "\"2025-11-25\" = \"1.0.0\"\n\"2026-07-28\" = \"1.0.0\"", is, "");
        let revisions = "\"2025-11-25\" = \"2.0.0-rc.1\"\n\"2026-07-28\" = \"2.0.0-rc.1\"";
        let modes = "modes = [\"legacy\", \"auto\"]";
        let new = manifest(">=2.0.0-rc.1, <3.0.0", revisions, "*) id=mock/dual ;;", modes);
        workshop.write("peers/sh/sdk-1/peer.toml", &old);
        workshop
            .write("peers/sh/sdk-2/peer.toml", &new.replace("mock client --adapter --id $id", "mock client --adapter"));
        workshop
    }
}

/// The releases that were being installed, in that order.
pub(crate) fn log(workshop: &Workshop) -> Vec<String> {
    shared(workshop, "log").lines().map(str::to_owned).collect()
}
