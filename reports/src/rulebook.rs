//! Rulebook in Markdown: the number of scenarios that violate each rule, and the gaps.
//!
//! ```text
//! rules ─────── with the number of scenarios that violate each ──┬─ one page
//! statements ── with the rules that judge each ──────────────────┘
//! ```
//!
//! The page has numbers, not lists, because a list would change with every scenario.
//!
//! Nothing here comes from a peer: titles, reasons and addresses are our own Markdown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use mcp_compat_model::ScenarioId;
use mcp_compat_model::verdict::Level;

use crate::rule::Explained;

/// Content of the page.
#[derive(Clone, Debug)]
pub struct Rulebook {
    /// The rules, in reading order.
    pub rules: Vec<Ruling>,
    /// Number of scenarios that were played.
    pub scenarios: usize,
    /// Number of scenarios that the sabotaged mocks played: the first of each family.
    pub firsts: usize,
    /// Statements of the specification, its pages in reading order.
    pub statements: Vec<Asked>,
    /// Reason why statements are not judged, in the order of their sections.
    pub gaps: Vec<String>,
}

/// Rule with the scenarios and peers that violate it.
#[derive(Clone, Debug)]
pub struct Ruling {
    /// The rule.
    pub rule: Explained,
    /// The scenarios that script a violation of it.
    pub scripted: BTreeSet<ScenarioId>,
    /// Sabotaged mocks that violate it, each with the scenarios in which it does.
    pub shown: BTreeMap<String, BTreeSet<ScenarioId>>,
    /// Reason why no scenario violates it, if none does.
    pub unbroken: String,
}

/// Statement of the specification.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Page, without its revision.
    pub page: String,
    /// Level of the statement.
    pub level: Level,
    /// Party that it binds.
    pub whom: String,
    /// Revisions with the statement, in words.
    pub revisions: String,
    /// Address of the statement.
    pub address: String,
    /// Requirement, as the words after "must" or "should".
    pub asks: String,
    /// Judge of the statement: rules, the verdict, or nothing.
    pub answered: Answered,
}

/// Judge of a statement.
#[derive(Clone, Debug)]
pub enum Answered {
    /// Ids of the rules that check it.
    ByRules(Vec<String>),
    /// Note on how the verdict shows it without a rule.
    ByVerdict(String),
    /// It is not judged.
    Not {
        /// General reason: one of [`Rulebook::gaps`].
        gap: String,
        /// Reason for this statement.
        why: String,
    },
}

impl Ruling {
    fn is_broken(&self) -> bool {
        !self.scripted.is_empty() || !self.shown.is_empty()
    }

    /// The files of the scenarios in which a wrong peer shows it.
    fn shown_in(&self) -> BTreeSet<&str> {
        self.shown.values().flatten().map(ScenarioId::file).collect()
    }
}

/// Renders the page.
#[must_use]
pub fn render(book: &Rulebook) -> String {
    let mut text = String::from("# Rules, and what breaks them\n\n");
    head(&mut text, book);
    contents(&mut text, book);
    gaps(&mut text, book);
    rules(&mut text, book);
    statements(&mut text, book);
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn head(text: &mut String, book: &Rulebook) {
    let unbroken = book.rules.iter().filter(|ruling| !ruling.is_broken()).count();
    let not = book.statements.iter().filter(|asked| matches!(asked.answered, Answered::Not { .. })).count();
    let _ = writeln!(
        text,
        "{} rules compare peers with what the specification requires of structured output. The numbers of scenarios were \
         found by playing in memory. Honest mocks of every revision played all {} scenarios: a violation by them is \
         *scripted* by the scenario. Sabotaged mocks, and mocks with another downgrade, played the first scenario of \
         each family ({} scenarios), and after a handshake the first of each class and what names an address on the \
         network: a violation that only they show is counted with the *wrong peer*.\n",
        book.rules.len(),
        book.scenarios,
        book.firsts
    );
    let _ = writeln!(
        text,
        "Gaps: no scenario violates {unbroken} of the rules, and nothing judges {not} of {} statements. \
         `mcp-compat show rules --markdown` generates this page; a test compares the two, and `UPDATE_GENERATED=1` \
         rewrites the page.\n",
        book.statements.len()
    );
    text.push_str("[Gaps](#gaps) · [Rules](#rules) · [Statements](#statements)\n\n");
}

fn contents(text: &mut String, book: &Rulebook) {
    text.push_str("| rule | binds | level | revisions | scripted | in wrong peers |\n|---|---|---|---|--:|--:|\n");
    for ruling in &book.rules {
        let rule = &ruling.rule;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            linked(&rule.id),
            rule.party,
            rule.level,
            rule.revisions,
            or_dash(ruling.scripted.len()),
            or_dash(ruling.shown_in().len())
        );
    }
    text.push('\n');
}

