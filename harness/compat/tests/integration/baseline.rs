//! The baseline: known breaks pass, a new break fails, a stale entry fails, and mistakes are told.

use mcp_compat::Baseline;
use mcp_compat_model::Transport;
use mcp_compat_model::record::Record;
use mcp_compat_run::baseline::BaselineError;
use mcp_compat_run::peer_set::PeerSet;

use crate::support::{corpus, play, request};

const BROKEN: &str = "root-type/array::mock/2025-11-25::mock/dual::memory";

async fn record() -> Record {
    let mut asked = request(&["root-type/array", "root-type/object"], &["mock/2025-11-25"], &["mock/dual"]);
    asked.transports = vec![Transport::Memory];
    play(asked).await.record
}

fn baseline(entries: &str) -> Baseline {
    Baseline::parse("known.toml", entries).unwrap()
}

#[tokio::test]
async fn a_known_break_passes_and_a_new_one_does_not() {
    let mut known = record().await;
    assert_eq!(known.cells.iter().filter(|cell| cell.is_new_break()).count(), 1);
    baseline(&format!("[[broken]]\ncells = \"{BROKEN}\"\nreason = \"strict\"\nissue = \"https://example.test/1\"\n"))
        .settle(&mut known);
    assert!(!known.cells.iter().any(|cell| cell.is_new_break()));
    assert_eq!(known.stale, Vec::<String>::new());
}

#[tokio::test]
async fn an_entry_for_a_cell_that_works_is_stale() {
    let mut settled = record().await;
    baseline("[[broken]]\ncells = \"root-type/*::mock/2025-11-25::*::*\"\nreason = \"strict\"\n").settle(&mut settled);
    assert_eq!(
        settled.stale,
        [
            "`cells = \"root-type/*::mock/2025-11-25::*::*\"` is stale: root-type/object::mock/2025-11-25::mock/dual::memory no longer breaks; \
             1 other still breaks, so narrow the entry"
        ]
    );
}

#[tokio::test]
async fn a_run_that_was_cut_short_makes_no_entry_stale() {
    let mut settled = record().await;
    settled.complete = false;
    let entries = format!(
        "[[broken]]\ncells = \"root-type/*::mock/2025-11-25::*::*\"\nreason = \"strict\"\n\
         [[broken]]\ncells = \"{BROKEN}\"\nreason = \"strict\"\n"
    );
    baseline(&entries).settle(&mut settled);
    assert_eq!(settled.stale, Vec::<String>::new());
    assert!(!settled.cells.iter().any(|cell| cell.is_new_break()));
}

#[tokio::test]
async fn a_flaky_cell_may_do_either() {
    let mut settled = record().await;
    baseline("[[flaky]]\ncells = \"root-type/*\"\nreason = \"sometimes\"\n").settle(&mut settled);
    assert_eq!(settled.stale, Vec::<String>::new());
    assert!(!settled.cells.iter().any(|cell| cell.is_new_break()));
}

#[tokio::test]
async fn an_entry_for_other_releases_does_not_hold() {
    let mut settled = record().await;
    let entry = format!("[[broken]]\ncells = \"{BROKEN}\"\nreason = \"strict\"\nversion = \"rmcp < 3.0.0\"\n");
    baseline(&entry).settle(&mut settled);
    assert_eq!(settled.cells.iter().filter(|cell| cell.is_new_break()).count(), 1);
}

#[tokio::test]
async fn an_entry_with_a_cause_knows_the_breaks_for_it_and_is_stale_where_there_are_none() {
    let with = async |cause: &str| {
        let mut settled = record().await;
        baseline(&format!("[[broken]]\ncells = \"root-type/*\"\ncause = \"{cause}\"\nreason = \"r\"\n"))
            .settle(&mut settled);
        (settled.cells.iter().filter(|cell| cell.is_new_break()).count(), settled.stale.len())
    };
    assert_eq!(with("server:rejected:tools/list:output-schema-object-root:*").await, (0, 0), "though one cell works");
    assert_eq!(with("client:uncaught:*").await, (1, 1));
}

#[test]
fn an_entry_that_matches_nothing_is_told_with_the_nearest_cell() {
    let whole = request(&[], &[], &[]);
    let entry =
        baseline("[[broken]]\ncells = \"root-type/arrray::mock/2025-11-25::mock/dual::memory\"\nreason = \"r\"\n");
    let error = whole.prepare(&PeerSet::mocks(), &corpus(), Some(&entry)).unwrap_err().to_string();
    assert!(error.contains("matches no check") && error.contains(BROKEN), "{error}");
}

#[test]
fn entries_that_contradict_each_other_are_told() {
    let entries = format!(
        "[[broken]]\ncells = \"{BROKEN}\"\nreason = \"r\"\n[[flaky]]\ncells = \"root-type/*\"\nreason = \"r\"\n"
    );
    let error = request(&[], &[], &[])
        .prepare(&PeerSet::mocks(), &corpus(), Some(&baseline(&entries)))
        .unwrap_err()
        .to_string();
    assert!(error.contains("contradicts itself") && error.contains("keep one of them"), "{error}");
}

#[test]
fn a_condition_on_a_peer_that_the_cells_do_not_have_is_told() {
    let whole = request(&[], &[], &[]);
    let entry = baseline(&format!("[[broken]]\ncells = \"{BROKEN}\"\nreason = \"r\"\nversion = \"rmpc < 3.0.0\"\n"));
    let error = whole.prepare(&PeerSet::mocks(), &corpus(), Some(&entry)).unwrap_err().to_string();
    assert!(error.contains("rmpc < 3.0.0") && error.contains("mocks, which have no releases"), "{error}");
}

