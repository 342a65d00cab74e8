//! The fidelity as a page: a table of shares, then each side's differences.

use std::fmt::Write as _;

use mcp_compat_model::count::thousands;
use mcp_compat_model::fidelity::{Fidelity, Side};

use super::{COMPARED, FOLLOWED, REASON_SHOWN, percent, place, transports};
use crate::markdown::escape::{code, escaped, prose};
use crate::text::clipped;

/// The page.
#[must_use]
pub fn render(fidelity: &Fidelity) -> String {
    let mut page = String::from("# Fidelity\n\n");
    line(&mut page, COMPARED);
    line(&mut page, FOLLOWED);
    if !fidelity.complete {
        line(&mut page, "\n**Incomplete**: the run ended before every cell was played.");
    }
    line(
        &mut page,
        "\n| role | profile | real peer | with | cells | equal | same outcome | followed |\n|---|---|---|---|--:|--:|--:|--:|",
    );
    for side in &fidelity.sides {
        let Side { role, profile, real, counterpart, cells, equal, same_outcome, deviating, followed, .. } = side;
        let ids = [profile, real, counterpart].map(|id| code(id.as_str())).join(" | ");
        let (equal, same) = (percent(*equal, *cells), percent(*same_outcome, *cells));
        let followed = format!("{} of {}", thousands(*followed), thousands(*deviating));
        line(&mut page, &format!("| {role} | {ids} | {} | {equal} | {same} | {followed} |", thousands(*cells)));
    }
    for side in fidelity.sides.iter().filter(|side| !side.differences.is_empty() || !side.not_compared.is_empty()) {
        differences(&mut page, side);
    }
    page
}

fn differences(page: &mut String, side: &Side) {
    let with = code(side.counterpart.as_str());
    line(page, &format!("\n## {} {} with {with}\n", side.role, code(side.real.as_str())));
    for left in &side.not_compared {
        line(page, &format!("- cells not compared ({}): {}", thousands(left.cells), escaped(&left.reason)));
    }
    for difference in &side.differences {
        let scenario = code(difference.scenario.as_str());
        line(
            page,
            &format!("- {scenario} over {}, {}", transports(&difference.transports), escaped(&place(difference))),
        );
        for (name, fared) in [("profile", &difference.profile), ("real", &difference.real)] {
            let reason = prose(&clipped(&fared.reason, REASON_SHOWN));
            line(page, &format!("  - {name}: {}. {reason}", fared.outcome));
        }
    }
}

fn line(page: &mut String, text: &str) {
    // Writing into a string cannot fail.
    let _ = writeln!(page, "{text}");
}
