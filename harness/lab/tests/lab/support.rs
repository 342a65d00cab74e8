//! The corpus, and requests for runs.

use std::sync::{Arc, LazyLock};

use mcp_compat_run::plan::Coverage;
use mcp_compat_run::request::Request;
use mcp_compat_scenario::Scenario;

/// The embedded corpus, read once.
pub(crate) fn corpus() -> Vec<Arc<Scenario>> {
    static CORPUS: LazyLock<Vec<Arc<Scenario>>> =
        LazyLock::new(|| mcp_compat_scenario::corpus::load().unwrap().into_iter().map(Arc::new).collect());
    CORPUS.clone()
}

/// A request for everything between these clients and servers.
pub(crate) fn request(scenarios: &[&str], clients: &[&str], servers: &[&str]) -> Request {
    let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    Request {
        scenarios: owned(scenarios),
        clients: owned(clients),
        servers: owned(servers),
        coverage: Coverage::Everything,
        ..Request::default()
    }
}
