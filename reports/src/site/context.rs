//! Newest run with the values that several pages show, computed once; the families of its peers: the releases of one
//! package, represented by the newest.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use mcp_compat_model::cause::{Cause, causes};
use mcp_compat_model::diff::Class;
use mcp_compat_model::record::{CellRecord, Record, Recorded};
use mcp_compat_model::verdict::{Fault, Rating};
use mcp_compat_model::version::Version;
use mcp_compat_model::{CellId, PeerId, Role};

use crate::recorded;
use crate::site::columns::Scenarios;
use crate::site::names::{product, run_id, slugs};
use crate::site::{Input, Issue};
use crate::view::{Matrix, Tally, View};

/// Files of a site by their paths, with `/` between folders.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Run with the values that its pages share.
pub(crate) struct Site<'a> {
    pub(crate) input: &'a Input<'a>,
    pub(crate) record: &'a Record,
    pub(crate) run: String,
    pub(crate) view: View<'a>,
    clients: Vec<&'a PeerId>,
    servers: Vec<&'a PeerId>,
    pub(crate) newest: Newest<'a>,
    pub(crate) causes: Vec<Ranked<'a>>,
    pub(crate) pairs: PairTotals,
    pub(crate) products: ByProduct,
    pub(crate) scenarios: Scenarios<'a>,
    pub(crate) releases: BTreeMap<String, Release<'a>>,
    places: HashMap<&'a CellId, usize>,
}

impl<'a> Site<'a> {
    pub(crate) fn of(input: &'a Input<'a>) -> Self {
        let record = input.newest.record;
        let view = View::of(record);
        let newest = Newest::of(record.cells.iter().flat_map(|cell| [&cell.client, &cell.server]));
        Self {
            input,
            record,
            run: run_id(&record.started),
            clients: real_first(&view.matrix.clients),
            servers: real_first(&view.matrix.servers),
            causes: ranked(record, &newest),
            pairs: PairTotals::of(&view.matrix),
            products: ByProduct::of(record.cells.iter()),
            scenarios: record.scenarios.iter().map(|scenario| (&scenario.id, scenario)).collect(),
            releases: releases(record),
            places: record.cells.iter().enumerate().map(|(place, cell)| (&cell.id, place)).collect(),
            newest,
            view,
        }
    }

    pub(crate) fn issues(&self, cause: &str) -> &'a [Issue] {
        self.input.issues.get(cause).map(Vec::as_slice).unwrap_or_default()
    }

    /// Class of a cell, compared with the run before, if the two can be compared.
    pub(crate) fn class(&self, cell: &CellRecord) -> Option<Class> {
        self.input.earlier.classes()?.get(*self.places.get(&cell.id)?).copied()
    }

    /// Returns whether releases of SDKs were played, and not only mocks and other peers.
    pub(crate) fn has_releases(&self) -> bool {
        self.releases.values().any(|release| release.ids.iter().any(|id| id.release().is_some()))
    }

    /// Clients: real ones, then those of mcp-compat.
    pub(crate) fn clients(&self) -> &[&'a PeerId] {
        &self.clients
    }

    /// Servers, in the same order.
    pub(crate) fn servers(&self) -> &[&'a PeerId] {
        &self.servers
    }
}

fn real_first<'a>(peers: &[&'a PeerId]) -> Vec<&'a PeerId> {
    let (real, mocks): (Vec<_>, Vec<_>) = peers.iter().copied().partition(|peer| is_real(peer));
    real.into_iter().chain(mocks).collect()
}

/// Numbers of pairs by their worst cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PairTotals {
    pub(crate) works: usize,
    pub(crate) degraded: usize,
    pub(crate) breaks: usize,
    pub(crate) unsupported: usize,
}

impl PairTotals {
    pub(crate) fn of(matrix: &Matrix<'_>) -> Self {
        let mut totals = Self::default();
        for tally in matrix.tallies() {
            let place = match tally {
                Tally { breaks: 1.., .. } => &mut totals.breaks,
                Tally { degraded: 1.., .. } => &mut totals.degraded,
                Tally { works: 1.., .. } => &mut totals.works,
                Tally { .. } => &mut totals.unsupported,
            };
            *place += 1;
        }
        totals
    }

    pub(crate) fn all(self) -> usize {
        self.works + self.degraded + self.breaks + self.unsupported
    }
}

