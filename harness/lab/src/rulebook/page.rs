//! The rule book in Markdown: the number of scenarios that violate each rule, and the gaps.
//!
//! ```text
//! rules ─────── with the number of scenarios that violate each ──┬─ one page
//! statements ── with the rules that judge each ──────────────────┘
//! ```
//!
//! The page has numbers, not lists, because a list would change with every scenario.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use mcp_compat_judge::rules::{Affects, Rule};
use mcp_compat_model::ScenarioId;
use mcp_compat_model::verdict::{Level, Party};

use super::statements::{Gap, Judged, Statement};
use super::violations::Violations;

/// Content of the page.
pub(super) struct Rulebook {
    /// The rules, in reading order.
    pub(super) rules: Vec<Ruling>,
    /// Number of scenarios that were played.
    pub(super) scenarios: usize,
    /// Number of scenarios that the sabotaged mocks played: the first of each family.
    pub(super) firsts: usize,
    /// Statements of the specification, its pages in reading order.
    pub(super) statements: Vec<Statement>,
}

/// Rule with the scenarios and peers that violate it.
pub(super) struct Ruling {
    pub(super) rule: &'static Rule,
    pub(super) violations: Violations,
}

impl Ruling {
    fn is_violated(&self) -> bool {
        !self.violations.scripted.is_empty() || !self.violations.shown.is_empty()
    }

    /// The files of the scenarios in which a wrong peer shows it.
    fn shown_in(&self) -> BTreeSet<&str> {
        self.violations.shown.values().flatten().map(ScenarioId::file).collect()
    }

    /// Returns the reason why nothing violates the rule.
    fn unviolated(&self) -> &'static str {
        match self.rule.party {
            Party::Client | Party::Server if self.rule.affects == Affects::HttpHead => {
                "It is about HTTP, and the scenarios were played in memory."
            }
            Party::Client => "No mock client violates it.",
            Party::Server => "No scenario scripts it, and no mock server violates it by itself.",
            Party::Spec => "No scenario reaches the point where the specification contradicts itself.",
        }
    }
}

/// Renders the page.
pub(super) fn render(book: &Rulebook) -> String {
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
    let unviolated = book.rules.iter().filter(|ruling| !ruling.is_violated()).count();
    let not = book.statements.iter().filter(|statement| matches!(statement.judged, Judged::Not(..))).count();
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
        "Gaps: no scenario violates {unviolated} of the rules, and nothing judges {not} of {} statements. \
         `cargo run -p mcp-compat-lab -- rules` generates this page; a test compares the two, and `UPDATE_GENERATED=1` \
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
            linked(rule.id),
            rule.party,
            rule.level,
            rule.revisions,
            or_dash(ruling.violations.scripted.len()),
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
    let unviolated: Vec<&Ruling> = book.rules.iter().filter(|ruling| !ruling.is_violated()).collect();
    if unviolated.is_empty() {
        text.push_str("None.\n\n");
    } else {
        text.push_str("| rule | why |\n|---|---|\n");
        for ruling in unviolated {
            let _ = writeln!(text, "| {} | {} |", linked(ruling.rule.id), ruling.unviolated());
        }
        text.push('\n');
    }
    for gap in Gap::ALL {
        let of_gap = |statement: &&Statement| matches!(&statement.judged, Judged::Not(of, _) if *of == gap);
        let mut statements = book.statements.iter().filter(of_gap).peekable();
        if statements.peek().is_none() {
            continue;
        }
        let _ = writeln!(text, "### Not judged: {}\n", gap.meaning().trim_end_matches('.'));
        text.push_str("| who must or should | revisions | why not |\n|---|---|---|\n");
        for statement in statements {
            let Judged::Not(_, why) = &statement.judged else { continue };
            let _ = writeln!(text, "| {} | {} | {} |", sentence(statement), statement.revisions, cell(why));
        }
        text.push('\n');
    }
}

