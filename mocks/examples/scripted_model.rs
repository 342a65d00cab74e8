//! A scripted model on its own, to see what a host sends: prints its address, and writes the requests into a folder when
//! its input ends.
//!
//! ```sh
//! cargo run -p mcp-compat-mocks --example scripted_model -- FOLDER list_users='{}' get_user='{"id":1}'
//! ```

use std::io::{self, Write as _};

use mcp_compat_mocks::scripted_model::{ModelView, Plan, PlannedCall, ScriptedModel};
use tokio::io::AsyncReadExt as _;

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().unwrap_or_else(|| ".".to_owned());
    let calls = arguments.map(|call| {
        let (tool, arguments) = call.split_once('=').unwrap_or((&call, "{}"));
        PlannedCall { tool: tool.to_owned(), arguments: arguments.to_owned() }
    });
    let plan = Plan { calls: calls.collect(), finish: None };
    let model = ScriptedModel::bind().await?;
    let address = model.host(plan.clone());
    writeln!(io::stdout(), "{address}")?;
    tokio::io::stdin().read_to_end(&mut Vec::new()).await?;
    let requests = model.requests(&address);
    for (number, request) in requests.iter().enumerate() {
        std::fs::write(format!("{folder}/{number}.json"), &request.body)?;
    }
    writeln!(io::stdout(), "{:#?}", ModelView::of(&requests, &plan).results)
}