/// Tallies by release, over all modes and flavours.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByProduct(BTreeMap<(String, String), Tally>);

impl ByProduct {
    pub(crate) fn of<'a>(cells: impl Iterator<Item = &'a CellRecord>) -> Self {
        let mut by_id = BTreeMap::<_, Tally>::new();
        for cell in cells {
            by_id.entry((&cell.client, &cell.server)).or_default().add(cell);
        }
        let mut tallies = BTreeMap::<_, Tally>::new();
        for ((client, server), tally) in by_id {
            tallies.entry((product(client), product(server))).or_default().join(tally);
        }
        Self(tallies)
    }

    pub(crate) fn tally(&self, client: &str, server: &str) -> Option<Tally> {
        self.0.get(&(client.to_owned(), server.to_owned())).copied()
    }
}

/// Maximum number of causes with a page.
pub(crate) const CAUSE_PAGES: usize = 300;

/// Cause with its rank.
#[derive(Clone, Debug)]
pub(crate) struct Ranked<'a> {
    pub(crate) cause: Cause<'a>,
    /// Its name in addresses.
    pub(crate) slug: String,
    /// Number of its cells between newest releases, one of them real at least.
    pub(crate) newest: usize,
    /// Number of its cells with a real peer.
    pub(crate) real: usize,
    pub(crate) rating: Rating,
}

/// Causes of breaks and then of degraded cells. New breaks come first, then the causes with most cells of newest
/// releases, of real peers, and in all.
pub(crate) fn ranked<'a>(record: &'a Record, newest: &Newest<'_>) -> Vec<Ranked<'a>> {
    let mut all = Vec::new();
    for rating in [Rating::Breaks, Rating::Degraded] {
        for cause in causes(&record.cells, rating) {
            let with_real = |cell: &&&_| {
                let cell: &CellRecord = cell;
                is_real(&cell.client) || is_real(&cell.server)
            };
            let current = cause.cells.iter().filter(with_real);
            let current = current.filter(|cell| newest.is(&cell.client) && newest.is(&cell.server)).count();
            let real = cause.cells.iter().filter(with_real).count();
            all.push(Ranked { cause, slug: String::new(), newest: current, real, rating });
        }
    }
    all.sort_by_cached_key(|ranked| {
        let cause = &ranked.cause;
        let is_known = ranked.rating == Rating::Breaks && cause.new_breaks() == 0;
        let hit = (ranked.newest, ranked.real, cause.is_silent(), cause.cells.len());
        (ranked.rating, is_known, Reverse(hit), cause.name.clone())
    });
    // `Breaks` is after `Degraded` in the order of ratings.
    all.sort_by_key(|ranked| Reverse(ranked.rating));
    let names = slugs(&all.iter().map(|ranked| &ranked.cause).collect::<Vec<_>>());
    for (ranked, slug) in all.iter_mut().zip(names) {
        ranked.slug = slug;
    }
    all
}

/// Release with its cells on both sides.
pub(crate) struct Release<'a> {
    pub(crate) product: String,
    /// Ids of the release, with modes and flavours.
    pub(crate) ids: BTreeSet<&'a PeerId>,
    pub(crate) as_client: Vec<&'a CellRecord>,
    pub(crate) as_server: Vec<&'a CellRecord>,
}

/// Every release, by name.
pub(crate) fn releases(record: &Record) -> BTreeMap<String, Release<'_>> {
    let mut names = BTreeMap::<&PeerId, String>::new();
    let mut releases = BTreeMap::<String, Release<'_>>::new();
    for cell in &record.cells {
        for (id, is_client) in [(&cell.client, true), (&cell.server, false)] {
            let name = names.entry(id).or_insert_with(|| product(id));
            if !releases.contains_key(name) {
                let (ids, as_client, as_server) = Default::default();
                releases.insert(name.clone(), Release { product: name.clone(), ids, as_client, as_server });
            }
            let Some(release) = releases.get_mut(name) else { continue };
            release.ids.insert(id);
            if is_client { release.as_client.push(cell) } else { release.as_server.push(cell) }
        }
    }
    releases
}

