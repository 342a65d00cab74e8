//! `mcp-compat host-adapter`: the adapter of the peer contract for hosts. The harness starts it; people do not.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use mcp_compat_host::{HostForm, enter, serve};

use crate::exit::Exit;

#[derive(Debug, Args)]
pub(crate) struct HostAdapterArgs {
    /// The folder of the manifest, with its templates
    templates: PathBuf,
    /// The table [host] of the manifest, as JSON
    form: String,
}

pub(crate) fn execute(args: &HostAdapterArgs) -> Result<Exit> {
    let program = std::env::current_exe().context("cannot find this program")?;
    enter(program.into_os_string(), std::env::args_os().skip(1)).context("cannot isolate the host")?;
    let form: HostForm = serde_json::from_str(&args.form).context("cannot read the table [host]")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(serve(form, &args.templates))?;
    Ok(Exit::Success)
}
