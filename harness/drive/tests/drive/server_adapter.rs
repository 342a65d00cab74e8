//! Server adapters: the greeting, the hosting, and everything that can be wrong with them.

use mcp_compat_drive::{AdapterFailure, Exit, HostFailure, HttpServerAdapter, Limits, StdioServerAdapter};
use mcp_compat_model::peer_contract::Script;
use mcp_compat_model::transcript::StopStage;
use tokio::io::AsyncReadExt as _;

use crate::fake::{PATIENCE, SHORT, sh, soon};

const SERVE: &str = r#"while read -r line; do
    id=${line#*\"id\":}; id=${id%%,*}
    case $line in
        *'"path":"/no"'*) printf '{"id":%s,"unsupported":"not today"}\n' "$id" ;;
        *'"path":"/bad"'*) printf '{"id":%s,"unsupported":false}\n' "$id" ;;
        *'"path":"/die"'*) exit 6 ;;
        *) printf '{"id":%s}\n' "$id" ;;
    esac
done"#;

fn script() -> Script {
    Script::without_tools("test")
}

async fn spawn(script: &str) -> Result<HttpServerAdapter, AdapterFailure> {
    soon(HttpServerAdapter::spawn(&sh(script), Limits::default(), PATIENCE)).await
}

#[tokio::test]
async fn a_script_gets_its_own_url() {
    let adapter = spawn(&format!("echo http://127.0.0.1:9/mcp/; {SERVE}")).await.unwrap();
    assert_eq!(adapter.base(), "http://127.0.0.1:9/mcp");
    let url = soon(adapter.host("/array", script(), PATIENCE)).await.unwrap();
    assert_eq!(url, "http://127.0.0.1:9/mcp/array");
    soon(adapter.unhost("/array", PATIENCE)).await.unwrap();
    assert_eq!(soon(adapter.stop(PATIENCE)).await, StopStage::InputClosed);
}

#[tokio::test]
async fn a_script_that_cannot_be_served_is_told_from_an_adapter_that_fails() {
    let adapter = spawn(&format!("echo http://127.0.0.1:9; {SERVE}")).await.unwrap();
    let host = |path| soon(adapter.host(path, script(), PATIENCE));
    let unsupported = HostFailure::Unsupported { why: "not today".to_owned() };
    assert_eq!(host("/no").await.unwrap_err(), unsupported);
    let failure = host("/bad").await.unwrap_err();
    assert!(matches!(failure, HostFailure::Adapter(AdapterFailure::Garbage { .. })), "{failure}");
    assert!(adapter.is_alive());
    let failure = host("/die").await.unwrap_err();
    assert!(matches!(&failure, HostFailure::Adapter(AdapterFailure::Died { how, .. }) if how == "exit status 6"));
    assert!(!adapter.is_alive());
}

#[tokio::test]
async fn a_first_line_that_is_no_address_on_loopback_is_refused() {
    for line in ["Listening...", "https://127.0.0.1:1", "http://198.51.100.7:80"] {
        let failure = spawn(&format!("echo {line}; cat")).await.map(|_| ()).unwrap_err();
        assert!(matches!(&failure, AdapterFailure::NoAddress { line: said, .. } if said == line), "{failure}");
    }
}

#[tokio::test]
async fn one_that_does_not_come_up_is_told_from_one_that_ends() {
    let silent = sh("exec sleep 300");
    let spawned = soon(HttpServerAdapter::spawn(&silent, Limits::default(), SHORT)).await;
    assert_eq!(spawned.map(|_| ()).unwrap_err(), AdapterFailure::TimedOut { after: SHORT, noise: None });
    let failure = spawn("echo no port left >&2; exit 1").await.map(|_| ()).unwrap_err();
    assert!(matches!(&failure, AdapterFailure::Died { log_tail, .. } if log_tail == "no port left\n"), "{failure}");
    assert_eq!(spawn("exit 127").await.map(|_| ()).unwrap_err(), AdapterFailure::Unsupported);
}

#[tokio::test]
async fn a_server_over_stdio_finds_its_script_in_a_file_that_goes_with_it() {
    let launch = sh("printf '%s\\n' \"$MCP_COMPAT_SCENARIO\"; cat \"$MCP_COMPAT_SCENARIO\"");
    let mut server = StdioServerAdapter::spawn(&launch, &script(), Limits::default()).unwrap();
    let mut output = String::new();
    soon(server.process.take_stdout().unwrap().read_to_string(&mut output)).await.unwrap();
    let (path, text) = output.split_once('\n').unwrap();
    assert_eq!(serde_json::from_str::<Script>(text).unwrap().scenario, "test");
    assert!(std::path::Path::new(path).exists());
    assert_eq!(soon(server.process.stop(PATIENCE)).await, StopStage::InputClosed);
    drop(server);
    assert!(!std::path::Path::new(path).exists());
}

#[tokio::test]
async fn a_server_over_stdio_says_with_its_status_that_it_does_not_support_a_script() {
    let mut server = StdioServerAdapter::spawn(&sh("exit 127"), &script(), Limits::default()).unwrap();
    let exit = soon(server.process.wait()).await;
    assert_eq!((exit, exit.says_unsupported()), (Exit::Status(127), true));
}
