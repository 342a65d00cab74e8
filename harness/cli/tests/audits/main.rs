//! Audits of servers from the registries, at pinned releases: the reports are checked in, and each finding in them was
//! checked against the wire. `insta` shows what changed where a report does.
//!
//! What the registries do not give is skipped, with the reason.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so, and why")]

#[path = "../../../compat/tests/integration/skip.rs"]
mod skip;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use insta::Settings;
use skip::skipped;

/// Where the servers are installed: kept from one run to the next.
const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/audits");

/// What says which releases are wanted.
const WANTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/audits");

/// Sets a folder up once for each content of its lock. Gives the folder, or why it cannot be had.
fn set_up(name: &str, lock: &str, files: &[&str], steps: &[&[&str]]) -> Result<PathBuf, String> {
    let folder = Path::new(FOLDER).join(name);
    let wanted = fs::read_to_string(Path::new(WANTED).join(lock)).unwrap();
    let stamp = folder.join("installation-for");
    if fs::read_to_string(&stamp).is_ok_and(|had| had == wanted) {
        return Ok(folder);
    }
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for file in files {
        fs::copy(Path::new(WANTED).join(file), folder.join(file)).unwrap();
    }
    for step in steps {
        let (program, arguments) = step.split_first().unwrap();
        // A program of the folder itself is found from anywhere.
        let program = if program.contains('/') { folder.join(program) } else { PathBuf::from(program) };
        let done = Command::new(&program).args(arguments).current_dir(&folder).output();
        let done = done.map_err(|error| format!("{}: {error}", program.display()))?;
        if !done.status.success() {
            return Err(format!("{step:?}: {}", String::from_utf8_lossy(&done.stderr)));
        }
    }
    fs::write(&stamp, wanted).unwrap();
    Ok(folder)
}

static NODE: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
    let files = ["package.json", "package-lock.json"];
    set_up("node", "package-lock.json", &files, &[&["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]])
});

static PYTHON: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
    let install = ["venv/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
    let install = [&install[..], &["--requirement", "requirements.txt"]].concat();
    set_up("python", "requirements.txt", &["requirements.txt"], &[&["python3", "-m", "venv", "venv"], &install])
});

/// Audits a server and holds the report against the one that is checked in.
fn audit(name: &str, places: &[(&Path, &str)], arguments: &[&str], command: &[&str]) {
    let program = env!("CARGO_BIN_EXE_mcp-compat");
    let done = Command::new(program)
        .args(["audit", "--markdown", "--fail-on", "never"])
        .args(arguments)
        .arg("--")
        .args(command)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let mut report = String::from_utf8(done.stdout).unwrap();
    for (place, stands) in places {
        report = report.replace(&place.display().to_string(), stands);
    }
    let mut settings = Settings::new();
    settings.set_snapshot_path(Path::new(WANTED).join("reports"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, report));
}

/// A server of the Node registry, as a command.
fn of_node(folder: &Path, package: &str) -> String {
    folder.join("node_modules/@modelcontextprotocol").join(package).join("dist/index.js").display().to_string()
}

#[test]
fn server_everything() {
    let folder = match &*NODE {
        Ok(folder) => folder,
        Err(why) => return skipped(format!("server-everything cannot be installed: {why}")),
    };
    let calls = [
        "--call",
        r#"echo={"message":"hello"}"#,
        "--call",
        r#"get-sum={"a":2,"b":3}"#,
        "--call",
        r#"get-structured-content={"location":"Chicago"}"#,
        "--call",
        r#"trigger-long-running-operation={"duration":0.1,"steps":1}"#,
    ];
    audit("server-everything", &[], &calls, &["node", &of_node(folder, "server-everything")]);
}

#[test]
fn server_filesystem() {
    let folder = match &*NODE {
        Ok(folder) => folder,
        Err(why) => return skipped(format!("server-filesystem cannot be installed: {why}")),
    };
    let files = tempfile::tempdir().unwrap();
    let files = files.path().canonicalize().unwrap();
    fs::write(files.join("notes.txt"), "two lines\nof text\n").unwrap();
    let path = files.display();
    let calls = [
        format!(r#"read_text_file={{"path":"{path}/notes.txt"}}"#),
        format!(r#"read_multiple_files={{"paths":["{path}/notes.txt"]}}"#),
        format!(r#"list_directory={{"path":"{path}"}}"#),
        format!(r#"directory_tree={{"path":"{path}"}}"#),
        format!(r#"search_files={{"path":"{path}","pattern":"*.txt"}}"#),
    ];
    let calls: Vec<&str> = calls.iter().flat_map(|call| ["--call", call]).collect();
    let server = of_node(folder, "server-filesystem");
    audit("server-filesystem", &[(&files, "/files")], &calls, &["node", &server, &path.to_string()]);
}

#[test]
fn server_memory() {
    let folder = match &*NODE {
        Ok(folder) => folder,
        Err(why) => return skipped(format!("server-memory cannot be installed: {why}")),
    };
    let kept = tempfile::tempdir().unwrap();
    let file = format!("MEMORY_FILE_PATH={}", kept.path().join("memory.json").display());
    let entity = r#"create_entities={"entities":[{"name":"a","entityType":"b","observations":["c"]}]}"#;
    let calls = [
        "--env",
        &file,
        "--call",
        entity,
        "--call",
        r#"search_nodes={"query":"a"}"#,
        "--call",
        r#"open_nodes={"names":["a"]}"#,
    ];
    audit("server-memory", &[], &calls, &["node", &of_node(folder, "server-memory")]);
}

#[test]
fn mcp_server_time() {
    let folder = match &*PYTHON {
        Ok(folder) => folder,
        Err(why) => return skipped(format!("mcp-server-time cannot be installed: {why}")),
    };
    let server = folder.join("venv/bin/mcp-server-time").display().to_string();
    let calls = [
        "--call",
        r#"get_current_time={"timezone":"UTC"}"#,
        "--call",
        r#"convert_time={"source_timezone":"UTC","time":"12:00","target_timezone":"Asia/Tokyo"}"#,
    ];
    audit("mcp-server-time", &[], &calls, &[&server, "--local-timezone", "UTC"]);
}

#[test]
fn mcp_server_git() {
    let folder = match &*PYTHON {
        Ok(folder) => folder,
        Err(why) => return skipped(format!("mcp-server-git cannot be installed: {why}")),
    };
    let repository = tempfile::tempdir().unwrap();
    let repository = repository.path().canonicalize().unwrap();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"];
        let dates = [("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"), ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")];
        Command::new("git").args(identity).args(arguments).envs(dates).current_dir(&repository).output()
    };
    match git(&["init", "--quiet", "--initial-branch", "main"]) {
        Ok(done) if done.status.success() => {}
        Ok(_) | Err(_) => return skipped("mcp-server-git needs git"),
    }
    assert!(git(&["commit", "--quiet", "--allow-empty", "--message", "first"]).unwrap().status.success());
    let path = repository.display();
    let calls = [
        format!(r#"git_status={{"repo_path":"{path}"}}"#),
        format!(r#"git_log={{"repo_path":"{path}"}}"#),
        format!(r#"git_branch={{"repo_path":"{path}","branch_type":"local"}}"#),
    ];
    let calls: Vec<&str> = calls.iter().flat_map(|call| ["--call", call]).collect();
    let server = folder.join("venv/bin/mcp-server-git").display().to_string();
    audit("mcp-server-git", &[(&repository, "/repository")], &calls, &[&server]);
}
