//! Whose fault it is between two real peers, as their cells with mocks show.

use mcp_compat_judge::triangulate;
use mcp_compat_model::record::{CellRecord, PeerRecord, Record, SCHEMA_VERSION};
use mcp_compat_model::triangle::Testimony;
use mcp_compat_model::verdict::{Fault, Outcome, Rating, Verdict};
use mcp_compat_model::{CellId, PeerId, Revision, Role};
use rstest::rstest;

const PAIR: &str = "root-type/array::ardent@1.0.0::brisk@2.0.0::http";
const CLIENT: &str = "root-type/array::ardent@1.0.0::mock/dual::http";
const SERVER: &str = "root-type/array::mock/dual+auto::brisk@2.0.0::http";

fn works(id: &str) -> CellRecord {
    let verdict = Verdict {
        negotiated: Some(Revision::V2025_11_25),
        outcome: Outcome::Intact,
        rating: Rating::Works,
        silent: false,
        vacuous: false,
        blast_radius: None,
        expected: None,
        findings: Vec::new(),
        fault: None,
        signature: None,
        reason: String::new(),
    };
    CellRecord::new(CellId::parse(id).unwrap(), verdict, 0, None)
}

/// A cell that breaks by somebody's fault, on a ground.
fn breaks(id: &str, outcome: Outcome, fault: Fault, ground: &str) -> CellRecord {
    let signature = Some(format!("{fault}:{outcome}:tools/call:{ground}:decode").parse().unwrap());
    CellRecord { outcome, rating: Rating::Breaks, fault: Some(fault), signature, ..works(id) }
}

fn rejected(id: &str, fault: Fault) -> CellRecord {
    breaks(id, Outcome::Rejected, fault, "no-rule")
}

fn record(cells: Vec<CellRecord>) -> Record {
    let peer = |id: &str, role, language: Option<&str>| PeerRecord {
        id: PeerId::new(id).unwrap(),
        role,
        language: language.map(str::to_owned),
        revisions: Revision::ALL.to_vec(),
        mode: None,
        about: String::new(),
        isolated: None,
        calls: None,
        recorded: None,
    };
    Record {
        schema_version: SCHEMA_VERSION,
        tool_version: String::new(),
        judge: None,
        platform: None,
        started: String::new(),
        duration_us: 0,
        complete: true,
        division: None,
        corpus: String::new(),
        peers: vec![
            peer("ardent@1.0.0", Role::Client, Some("rust")),
            peer("mock/dual+auto", Role::Client, None),
            peer("brisk@2.0.0", Role::Server, Some("python")),
            peer("mock/dual", Role::Server, None),
        ],
        scenarios: Vec::new(),
        cells,
        left_out: Vec::new(),
        stale: Vec::new(),
    }
}

/// The pair's cell among these, triangulated.
fn settled(cells: &[CellRecord]) -> CellRecord {
    let mut record = record(cells.to_vec());
    triangulate(&mut record);
    let once = record.clone();
    triangulate(&mut record);
    assert_eq!(record, once, "twice is no more than once");
    record.cells.into_iter().find(|cell| cell.id.as_str() == PAIR).unwrap()
}

fn fault(cells: &[CellRecord]) -> Fault {
    settled(cells).fault.unwrap()
}

#[rstest]
#[case::the_client_does_so_anyway(rejected(CLIENT, Fault::Client), works(SERVER), Fault::Client)]
#[case::the_server_does_so_anyway(works(CLIENT), rejected(SERVER, Fault::Server), Fault::Server)]
#[case::both_do(rejected(CLIENT, Fault::Client), rejected(SERVER, Fault::Server), Fault::Both)]
#[case::neither_does(works(CLIENT), works(SERVER), Fault::Spec)]
#[case::the_mocks_are_to_blame(rejected(CLIENT, Fault::Server), rejected(SERVER, Fault::Client), Fault::Spec)]
#[case::they_break_otherwise(
    breaks(CLIENT, Outcome::Uncaught, Fault::Client, "no-rule"),
    breaks(SERVER, Outcome::Hung, Fault::Server, "no-rule"),
    Fault::Spec
)]
fn what_no_rule_explains_is_told_by_the_other_two_sides(
    #[case] client: CellRecord,
    #[case] server: CellRecord,
    #[case] expected: Fault,
) {
    let cell = settled(&[rejected(PAIR, Fault::Spec), client, server]);
    assert_eq!(cell.fault, Some(expected));
    let signature = cell.signature.unwrap().to_string();
    assert!(signature.starts_with(&format!("{expected}:rejected:tools/call:no-rule")), "{signature}");
}

