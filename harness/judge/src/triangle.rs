//! Fault between two real peers, by the cells of the same run in which a mock stands in the place of each.
//!
//! | alone, the cell says | a peer breaks alike with a mock, by its own fault | the fault is |
//! |---|---|---|
//! | nobody's: no rule explains it | client, server or both | theirs |
//! | somebody's | the other too | both's |
//! | anything | none | as the cell says |
//!
//! If this names another party than the cell does alone, the reason of the cell says so, after its own words.
//!
//! A peer that works with a mock is not cleared by that: the mock may not send what the peer fails on. It is recorded all
//! the same, because peers that only break together are a case of their own. A fault of the specification or of the
//! harness stays. Cells of different eras are not compared.

use std::collections::{BTreeMap, BTreeSet};

use mcp_compat_model::record::{CellRecord, Record};
use mcp_compat_model::signature::{Ground, Place, Signature};
use mcp_compat_model::triangle::{Testimony, Triangle, Witness};
use mcp_compat_model::verdict::{Fault, Rating};
use mcp_compat_model::{PeerId, Role, ScenarioId};

use crate::no_session::remedy_of;
use crate::rules;
use crate::without_rule::remedy_without_rule;

/// Settles the faults of a record's cells between real peers. It can be called again after cells were added.
pub fn triangulate(record: &mut Record) {
    let triangles: Vec<Option<Triangle>> = {
        let witnesses = Witnesses::of(record);
        record.cells.iter().map(|cell| witnesses.triangle(cell)).collect()
    };
    for (cell, triangle) in record.cells.iter_mut().zip(triangles) {
        let settled = match (&triangle, &cell.triangle) {
            (Some(triangle), _) => Some(settled(triangle, cell)),
            (None, Some(before)) => Some(before.alone),
            (None, None) => None,
        };
        if let Some(before) = cell.triangle.take().and_then(|before| before.also_to_fix) {
            let own = cell.reason.strip_suffix(before.as_str()).map(|own| own.trim_end().to_owned());
            cell.reason = own.unwrap_or_else(|| cell.reason.clone());
        }
        if let Some(also) = triangle.as_ref().and_then(|triangle| triangle.also_to_fix.as_ref()) {
            cell.reason = format!("{} {also}", cell.reason);
        }
        if let Some(fault) = settled {
            cell.signature = cell.signature.take().map(|signature| Signature { fault, ..signature });
            cell.fault = Some(fault);
        }
        cell.triangle = triangle;
    }
}

/// The cells in which a real peer meets a mock.
struct Witnesses<'r> {
    real: BTreeSet<&'r PeerId>,
    cells: BTreeMap<(Role, &'r PeerId, &'r ScenarioId), Vec<&'r CellRecord>>,
}

impl<'r> Witnesses<'r> {
    fn of(record: &'r Record) -> Self {
        // Only a peer that is written in some language is real; mocks and profiles are ours.
        let real: BTreeSet<&PeerId> =
            record.peers.iter().filter(|peer| peer.language.is_some()).map(|peer| &peer.id).collect();
        let mut cells = BTreeMap::<_, Vec<&CellRecord>>::new();
        for cell in &record.cells {
            if real.contains(&cell.client) && is_plain(&cell.server) {
                cells.entry((Role::Client, &cell.client, &cell.scenario)).or_default().push(cell);
            }
            if real.contains(&cell.server) && is_plain(&cell.client) {
                cells.entry((Role::Server, &cell.server, &cell.scenario)).or_default().push(cell);
            }
        }
        Self { real, cells }
    }

    /// The cells with mocks beside a cell that breaks between two real peers.
    fn triangle(&self, cell: &CellRecord) -> Option<Triangle> {
        if !self.real.contains(&cell.client) || !self.real.contains(&cell.server) {
            return None;
        }
        let alone = cell.triangle.as_ref().map(|triangle| triangle.alone).or(cell.fault)?;
        let [client, server] = [(Role::Client, &cell.client), (Role::Server, &cell.server)].map(|(role, peer)| {
            let cells = self.cells.get(&(role, peer, &cell.scenario))?;
            let telling = cells.iter().filter(|witness| is_comparable(cell, witness));
            let nearest = telling.min_by_key(|witness| distance(cell, witness, role))?;
            Some((witness(cell, nearest, role), *nearest))
        });
        let also = |known: &Option<(Witness, &CellRecord)>, role: Role| {
            let (witness, seen) = known.as_ref().filter(|(witness, _)| witness.says == Testimony::Guilty)?;
            also_to_fix(alone, role, witness, seen)
        };
        let sentences = [also(&client, Role::Client), also(&server, Role::Server)];
        let only = |known: Option<(Witness, &CellRecord)>| known.map(|(witness, _)| witness);
        let triangle = Triangle { alone, client: only(client), server: only(server), also_to_fix: None };
        let sentences: Vec<String> = sentences.into_iter().flatten().collect();
        let is_news = !sentences.is_empty() && settled(&triangle, cell) != alone;
        Some(Triangle { also_to_fix: is_news.then(|| sentences.join(" ")), ..triangle })
    }
}

