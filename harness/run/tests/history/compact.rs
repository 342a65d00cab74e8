//! The compact form of a run says the same as the record, and whatever is wrong with a file is said.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use mcp_compat_model::diff::Fate;
use mcp_compat_model::run_verdicts::RunVerdicts;
use mcp_compat_model::verdict::Outcome;
use mcp_compat_run::history::compact::{CompactError, decode_verdicts, kept, read_head};
use mcp_compat_run::history::{decode, encode};
use proptest::prelude::*;
use serde_json::json;

use super::records::{any_record, cell, record};

const ONE: &str = "a/one::mock/dual::rmcp@3.9.0+auto::http";

proptest! {
    #[test]
    fn a_record_comes_back(record in any_record()) {
        let bytes = encode(&record, Some("e")).unwrap();
        let (head, back) = decode(&bytes).unwrap();
        prop_assert_eq!(&back, &kept(&record));
        prop_assert_eq!(&read_head(&bytes[..]).unwrap(), &head);
        prop_assert_eq!((head.summary.cells, head.evidence.as_deref()), (record.cells.len() as u64, Some("e")));
        prop_assert_eq!(encode(&back, Some("e")).unwrap(), bytes, "what came back is the same run");
    }

    #[test]
    fn the_verdicts_alone_are_those_of_the_record(record in any_record()) {
        let bytes = encode(&record, None).unwrap();
        prop_assert_eq!(decode_verdicts(&bytes).unwrap(), RunVerdicts::of(&record));
    }

    #[test]
    fn cells_fare_alike_as_a_difference_has_it(one in any_record(), other in any_record()) {
        let alike = RunVerdicts::of(&one).alike(&RunVerdicts::of(&other));
        let there: HashMap<_, _> = other.cells.iter().map(|cell| (&cell.id, Fate::from(cell))).collect();
        for (cell, is_alike) in one.cells.iter().zip(alike) {
            let expected = there.get(&cell.id).map(|other| Fate::from(cell).is_like(other));
            prop_assert_eq!(is_alike, expected, "{}", &cell.id);
        }
    }

    #[test]
    fn a_file_that_is_cut_off_is_refused_and_one_that_is_changed_never_says_another_thing(at in any::<prop::sample::Index>(), flip in 1..=255_u8) {
        let whole = encode(&record("2026-11-21T02:00:00Z", vec![cell(ONE, Outcome::Lost)]), None).unwrap();
        let at = at.index(whole.len());
        prop_assert!(decode(&whole[..at]).is_err(), "the first {} bytes", at);
        let mut changed = whole.clone();
        changed[at] ^= flip;
        // A few bits of a gzip file mean nothing: those of its header, and those that fill up its last byte.
        if let Ok(said) = decode(&changed) {
            prop_assert_eq!(said, decode(&whole).unwrap(), "byte {}", at);
        }
    }
}

/// The head of a run with one cell, and the lines that follow it: beginning, verdict and cell.
fn lines() -> (serde_json::Value, Vec<serde_json::Value>) {
    let bytes = encode(&record("2026-11-21T02:00:00Z", vec![cell(ONE, Outcome::Lost)]), None).unwrap();
    let mut text = String::new();
    GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    (lines.next().unwrap(), lines.collect())
}

fn compressed(text: &str) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    gzip.finish().unwrap()
}

/// Error message for a run after a change, with the right digest.
fn refused(change: impl FnOnce(&mut serde_json::Value, &mut Vec<serde_json::Value>)) -> String {
    let (mut head, mut body) = lines();
    change(&mut head, &mut body);
    let body = body.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    if head["sha256"] != "wrong" {
        use sha2::Digest as _;
        head["sha256"] = format!("{:x}", sha2::Sha256::digest(&body)).into();
    }
    decode(&compressed(&format!("{head}\n{body}\n"))).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let newer = "it is of format 9; this version of mcp-compat reads up to 2: update mcp-compat";
    for (said, words) in [
        (refused(|head, _| head["version"] = 9.into()), newer),
        (refused(|head, _| head["format"] = "other".into()), "its first line does not say that it is one"),
        (refused(|head, _| head["sha256"] = "wrong".into()), "does not have the digest that its first line states"),
        (refused(|head, _| head["summary"]["breaks"] = 0.into()), "its first line sums up another run"),
        (refused(|_, body| body[0]["record"]["schema_version"] = 9.into()), newer),
        (refused(|_, body| body[2][4] = 5.into()), "cell 1 has the verdict 5, which does not exist"),
        (refused(|_, body| body[2][0] = 5.into()), "cell 1 has the scenario 5, which does not exist"),
        (refused(|_, body| body[2] = [0; 3].into()), "its content is not that of a run"),
        (refused(|_, body| body[1]["reason"] = "{x}".into()), "has a brace that stands for nothing"),
        (refused(|_, body| body[0]["names"]["clients"][0] = "no id".into()), "its content is not that of a run"),
        (refused(|_, body| body[0]["record"]["cells"] = json!([1])), "its content is not that of a run"),
        (decode(b"").unwrap_err().to_string(), "it is not a gzip file"),
        (decode(b"{\"schema_version\": 1}").unwrap_err().to_string(), "it is not a gzip file"),
        (decode(&compressed("{}\n{}\n")).unwrap_err().to_string(), "it is not a compact run of mcp-compat"),
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn what_follows_the_end_is_refused() {
    let mut bytes = encode(&record("2026-11-21T02:00:00Z", Vec::new()), None).unwrap();
    bytes.push(0);
    assert!(matches!(decode(&bytes), Err(CompactError::Trailing)));
}

#[test]
fn a_bomb_does_not_go_off() {
    let zeros = compressed(&" ".repeat(200 << 20));
    assert!(zeros.len() < 2 << 20);
    let (head, _) = lines();
    let long_body = compressed(&format!("{head}\n{}", " ".repeat(200 << 20)));
    assert!(matches!(decode(&zeros), Err(CompactError::Foreign(_))));
    assert!(matches!(decode(&long_body), Err(CompactError::TooLarge("bytes"))));
}

#[test]
fn one_long_text_that_every_cell_names_is_refused_before_it_is_copied() {
    let said = refused(|_, body| {
        body[1]["reason"] = "x".repeat(1 << 20).into();
        body.extend(vec![body[2].clone(); 4096]);
    });
    assert!(said.contains("too many cells, or texts in them, for a run"), "{said}");
}

#[test]
fn a_cell_that_has_another_id_than_its_properties_is_refused() {
    let mut one = cell(ONE, Outcome::Lost);
    one.id = cell("a/one::mock/dual::mock/dual::http", Outcome::Lost).id;
    let said = encode(&record("2026-11-21T02:00:00Z", vec![one]), None).unwrap_err().to_string();
    assert!(said.contains("has the id a/one::mock/dual::mock/dual::http"), "{said}");
}