#[test]
fn what_each_side_says_is_kept() {
    let cell = settled(&[rejected(PAIR, Fault::Spec), rejected(CLIENT, Fault::Client), works(SERVER)]);
    let triangle = cell.triangle.unwrap();
    assert_eq!((triangle.alone, cell.fault), (Fault::Spec, Some(Fault::Client)));
    let (client, server) = (triangle.client.clone().unwrap(), triangle.server.clone().unwrap());
    assert_eq!((client.cell.as_str(), client.outcome, client.says), (CLIENT, Outcome::Rejected, Testimony::Guilty));
    assert_eq!((server.cell.as_str(), server.rating, server.says), (SERVER, Rating::Works, Testimony::Clear));
    assert!(triangle.tells() && !triangle.only_together());
    let together = settled(&[rejected(PAIR, Fault::Server), works(CLIENT), works(SERVER)]).triangle.unwrap();
    assert!(!together.tells() && together.only_together());
}

/// Alone; with a client that does so anyway; with a server that does. That the other gets on with a mock clears nobody.
#[rstest]
#[case(Fault::Client, Fault::Client, Fault::Both)]
#[case(Fault::Server, Fault::Both, Fault::Server)]
#[case(Fault::Both, Fault::Both, Fault::Both)]
fn what_the_cell_shows_stands_and_what_mocks_show_is_added(
    #[case] alone: Fault,
    #[case] client_does: Fault,
    #[case] server_does: Fault,
) {
    let with = |client: CellRecord, server: CellRecord| fault(&[rejected(PAIR, alone), client, server]);
    assert_eq!(with(rejected(CLIENT, Fault::Client), works(SERVER)), client_does);
    assert_eq!(with(works(CLIENT), rejected(SERVER, Fault::Server)), server_does);
    assert_eq!(with(works(CLIENT), works(SERVER)), alone);
}

#[test]
fn another_error_is_another_matter() {
    let with = |id, fault: Fault, error: &str| {
        let signature = Some(format!("{fault}:rejected:tools/call:no-rule:{error}").parse().unwrap());
        CellRecord { signature, ..rejected(id, fault) }
    };
    let alike = [with(PAIR, Fault::Server, "protocol:-32603:/a"), with(CLIENT, Fault::Client, "protocol:-32603:/b")];
    assert_eq!(fault(&alike), Fault::Both);
    let unlike = [with(PAIR, Fault::Server, "protocol:-32603"), with(CLIENT, Fault::Client, "decode")];
    assert_eq!(fault(&unlike), Fault::Server);
}

#[rstest]
#[case("spec-silent", Fault::Spec)]
#[case("spec-conflict", Fault::Spec)]
#[case("no-rule", Fault::Harness)]
fn what_is_open_and_what_is_ours_stays(#[case] ground: &str, #[case] alone: Fault) {
    let pair = breaks(PAIR, Outcome::Rejected, alone, ground);
    assert_eq!(fault(&[pair, rejected(CLIENT, Fault::Client), rejected(SERVER, Fault::Server)]), alone);
}

#[test]
fn another_era_a_mock_with_a_policy_and_a_fault_of_ours_say_nothing() {
    let guilty = || rejected(CLIENT, Fault::Client);
    let modern = CellRecord { negotiated: Some(Revision::V2026_07_28), ..guilty() };
    let omitting = rejected(&CLIENT.replace("mock/dual", "mock/dual/omit"), Fault::Client);
    let skipped = CellRecord { rating: Rating::Skipped, ..guilty() };
    let other_scenario = rejected(&CLIENT.replace("array", "object"), Fault::Client);
    for witness in [modern, omitting, skipped, other_scenario, rejected(CLIENT, Fault::Harness)] {
        let cell = settled(&[rejected(PAIR, Fault::Server), witness]);
        assert_eq!((cell.fault, cell.triangle.unwrap().client), (Some(Fault::Server), None));
    }
    // Where no session came about there is no era to differ.
    let pair = CellRecord { negotiated: None, ..rejected(PAIR, Fault::Spec) };
    let modern = CellRecord { negotiated: Some(Revision::V2026_07_28), ..guilty() };
    assert_eq!(fault(&[pair, modern]), Fault::Client);
}

