//! The addresses of servers as people type them.

use http::Uri;

/// The address that was meant by one without a scheme, such as `localhost:3000/mcp`. `None` if it has a scheme, or names
/// no host.
#[must_use]
pub fn likely_address(typed: &str) -> Option<String> {
    if typed.contains("://") {
        return None;
    }
    let begun = ["http:", "https:"].into_iter().find_map(|scheme| Some((scheme, typed.strip_prefix(scheme)?)));
    let (scheme, rest) = match begun {
        Some((scheme, rest)) => (scheme, rest.trim_start_matches('/')),
        None => (usual_scheme(&host(typed)?), typed.trim_start_matches('/')),
    };
    let likely = format!("{scheme}//{rest}");
    host(rest).map(|_| likely)
}

/// The host of an address without a scheme.
fn host(rest: &str) -> Option<String> {
    let uri: Uri = format!("http://{}", rest.strip_prefix("//").unwrap_or(rest)).parse().ok()?;
    uri.host().filter(|host| !host.is_empty()).map(str::to_owned)
}

/// A name of the web is served over TLS. A server of this machine or network seldom is.
fn usual_scheme(host: &str) -> &'static str {
    let is_near = !host.contains('.') || host.ends_with(".localhost") || host.ends_with(".local");
    let is_number = host.chars().all(|letter| letter.is_ascii_digit() || letter == '.') || host.starts_with('[');
    if is_near || is_number { "http:" } else { "https:" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_scheme_gets_the_usual_one() {
        for (typed, likely) in [
            ("localhost:3000/mcp", "http://localhost:3000/mcp"),
            ("localhost", "http://localhost"),
            ("127.0.0.1:3000/mcp?key=1", "http://127.0.0.1:3000/mcp?key=1"),
            ("[::1]:3000", "http://[::1]:3000"),
            ("server:8080/mcp", "http://server:8080/mcp"),
            ("nas.local/mcp", "http://nas.local/mcp"),
            ("example.org/mcp", "https://example.org/mcp"),
            ("//example.org/mcp", "https://example.org/mcp"),
            ("http:/localhost/mcp", "http://localhost/mcp"),
            ("https:example.org", "https://example.org"),
        ] {
            assert_eq!(likely_address(typed).as_deref(), Some(likely), "{typed}");
        }
        for typed in ["http://localhost:3000/mcp", "ws://localhost", "/mcp", "", "http:", "not a url"] {
            assert_eq!(likely_address(typed), None, "{typed}");
        }
    }
}
