//! Peers that take more memory than they may, and peers that do not.

use std::time::Duration;

use mcp_compat_drive::{Exit, Launch, PeerProcess};

/// A shell below a shell that holds so many megabytes in a variable, and then does what follows.
fn holding(megabytes: usize, then: &str) -> Launch {
    let script = format!("x=$(head -c {} /dev/zero | tr \"\\0\" x); {then}", megabytes << 20);
    Launch { memory: Some(48 << 20), ..Launch::new("sh").args(["-c", &format!("sh -c '{script}'; :")]) }
}

#[tokio::test]
async fn a_peer_that_takes_too_much_is_ended_with_all_below_it() {
    let mut process = PeerProcess::spawn(&holding(64, "sleep 300"), 0).unwrap();
    let exit = tokio::time::timeout(Duration::from_secs(60), process.wait()).await.unwrap();
    assert_eq!(exit, Exit::TooMuchMemory { limit: 48 << 20 });
    assert_eq!(exit.to_string(), "it took more than 48 MB of memory, so it was ended (see --peer-memory)");
}

/// It stays for longer than the memory is looked at once.
#[tokio::test]
async fn a_peer_that_takes_less_is_left_alone() {
    let mut process = PeerProcess::spawn(&holding(1, "sleep 2"), 0).unwrap();
    let exit = tokio::time::timeout(Duration::from_secs(60), process.wait()).await.unwrap();
    assert_eq!(exit.to_string(), "exit status 0");
}
