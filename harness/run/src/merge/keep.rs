//! Keeping a merged run: the transcripts of its cells are copied from those of its parts, in one pass over each.
//!
//! All of them are read and compared with their records before anything is written, and what is written takes its place
//! when it is whole, as that of a run does.

use std::fs;
use std::path::{Path, PathBuf};

use crate::store::transcripts::{TRANSCRIPTS, Transcripts};
use crate::store::{Store, StoreError};
use mcp_compat_model::record::Record;

use super::{Merged, Part};

/// Makes sure that the transcripts in a folder are those of its record, whole and in its order.
///
/// # Errors
/// When they cannot be read, or are not.
pub fn check(folder: &Path, record: &Record) -> Result<(), StoreError> {
    let mut transcripts = Transcripts::open(folder)?;
    let unlike = |why: String| StoreError::Unlike { path: folder.join(TRANSCRIPTS), why };
    for cell in &record.cells {
        let expected = cell.cell().id();
        match transcripts.next_id()? {
            Some(id) if id == expected => {}
            Some(id) => return Err(unlike(format!("{id} stands where {expected} should"))),
            None => return Err(unlike(format!("it ends before {expected}"))),
        }
    }
    match transcripts.next_id()? {
        None => Ok(()),
        Some(_) => Err(unlike("it has more checks than the record".to_owned())),
    }
}

/// Keeps a merged run in a folder. `parts` are the folders of its records, in the order in which they were merged.
pub fn keep(merged: &Merged, parts: &[(PathBuf, Part)], folder: &Path) -> Result<(), StoreError> {
    let mut sources = Vec::new();
    for (folder, _) in parts {
        sources.push((Transcripts::open(folder)?, 0));
    }
    let mut store = Store::open(folder)?;
    for source in &merged.sources {
        let (transcripts, next) = &mut sources[source.part];
        let ends = |path: &Path| {
            let why = format!("it ends before line {}", source.line + 1);
            StoreError::Unlike { path: path.join(TRANSCRIPTS), why }
        };
        // Every record has its cells in the order of the plan, so that nothing is ever looked for further up.
        while *next < source.line {
            transcripts.next_id()?.ok_or_else(|| ends(&parts[source.part].0))?;
            *next += 1;
        }
        store.take(&transcripts.next_cell()?.ok_or_else(|| ends(&parts[source.part].0))?);
        *next += 1;
    }
    for (part, Part { record, .. }) in parts {
        let logs = Store::logs(part);
        if logs.is_dir() {
            copy_all(&logs, &Store::logs(folder).join(name_of_logs(record)))?;
        }
    }
    store.close(&merged.record)
}

/// `1-of-4`, or `1+3-of-4` for what was merged before.
fn name_of_logs(record: &Record) -> String {
    record.division.as_ref().map_or_else(
        || "all".to_owned(),
        |division| {
            let parts: Vec<String> = division.parts.iter().map(u16::to_string).collect();
            format!("{}-of-{}", parts.join("+"), division.of)
        },
    )
}