/// Returns true if a mock does nothing but what its name says: no policy and no downgrade of its own.
fn is_plain(peer: &PeerId) -> bool {
    peer.is_plain_mock()
}

/// Returns true if what happened in a cell can be compared with what happened in the other.
fn is_comparable(cell: &CellRecord, witness: &CellRecord) -> bool {
    let eras = (cell.negotiated.map(|revision| revision.era()), witness.negotiated.map(|revision| revision.era()));
    let one_era = matches!(eras, (Some(one), Some(other)) if one == other) || eras.0.is_none();
    one_era && witness.rating != Rating::Skipped && witness.fault != Some(Fault::Harness)
}

/// Distance of a witness from a cell: by transport, by revision, and then by how many revisions its mock speaks.
fn distance<'c>(cell: &CellRecord, witness: &'c CellRecord, role: Role) -> (bool, bool, bool, &'c str) {
    let mock = match role {
        Role::Client => &witness.server,
        Role::Server => &witness.client,
    };
    let knows_less = !mock.is_dual_mock();
    (witness.transport != cell.transport, witness.negotiated != cell.negotiated, knows_less, witness.id.as_str())
}

fn witness(cell: &CellRecord, witness: &CellRecord, role: Role) -> Witness {
    let by_its_own_fault = witness.fault == Some(Fault::of(role)) || witness.fault == Some(Fault::Both);
    let symptom = |cell: &CellRecord| cell.signature.as_ref().map(Signature::symptom);
    // Without a session the symptom is the same whatever the reason.
    let ground = |cell: &CellRecord| cell.signature.as_ref().map(|signature| signature.ground.clone());
    let is_session = cell.signature.as_ref().is_some_and(|signature| signature.place == Place::Session);
    let alike = symptom(cell) == symptom(witness) && (!is_session || ground(cell) == ground(witness));
    let says = match witness.rating {
        Rating::Works => Testimony::Clear,
        Rating::Degraded | Rating::Breaks if by_its_own_fault && alike => Testimony::Guilty,
        Rating::Degraded | Rating::Breaks | Rating::Skipped => Testimony::Unclear,
    };
    Witness { cell: witness.id.clone(), outcome: witness.outcome, rating: witness.rating, says }
}

/// The fix that a peer's own cell with a mock shows, and the reason of the cell alone does not say.
fn also_to_fix(alone: Fault, role: Role, witness: &Witness, seen: &CellRecord) -> Option<String> {
    let remedy = match &seen.signature.as_ref()?.ground {
        Ground::Rule(id) => rules::find(id)?.remedy,
        Ground::NoSession(cause) => remedy_of(*cause, role),
        Ground::SpecSilent | Ground::SpecConflict | Ground::NoRule => remedy_without_rule(role, witness.outcome),
    };
    let mock = match role {
        Role::Client => &seen.server,
        Role::Server => &seen.client,
    };
    let as_well = match alone {
        Fault::Client | Fault::Server => " as well",
        Fault::Both | Fault::Spec | Fault::Harness => "",
    };
    let is_named = alone == Fault::of(role) || alone == Fault::Both;
    let fails = witness.outcome;
    (!is_named).then(|| {
        format!(
            "To fix in the {role}{as_well} (its outcome with {mock} is `{fails}` too): {}.",
            remedy.trim_end_matches('.')
        )
    })
}

/// The fault, all things considered.
fn settled(triangle: &Triangle, cell: &CellRecord) -> Fault {
    let guilty = |witness: &Option<Witness>| witness.as_ref().is_some_and(|it| it.says == Testimony::Guilty);
    let shown = match (guilty(&triangle.client), guilty(&triangle.server)) {
        (true, true) => Fault::Both,
        (true, false) => Fault::Client,
        (false, true) => Fault::Server,
        (false, false) => return triangle.alone,
    };
    match triangle.alone {
        Fault::Harness => Fault::Harness,
        Fault::Spec if cell.signature.as_ref().is_some_and(Signature::is_left_open) => Fault::Spec,
        Fault::Spec => shown,
        alone @ (Fault::Client | Fault::Server | Fault::Both) if alone == shown => alone,
        Fault::Client | Fault::Server | Fault::Both => Fault::Both,
    }
}