/// Statement as a sentence, with a link to its address.
fn sentence(statement: &Statement) -> String {
    let verb = match statement.level {
        Level::Must => "must",
        Level::Should => "should",
        Level::May => "may",
    };
    cell(&format!("The {} [{verb}]({}) {}.", statement.party, statement.address(), statement.asks))
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
        if !ruling.is_violated() {
            let _ = writeln!(text, "No scenario violates it. {}\n", ruling.unviolated());
            continue;
        }
        if !ruling.violations.scripted.is_empty() {
            let _ = writeln!(text, "- Scripted by {}", counted(&ruling.violations.scripted, book.scenarios));
        }
        for (culprit, scenarios) in &ruling.violations.shown {
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
    for statement in &book.statements {
        if !pages.contains(&statement.page()) {
            pages.push(statement.page());
        }
    }
    for page in pages {
        let _ = writeln!(text, "### {page}\n\n| who must or should | revisions | judged by |\n|---|---|---|");
        for statement in book.statements.iter().filter(|statement| statement.page() == page) {
            let judged = match &statement.judged {
                Judged::ByRules(ids) => ids.iter().map(|id| linked(id)).collect::<Vec<_>>().join(", "),
                Judged::ByVerdict(how) => format!("the verdict: {}", cell(how)),
                Judged::Not(..) => "nothing, see [gaps](#gaps)".to_owned(),
            };
            let _ = writeln!(text, "| {} | {} | {judged} |", sentence(statement), statement.revisions);
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
    use mcp_compat_judge::rules;
    use mcp_compat_model::PeerId;

    use super::super::statements;
    use super::*;

    fn ids(names: &[&str]) -> BTreeSet<ScenarioId> {
        names.iter().map(|name| ScenarioId::new(*name).unwrap()).collect()
    }

    fn ruling(rule: &'static Rule, scripted: &[&str], shown: &[&str]) -> Ruling {
        let wrong = PeerId::new("mock/dual/wrong").unwrap();
        let shown = [(wrong, ids(shown))].into_iter().filter(|(_, found)| !found.is_empty()).collect();
        Ruling { rule, violations: Violations { scripted: ids(scripted), shown } }
    }

    fn book() -> Rulebook {
        let statement = |asks: &str, judged: &str| {
            format!(
                "[[statement]]\nlevel = 'SHOULD'\nparty = 'client'\nfrom = '2026-07-28'\n\
                 place = '2026-07-28/server/tools'\nasks = '{asks}'\n{judged}\n"
            )
        };
        let text = statement("wait", "gap = 'time'\nwhy = 'Nobody waits.'")
            + &statement("read a | b", "rules = ['content-array']");
        Rulebook {
            rules: vec![
                ruling(rules::find("content-array").unwrap(), &["a/x", "b/z"], &["a/y[1]"]),
                ruling(rules::find("text-fallback").unwrap(), &[], &[]),
            ],
            scenarios: 4,
            firsts: 3,
            statements: statements::parse(&text).unwrap(),
        }
    }

    #[test]
    fn a_rule_has_the_number_of_its_scenarios_and_one_by_name() {
        let page = render(&book());
        let rule = rules::find("content-array").unwrap();
        let row = format!("| {} | {} | {} | {} | 2 | 1 |\n", linked(rule.id), rule.party, rule.level, rule.revisions);
        assert!(page.contains(&row), "{page}");
        assert!(page.contains("- Scripted by 2 scenarios, such as `a/x`\n"), "{page}");
        assert!(page.contains("- `mock/dual/wrong` violates it in `a/y[1]`\n"), "{page}");
    }

    #[test]
    fn a_violation_in_every_scenario_is_not_counted() {
        assert_eq!(counted(&ids(&["a/x", "b/y"]), 2), "every scenario");
    }

    #[test]
    fn an_uncovered_statement_is_a_gap() {
        let page = render(&book());
        assert!(page.contains("| [`text-fallback`](#text-fallback) | No scenario scripts it"), "{page}");
        assert!(page.contains("### Not judged: It takes a clock"), "{page}");
        let waits = "| The client [should](https://modelcontextprotocol.io/specification/2026-07-28/server/tools) wait. | 2026-07-28 | Nobody waits. |";
        assert!(page.contains(waits), "{page}");
        assert!(!page.contains("It is asked of the program"), "{page}");
    }

    #[test]
    fn a_bar_stays_in_its_cell() {
        assert!(render(&book()).contains("read a \\| b. | 2026-07-28 | [`content-array`](#content-array) |"));
    }
}
