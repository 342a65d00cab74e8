//! Audits of servers from the registries, at pinned releases and with the clients of real SDKs: the reports are checked in,
//! and each finding in them was checked against the wire. `insta` shows what changed where a report does. README.md has one
//! line for each report.
//!
//! They take minutes, so `.ci/slow` runs them. What the registries do not give is skipped, with the reason.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says so, and why")]

#[path = "../../../compat/tests/integration/skip.rs"]
mod skip;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

use insta::Settings;
use skip::skipped;

/// Where the servers are installed: kept from one run to the next.
const FOLDER: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/audits");

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_mcp-compat");

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
        let file = Path::new(WANTED).join(file);
        fs::copy(&file, folder.join(file.file_name().unwrap())).unwrap();
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

/// How packages of the Node registry are installed.
const NPM: &[&str] = &["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=optional"];

static NODE: LazyLock<Result<PathBuf, String>> =
    LazyLock::new(|| set_up("node", "package-lock.json", &["package.json", "package-lock.json"], &[NPM]));

/// More servers, with what npm gives them beside each other.
static MORE: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
    set_up("node-more", "npm/package-lock.json", &["npm/package.json", "npm/package-lock.json"], &[NPM])
});

/// A folder of Python packages, each at the release that the file says.
fn python(name: &str, requirements: &str) -> Result<PathBuf, String> {
    let install = ["venv/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
    let install = [&install[..], &["--requirement", requirements]].concat();
    set_up(name, requirements, &[requirements], &[&["python3", "-m", "venv", "venv"], &install])
}

/// Servers on the SDK 2.x.
static PYTHON: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| python("python", "requirements.txt"));

/// Servers on the SDK 1.x.
static PYTHON_1: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| python("python-1", "requirements-1.txt"));

/// The releases whose clients the reports are of.
const RELEASES: [&str; 10] = [
    "rmcp@3.11.0",
    "python@2.3.0",
    "python@1.30.0",
    "python@1.28.1",
    "go@1.8.0",
    "typescript@2.4.0",
    "typescript@1.32.2",
    "typescript@1.25.3",
    "typescript@1.18.2",
    "typescript@1.12.3",
];

/// The clients of the reports: the mocks, the releases, and the profiles that are compared with them.
const CLIENTS: &str = "{mock/*,profile/go@*,profile/typescript@*,profile/python@*,profile/rmcp@*}";

/// Installs the releases, once. The error says why it cannot be done.
static FLEET: LazyLock<Result<(), String>> = LazyLock::new(|| {
    let done = Command::new(PROGRAM).args(["peers", "install", "--timeout", "15m"]).args(RELEASES).output().unwrap();
    match done.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&done.stderr).into_owned()),
    }
});

/// One audit at a time: the clients of ten SDKs are busy enough.
static TURN: Mutex<()> = Mutex::new(());

