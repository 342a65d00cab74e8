//! One part of a plan, for one machine of several.

use mcp_compat_model::division::Division;
use sha2::{Digest as _, Sha256};

use super::Plan;

/// Bytes of the hash in a digest, as in that of the corpus.
const DIGEST_BYTES: usize = 8;

/// One part of a plan, for one machine of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of the part, from 1.
    pub index: u16,
    /// Number of parts.
    pub of: u16,
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let (index, of) = text.split_once('/')?;
            let shard = Self { index: index.parse().ok()?, of: of.parse().ok()? };
            (1..=shard.of).contains(&shard.index).then_some(shard)
        };
        parse().ok_or_else(|| {
            format!("{text:?} is not a shard: expected K/N with K from 1 to N and N up to {}, such as 2/4", u16::MAX)
        })
    }
}

impl Plan {
    /// The part of a whole plan that a shard is. Each cell is in exactly one of them.
    pub fn part(mut self, shard: Shard) -> Self {
        let division =
            Division { of: shard.of, parts: vec![shard.index], cells: self.cells.len() as u64, plan: self.digest() };
        let mut places = 0_u64..;
        self.cells.retain(|_| places.next().is_some_and(|place| division.part_of(place) == shard.index));
        let elsewhere = division.elsewhere();
        if elsewhere.cells > 0 {
            self.left_out.push(elsewhere);
            self.left_out.sort_by(|one, other| one.reason.cmp(&other.reason));
        }
        Self { division: Some(division), ..self }
    }

    /// A short hash over the ids of the cells.
    fn digest(&self) -> String {
        let mut hasher = Sha256::new();
        for cell in &self.cells {
            hasher.update(cell.id().as_str());
            hasher.update([b'\n']);
        }
        hasher.finalize().iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::CellId;
    use mcp_compat_model::record::NotPlayedCells;

    use super::*;

    fn plan(cells: u64) -> Plan {
        let cell = |number| CellId::parse(&format!("a/n{number:03}::mock/c::mock/s::memory")).unwrap();
        let left_out = vec![NotPlayedCells { reason: "a reason".to_owned(), cells: 3 }];
        Plan { cells: (0..cells).map(cell).collect(), left_out, division: None }
    }

    #[test]
    fn shards_are_parts_of_the_whole_and_share_nothing() {
        for cells in [0, 1, 7, 12] {
            let parts: Vec<Plan> = (1..=3).map(|index| plan(cells).part(Shard { index, of: 3 })).collect();
            let mut all: Vec<_> = parts.iter().flat_map(|part| part.cells.clone()).collect();
            all.sort();
            assert_eq!(all, plan(cells).cells);
            for part in &parts {
                let division = part.division.as_ref().unwrap();
                assert_eq!((division.cells, division.held()), (cells, part.cells.len() as u64));
                let left: u64 = part.left_out.iter().map(|left| left.cells).sum();
                assert_eq!(left + part.cells.len() as u64, cells + 3);
            }
        }
    }

    #[test]
    fn plans_of_other_cells_have_another_digest() {
        let digest = |plan: Plan, shard| plan.part(shard).division.unwrap().plan;
        let (one, two) = (Shard { index: 1, of: 2 }, Shard { index: 2, of: 2 });
        assert_eq!(digest(plan(4), one), digest(plan(4), two));
        assert_ne!(digest(plan(4), one), digest(plan(5), one));
    }

    #[test]
    fn a_shard_is_one_of_so_many() {
        assert_eq!("2/4".parse(), Ok(Shard { index: 2, of: 4 }));
        for text in ["", "0/4", "5/4", "1/0", "a/b", "1", "1/2/3", "-1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