fn or_dash(count: usize) -> String {
    if count == 0 { "–".to_owned() } else { count.to_string() }
}

fn gaps(text: &mut String, book: &Rulebook) {
    text.push_str("## Gaps\n\n### Rules that no scenario violates\n\n");
    let unbroken: Vec<&Ruling> = book.rules.iter().filter(|ruling| !ruling.is_broken()).collect();
    if unbroken.is_empty() {
        text.push_str("None.\n\n");
    } else {
        text.push_str("| rule | why |\n|---|---|\n");
        for ruling in unbroken {
            let _ = writeln!(text, "| {} | {} |", linked(&ruling.rule.id), ruling.unbroken);
        }
        text.push('\n');
    }
    for gap in &book.gaps {
        let of_gap = |asked: &&Asked| matches!(&asked.answered, Answered::Not { gap: of, .. } if of == gap);
        let mut statements = book.statements.iter().filter(of_gap).peekable();
        if statements.peek().is_none() {
            continue;
        }
        let _ = writeln!(text, "### Not judged: {}\n", gap.trim_end_matches('.'));
        text.push_str("| who must or should | revisions | why not |\n|---|---|---|\n");
        for asked in statements {
            let Answered::Not { why, .. } = &asked.answered else { continue };
            let _ = writeln!(text, "| {} | {} | {} |", sentence(asked), asked.revisions, cell(why));
        }
        text.push('\n');
    }
}

/// Statement as a sentence, with a link to its address.
fn sentence(asked: &Asked) -> String {
    let verb = match asked.level {
        Level::Must => "must",
        Level::Should => "should",
        Level::May => "may",
    };
    cell(&format!("The {} [{verb}]({}) {}.", asked.whom, asked.address, asked.asks))
}

fn rules(text: &mut String, book: &Rulebook) {
    text.push_str("## Rules\n\n");
    for ruling in &book.rules {
        let rule = &ruling.rule;
        let _ = writeln!(text, "### `{}`\n", rule.id);
        let _ = writeln!(
            text,
            "{} {} · {} · [specification]({})\n\n{}\n",
            rule.party, rule.level, rule.revisions, rule.source, rule.title
        );
        if !ruling.is_broken() {
            let _ = writeln!(text, "No scenario violates it. {}\n", ruling.unbroken);
            continue;
        }
        if !ruling.scripted.is_empty() {
            let _ = writeln!(text, "- Scripted by {}", counted(&ruling.scripted, book.scenarios));
        }
        for (culprit, scenarios) in &ruling.shown {
            let _ = writeln!(text, "- `{culprit}` violates it in {}", counted(scenarios, book.firsts));
        }
        text.push('\n');
    }
}

/// Number of scenarios, with the name of one of them.
fn counted(some: &BTreeSet<ScenarioId>, all: usize) -> String {
    match (some.len(), some.first()) {
        (1, Some(only)) => format!("`{only}`"),
        (count, _) if count == all => "every scenario".to_owned(),
        (count, Some(first)) => format!("{count} scenarios, such as `{first}`"),
        (_, None) => "no scenario".to_owned(),
    }
}

