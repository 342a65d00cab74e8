//! Tests of the lock file: what it keeps, and what is refused as one.

use super::*;

#[test]
fn a_lock_keeps_every_lexeme_and_each_definition_once() {
    let odd = r#"{"name":"a","inputSchema":{"maximum":1.50e400,"const":"\ud800","x":1,"x":2}}"#;
    let lock =
        lock(&[(Revision::V2025_11_25, &[odd, r#"{"name":"b"}"#]), (NOW, &[r#"{"name":"b","title":"B"}"#, odd])]);
    let text = lock.to_text();
    let read = Lock::parse(&text).unwrap();
    assert_eq!((read.to_text(), read.tools.len()), (text, 3));
    assert_eq!(read.tools[0].definition.to_compact(), odd);
    assert_eq!(read, lock);
}

#[rstest]
#[case::no_json("{", "line 1, column 2")]
#[case::something_else(r#"{"name":"package","version":"1"}"#, "no `lock_version`")]
#[case::later(r#"{"lock_version":2,"anything":[]}"#, "Update mcp-compat")]
#[case::half_a_version(r#"{"lock_version":1.5}"#, "not a valid lock: its `lock_version` is 1.5")]
#[case::less_than_a_version(r#"{"lock_version":-1}"#, "not a valid lock: its `lock_version` is -1")]
#[case::a_version_in_words(r#"{"lock_version":"1"}"#, "not a valid lock: its `lock_version` is \"1\"")]
#[case::no_revision(
    r#"{"lock_version":1,"server":{"name":"s","version":"1"},"revisions":[],"tools":[]}"#,
    "not a valid lock: the server speaks no revision"
)]
#[case::half(r#"{"lock_version":1,"server":{"name":"s","version":"1"}}"#, "missing field `revisions`")]
#[case::too_much(
    r#"{"lock_version":1,"server":{"name":"s","version":"1"},"revisions":[],"tools":[],"more":1}"#,
    "unknown field `more`"
)]
#[case::twice(
    r#"{"lock_version":1,"server":{"name":"s","version":"1"},"revisions":["2026-07-28"],"tools":[
       {"revisions":["2026-07-28"],"definition":{"name":"a"}},{"revisions":["2026-07-28"],"definition":{"name":"a","title":"A"}}]}"#,
    "lists \"a\" twice"
)]
#[case::a_revision_that_is_not_spoken(
    r#"{"lock_version":1,"server":{"name":"s","version":"1"},"revisions":[],"tools":[{"revisions":["2026-07-28"],"definition":{"name":"a"}}]}"#,
    "tools do not match its revisions"
)]
fn what_is_no_lock_says_why(#[case] text: &str, #[case] why: &str) {
    let error = Lock::parse(text).unwrap_err().to_string();
    assert!(error.contains(why), "{error}");
}

#[test]
fn a_folder_that_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no").join("such");
    let error = save(&missing.join("l.json"), &lock(&[(NOW, &[])])).unwrap_err().to_string();
    assert!(error.ends_with(&format!("the folder {} does not exist. Create it first", missing.display())), "{error}");
}

#[test]
fn a_lock_is_written_over_its_own_server_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("l.json");
    let first = lock(&[(NOW, &[])]);
    assert!(save(&path, &first).unwrap());
    assert!(!save(&path, &first).unwrap(), "nothing is new");
    assert!(save(&path, &lock(&[(NOW, &[r#"{"name":"a"}"#])])).unwrap());
    let mut other = first.clone();
    other.server.name = "other".to_owned();
    assert!(matches!(save(&path, &other), Err(LockFileError::OtherServer { .. })));
    for broken in ["", "{}", r#"{"lock_version":9}"#] {
        std::fs::write(&path, broken).unwrap();
        assert!(matches!(save(&path, &first), Err(LockFileError::NotALock { .. })), "{broken}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), broken);
    }
}
