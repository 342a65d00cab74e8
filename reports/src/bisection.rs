//! Output of `bisect`: a line for each release that is tried, and the result.

use mcp_compat_model::count::counted;
use mcp_compat_model::invisible_chars::neutralised;
use mcp_compat_model::record::CellRecord;
use mcp_compat_model::verdict::Rating;
use mcp_compat_model::{PeerId, Role};
use textwrap::core::display_width;

use crate::command::{Origin, again};
use crate::page::Page;
use crate::style::{Style, Tone};
use crate::text::clipped;
use crate::wording;

/// Minimum width of a reason in the line of its release.
const MIN_REASON_WIDTH: usize = 30;

/// Width of an outcome and its rating: that of `unreachable, breaks`.
const OUTCOME_WIDTH: usize = 19;

/// A release that was tried.
#[derive(Clone, Copy, Debug)]
pub struct Trial<'r> {
    /// Place in the search: an end, or the number of the step.
    pub place: &'r str,
    pub peer: &'r PeerId,
    /// Width of the ids of all releases.
    pub column: usize,
    /// Cell that it played, or the reason why it cannot be tried.
    pub result: Result<&'r CellRecord, &'r str>,
}

/// Renders a release that was tried as one line.
pub fn trial(trial: &Trial<'_>, style: Style) -> String {
    let Trial { place, peer, column, result } = trial;
    let mut page = Page::new(style);
    let (outcome, tone, why) = match result {
        Ok(cell) => (outcome(cell), tone_of(cell.rating), cell.reason.as_str()),
        Err(why) => ("cannot be tried".to_owned(), Tone::Aside, *why),
    };
    let line = format!("{place:<4}  {peer:<column$}  ");
    let width = style.width.saturating_sub(display_width(&line) + OUTCOME_WIDTH + 3).max(MIN_REASON_WIDTH);
    let outcome = page.paint(tone, &format!("{outcome:<OUTCOME_WIDTH$}"));
    page.line(&format!("{line}{outcome}  {}", clipped(&first_line(why), width)));
    page.finish()
}

/// Result of a bisection.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'r> {
    pub role: Role,
    /// Cell of the last release with the outcome of the oldest.
    pub last: &'r CellRecord,
    /// Cell of the first release with another outcome.
    pub first: &'r CellRecord,
    /// Releases between the two, each with the reason why it was not tried.
    pub between: &'r [(String, String)],
    /// Other releases that could not be tried, with the reasons.
    pub elsewhere: &'r [(String, String)],
    /// Number of releases that were played.
    pub played: usize,
    /// Number of releases.
    pub of: usize,
    /// File that the scenario was read from; `None` for a scenario of the corpus.
    pub file: Option<&'r str>,
}

/// Renders the change: both sides with their reasons, the releases between them, and the commands that play them again.
pub fn ending(ending: &Ending<'_>, style: Style) -> String {
    let Ending { last, first, between, elsewhere, played, of, file, .. } = ending;
    let mut page = Page::new(style);
    if between.is_empty() {
        let title = format!("{} is the first release with another outcome", ending.release(first));
        page.line(&page.paint(Tone::Strong, &title));
    } else {
        let title = format!("the outcome changed after {}, by {}", ending.release(last), ending.release(first));
        page.toned(Tone::Strong, "", &title);
    }
    for cell in [last, first] {
        page.blank();
        page.line(&format!("  {}  {}", ending.release(cell), page.paint(tone_of(cell.rating), &outcome(cell))));
        page.paragraph("    ", &neutralised(&cell.reason));
    }
    page.blank();
    page.line(&format!("{played} of {} tested", counted(*of, "release")));
    for (which, releases) in [("between those two", between), ("elsewhere", elsewhere)] {
        if !releases.is_empty() {
            page.blank();
            page.line(&format!("Cannot be tried, {which}:"));
        }
        for (version, why) in *releases {
            page.paragraph(&format!("  {}  ", neutralised(version)), &first_line(why));
        }
    }
    page.heading("Test them again");
    let origin = file.map_or(Origin::Corpus, Origin::Scenarios);
    page.command(None, "  ", &again(last, origin));
    page.command(None, "  ", &again(first, origin));
    page.finish()
}

impl Ending<'_> {
    fn release<'c>(&self, cell: &'c CellRecord) -> &'c PeerId {
        match self.role {
            Role::Client => &cell.client,
            Role::Server => &cell.server,
        }
    }
}

