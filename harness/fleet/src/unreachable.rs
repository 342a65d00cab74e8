//! Commands that failed because their registry did not answer. Only they are worth another try.
//!
//! Package managers report this only as text, so their messages are searched for known phrases.

/// Phrases that tools print when a registry does not answer, in lower case.
const WORDS: [&str; 38] = [
    // The system, in the words of most tools.
    "connection refused",
    "connection reset",
    "connection timed out",
    "network is unreachable",
    "no route to host",
    "temporary failure in name resolution",
    "name or service not known",
    "operation timed out",
    "broken pipe",
    // npm.
    "eai_again",
    "econnrefused",
    "econnreset",
    "enetunreach",
    "enotfound",
    "etimedout",
    "err_socket_timeout",
    "network socket disconnected",
    // pip and uv.
    "newconnectionerror",
    "connecttimeouterror",
    "readtimeouterror",
    "remotedisconnected",
    "incompleteread",
    "error sending request for url",
    // cargo.
    "spurious network error",
    "failed to download from",
    "could not resolve host",
    "could not connect to server",
    // Go.
    "tls handshake timeout",
    "i/o timeout",
    "unexpected eof",
    "server misbehaving",
    // Maven and Gradle.
    "connect timed out",
    "read timed out",
    "unknown host",
    "unknownhostexception",
    // Proxies and gateways.
    "bad gateway",
    "service unavailable",
    "gateway time",
];

/// Returns whether the last lines of a command say that a registry did not answer.
pub(super) fn says_so(tail: &str) -> bool {
    let tail = tail.to_lowercase();
    WORDS.iter().any(|words| tail.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_that_does_not_answer_is_told_from_one_that_says_no() {
        for tail in [
            "npm error code EAI_AGAIN\nnpm error request to https://registry.example failed",
            "npm error network request failed, reason: connect ECONNREFUSED 127.0.0.1:9",
            "WARNING: Retrying after connection broken by 'NewConnectionError(...)'",
            "warning: spurious network error (3 tries remaining): [6] Could not resolve host",
            "go: example.org/sdk@v1.0.0: dial tcp: lookup proxy.example: i/o timeout",
            "[ERROR] Could not transfer artifact a:b:pom:1 from/to central: Connect timed out",
            "HTTP 503 Service Unavailable",
        ] {
            assert!(says_so(tail), "{tail}");
        }
        for tail in [
            "npm error code ETARGET\nnpm error notarget No matching version found for sdk@99.0.0.",
            "ERROR: Could not find a version that satisfies the requirement mcp==99 (from versions: 1.0.0)",
            "error: failed to select a version for the requirement `rmcp = \"=99.0.0\"`",
            "go: example.org/sdk@v99.0.0: invalid version: unknown revision v99.0.0",
            "[ERROR] Could not find artifact a:b:jar:99 in central",
            "error[E0308]: mismatched types",
            "",
        ] {
            assert!(!says_so(tail), "{tail}");
        }
    }
}
