//! Changes for a terminal: cause by cause, and the sum at the end.

use mcp_compat_model::Role;
use mcp_compat_model::count::{counted, thousands};
use mcp_compat_model::diff::{Class, Diff, Group};
use mcp_compat_model::invisible_chars::neutralised;

use super::{
    NAMES_SHOWN, REASON_SHOWN, SHOWN, due_to, example, facts, groups, not_compared, notes, peers, run, scenarios,
    title, verdict,
};
use crate::command;
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::clipped;

/// Number of causes of a class that are shown before the rest is only counted.
const CAUSES_SHOWN: usize = 20;

/// Indentation of the lines below the number of a cause.
const INDENT: &str = "     ";

/// Renders the changes for a terminal.
pub fn render(diff: &Diff, style: Style) -> String {
    let mut page = Page::new(style);
    page.field(8, "before", &neutralised(&run(&diff.before)));
    page.field(8, "after", &neutralised(&run(&diff.after)));
    for note in notes(diff) {
        page.toned(Tone::Aside, "        ", &neutralised(&note));
    }
    for (class, words) in SHOWN {
        let groups = groups(diff, class);
        if groups.is_empty() {
            continue;
        }
        page.heading(&format!("{words}: {}", title(&groups)));
        for (number, of) in groups.iter().take(CAUSES_SHOWN).enumerate() {
            group(&mut page, number + 1, diff, of);
            page.blank();
        }
        if groups.len() > CAUSES_SHOWN {
            let more = thousands((groups.len() - CAUSES_SHOWN) as u64);
            page.toned(Tone::Aside, "  ", &format!("and {more} more causes; --json has all"));
        }
    }
    let lines = not_compared(diff);
    if !lines.is_empty() {
        page.heading("Checks that were not compared");
    }
    for (cells, why) in lines {
        page.paragraph(&format!("{:>8}  ", thousands(cells as u64)), &neutralised(&why));
    }
    page.blank();
    page.toned(tone(diff), "", &verdict(diff));
    page.finish()
}

/// Advice on a release of the later of two peers, in a sentence.
pub fn release(diff: &Diff, style: Style) -> String {
    let mut page = Page::new(style);
    let (base, head) = (neutralised(&diff.before.name), neutralised(&diff.after.name));
    let cells = |number: usize| counted(number, "check");
    let worse = diff.changes.iter().filter(|change| change.is_news()).count();
    let sentence = if worse == 0 {
        let compared = cells(usize::try_from(diff.compared()).unwrap_or(usize::MAX));
        let not_compared = [Class::New, Class::Gone, Class::PeerAdded, Class::PeerGone, Class::NotComparable]
            .into_iter()
            .map(|class| diff.count(class))
            .sum::<u64>();
        match not_compared {
            0 => format!("{head} can be released: none of {compared} is worse than with {base}."),
            many => format!(
                "None of {compared} is worse with {head} than with {base}. {} could not be compared, so this does not \
                 say whether {head} can be released.",
                cells(usize::try_from(many).unwrap_or(usize::MAX))
            ),
        }
    } else {
        let reproduced = diff.changes.iter().filter(|change| change.regression).count();
        let verb = if worse == 1 { "is" } else { "are" };
        let repeated = match (worse, reproduced) {
            (1, 0) => "A repeat did not confirm it.".to_owned(),
            (1, _) => "A repeat confirmed it: fix it before a release.".to_owned(),
            (_, 0) => "A repeat confirmed none of them.".to_owned(),
            (_, many) => format!("A repeat confirmed {} of them: fix them before a release.", thousands(many as u64)),
        };
        format!("{} of {head} {verb} worse than with {base}. {repeated}", cells(worse))
    };
    page.toned(tone(diff), "", &sentence);
    page.finish()
}

fn tone(diff: &Diff) -> Tone {
    if diff.is_worse() { Tone::Bad } else { Tone::Good }
}

fn group(page: &mut Page, number: usize, diff: &Diff, group: &Group) {
    let Some(change) = example(diff, group) else { return };
    let Some(fate) = change.telling() else { return };
    let silent = if fate.silent && change.class != Class::Better {
        format!("{} ", page.paint(Tone::Bad, "SILENT"))
    } else {
        String::new()
    };
    let first = page.paint(Tone::Strong, &format!("{number:>3}. "));
    page.paragraph(&first, &format!("{silent}{}", clipped(&neutralised(&fate.reason), REASON_SHOWN)));
    page.toned(Tone::Aside, INDENT, &facts(diff, group, change).join(" · "));
    if let Some(due_to) = due_to(group) {
        page.field(16, "     due to", &neutralised(&due_to));
    }
    let plain = |name: &str| name.to_owned();
    for (role, name) in [(Role::Client, "     clients"), (Role::Server, "     servers")] {
        page.field(16, name, &peers(diff, group, role).list(NAMES_SHOWN, plain));
    }
    page.field(16, "     scenarios", &scenarios(diff, group).list(NAMES_SHOWN, plain));
    if let Some(bisection) = &group.bisection {
        page.command(Some(Tone::Aside), INDENT, &command::bisect(bisection));
    }
}