impl<'a> Release<'a> {
    pub(crate) fn cells(&self) -> impl Iterator<Item = &'a CellRecord> {
        // A cell of the release with itself is on both sides and counts once.
        let own: BTreeSet<_> = self.ids.iter().copied().collect();
        let others = self.as_server.iter().copied().filter(move |cell| !own.contains(&cell.client));
        self.as_client.iter().copied().chain(others)
    }

    /// Returns whether it is a part of mcp-compat.
    pub(crate) fn is_built_in(&self) -> bool {
        self.ids.iter().all(|id| id.is_built_in())
    }

    /// Origin of its client or its server, if that was recorded on another machine, and not tested in the run.
    pub(crate) fn recorded<'r>(&self, record: &'r Record, role: Role) -> Option<&'r Recorded> {
        self.ids.iter().find_map(|id| recorded::of_peer(record, role, id))
    }

    /// Returns whether it is one of the two peers of a cell.
    pub(crate) fn is_of(&self, cell: &CellRecord) -> bool {
        self.ids.contains(&cell.client) || self.ids.contains(&cell.server)
    }

    /// Returns whether the release has to fix what a cell shows.
    pub(crate) fn is_at_fault(&self, cell: &CellRecord) -> bool {
        match cell.fault {
            Some(Fault::Client) => self.ids.contains(&cell.client),
            Some(Fault::Server) => self.ids.contains(&cell.server),
            Some(Fault::Both) => true,
            Some(Fault::Spec | Fault::Harness) | None => false,
        }
    }
}

/// Number of peers on one side of the first page if all of them are mocks.
const MOCKS: usize = 12;

/// Family of a peer: the package of a release; for any other peer its name.
pub(crate) fn family(peer: &PeerId) -> &str {
    peer.release().map_or(peer.name(), |(family, _)| family)
}

/// Returns whether a peer is not a part of mcp-compat.
pub(crate) fn is_real(peer: &PeerId) -> bool {
    !peer.is_built_in()
}

/// Newest release of each family.
#[derive(Clone, Debug, Default)]
pub(crate) struct Newest<'a>(BTreeMap<&'a str, &'a Version>);

impl<'a> Newest<'a> {
    pub(crate) fn of(peers: impl Iterator<Item = &'a PeerId>) -> Self {
        let mut newest = BTreeMap::new();
        for (family, version) in peers.filter_map(PeerId::release) {
            let known = newest.entry(family).or_insert(version);
            // A pre-release represents its family only if there is no other release.
            if (!version.is_pre_release(), version) > (!known.is_pre_release(), *known) {
                *known = version;
            }
        }
        Self(newest)
    }

    /// Returns whether a peer is the newest of its family, or no release at all.
    pub(crate) fn is(&self, peer: &PeerId) -> bool {
        peer.release().is_none_or(|(family, version)| self.0.get(family).is_none_or(|newest| *newest == version))
    }
}

/// Peers of one side on the first page: the newest of each family, other real peers, and the mock of both eras for
/// comparison; the mocks if there is no real peer.
pub(crate) fn front(side: &[&PeerId], newest: &Newest<'_>) -> Vec<String> {
    let mut shown: Vec<String> =
        side.iter().filter(|peer| is_real(peer) && newest.is(peer)).map(|peer| product(peer)).collect();
    let only_mocks = shown.is_empty();
    shown.extend(
        side.iter()
            .filter(|peer| only_mocks || (peer.is_plain_mock() && peer.is_dual_mock()))
            .map(|peer| product(peer)),
    );
    let mut seen = BTreeSet::new();
    shown.retain(|name| seen.insert(name.clone()));
    if only_mocks {
        shown.truncate(MOCKS);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_release_represents_its_family() {
        let ids = [
            "mock/dual+auto",
            "mock/dual/omit",
            "mine",
            "ts@1.9.0",
            "ts@1.10.0+auto",
            "ts@1.10.0/typed",
            "ts@2.0.0-rc.1",
        ];
        let ids: Vec<PeerId> = ids.iter().map(|id| PeerId::new(*id).unwrap()).collect();
        let newest = Newest::of(ids.iter());
        let side: Vec<&PeerId> = ids.iter().collect();
        assert_eq!(front(&side, &newest), ["mine", "ts@1.10.0", "mock/dual"]);
        assert_eq!(front(&side[..2], &newest), ["mock/dual", "mock/dual/omit"]);
    }
}