fn statements(text: &mut String, book: &Rulebook) {
    text.push_str(
        "## Statements\n\nEvery MUST and SHOULD about structured output in the pages of 2025-06-18, 2025-11-25 and \
         2026-07-28, and what judges it.\n\n",
    );
    let mut pages: Vec<&str> = Vec::new();
    for asked in &book.statements {
        if !pages.contains(&asked.page.as_str()) {
            pages.push(&asked.page);
        }
    }
    for page in pages {
        let _ = writeln!(text, "### {page}\n\n| who must or should | revisions | judged by |\n|---|---|---|");
        for asked in book.statements.iter().filter(|asked| asked.page == page) {
            let judged = match &asked.answered {
                Answered::ByRules(ids) => ids.iter().map(|id| linked(id)).collect::<Vec<_>>().join(", "),
                Answered::ByVerdict(how) => format!("the verdict: {}", cell(how)),
                Answered::Not { .. } => "nothing, see [gaps](#gaps)".to_owned(),
            };
            let _ = writeln!(text, "| {} | {} | {judged} |", sentence(asked), asked.revisions);
        }
        text.push('\n');
    }
}

/// Id of a rule as a link to its section.
fn linked(id: &str) -> String {
    format!("[`{id}`](#{id})")
}

/// Escapes text for a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::verdict::Party;

    use super::*;

    fn ids(names: &[&str]) -> BTreeSet<ScenarioId> {
        names.iter().map(|name| ScenarioId::new(*name).unwrap()).collect()
    }

    fn ruling(id: &str, scripted: &[&str], shown: &[&str]) -> Ruling {
        let rule = Explained {
            id: id.to_owned(),
            title: "Results are right.".to_owned(),
            level: Level::Must,
            party: Party::Server,
            revisions: "2026-07-28".to_owned(),
            source: "https://example.com/rule".to_owned(),
            explanation: String::new(),
        };
        let shown: BTreeMap<_, _> =
            [("sabotaged/wrong".to_owned(), ids(shown))].into_iter().filter(|(_, found)| !found.is_empty()).collect();
        Ruling { rule, scripted: ids(scripted), shown, unbroken: "Nobody does it.".to_owned() }
    }

    fn asked(asks: &str, answered: Answered) -> Asked {
        Asked {
            page: "server/tools".to_owned(),
            level: Level::Should,
            whom: "client".to_owned(),
            revisions: "2026-07-28".to_owned(),
            address: "https://example.com/page".to_owned(),
            asks: asks.to_owned(),
            answered,
        }
    }

    fn book() -> Rulebook {
        let gap = "It takes a clock.".to_owned();
        Rulebook {
            rules: vec![ruling("one", &["a/x", "b/z"], &["a/y[1]"]), ruling("two", &[], &[])],
            scenarios: 4,
            firsts: 3,
            statements: vec![
                asked("wait", Answered::Not { gap: gap.clone(), why: "Nobody waits.".to_owned() }),
                asked("read a | b", Answered::ByRules(vec!["one".to_owned()])),
            ],
            gaps: vec![gap, "Never used.".to_owned()],
        }
    }

    #[test]
    fn a_rule_has_the_number_of_its_scenarios_and_one_by_name() {
        let page = render(&book());
        assert!(page.contains("| [`one`](#one) | server | MUST | 2026-07-28 | 2 | 1 |"), "{page}");
        assert!(page.contains("- Scripted by 2 scenarios, such as `a/x`\n"), "{page}");
        assert!(page.contains("- `sabotaged/wrong` violates it in `a/y[1]`\n"), "{page}");
    }

    #[test]
    fn a_violation_in_every_scenario_is_not_counted() {
        assert_eq!(counted(&ids(&["a/x", "b/y"]), 2), "every scenario");
    }

    #[test]
    fn an_uncovered_statement_is_a_gap() {
        let page = render(&book());
        assert!(page.contains("| [`two`](#two) | Nobody does it. |"), "{page}");
        assert!(page.contains("### Not judged: It takes a clock\n"), "{page}");
        let waits = "| The client [should](https://example.com/page) wait. | 2026-07-28 | Nobody waits. |";
        assert!(page.contains(waits), "{page}");
        assert!(!page.contains("Never used"), "{page}");
    }

    #[test]
    fn a_bar_stays_in_its_cell() {
        assert!(render(&book()).contains("read a \\| b. | 2026-07-28 | [`one`](#one) |"));
    }
}