fn copy_all(from: &Path, to: &Path) -> Result<(), StoreError> {
    let read = |error| StoreError::Read { path: from.to_owned(), error };
    fs::create_dir_all(to).map_err(|error| StoreError::Write { path: to.to_owned(), error })?;
    for entry in fs::read_dir(from).map_err(read)? {
        let entry = entry.map_err(read)?;
        let target = to.join(entry.file_name());
        if entry.file_type().map_err(read)?.is_dir() {
            copy_all(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target).map_err(|error| StoreError::Write { path: target, error })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use mcp_compat_model::observation::{End, Observation};
    use mcp_compat_model::record::Evidence;
    use mcp_compat_model::transcript::Transcript;
    use std::collections::BTreeMap;

    use super::*;
    use crate::merge::merge;
    use crate::merge::tests::{shard, shards};
    use crate::store::{read_evidence, read_record};

    /// Keeps a part as its run would have, each cell's evidence with the name of the part in it.
    fn kept(parts: &[Part], folder: &Path) -> Vec<(PathBuf, Part)> {
        let keep = |part: &Part| {
            let folder = folder.join(&part.name);
            let mut store = Store::open(&folder).unwrap();
            for cell in &part.record.cells {
                let observation =
                    Observation { negotiated: Some(part.name.clone()), steps: Vec::new(), end: End::Answered {} };
                let evidence = Evidence::kept(cell.cell(), Transcript::default(), observation);
                store.take(&evidence);
            }
            fs::write(Store::logs(&folder).join("ardent.client.log"), &part.name).unwrap();
            store.close(&part.record).unwrap();
            (folder, part.clone())
        };
        parts.iter().map(keep).collect()
    }

    fn contents(folder: &Path) -> BTreeMap<PathBuf, String> {
        let files = ["run.json", "transcripts.jsonl", "run.json.part", "transcripts.jsonl.part"].map(PathBuf::from);
        files.into_iter().filter_map(|file| Some((file.clone(), fs::read_to_string(folder.join(file)).ok()?))).collect()
    }

    #[test]
    fn every_cell_has_its_evidence_and_the_parts_their_logs() {
        let folder = tempfile::tempdir().unwrap();
        let all = shards(20, 3);
        let parts = kept(&[all[2].clone(), all[0].clone(), shard(20, 1, 3), all[1].clone()], folder.path());
        for (folder, part) in &parts {
            check(folder, &part.record).unwrap();
        }
        let merged = merge(&parts.iter().map(|(_, part)| part.clone()).collect::<Vec<_>>()).unwrap();
        let out = folder.path().join("out");
        keep(&merged, &parts, &out).unwrap();
        assert_eq!(read_record(&out).unwrap(), merged.record);
        check(&out, &merged.record).unwrap();
        for (place, cell) in merged.record.cells.iter().enumerate() {
            let evidence = read_evidence(&out, &cell.id).unwrap();
            assert_eq!(evidence.observation.negotiated, Some(format!("shard-{}", place % 3 + 1)));
        }
        for index in 1..=3 {
            let log = out.join(format!("logs/{index}-of-3/ardent.client.log"));
            assert_eq!(fs::read_to_string(log).unwrap(), format!("shard-{index}"));
        }
    }

    #[test]
    fn transcripts_that_do_not_fit_are_reported_and_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (part, Part { record, .. }) = kept(&shards(20, 2)[..1], folder.path()).remove(0);
        let path = part.join("transcripts.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let without = |gone: usize| {
            let left =
                lines.iter().enumerate().filter(|(place, _)| *place != gone).map(|(_, line)| format!("{line}\n"));
            left.collect::<String>()
        };
        for (text, words) in [
            (without(0), "stands where"),
            (without(lines.len() - 1), "line 11: the file ends before its last line, which has the number of cells"),
            (lines[..3].join("\n"), "line 4: the file ends before its last line"),
            (format!("{}\n{text}", lines[0]), "stands where"),
            (text.replace("{\"footer\"", &format!("{}\n{{\"footer\"", lines[0])), "more checks than the record"),
            (text.replace("\"cells\":10", "\"cells\":11"), "line 11: the footer counts 11 cells; the file has 10"),
            (text.replace("{\"footer\"", "{\"foot\""), "line 11: unknown variant `foot`"),
            (text[..text.len() / 2].to_owned(), ": it is cut off: "),
        ] {
            fs::write(&path, text).unwrap();
            let said = check(&part, &record).unwrap_err().to_string();
            assert!(said.contains(words), "{words}: {said}");
        }
        fs::remove_file(&path).unwrap();
        assert!(matches!(check(&part, &record), Err(StoreError::Read { .. })));
        assert!(!folder.path().join("out").exists());
    }

    #[test]
    fn what_fails_on_the_way_leaves_the_earlier_record_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let parts = kept(&shards(20, 2), folder.path());
        let merged = merge(&parts.iter().map(|(_, part)| part.clone()).collect::<Vec<_>>()).unwrap();
        let out = folder.path().join("out");
        keep(&merged, &parts, &out).unwrap();
        let before = contents(&out);
        fs::write(parts[1].0.join("transcripts.jsonl"), "").unwrap();
        assert!(keep(&merged, &parts, &out).is_err());
        let after = contents(&out);
        assert!(before.iter().all(|(file, text)| after.get(file) == Some(text)));
    }
}
