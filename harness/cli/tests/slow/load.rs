//! The load of the machine changes no verdict: a cell that times out is played once more, with four times the time.

use std::num::NonZero;
use std::process::{Child, Command, Stdio};
use std::thread::available_parallelism;

use serde_json::Value;

use crate::workshop::Workshop;

/// Answers the probe at once. It notes each job in a file, does something, and says that it cannot play it.
fn client(work: &str) -> String {
    let script = format!(
        r#"while read -r line; do
  id=${{line#*\"id\":}}; id=${{id%%,*}}
  case $line in *\"scenario\":\"probe\"*) ;; *) echo job >>jobs; {work};; esac
  printf '{{"id":%s,"unsupported":"not today"}}\n' "$id"
done"#
    );
    manifest(&script)
}

/// The manifest of a client that is a shell script.
fn manifest(script: &str) -> String {
    format!(
        "id = \"fake@1.0.0\"\nlanguage = \"sh\"\nabout = \"takes its time\"\nrevisions = [\"2025-11-25\"]\n\
         [client]\ncommand = [\"sh\", \"-c\", '''{script}''']\n"
    )
}

/// Plays one scenario with such a client: the outcome, and how many jobs it got.
fn played(work: &str) -> (String, usize) {
    one_cell(&client(work), ["--timeout=300ms", "--client=fake/peer.toml", "--server=mock/2025-11-25"], "jobs")
}

/// Plays one scenario with a fake peer: the outcome, and how many lines the peer wrote to a file.
fn one_cell(manifest: &str, options: [&str; 3], file: &str) -> (String, usize) {
    let workshop = Workshop::new();
    workshop.write("fake/peer.toml", manifest);
    let run = ["run", "--no-peers", "--scenario=root-type/object", "--transport=stdio"];
    workshop.run(run.into_iter().chain(options));
    let record = workshop.record();
    let cells = record["cells"].as_array().unwrap();
    let [cell] = cells.as_slice() else { panic!("{cells:#?}") };
    let lines = std::fs::read_to_string(workshop.path().join("fake").join(file)).unwrap();
    (cell["outcome"].as_str().unwrap().to_owned(), lines.lines().count())
}

#[test]
fn a_client_that_is_still_at_work_gets_more_time() {
    // The limit for the cell is less than 3 s, and four times that when the client is given more time.
    let work = "end=$(($(date +%s) + 5)); while [ $(date +%s) -lt $end ]; do :; done";
    assert_eq!(played(work), ("unsupported".to_owned(), 2));
}

#[test]
fn a_client_that_never_answers_is_asked_twice() {
    assert_eq!(played("sleep 600"), ("hung".to_owned(), 2));
}

/// Plays one scenario with a server that is a shell script and never says a word: the outcome, and how often it was
/// started. The script finds in `$starts` how often that is.
fn served(work: &str, timeout: &str) -> (String, usize) {
    let script = format!("echo start >>starts; starts=$(grep -c start starts); {work}");
    let manifest = format!(
        "id = \"fake@1.0.0\"\nlanguage = \"sh\"\nabout = \"loads for long\"\nrevisions = [\"2025-11-25\"]\n\
         [server]\nstdio = [\"sh\", \"-c\", '''{script}''']\n"
    );
    one_cell(&manifest, [timeout, "--client=mock/2025-11-25", "--server=fake/peer.toml"], "starts")
}

#[test]
fn a_server_that_is_still_being_loaded_gets_more_time() {
    let work = "while [ $starts -lt 2 ]; do :; done; exit 127";
    assert_eq!(served(work, "--timeout=300ms"), ("unsupported".to_owned(), 2));
}

#[test]
fn a_server_that_never_says_a_word_is_started_twice() {
    assert_eq!(served("sleep 600", "--timeout=500ms"), ("hung".to_owned(), 2));
}

#[test]
fn a_client_that_waits_beside_others_is_asked_again_in_a_process_of_its_own() {
    // One job is never answered, and blocks the process for all others.
    let script = r#"while read -r line; do
  id=${line#*\"id\":}; id=${id%%,*}
  case $line in
    *\"scenario\":\"probe\"*) printf '{"id":%s,"unsupported":"not today"}\n' "$id";;
    *root-type/object*) echo "$line" >>jobs; exec sleep 600;;
    *) echo "$line" >>jobs; sleep 0.2; printf '{"id":%s,"unsupported":"not today"}\n' "$id";;
  esac
done"#;
    let workshop = Workshop::new();
    workshop.write("fake/peer.toml", &manifest(script));
    workshop.run([
        "run",
        "--no-peers",
        "--scenario=root-type/object",
        "--scenario=error-result/conforming",
        "--transport=stdio",
        "--timeout=1s",
        "--client=fake/peer.toml",
        "--server=mock/2025-11-25",
    ]);
    let record = workshop.record();
    let outcomes: Vec<_> = record["cells"].as_array().unwrap().iter().map(|cell| cell["outcome"].clone()).collect();
    assert_eq!(outcomes, ["unsupported", "hung"]);
    let jobs = std::fs::read_to_string(workshop.path().join("fake/jobs")).unwrap();
    let extended = jobs.lines().filter(|job| job.contains(r#""step_ms":4000"#)).count();
    assert!(extended >= 1 && jobs.contains(r#""step_ms":1000"#), "{jobs}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_client_that_takes_too_much_memory_is_ended_and_the_cell_says_so() {
    let workshop = Workshop::new();
    workshop.write("fake/peer.toml", &client("x=$(head -c 209715200 /dev/zero | tr '\\0' x); sleep 600"));
    workshop.run([
        "run",
        "--no-peers",
        "--scenario=root-type/object",
        "--transport=stdio",
        "--timeout=60s",
        "--peer-memory=64MB",
        "--client=fake/peer.toml",
        "--server=mock/2025-11-25",
    ]);
    let record = workshop.record();
    let [cell] = record["cells"].as_array().unwrap().as_slice() else { panic!("{record:#}") };
    assert_eq!(cell["outcome"], "crashed");
    let reason = cell["reason"].as_str().unwrap();
    assert!(reason.contains("it took more than 64 MB of memory, so it was ended (see --peer-memory)"), "{reason}");
}

/// Programs that keep all processors busy until this is dropped.
struct Load(Vec<Child>);

impl Load {
    fn begin() -> Self {
        let programs = 2 * available_parallelism().map_or(2, NonZero::get);
        let program = || Command::new("sh").args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn().unwrap();
        Self((0..programs).map(|_| program()).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for program in &mut self.0 {
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}

/// The cells of a run with the scenarios that compute most or wait, but for their times.
fn cells() -> Vec<Value> {
    let workshop = Workshop::new();
    let scenarios = ["large/ten-megabytes", "limits/*", "lifecycle/*", "concurrency/*"];
    let scenarios = scenarios.map(|glob| format!("--scenario={glob}"));
    let peers = ["mock/dual+auto", "mock/2025-11-25"];
    let peers = peers
        .iter()
        .flat_map(|peer| [format!("--client={peer}"), format!("--server={}", peer.trim_end_matches("+auto"))]);
    workshop.run(["run", "--no-peers"].map(str::to_owned).into_iter().chain(peers).chain(scenarios));
    let mut record = workshop.record();
    assert_eq!(record["complete"], true);
    let cells = record["cells"].as_array_mut().unwrap();
    for cell in cells.iter_mut() {
        cell.as_object_mut().unwrap().remove("duration_us");
    }
    cells.clone()
}

#[test]
fn a_load_beside_a_run_changes_nothing_in_its_record() {
    let quiet = cells();
    let _load = Load::begin();
    let busy = cells();
    assert!(quiet.len() > 60, "{}", quiet.len());
    assert_eq!(quiet.len(), busy.len());
    for (quiet, busy) in quiet.iter().zip(&busy) {
        assert_eq!(quiet, busy);
    }
}