fn outcome(cell: &CellRecord) -> String {
    format!("{}, {}", wording::outcome(cell.outcome), cell.rating)
}

const fn tone_of(rating: Rating) -> Tone {
    match rating {
        Rating::Works => Tone::Good,
        Rating::Degraded => Tone::Warning,
        Rating::Breaks => Tone::Bad,
        Rating::Skipped => Tone::Aside,
    }
}

/// First line of a text that may continue with the output of a program.
fn first_line(text: &str) -> String {
    neutralised(text.lines().next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::verdict::Outcome;

    use super::*;
    use crate::specimen;

    fn cell(client: &str, outcome: Outcome, rating: Rating, reason: &str) -> CellRecord {
        specimen::cell(&format!("root-type/array::{client}::mock/dual::http"), outcome, rating, reason)
    }

    fn old() -> CellRecord {
        cell("sdk@1.9.0", Outcome::Rejected, Rating::Breaks, "sdk@1.9.0 refused tools/list\u{1b}[31m with an error")
    }

    fn new() -> CellRecord {
        cell("sdk@2.0.0+auto", Outcome::Intact, Rating::Works, "the user got what the tool meant")
    }

    #[test]
    fn a_trial_is_one_line() {
        let line = |peer: &str, result| {
            let peer = PeerId::new(peer).unwrap();
            trial(&Trial { place: "12", peer: &peer, column: 15, result }, Style::plain(70))
        };
        let (old, new) = (old(), new());
        let log = "installing sdk@1.8.0: `npm install` ended with 1; its log: npm.log\nno such release";
        let lines = [line("sdk@1.9.0", Ok(&old)), line("sdk@2.0.0+auto", Ok(&new)), line("sdk@1.8.0", Err(log))];
        insta::assert_snapshot!(lines.concat(), @r"
        12    sdk@1.9.0        rejected, breaks     sdk@1.9.0 refused tools/list\u…
        12    sdk@2.0.0+auto   intact, works        the user got what the tool mea…
        12    sdk@1.8.0        cannot be tried      installing sdk@1.8.0: `npm ins…
        ");
    }

    fn rendered(between: &[(String, String)], elsewhere: &[(String, String)], file: Option<&str>) -> String {
        let (last, first) = (old(), new());
        let role = Role::Client;
        let change = Ending { role, last: &last, first: &first, between, elsewhere, played: 6, of: 40, file };
        ending(&change, Style::plain(90))
    }

    #[test]
    fn the_first_release_is_named_with_both_reasons() {
        insta::assert_snapshot!(rendered(&[], &[], None), @r"
        sdk@2.0.0+auto is the first release with another outcome

          sdk@1.9.0  rejected, breaks
            sdk@1.9.0 refused tools/list\u{1b}[31m with an error

          sdk@2.0.0+auto  intact, works
            the user got what the tool meant

        6 of 40 releases tested

        Test them again

          mcp-compat run --scenario 'root-type/array' --client sdk@1.9.0 --server mock/dual \
            --transport http
          mcp-compat run --scenario 'root-type/array' --client sdk@2.0.0+auto --server mock/dual \
            --transport http
        ");
    }

    #[test]
    fn releases_that_may_be_the_first_are_listed() {
        let aside = |version: &str| (version.to_owned(), "it could not be installed".to_owned());
        let between = [aside("1.9.1"), aside("1.9.2")];
        insta::assert_snapshot!(rendered(&between, &[aside("1.2.0")], Some("my files/bug.toml")), @r"
        the outcome changed after sdk@1.9.0, by sdk@2.0.0+auto

          sdk@1.9.0  rejected, breaks
            sdk@1.9.0 refused tools/list\u{1b}[31m with an error

          sdk@2.0.0+auto  intact, works
            the user got what the tool meant

        6 of 40 releases tested

        Cannot be tried, between those two:
          1.9.1  it could not be installed
          1.9.2  it could not be installed

        Cannot be tried, elsewhere:
          1.2.0  it could not be installed

        Test them again

          mcp-compat run --scenarios 'my files/bug.toml' --scenario 'root-type/array' \
            --client sdk@1.9.0 --server mock/dual --transport http
          mcp-compat run --scenarios 'my files/bug.toml' --scenario 'root-type/array' \
            --client sdk@2.0.0+auto --server mock/dual --transport http
        ");
    }
}
