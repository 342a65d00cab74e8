//! One attempt to play a cell, whatever the transport: the peers, the script, and what the client's side has in common.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use mcp_compat_drive::{CommandEnd, Tap};
use mcp_compat_mocks::server::{CompiledScript, ServerSpec};
use mcp_compat_model::observation::{End, Observation};
use mcp_compat_model::peer_contract::{Deadlines, Job, JobStep, Script, ServerAddress};
use mcp_compat_model::transcript::Transcript;
use mcp_compat_model::{Role, Transport};
use mcp_compat_scenario::Scenario;

use crate::adapters::{Adapters, Started};
use crate::environment::RunEnvironment;
use crate::in_process::{ClientProgram, ServerAt};
use crate::observe::{adapter_failed, answered, as_a_model_reads, ended};
use crate::peer::{ClientPeer, ServerPeer};
use crate::timeouts::Timeouts;

/// One attempt to play a cell.
pub(super) struct Attempt<'a> {
    pub(super) environment: &'a RunEnvironment,
    pub(super) adapters: &'a Adapters,
    pub(super) scenario: &'a Scenario,
    pub(super) client: &'a ClientPeer,
    pub(super) server: &'a ServerPeer,
    pub(super) transport: Transport,
    pub(super) script: Arc<Script>,
    /// True if the script names the canary, at an address that no other cell has.
    pub(super) has_canary: bool,
    pub(super) steps: Vec<JobStep>,
    pub(super) timeouts: Timeouts,
    pub(super) tap: Tap,
    /// The adapters that the cell needs.
    pub(super) started: Started,
    /// True if the process of an adapter was lost. Another cell may have brought it down.
    pub(super) lost: AtomicBool,
    /// End of the client, if it is a black box.
    pub(super) command: OnceLock<CommandEnd>,
}

impl Attempt<'_> {
    /// Lets the client adapter play the steps.
    pub(super) async fn job(&self, server: ServerAddress) -> Observation {
        let adapter = match &self.started.client {
            Some(Ok(adapter)) => adapter,
            Some(Err(failure)) => return adapter_failed(Role::Client, failure),
            None => return unplayable("the client has not been started"),
        };
        let job = Job {
            id: 0,
            scenario: self.scenario.id.to_string(),
            server,
            mode: self.client.record().mode,
            steps: self.steps.clone(),
            deadlines: self.deadlines(),
        };
        match adapter.play(job, self.timeouts.cell(self.steps.len())).await {
            Ok(answer) => {
                let is_host = self.client.record().isolated.is_some();
                let sent = || Transcript { entries: self.tap.since(0) };
                let answer = if is_host { as_a_model_reads(answer, &self.steps, &sent()) } else { answer };
                answered(answer, self.steps.len())
            }
            Err(failure) => {
                self.lose_if(failure.is_of_the_process());
                adapter_failed(Role::Client, &failure)
            }
        }
    }

    pub(super) async fn own_client(&self, client: &ClientProgram, server: ServerAt) -> Observation {
        match client.play(server, self.steps.clone(), self.deadlines()).await {
            Ok(answer) => answered(answer, self.steps.len()),
            Err(end) => ended(end),
        }
    }

    pub(super) fn lose_if(&self, lost: bool) {
        self.lost.fetch_or(lost, Ordering::Relaxed);
    }

    pub(super) fn compiled_script(&self, server: &ServerSpec) -> Result<Arc<CompiledScript>, Observation> {
        let compiled_script = if self.has_canary || self.client.black_box_command().is_some() {
            // No other cell has the same script.
            CompiledScript::new(server.clone(), Arc::clone(&self.script)).map(Arc::new)
        } else {
            self.environment.compiled_script(server, &self.script)
        };
        compiled_script.map_err(|error| harness_failed(error.to_string()))
    }

    pub(super) fn deadlines(&self) -> Deadlines {
        let step_ms = u64::try_from(self.timeouts.step.as_millis()).unwrap_or(u64::MAX);
        Deadlines { connect_ms: step_ms, step_ms }
    }
}

pub(super) fn harness_failed(why: String) -> Observation {
    ended(End::HarnessFailed { why })
}

/// Reason why a recorded peer cannot be started.
pub(super) const RECORDED: &str = "the client was recorded on another machine, and cannot be started";

/// The plan only makes cells whose peers have what the transport needs; if it does not, that is our mistake.
pub(super) fn unplayable(why: &str) -> Observation {
    harness_failed(format!("the plan made a cell that cannot be played: {why}"))
}
