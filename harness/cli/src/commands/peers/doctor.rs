//! `peers doctor`: how each release is, and the command that mends it.

use std::path::Path;

use anstream::{eprintln, print, println};
use anyhow::{Context as _, Result};
use clap::Args;
use mcp_compat::Programs;
use mcp_compat::fleet::{Ailment, Health, Installation, Installer};
use mcp_compat_reports::list;

use super::{install, install_command};
use crate::exit::Exit;
use crate::progress::Spinner;
use crate::{peers_folder, terminal};

const HOW: &str = "\
Each client and server that is set up plays with a mock over each transport.

Exit status: 0 nothing is wrong, 1 something is to be mended, 2 the input is
wrong. A peer that is not installed is not wrong.";

#[derive(Debug, Args)]
#[command(after_help = HOW)]
pub(super) struct DoctorArgs {
    /// These releases, or those of the fleet that fit [default: the fleet, and whatever else is set up]
    #[arg(value_name = "ID|GLOB")]
    peers: Vec<String>,
}

pub(super) async fn execute(args: &DoctorArgs, folder: Option<&Path>) -> Result<Exit> {
    let folder = peers_folder::need(folder)?;
    let mut patients: Vec<Installation> = Vec::new();
    for name in &args.peers {
        patients.extend(install::releases(&folder, name)?);
    }
    if args.peers.is_empty() {
        patients.extend(folder.fleet().iter().map(|member| member.installation.clone()));
        patients.extend(folder.beyond());
    }
    let programs = Programs::CommandLine(std::env::current_exe().context("finding the program of this process")?);
    let installer = Installer::default();
    let (mut rows, mut ailing) = (Vec::new(), 0);
    let spinner = Spinner::start("starting the peers that are set up");
    for patient in &patients {
        spinner.line(patient.id().as_str());
        let health = installer.examine(patient, &programs).await?;
        ailing += usize::from(matches!(health, Health::Ailing(_)));
        rows.push(row(patient, &health));
    }
    drop(spinner);
    print!("{}", list::table(&rows, terminal::style()));
    if ailing == 0 {
        eprintln!("nothing is wrong");
        return Ok(Exit::Success);
    }
    println!(
        "\n{}",
        if ailing == 1 { "1 peer is to be mended".to_owned() } else { format!("{ailing} peers are to be mended") }
    );
    Ok(Exit::Breaks)
}

fn row(peer: &Installation, health: &Health) -> (String, String) {
    let again = format!("mcp-compat peers remove {0} && {1}", peer.id(), install_command(peer));
    let (word, what) = match health {
        Health::Well => ("well", "set up, and every part of it answers".to_owned()),
        Health::NotInstalled => ("not installed", install_command(peer)),
        Health::Ailing(ailment) => match ailment {
            Ailment::MissingTools(_) => ("missing tool", ailment.to_string()),
            Ailment::Unfinished => ("unfinished", format!("{ailment}: {}", install_command(peer))),
            Ailment::Stale => ("out of date", format!("{ailment}: {}", install_command(peer))),
            Ailment::Broken(_) => ("broken", format!("{ailment}: {again}")),
            Ailment::Unreadable(_) => ("unreadable", ailment.to_string()),
        },
    };
    (format!("{word:<13}  {}", peer.id()), what)
}
