//! Causes in the order in which they hit users: those of the newest releases first.

use std::cmp::Reverse;

use mcp_compat_model::cause::{Cause, causes};
use mcp_compat_model::record::Record;
use mcp_compat_model::verdict::Rating;

use crate::families::{Newest, is_real};
use crate::names::slugs;

/// How many pages of causes there are at most; the others are on the page of all causes.
pub(crate) const CAUSE_PAGES: usize = 300;

/// A cause, with its place among the others.
#[derive(Clone, Debug)]
pub(crate) struct Ranked<'a> {
    /// The cause.
    pub(crate) cause: Cause<'a>,
    /// Its name in addresses.
    pub(crate) slug: String,
    /// How many of its cells are between newest releases, one of them real at least.
    pub(crate) newest: usize,
    /// How many of its cells have a real peer.
    pub(crate) real: usize,
    /// What its cells are rated.
    pub(crate) rating: Rating,
}

/// The causes of breaks and then of degraded cells. Those that no baseline knows come first, then by how many cells of
/// newest releases they have, of real peers, and in all.
pub(crate) fn ranked<'a>(record: &'a Record, newest: &Newest<'_>) -> Vec<Ranked<'a>> {
    let mut all = Vec::new();
    for rating in [Rating::Breaks, Rating::Degraded] {
        for cause in causes(&record.cells, rating) {
            let with_real = |cell: &&&_| {
                let cell: &mcp_compat_model::record::CellRecord = cell;
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
