//! How many clients or servers a break concerns: `count:client=1`.

use std::collections::{BTreeMap, BTreeSet};

use crate::peer::PeerId;
use crate::record::CellRecord;
use crate::verdict::Rating;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Counted {
    Client,
    Server,
    ClientFamily,
    ServerFamily,
}

/// How a number is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Exactly,
    AtLeast,
    AtMost,
}

/// `client=1`, `server>=2`, `client-family<=3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) counted: Counted,
    sign: Sign,
    number: usize,
}

impl Counted {
    const ALL: [Self; 4] = [Self::Client, Self::Server, Self::ClientFamily, Self::ServerFamily];

    const fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::ClientFamily => "client-family",
            Self::ServerFamily => "server-family",
        }
    }

    fn of(self, cell: &CellRecord) -> &str {
        match self {
            Self::Client => cell.client.as_str(),
            Self::Server => cell.server.as_str(),
            Self::ClientFamily => family(&cell.client),
            Self::ServerFamily => family(&cell.server),
        }
    }
}

/// What releases of a peer have in common: its name up to the version, without its mode.
fn family(peer: &PeerId) -> &str {
    let name = peer.name();
    name.split_once('@').map_or(name, |(family, _)| family)
}

impl Count {
    pub(super) fn read(text: &str) -> Option<Self> {
        let signs = [(">=", Sign::AtLeast), ("<=", Sign::AtMost), ("=", Sign::Exactly)];
        let (what, sign, number) = signs
            .into_iter()
            .find_map(|(word, sign)| text.split_once(word).map(|(what, number)| (what, sign, number)))?;
        let counted = Counted::ALL.into_iter().find(|counted| counted.name() == what)?;
        let is_number = !number.is_empty() && number.len() <= 9 && number.bytes().all(|byte| byte.is_ascii_digit());
        let number = number.parse().ok().filter(|_| is_number)?;
        Some(Self { counted, sign, number })
    }

    const fn holds(self, found: usize) -> bool {
        match self.sign {
            Sign::Exactly => found == self.number,
            Sign::AtLeast => found >= self.number,
            Sign::AtMost => found <= self.number,
        }
    }
}

/// How many clients or servers each cause concerns; each scenario, for breaks without a cause.
#[derive(Debug, Default)]
pub(super) struct Census<'c>(BTreeMap<(Counted, String), BTreeSet<&'c str>>);

impl<'c> Census<'c> {
    /// Counts what the counts ask for.
    pub(super) fn of(cells: &'c [CellRecord], counts: &[Count]) -> Self {
        let mut census = BTreeMap::<_, BTreeSet<&str>>::new();
        let asked: BTreeSet<Counted> = counts.iter().map(|count| count.counted).collect();
        for cell in cells.iter().filter(|cell| cell.rating == Rating::Breaks && !asked.is_empty()) {
            let subject = subject(cell);
            for counted in &asked {
                census.entry((*counted, subject.clone())).or_default().insert(counted.of(cell));
            }
        }
        Self(census)
    }

    /// Whether the break of a cell is that of so many.
    pub(super) fn holds(&self, count: Count, cell: &CellRecord) -> bool {
        if cell.rating != Rating::Breaks {
            return false;
        }
        self.0.get(&(count.counted, subject(cell))).is_some_and(|names| count.holds(names.len()))
    }
}

/// What is counted for: the cause, or the scenario where there is none. Only a signature has a colon.
fn subject(cell: &CellRecord) -> String {
    cell.signature.as_ref().map_or_else(|| cell.scenario.to_string(), ToString::to_string)
}
