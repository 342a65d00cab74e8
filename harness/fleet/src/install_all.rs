//! Setting many releases up: those of a language one after the other, as they share a folder, languages side by side.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::install::{InstallError, Installer, Outcome, Progress};
use super::installation::Installation;

/// Who is told how each installation goes.
pub type Watch = Arc<dyn Fn(&Installation, Progress) + Send + Sync>;

/// What came of each.
pub type Outcomes = Vec<(Installation, Result<Outcome, InstallError>)>;

impl Installer {
    /// Sets releases up that are due, `jobs` at a time. One that fails keeps no other from going on.
    ///
    /// What is asked for first is told first. Dropping this ends what is running, with all that it started.
    pub async fn install_all(self: Arc<Self>, peers: Vec<Installation>, jobs: usize, watch: Watch) -> Outcomes {
        let mut queues: BTreeMap<usize, Vec<(usize, Installation)>> = BTreeMap::new();
        let language = |peer: &Installation| peer.manifest().language.clone();
        for (place, peer) in peers.iter().enumerate() {
            let first = peers.iter().position(|other| language(other) == language(peer)).unwrap_or(place);
            queues.entry(first).or_default().push((place, peer.clone()));
        }
        let places = Arc::new(Semaphore::new(jobs.max(1)));
        let mut running = JoinSet::new();
        for queue in queues.into_values() {
            let (installer, watch, places) = (Arc::clone(&self), Arc::clone(&watch), Arc::clone(&places));
            running.spawn(async move {
                let mut outcomes = Vec::new();
                for (place, peer) in queue {
                    let permit = places.acquire().await;
                    let outcome = installer.install(&peer, |step| watch(&peer, step)).await;
                    drop(permit);
                    outcomes.push((place, (peer, outcome)));
                }
                outcomes
            });
        }
        let mut outcomes = BTreeMap::new();
        while let Some(queue) = running.join_next().await {
            match queue {
                Ok(queue) => outcomes.extend(queue),
                Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
                Err(_) => {}
            }
        }
        outcomes.into_values().collect()
    }
}
