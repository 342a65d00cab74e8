//! Installing several releases: languages in parallel, the releases of one language in sequence, because they share a
//! folder.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::install::Installer;
use super::install_error::InstallError;
use super::installation::Installation;
use super::progress::{Outcome, Progress};

/// Is called with the progress of each installation.
pub type Watch = Arc<dyn Fn(&Installation, Progress) + Send + Sync>;

/// The outcome of each installation.
pub type Outcomes = Vec<(Installation, Result<Outcome, InstallError>)>;

impl Installer {
    /// Installs releases that are not installed, `jobs` at a time. If one fails, the others continue.
    ///
    /// The outcomes are in the order of `peers`. Dropping the future ends everything that is running.
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
