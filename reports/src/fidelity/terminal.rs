//! The fidelity for a person in a terminal: side by side the share, then each difference, last of all the sum.

use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::fidelity::{Difference, Fidelity, Side};
use mcp_compat_model::unseen::neutralised;

use super::{COMPARED, REASON_SHOWN, percent, place, transports};
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::clipped;

/// The report.
#[must_use]
pub fn render(fidelity: &Fidelity, style: Style) -> String {
    let mut page = Page::new(style);
    for side in &fidelity.sides {
        write(&mut page, side);
    }
    page.blank();
    page.toned(Tone::Aside, "", COMPARED);
    if !fidelity.complete {
        page.line(&page.paint(Tone::Bad, "INCOMPLETE: the run ended before every cell was played"));
    }
    let (cells, equal) = fidelity.total();
    let cells_said = counted(usize::try_from(cells).unwrap_or(usize::MAX), "cell");
    page.line(&format!("{cells_said}: {} equal ({})", thousands(equal), percent(equal, cells)));
    page.finish()
}

fn write(page: &mut Page, side: &Side) {
    page.heading(&format!("{} {} and {}, with {}", side.role, side.profile, side.real, side.counterpart));
    let over =
        if side.transports.is_empty() { String::new() } else { format!(" over {}", transports(&side.transports)) };
    page.paragraph(
        "  ",
        &format!(
            "{} of {} cells equal ({}), {} of the same outcome{over}",
            thousands(side.equal),
            thousands(side.cells),
            percent(side.equal, side.cells),
            thousands(side.same_outcome),
        ),
    );
    page.paragraph(
        "  ",
        &format!(
            "in {} cells the real peer differs from an honest mock; in {} of them the profile differs in the same way",
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