/// Audits a server and compares the report with the one that is checked in.
fn audit(name: &str, places: &[(&Path, &str)], arguments: &[&str], command: &[&str]) {
    if let Err(why) = &*FLEET {
        return skipped(format!("the clients of {name} cannot be installed: {why}"));
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let releases = RELEASES.iter().flat_map(|release| ["--against".to_owned(), format!("{release}*")]);
    let done = Command::new(PROGRAM)
        .args(["audit", "--fleet", "--markdown", "--notes", "--fail-on", "never", "--against", CLIENTS])
        .args(releases)
        .args(arguments)
        .arg("--")
        .args(command)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let mut report = String::from_utf8(done.stdout).unwrap();
    for (place, stands) in places.iter().chain(&[(Path::new(env!("CARGO_TARGET_TMPDIR")), "DOWNLOADS")]) {
        report = report.replace(&place.display().to_string(), stands);
    }
    let mut settings = Settings::new();
    settings.set_snapshot_path(Path::new(WANTED).join("reports"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, report));
}

/// The options that call the tools.
fn calls(calls: &[&str]) -> Vec<String> {
    calls.iter().flat_map(|call| ["--call".to_owned(), (*call).to_owned()]).collect()
}

/// A file of a package of the Node registry.
fn of_node(folder: &Path, file: &str) -> String {
    folder.join("node_modules").join(file).display().to_string()
}

/// The folder of the packages, or nothing where the test is skipped.
macro_rules! installed {
    ($folder:expr, $name:literal) => {
        match &$folder {
            Ok(folder) => folder.clone(),
            Err(why) => return skipped(format!("{} is not audited: {why}", $name)),
        }
    };
}

#[test]
fn server_everything() {
    let folder = installed!(*NODE, "server-everything");
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
    audit(
        "server-everything",
        &[],
        &calls,
        &["node", &of_node(&folder, "@modelcontextprotocol/server-everything/dist/index.js")],
    );
}

#[test]
fn server_filesystem() {
    let folder = installed!(*NODE, "server-filesystem");
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
    let server = of_node(&folder, "@modelcontextprotocol/server-filesystem/dist/index.js");
    audit("server-filesystem", &[(&files, "/files")], &calls, &["node", &server, &path.to_string()]);
}

#[test]
fn server_memory() {
    let folder = installed!(*NODE, "server-memory");
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
    audit(
        "server-memory",
        &[],
        &calls,
        &["node", &of_node(&folder, "@modelcontextprotocol/server-memory/dist/index.js")],
    );
}

#[test]
fn mcp_server_time() {
    let folder = installed!(*PYTHON, "mcp-server-time");
    let server = folder.join("venv/bin/mcp-server-time").display().to_string();
    let calls = [
        "--call",
        r#"get_current_time={"timezone":"UTC"}"#,
        "--call",
        r#"convert_time={"source_timezone":"UTC","time":"12:00","target_timezone":"Asia/Tokyo"}"#,
    ];
    audit("mcp-server-time", &[], &calls, &[&server, "--local-timezone", "UTC"]);
}

/// Makes a repository with one commit. Returns whether that could be done.
fn is_repository(folder: &Path) -> bool {
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"];
        let dates = [("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"), ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")];
        let done = Command::new("git").args(identity).args(arguments).envs(dates).current_dir(folder).output();
        done.is_ok_and(|done| done.status.success())
    };
    fs::write(folder.join("a.txt"), "hello\n").unwrap();
    git(&["init", "--quiet", "--initial-branch", "main"])
        && git(&["add", "a.txt"])
        && git(&["commit", "--quiet", "--message", "first"])
}

#[test]
fn mcp_server_git() {
    let folder = installed!(*PYTHON, "mcp-server-git");
    let repository = tempfile::tempdir().unwrap();
    let repository = repository.path().canonicalize().unwrap();
    if !is_repository(&repository) {
        return skipped("mcp-server-git needs git");
    }
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

#[test]
fn server_sequential_thinking() {
    let folder = installed!(*MORE, "server-sequential-thinking");
    let call = r#"sequentialthinking={"thought":"a","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}"#;
    let server = of_node(&folder, "@modelcontextprotocol/server-sequential-thinking/dist/index.js");
    audit("server-sequential-thinking", &[], &["--call", call], &["node", &server]);
}

#[test]
fn server_scenario_modeler() {
    let folder = installed!(*MORE, "server-scenario-modeler");
    let server = of_node(&folder, "@modelcontextprotocol/server-scenario-modeler/dist/index.js");
    audit("server-scenario-modeler", &[], &["--call", "get-scenario-data={}"], &["node", &server, "--stdio"]);
}

#[test]
fn server_pdf() {
    let folder = installed!(*MORE, "server-pdf");
    let files = tempfile::tempdir().unwrap();
    let files = files.path().canonicalize().unwrap();
    let file = files.join("page.pdf").display().to_string();
    fs::write(&file, "%PDF-1.4\n").unwrap();
    let read = format!(r#"read_pdf_bytes={{"url":"{file}"}}"#);
    let server = of_node(&folder, "@modelcontextprotocol/server-pdf/dist/index.js");
    let options = calls(&["list_pdfs={}", &read]);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    audit("server-pdf", &[(&files, "/files")], &options, &["node", &server, "--stdio", &file]);
}

#[test]
fn cyanheads_git_mcp_server() {
    let folder = installed!(*MORE, "@cyanheads/git-mcp-server");
    let repository = tempfile::tempdir().unwrap();
    let repository = repository.path().canonicalize().unwrap();
    if !is_repository(&repository) {
        return skipped("@cyanheads/git-mcp-server needs git");
    }
    let with = |tool: &str, more: &str| format!(r#"{tool}={{"path":"{}"{more}}}"#, repository.display());
    let all = [
        with("git_status", ""),
        with("git_log", ""),
        with("git_diff", ""),
        with("git_show", r#","object":"HEAD""#),
        with("git_blame", r#","filePath":"a.txt""#),
        with("git_reflog", ""),
        with("git_tag", r#","mode":"list""#),
        r#"git_wrapup_instructions={"acknowledgement":"Y"}"#.to_owned(),
    ];
    let options = calls(&all.iter().map(String::as_str).collect::<Vec<_>>());
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let server = of_node(&folder, "@cyanheads/git-mcp-server/dist/index.js");
    audit("cyanheads-git-mcp-server", &[(&repository, "/repository")], &options, &["node", &server]);
}

#[test]
fn mongodb_mcp_server() {
    let folder = installed!(*MORE, "mongodb-mcp-server");
    // The other tools ask the network.
    let tools = "{aggregate*,co*,db-stats,disconnect,explain,export,find,list-c*,list-d*,mongodb-logs}";
    let server = of_node(&folder, "mongodb-mcp-server/dist/esm/index.js");
    let options = ["--tool", tools, "--call", "list-connections={}", "--env", "MDB_MCP_TELEMETRY=disabled"];
    audit("mongodb-mcp-server", &[], &options, &["node", &server, "--readOnly"]);
}

#[test]
fn n8n_mcp() {
    let folder = installed!(*MORE, "n8n-mcp");
    let home = tempfile::tempdir().unwrap();
    let home = format!("HOME={}", home.path().display());
    let calls = calls(&[
        r#"search_nodes={"query":"http"}"#,
        r#"get_node={"nodeType":"nodes-base.httpRequest"}"#,
        r#"validate_node={"nodeType":"nodes-base.httpRequest","config":{"url":"https://example.org"}}"#,
        r#"validate_workflow={"workflow":{"nodes":[],"connections":{}}}"#,
    ]);
    let mut options = vec!["--env", &home, "--env", "N8N_MCP_TELEMETRY_DISABLED=true"];
    options.extend(calls.iter().map(String::as_str));
    let server = of_node(&folder, "n8n-mcp/dist/mcp/stdio-wrapper.js");
    audit("n8n-mcp", &[], &options, &["node", &server]);
}

#[test]
fn excel_mcp_server() {
    let folder = installed!(*PYTHON, "excel-mcp-server");
    let files = tempfile::tempdir().unwrap();
    let files = files.path().canonicalize().unwrap();
    let make = "import openpyxl\nbook = openpyxl.Workbook()\nsheet = book.active\nsheet.title = 'Sheet1'\n\
                sheet.append(['a', 'b'])\nsheet.append([1, '=A2*2'])\nbook.save('book.xlsx')";
    let made = Command::new(folder.join("venv/bin/python")).args(["-c", make]).current_dir(&files).status();
    assert!(made.unwrap().success());
    let calls = calls(&[
        "list_workbooks={}",
        r#"describe_workbook={"path":"book.xlsx"}"#,
        r#"describe_sheet={"path":"book.xlsx","sheet":"Sheet1"}"#,
        r#"read_range={"path":"book.xlsx","sheet":"Sheet1"}"#,
        r#"find_cells={"path":"book.xlsx","query":"a"}"#,
        r#"trace_formula={"path":"book.xlsx","sheet":"Sheet1","range":"B2","direction":"precedents"}"#,
        r#"read_vba={"path":"book.xlsx"}"#,
    ]);
    let path = format!("EXCEL_FILES_PATH={}", files.display());
    let mut options = vec!["--env", &path];
    options.extend(calls.iter().map(String::as_str));
    let server = folder.join("venv/bin/excel-mcp-server").display().to_string();
    audit("excel-mcp-server", &[(&files, "/files")], &options, &[&server, "stdio"]);
}

#[test]
fn duckduckgo_mcp_server() {
    let folder = installed!(*PYTHON, "duckduckgo-mcp-server");
    // The server refuses both without asking the network.
    let options =
        ["--call", r#"fetch_content={"url":"http://127.0.0.1:9/"}"#, "--call", r#"expand_link={"token":"x"}"#];
    let server = folder.join("venv/bin/duckduckgo-mcp-server").display().to_string();
    audit("duckduckgo-mcp-server", &[], &options, &[&server]);
}

#[test]
fn mcp_server_motherduck() {
    let folder = installed!(*PYTHON, "mcp-server-motherduck");
    let options = ["--call", r#"list_columns={"table":"missing"}"#];
    let server = folder.join("venv/bin/mcp-server-motherduck").display().to_string();
    audit("mcp-server-motherduck", &[], &options, &[&server, "--db-path", ":memory:", "--read-write"]);
}

#[test]
fn mcp_server_calculator() {
    let folder = installed!(*PYTHON_1, "mcp-server-calculator");
    let options = ["--call", r#"calculate={"expression":"2*(3+4)"}"#];
    let server = folder.join("venv/bin/mcp-server-calculator").display().to_string();
    audit("mcp-server-calculator", &[], &options, &[&server]);
}

/// The last line of a report: what it found.
fn headline(report: &str) -> Option<&str> {
    report.lines().find_map(|line| line.strip_prefix("**OK** ").or_else(|| line.strip_prefix("**FAILED** ")))
}

#[test]
fn the_page_has_a_line_for_each_report() {
    let page = fs::read_to_string(Path::new(WANTED).join("README.md")).unwrap();
    for report in fs::read_dir(Path::new(WANTED).join("reports")).unwrap() {
        let path = report.unwrap().path();
        let file = path.file_name().unwrap().to_str().unwrap().to_owned();
        // What a test that failed has left.
        if file.ends_with(".snap.new") {
            continue;
        }
        let row = page.lines().find(|line| line.contains(&format!("(reports/{file})")));
        let row = row.unwrap_or_else(|| panic!("README.md has no line for {file}"));
        let text = fs::read_to_string(&path).unwrap();
        let headline = headline(&text).unwrap().replace('`', "");
        assert!(row.contains(&headline), "{file}: {headline}\n{row}");
    }
}
