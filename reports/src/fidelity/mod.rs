//! What `fidelity` prints: how alike a profile and a real peer are, and each place where they are not.

mod markdown;
mod terminal;

use mcp_compat_model::fidelity::{Difference, StepDifference};
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Revision, Transport};

pub use markdown::render as markdown;
pub use terminal::render as terminal;

/// What is compared.
const COMPARED: &str =
    "A cell is equal if both speak the same revision and have the same outcome, in the whole cell and in every step.";

/// What is counted beside it.
const FOLLOWED: &str = "`followed` counts, of the cells in which the real peer differs from an honest mock, those in \
                        which the profile differs in the same way.";

/// How much of a reason is shown.
const REASON_SHOWN: usize = 300;

/// `98.1 %`, never rounded up to the whole.
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    let tenths = part * 1000 / whole;
    format!("{}.{} %", tenths / 10, tenths % 10)
}

fn transports(transports: &[Transport]) -> String {
    transports.iter().copied().map(Transport::as_str).collect::<Vec<_>>().join(", ")
}

/// Where the two differ.
fn place(difference: &Difference) -> String {
    match &difference.step {
        Some(StepDifference { number, what, profile, real }) => {
            let came_to = |outcome: &Option<Outcome>| outcome.map_or("not reached", Outcome::as_str);
            format!(
                "step {number} ({what}): {} with the profile, {} with the real peer",
                came_to(profile),
                came_to(real)
            )
        }
        None if difference.profile.outcome != difference.real.outcome => "all steps are equal".to_owned(),
        None => {
            let spoken = |revision: Option<Revision>| revision.map_or("none", |known| known.as_str());
            let (one, other) = (spoken(difference.profile.negotiated), spoken(difference.real.negotiated));
            format!("the revision: {one} with the profile, {other} with the real peer")
        }
    }
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::fidelity::{Fared, Fidelity, Side};
    use mcp_compat_model::record::LeftOut;
    use mcp_compat_model::{PeerId, Role};

    use super::*;
    use crate::Style;

    fn fared(outcome: Outcome, reason: &str) -> Fared {
        Fared { negotiated: Some(Revision::V2025_11_25), outcome, reason: reason.to_owned() }
    }

    fn fidelity() -> Fidelity {
        let step = StepDifference {
            number: 2,
            what: "call get_fan".to_owned(),
            profile: Some(Outcome::Rejected),
            real: Some(Outcome::Intact),
        };
        let difference = Difference {
            scenario: "bytes/byte-order-mark".parse().unwrap(),
            transports: vec![Transport::Http, Transport::Stdio],
            step: Some(step),
            profile: fared(Outcome::Rejected, "`get_fan` is `rejected`."),
            real: fared(Outcome::Intact, "`get_fan` is `intact`\u{1b}[31m, better than expected."),
        };
        let side = Side {
            role: Role::Client,
            profile: PeerId::new("profile/sdk@1").unwrap(),
            real: PeerId::new("sdk@1.2.3").unwrap(),
            counterpart: PeerId::new("mock/dual").unwrap(),
            transports: vec![Transport::Http, Transport::Stdio],
            cells: 530,
            equal: 528,
            same_outcome: 529,
            deviating: 45,
            followed: 43,
            differences: vec![difference],
            not_compared: vec![LeftOut { reason: "the adapter of sdk@1.2.3 cannot play them".to_owned(), cells: 4 }],
        };
        Fidelity { tool_version: "0.1.0".to_owned(), corpus: "c0ffee".to_owned(), complete: true, sides: vec![side] }
    }

    #[test]
    fn a_person_sees_the_share_and_each_difference() {
        insta::assert_snapshot!(terminal(&fidelity(), Style::plain(100)));
    }

    #[test]
    fn a_page_has_the_same() {
        insta::assert_snapshot!(markdown(&fidelity()));
    }

    #[test]
    fn a_share_is_never_rounded_up() {
        assert_eq!([percent(0, 0), percent(1999, 2000), percent(1, 1)], ["–", "99.9 %", "100.0 %"]);
    }
}
