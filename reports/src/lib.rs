//! Internal crate: reports as pure functions from a [`Record`] or a result to text.
//!
//! ```text
//! Record -> view (totals, matrix, causes, missed revisions) -> terminal | markdown | junit
//! Audits                -> server_list    output of `audit` for several servers
//! Audit                 -> annotations    annotations of GitHub Actions
//! Record, Record        -> compare        changes between two runs
//! CellRecords           -> baseline       baseline of the breaks of a run, by cause
//! Audit                 -> audit          output of `audit`
//! ClientAudit           -> client_audit   output of `audit-client`
//! Comparison            -> schema_lock    output of `lock check`
//! Diff                  -> diff           output of `diff`
//! Fidelity              -> fidelity       output of `fidelity`
//! CellRecord + Evidence -> cell           output of `show` for a cell
//! Sheet                 -> scenario       output of `show` for a scenario
//! Round                 -> round          output of `run --watch`
//! Selection             -> selection      output of `show --where`
//! Trial, Ending         -> bisection      output of `peers bisect`
//! Explained             -> rule           output of `explain`
//! Support               -> support        output of `support`
//! Projections           -> projection     output of `support --projection`
//! Record + Story        -> failure        message of a failed test
//! level, title, text    -> github         annotation of GitHub Actions
//! Input                 -> site           pages of a run
//! names and titles      -> list           output of the lists of `show`
//! ```
//!
//! Text of peers is hostile: every format escapes it in its own way (`text`, `markdown::escape`). Colours are ANSI
//! sequences, which the caller selects with a [`Style`]. Every text ends with one newline, and no line ends with a
//! blank.

pub mod annotations;
pub mod audit;
pub mod baseline;
pub mod bisection;
pub mod cell;
pub mod client_audit;
pub mod command;
pub mod compare;
pub mod diff;
pub mod failure;
pub mod fidelity;
pub mod findings;
pub mod github;
pub mod headline;
pub mod hosts;
#[cfg(feature = "junit")]
pub mod junit;
pub mod list;
pub mod markdown;
pub mod missed;
mod page;
pub mod projection;
pub mod reach;
pub mod recorded;
pub mod round;
pub mod rule;
pub mod run_annotations;
pub mod scenario;
pub mod schema_lock;
pub mod sdk;
pub mod selection;
pub mod server_list;
#[cfg(feature = "site")]
pub mod site;
mod style;
pub mod support;
pub mod terminal;
pub mod text;
pub mod view;
pub mod wording;

pub use mcp_compat_model::record::Record;
pub use style::Style;

/// Cell for the tests of reports, with empty values for the rest.
#[cfg(test)]
mod specimen {
    use mcp_compat_model::CellId;
    use mcp_compat_model::record::CellRecord;
    use mcp_compat_model::verdict::{Outcome, Rating, Verdict};

    /// Cell with an id such as `root-type/array::a@1.0.0::mock/dual::http`.
    pub(crate) fn cell(id: &str, outcome: Outcome, rating: Rating, reason: &str) -> CellRecord {
        let verdict = Verdict {
            negotiated: None,
            outcome,
            rating,
            silent: false,
            vacuous: false,
            blast_radius: None,
            expected: None,
            findings: Vec::new(),
            fault: None,
            signature: None,
            reason: reason.to_owned(),
        };
        CellRecord::new(CellId::parse(id).unwrap(), verdict, 1, None)
    }
}
