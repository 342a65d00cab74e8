//! `audit --write-calls`: a file of calls to fill in.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use mcp_compat_audit::probe::ServerProbe;
use mcp_compat_audit::server::{CallSkeleton, call_skeleton};
use mcp_compat_drive::shell_word;
use mcp_compat_json::{Layout, lay_out};
use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::{neutralised, neutralised_json};
use mcp_compat_run::glob::select;
use mcp_compat_run::redact::redact_command_line;

use super::args::AuditArgs;
use super::subject::Subject;
use crate::exit::Exit;
use crate::output::{eprintln, println};
use crate::runtime::interruptible;

/// Width of the lines of the file.
const WIDTH: usize = 100;

pub(super) fn execute(args: &AuditArgs, subject: Subject) -> Result<Exit> {
    let Some(path) = &args.write_calls else { bail!("--write-calls has no file") };
    let shown = neutralised(&path.display().to_string());
    if path.symlink_metadata().is_ok() {
        bail!("{shown} is there already and stays as it is: give another path, or remove the file");
    }
    let Subject { target, words, secrets, .. } = subject;
    let probed = async {
        let probe = ServerProbe::open(target, args.server.timeouts()).await?;
        Ok(probe.list(|_| {}).await?.with_tools()?)
    };
    let probed = interruptible(|| {}, probed).map_err(|error| {
        let text = format!("{error:#}");
        let safe = secrets.redact_text(&text);
        if safe == text { error } else { anyhow!(safe) }
    })?;
    let Some(probed) = probed else { return Ok(Exit::Interrupted) };
    let tools = probed.spoken.iter().rev().map(|session| &session.tools).find(|tools| !tools.is_empty());
    let selected = select("tool", &args.tool, tools.map_or(&[][..], Vec::as_slice), |tool| &tool.name)?;
    let skeleton = call_skeleton(selected);
    write(path, &skeleton).with_context(|| format!("cannot write {shown}"))?;
    let tools = skeleton.json.as_object().map_or(0, |calls| calls.len());
    eprintln!(
        "Wrote {shown}: {}. An audit with this file calls all of them; remove those that it must not call.",
        counted(tools, "tool")
    );
    if !skeleton.destructive.is_empty() {
        eprintln!("Left out, because they are marked destructive: {}", neutralised(&skeleton.destructive.join(", ")));
    }
    for (tool, arguments) in &skeleton.to_fill_in {
        eprintln!("  fill in {}: {}", neutralised(tool), neutralised(&arguments.join(", ")));
    }
    let words: Vec<String> = ["mcp-compat", "audit", "--calls"]
        .into_iter()
        .map(str::to_owned)
        .chain([path.display().to_string()])
        .chain(words)
        .map(|word| shell_word(&word).into_owned())
        .collect();
    eprintln!("\nThen run:");
    println!("{}", neutralised(&redact_command_line(&words.join(" "))));
    Ok(Exit::Success)
}

/// Writes a new file. An existing file is not replaced.
fn write(path: &Path, skeleton: &CallSkeleton) -> std::io::Result<()> {
    let compact = skeleton.json.to_compact();
    let text = lay_out(&compact, Layout::Indented { width: WIDTH, deepest: WIDTH / 2 }).unwrap_or(compact);
    File::create_new(path)?.write_all(format!("{}\n", neutralised_json(&text)).as_bytes())
}
