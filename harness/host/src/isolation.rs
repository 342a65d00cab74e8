//! Isolation: a network of its own, with loopback alone, for the adapter and the hosts that it starts.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// How far hosts are kept from the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// They have loopback alone.
    Own,
    /// The system does not permit it: their proxies lead nowhere, and that is all.
    Proxies,
}

/// Variable that says that the process is in a network of its own.
const ENTERED: &str = "MCP_COMPAT_HOST_ISOLATED";

/// Commands that give a process a network of its own: as root, and as anybody else.
const WAYS: [&[&str]; 2] = [&["unshare", "--net"], &["unshare", "--user", "--map-root-user", "--net"]];

/// Command that switches loopback on.
const LOOPBACK: &str = "ip link set lo up";

impl Isolation {
    /// Finds out what the system permits.
    pub fn permitted() -> Self {
        if way().is_some() { Self::Own } else { Self::Proxies }
    }
}

/// The first way that works. It is tried once: each try is a process.
fn way() -> Option<&'static [&'static str]> {
    static WAY: OnceLock<Option<&'static [&'static str]>> = OnceLock::new();
    let works = |way: &&&[&str]| {
        let (program, words) = way.split_first().unwrap_or((&"false", &[]));
        let mut command = Command::new(program);
        command.args(words).args(["sh", "-c", LOOPBACK]);
        let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        ended.is_ok_and(|status| status.success())
    };
    *WAY.get_or_init(|| WAYS.iter().find(works).copied())
}

/// The words before a command whose processes all end with it: hosts leave servers and daemons of their own behind. Empty
/// where it is not permitted.
pub(crate) fn alone() -> Vec<String> {
    let words: &[&str] = match std::env::var_os(ENTERED) {
        Some(_) => &["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", "\"$@\"; exit $?", "sh"],
        None => &[],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Moves this process into a network of its own: starts it again there, with the same arguments. Returns where it is not
/// permitted, or when this is that start.
///
/// # Errors
/// When the program cannot be started again.
pub fn enter(program: OsString, arguments: impl Iterator<Item = OsString>) -> io::Result<Isolation> {
    if std::env::var_os(ENTERED).is_some() {
        return Ok(Isolation::Own);
    }
    let Some((unshare, words)) = way().and_then(|way| way.split_first()) else { return Ok(Isolation::Proxies) };
    let script = format!("{LOOPBACK} && exec \"$@\"");
    let mut command = Command::new(unshare);
    command.args(words).args(["sh", "-c", &script, "sh"]).arg(program).args(arguments);
    Err(command.env(ENTERED, "1").exec())
}