#[test]
fn the_nearest_witness_is_asked() {
    let over_stdio = rejected(&CLIENT.replace("http", "stdio"), Fault::Client);
    let older = CellRecord {
        negotiated: Some(Revision::V2025_06_18),
        ..rejected(&CLIENT.replace("dual", "2025-06-18"), Fault::Client)
    };
    assert_eq!(fault(&[rejected(PAIR, Fault::Spec), over_stdio.clone(), older, works(CLIENT)]), Fault::Spec);
    assert_eq!(fault(&[rejected(PAIR, Fault::Spec), over_stdio]), Fault::Client);
}

#[test]
fn cells_with_mocks_and_cells_that_work_have_no_other_sides() {
    let mut record = record(vec![works(PAIR), rejected(CLIENT, Fault::Server), rejected(SERVER, Fault::Server)]);
    let before = record.clone();
    triangulate(&mut record);
    assert_eq!(record, before);
}

#[test]
fn a_witness_that_is_gone_has_said_nothing() {
    let mut record = record(vec![rejected(PAIR, Fault::Spec), rejected(CLIENT, Fault::Client)]);
    triangulate(&mut record);
    assert_eq!(record.cells[0].fault, Some(Fault::Client));
    record.cells.pop();
    triangulate(&mut record);
    assert_eq!(record.cells[0].fault, Some(Fault::Spec));
}

/// Without a session every outcome is the same, whatever the reason.
#[test]
fn another_reason_for_no_session_is_another_matter() {
    let apart = |id, fault: Fault, ground: &str| {
        let signature = Some(format!("{fault}:unreachable:session:{ground}").parse().unwrap());
        CellRecord { signature, outcome: Outcome::Unreachable, negotiated: None, ..rejected(id, fault) }
    };
    let with = |ground: &str| {
        let pair = apart(PAIR, Fault::Client, "revision-declined");
        fault(&[pair, works(CLIENT), apart(SERVER, Fault::Both, ground)])
    };
    assert_eq!(with("no-common-revision"), Fault::Client);
    assert_eq!(with("revision-declined"), Fault::Both);
}

/// Where no rule says what to fix, the outcome with the mock does.
#[rstest]
#[case(Outcome::Altered, "return values unchanged")]
#[case(Outcome::Masked, "report the error of a tool")]
#[case(Outcome::Lost, "look in its log")]
fn what_the_other_party_has_to_fix_follows_from_its_outcome(#[case] outcome: Outcome, #[case] remedy: &str) {
    let pair = breaks(PAIR, outcome, Fault::Server, "no-rule");
    let cell = settled(&[pair, breaks(CLIENT, outcome, Fault::Client, "no-rule"), works(SERVER)]);
    assert_eq!(cell.fault, Some(Fault::Both));
    assert!(cell.reason.contains(remedy), "{}", cell.reason);
}

/// A reason that names one of two that are at fault sends half of its readers away.
#[test]
fn the_reason_names_all_who_have_to_fix_something() {
    let reason = "It rejected it. To fix in the server: send an object.";
    let own = |fault, reason: &str| CellRecord { reason: reason.to_owned(), ..rejected(PAIR, fault) };
    let client = breaks(CLIENT, Outcome::Rejected, Fault::Client, "client-takes-any-value");
    let cells = [own(Fault::Server, reason), client.clone(), works(SERVER)];
    let cell = settled(&cells);
    assert_eq!(cell.fault, Some(Fault::Both));
    let also = "To fix in the client as well (its outcome with mock/dual is `rejected` too): ";
    assert!(cell.reason.starts_with(&format!("{reason} {also}")), "{}", cell.reason);
    let remedy = mcp_compat_judge::rules::find("client-takes-any-value").unwrap().remedy;
    assert!(cell.reason.contains(remedy), "{}", cell.reason);

    // Without the cell that shows it, the reason is what it was alone.
    let mut record = record(vec![cell, works(SERVER)]);
    triangulate(&mut record);
    assert_eq!((record.cells[0].fault, record.cells[0].reason.as_str()), (Some(Fault::Server), reason));

    // Who is named already is not named again.
    for (alone, server) in [(Fault::Client, works(SERVER)), (Fault::Both, rejected(SERVER, Fault::Server))] {
        let cell = settled(&[own(alone, reason), client.clone(), server]);
        assert_eq!(cell.reason, reason, "{alone}");
    }
    let cell = settled(&[own(Fault::Spec, reason), client, works(SERVER)]);
    assert!(cell.reason.contains("To fix in the client (its outcome with"), "{}", cell.reason);
}
