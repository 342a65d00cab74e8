//! Output of `fidelity`: comparison of a profile with the real peer that it emulates, and each difference.

use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::fidelity::{Difference, Fidelity, Side, StepDifference};
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_model::{Revision, Transport};

use crate::markdown::escape::{code, escaped, line, prose};
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::clipped;

/// Definition of equal cells.
const COMPARED: &str =
    "A check is equal if both speak the same revision and have the same outcome, in the whole check and in every step.";

/// Definition of followed cells.
const FOLLOWED: &str = "`followed` counts, of the checks in which the real peer differs from an honest mock, those in \
                        which the profile differs in the same way.";

/// Number of characters of a reason that are shown.
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

/// Place of a difference: a step, or the revision.
fn place(difference: &Difference) -> String {
    match &difference.step {
        Some(StepDifference { number, what, profile, real }) => {
            let result = |outcome: &Option<Outcome>| outcome.map_or("not reached", Outcome::as_str);
            format!("step {number} ({what}): {} with the profile, {} with the real peer", result(profile), result(real))
        }
        None if difference.profile.outcome != difference.real.outcome => "all steps are equal".to_owned(),
        None => {
            let spoken = |revision: Option<Revision>| revision.map_or("none", |known| known.as_str());
            let (one, other) = (spoken(difference.profile.negotiated), spoken(difference.real.negotiated));
            format!("the revision: {one} with the profile, {other} with the real peer")
        }
    }
}

/// Renders the comparison for a terminal.
pub fn terminal(fidelity: &Fidelity, style: Style) -> String {
    let mut page = Page::new(style);
    for side in &fidelity.sides {
        write(&mut page, side);
    }
    page.blank();
    page.toned(Tone::Aside, "", COMPARED);
    if !fidelity.complete {
        page.line(&page.paint(Tone::Bad, "INCOMPLETE: the run ended before every check was done"));
    }
    let (cells, equal) = fidelity.total();
    let all = counted(usize::try_from(cells).unwrap_or(usize::MAX), "check");
    page.line(&format!("{all}: {} equal ({})", thousands(equal), percent(equal, cells)));
    page.finish()
}

fn write(page: &mut Page, side: &Side) {
    page.heading(&format!("{} {} and {}, with {}", side.role, side.profile, side.real, side.counterpart));
    let over =
        if side.transports.is_empty() { String::new() } else { format!(" over {}", transports(&side.transports)) };
    page.paragraph(
        "  ",
        &format!(
            "{} of {} checks equal ({}), {} of the same outcome{over}",
            thousands(side.equal),
            thousands(side.cells),
            percent(side.equal, side.cells),
            thousands(side.same_outcome),
        ),
    );
    page.paragraph(
        "  ",
        &format!(
            "in {} checks the real peer differs from an honest mock; in {} of them the profile differs in the same way",
            thousands(side.deviating),
            thousands(side.followed),
        ),
    );
    for left in &side.not_compared {
        page.toned(
            Tone::Aside,
            "  ",
            &format!("{} not compared: {}", thousands(left.cells), neutralised(&left.reason)),
        );
    }
    for difference in &side.differences {
        write_difference(page, difference);
    }
}

fn write_difference(page: &mut Page, difference: &Difference) {
    page.blank();
    let scenario = page.paint(Tone::Strong, difference.scenario.as_str());
    page.line(&format!("  {scenario}  {}", transports(&difference.transports)));
    page.paragraph("    ", &neutralised(&place(difference)));
    for (name, fared) in [("profile", &difference.profile), ("real", &difference.real)] {
        let first = format!("    {name:<8} {:<11} ", fared.outcome);
        page.paragraph(&first, &clipped(&neutralised(&fared.reason), REASON_SHOWN));
    }
}

/// Renders the comparison as Markdown.
pub fn markdown(fidelity: &Fidelity) -> String {
    let mut page = String::from("# Fidelity\n\n");
    line(&mut page, COMPARED);
    line(&mut page, FOLLOWED);
    if !fidelity.complete {
        line(&mut page, "\n**Incomplete**: the run ended before every check was done.");
    }
    line(
        &mut page,
        "\n| role | profile | real peer | with | checks | equal | same outcome | followed |\n|---|---|---|---|--:|--:|--:|--:|",
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
        line(page, &format!("- checks not compared ({}): {}", thousands(left.cells), escaped(&left.reason)));
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

#[cfg(test)]
mod tests {
    use mcp_compat_model::fidelity::{Fared, Fidelity, Side};
    use mcp_compat_model::record::NotPlayedCells;
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
            not_compared: vec![NotPlayedCells {
                reason: "the adapter of sdk@1.2.3 cannot play them".to_owned(),
                cells: 4,
            }],
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