#[test]
fn mistakes_in_the_file_are_told_with_their_place() {
    let error = Baseline::parse("known.toml", "[[broken]]\ncell = \"*\"\n").unwrap_err().to_string();
    assert!(error.contains("known.toml") && error.contains("line 2") && error.contains("`cell`"), "{error}");
    let condition = "[[broken]]\ncells = \"*\"\nreason = \"r\"\nversion = \"newer\"\n";
    assert!(matches!(Baseline::parse("known.toml", condition), Err(BaselineError::Condition(_))));
}

mod renewal {
    use mcp_compat_run::baseline::Renewal;
    use mcp_compat_run::request::whole_matrix;

    use super::*;

    /// What becomes of a baseline after the run of [`record`], of which one cell breaks and one works.
    async fn renewed(text: &str) -> (Renewal, Record) {
        let mut record = record().await;
        let matrix = whole_matrix(&PeerSet::mocks(), &corpus());
        let renewal = Renewal::of("known.toml", text, &record, &matrix).unwrap();
        baseline(&renewal.text).settle(&mut record);
        (renewal, record)
    }

    fn is_settled(record: &Record) -> bool {
        record.stale.is_empty() && !record.cells.iter().any(|cell| cell.is_new_break())
    }

    #[tokio::test]
    async fn a_baseline_begins_with_what_breaks() {
        let (renewal, record) = renewed("").await;
        assert_eq!(renewal.to_string(), "1 entry added");
        assert!(renewal.text.starts_with("# Cells that are known to break."), "{}", renewal.text);
        assert!(renewal.text.contains(&format!("[[broken]]\ncells = \"{BROKEN}\"\nreason = ")), "{}", renewal.text);
        assert!(is_settled(&record));
        let (commented, _) = renewed("# ours\n").await;
        assert!(commented.text.starts_with("# ours\n\n[[broken]]"), "{}", commented.text);
        let again = Renewal::of("known.toml", &renewal.text, &record, &whole_matrix(&PeerSet::mocks(), &corpus()));
        assert_eq!(again.unwrap(), Renewal { text: renewal.text, added: 0, removed: 0, narrowed: 0 });
    }

    #[tokio::test]
    async fn what_holds_and_what_was_not_played_stays_as_it_was_written() {
        let text = format!(
            "# ours\n[[broken]]\ncells = \"{BROKEN}\" # strict, and meant so\nreason = \"r\"\n\n\
             [[broken]]\ncells = \"fallback/*\"\nreason = \"not played\"\n\n[[flaky]]\ncells = \"drift/*\"\nreason = \"f\"\n"
        );
        let (renewal, record) = renewed(&text).await;
        assert_eq!((renewal.text.as_str(), renewal.to_string().as_str()), (text.as_str(), "nothing to change"));
        assert!(renewal.is_nothing() && is_settled(&record));
    }

    #[tokio::test]
    async fn an_entry_that_no_longer_holds_goes_and_one_that_holds_in_part_keeps_that() {
        let object = BROKEN.replace("array", "object");
        let text = format!(
            "# ours\n\n[[broken]]\ncells = \"{object}\"\nreason = \"gone\"\n\n\
             [[broken]]\ncells = \"root-type/{{array,object}}::mock/2025-11-25::mock/dual::*\"\nreason = \"r\"\nissue = \"#7\"\n"
        );
        let (renewal, record) = renewed(&text).await;
        assert_eq!(renewal.to_string(), "1 entry removed, 1 narrowed");
        assert!(is_settled(&record) && !renewal.text.contains("gone"), "{}", renewal.text);
        let cells: Vec<&str> = renewal.text.lines().filter(|line| line.starts_with("cells")).collect();
        // What was not played is known as before.
        let open = "cells = \"root-type/array::mock/2025-11-25::mock/dual::*\"";
        let unplayed = "cells = \"root-type/object::mock/2025-11-25::mock/dual::{stdio,http}\"";
        assert_eq!(cells, [open, unplayed], "{}", renewal.text);
        assert_eq!(renewal.text.matches("issue = \"#7\"").count(), 2);
        assert!(
            renewal.text.starts_with("# ours\n") && renewal.text.matches("# ours").count() == 1,
            "{}",
            renewal.text
        );
    }

    #[tokio::test]
    async fn what_stands_before_an_entry_stays_before_it() {
        let flaky = "# sometimes\n[[flaky]]\ncells = \"drift/*\"\nreason = \"f\"\n";
        let object = BROKEN.replace("array", "object");
        let text = format!("{flaky}\n# always\n[[broken]]\ncells = \"{{{BROKEN},{object}}}\"\nreason = \"r\"\n");
        let (renewal, record) = renewed(&text).await;
        assert!(renewal.text.starts_with(&format!("{flaky}\n# always\n[[broken]]\n")), "{}", renewal.text);
        assert!(renewal.narrowed == 1 && is_settled(&record), "{}", renewal.text);
    }

    #[tokio::test]
    async fn a_list_of_inline_tables_is_a_baseline_too() {
        let (renewal, record) = renewed(&format!("broken = [{{ cells = \"{BROKEN}\", reason = \"r\" }}]\n")).await;
        assert!(renewal.is_nothing() && is_settled(&record), "{}", renewal.text);
    }
}
