//! The mock server as an adapter of the peer contract: a process on its standard streams, or one with many HTTP paths.

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use crate::wire::lines::{LineError, read_line};
use mcp_compat_model::peer_contract::{Hosted, Hosting, SCENARIO_VARIABLE, Script};
use tokio::io::{AsyncBufRead, AsyncWrite, AsyncWriteExt as _, BufReader};

use crate::server::http::HttpServer;
use crate::server::spec::ServerSpec;
use crate::server::stream::{ServeEnd, ServeError, serve};

/// Reason why an adapter stopped.
#[derive(Debug, thiserror::Error)]
pub enum AdapterError {
    #[error("the variable {SCENARIO_VARIABLE} is not set; it has to name a file with the script to serve, as JSON")]
    NoScript,
    #[error("the script {} cannot be read: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        /// Description of the problem.
        source: std::io::Error,
    },
    #[error("{} is not a script: {source}", path.display())]
    NotAScript {
        path: PathBuf,
        /// Description of the problem.
        source: serde_json::Error,
    },
    #[error(transparent)]
    Serve(#[from] ServeError),
    #[error("the next order cannot be read: {0}")]
    Orders(#[from] LineError),
    #[error("an order is not a `Hosting` of the peer contract: {0}")]
    NotAnOrder(serde_json::Error),
    #[error("the HTTP adapter cannot continue: {0}")]
    Io(#[from] std::io::Error),
}

/// Serves the script that `MCP_COMPAT_SCENARIO` names over standard input and output, until the client closes it.
///
/// A script can end the process. The status is returned, and the caller should exit with it at once. It must not wait for the
/// runtime, which may have a thread that reads standard input.
///
/// # Errors
/// When there is no script, or the streams fail.
pub async fn run_stdio_adapter(spec: ServerSpec) -> Result<ServeEnd, AdapterError> {
    let path = env::var_os(SCENARIO_VARIABLE).ok_or(AdapterError::NoScript)?;
    let script = read_script(PathBuf::from(path))?;
    Ok(serve(spec, Arc::new(script), tokio::io::stdin(), tokio::io::stdout()).await?)
}

fn read_script(path: PathBuf) -> Result<Script, AdapterError> {
    match std::fs::read_to_string(&path) {
        Ok(text) => serde_json::from_str(&text).map_err(|source| AdapterError::NotAScript { path, source }),
        Err(source) => Err(AdapterError::Unreadable { path, source }),
    }
}

/// Serves scripts over HTTP as standard input orders: prints the base URL, then answers each `Hosting` line with a `Hosted`
/// line, until the input ends.
///
/// # Errors
/// When there is no free port, an order cannot be read, or the answers cannot be written.
pub async fn run_http_adapter(spec: ServerSpec) -> Result<(), AdapterError> {
    host_as_ordered(&spec, BufReader::new(tokio::io::stdin()), tokio::io::stdout()).await
}

async fn host_as_ordered(
    spec: &ServerSpec,
    mut orders: impl AsyncBufRead + Unpin,
    mut answers: impl AsyncWrite + Unpin,
) -> Result<(), AdapterError> {
    let server = HttpServer::bind().await?;
    let mut answer = server.base_url().into_bytes();
    let mut line = Vec::new();
    loop {
        answer.push(b'\n');
        answers.write_all(&answer).await?;
        answers.flush().await?;
        if !read_line(&mut orders, &mut line).await? {
            return Ok(());
        }
        let hosting: Hosting = serde_json::from_slice(&line).map_err(AdapterError::NotAnOrder)?;
        let hosted = carry_out(&server, spec, hosting);
        answer = serde_json::to_vec(&hosted).map_err(std::io::Error::from)?;
    }
}

fn carry_out(server: &HttpServer, spec: &ServerSpec, hosting: Hosting) -> Hosted {
    let unsupported = match hosting.script {
        Some(script) => {
            let hosted = server.host(&hosting.path, spec.clone(), Arc::new(script));
            hosted.err().map(|error| error.to_string())
        }
        None => {
            server.unhost(&hosting.path);
            None
        }
    };
    Hosted { id: hosting.id, unsupported }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn answers(orders: &str) -> (Vec<String>, Result<(), AdapterError>) {
        let spec = ServerSpec::parse("mock/dual").unwrap();
        let mut out = Vec::new();
        let end = host_as_ordered(&spec, orders.as_bytes(), &mut out).await;
        (String::from_utf8(out).unwrap().lines().map(str::to_owned).collect(), end)
    }

    #[tokio::test]
    async fn the_address_comes_first_and_every_order_has_its_answer() {
        let (lines, end) = answers(concat!(
            r#"{"id":1,"path":"/a","script":{"scenario":"s","stages":[{"tools":[]}]}}"#,
            "\n",
            r#"{"id":2,"path":"/b","script":{"scenario":"s","stages":[]}}"#,
            "\n",
            r#"{"id":3,"path":"/a"}"#,
            "\n",
        ))
        .await;
        assert!(end.is_ok());
        assert!(lines[0].starts_with("http://127.0.0.1:"), "{lines:?}");
        assert_eq!((&*lines[1], &*lines[3]), (r#"{"id":1}"#, r#"{"id":3}"#));
        assert!(lines[2].starts_with(r#"{"id":2,"unsupported":"the script of s has no stage"#), "{lines:?}");
    }

    #[test]
    fn a_script_is_read_from_a_file_that_holds_one() {
        let here = |path: &str| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/")).join(path);
        assert_eq!(read_script(here("conformance/tools.json")).unwrap().scenario, "conformance/tools");
        assert!(matches!(read_script(here("Cargo.toml")), Err(AdapterError::NotAScript { .. })));
        assert!(matches!(read_script(here("nothing")), Err(AdapterError::Unreadable { .. })));
    }

    #[tokio::test]
    async fn an_invalid_order_ends_the_adapter() {
        let (_, end) = answers("{}\n").await;
        assert!(matches!(end, Err(AdapterError::NotAnOrder(_))));
    }
}
