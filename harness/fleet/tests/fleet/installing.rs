//! Releases are installed once. An installation that fails starts again, one that waits is waited for, and no process is
//! left.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_compat_fleet::{Cache, InstallError, Installation, Installer, Options, Outcome, PeersFolder, Progress, State};
use mcp_compat_model::version::Version;
use tempfile::TempDir;
use tokio::time::timeout;

use crate::processes::{processes, until};

/// Longest time that an installation in these tests may take.
const TIMEOUT: Duration = Duration::from_secs(30);

/// A family whose releases are installed by shell scripts.
struct Sdk {
    folder: TempDir,
}

impl Sdk {
    /// With `setup` as what stands in [setup], and a folder beside that it needs.
    fn new(setup: &str) -> Self {
        let sdk = Self { folder: tempfile::tempdir().unwrap() };
        sdk.write("peers/sh/contract/words", "contract");
        sdk.write("peers/sh/sdk/main.sh", "exit 0");
        sdk.manifest(setup);
        sdk
    }

    fn manifest(&self, setup: &str) {
        let head = "name = \"sdk\"\nversions = \">=1.0.0\"\nlanguage = \"sh\"\nabout = \"an SDK\"\nrevisions = []\n";
        let client = "[client]\ncommand = [\"sh\", \"{home}/main.sh\"]\n";
        self.write("peers/sh/sdk/peer.toml", &format!("{head}{client}[setup]\n{setup}"));
    }

    fn steps(&self, steps: &[&str]) {
        self.manifest(&format!("inputs = [\"{{peer}}/../contract\"]\nsteps = [{}]\n", shell(steps)));
    }

    fn of_steps(steps: &[&str]) -> Self {
        let sdk = Self::new("steps = [[\"true\"]]\n");
        sdk.steps(steps);
        sdk
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.at(path)).unwrap_or_default()
    }

    fn release(&self, version: &str) -> Installation {
        let version = Version::parse(version).unwrap();
        Installation::of_manifest(
            &self.at("peers/sh/sdk/peer.toml"),
            Some(&version),
            &Cache::of_project(&self.at("kept")),
        )
        .unwrap()
    }
}

/// Scripts as a list of commands.
fn shell(scripts: &[&str]) -> String {
    scripts.iter().map(|script| format!("[\"sh\", \"-c\", '''{script}''']")).collect::<Vec<_>>().join(", ")
}

fn installer() -> Installer {
    Installer::new(Options { pause: Duration::from_millis(1), ..Options::default() })
}

async fn install(release: &Installation) -> Result<Outcome, InstallError> {
    timeout(TIMEOUT, installer().install(release, |_| {})).await.unwrap()
}

async fn installed(release: &Installation) -> (Result<Outcome, InstallError>, Vec<Progress>) {
    let mut steps = Vec::new();
    let outcome = timeout(TIMEOUT, installer().install(release, |step| steps.push(step))).await.unwrap();
    (outcome, steps)
}

#[tokio::test]
async fn a_release_is_set_up_once_in_a_copy_beside_the_others() {
    let sdk = Sdk::of_steps(&["echo {version} >> {build}/log", "cat ../contract/words > words"]);
    let (one, two) = (sdk.release("1.0.0"), sdk.release("2.0.0-rc.1"));
    assert_eq!(one.state().unwrap(), State::Absent);
    assert_eq!(install(&one).await.unwrap(), Outcome::Installed);
    assert_eq!(install(&one).await.unwrap(), Outcome::AlreadyThere);
    assert_eq!(install(&two).await.unwrap(), Outcome::Installed);
    assert_eq!(sdk.read("kept/sh/log"), "1.0.0\n2.0.0-rc.1\n");
    assert_eq!((one.id().as_str(), two.id().as_str()), ("sdk@1.0.0", "sdk@2.0.0-rc.1"));
    assert_eq!(fs::read_to_string(one.home().join("words")).unwrap(), "contract");
    assert_ne!(one.home(), two.home());
    assert!(!sdk.at("peers/sh/sdk/words").exists(), "the adapter's own folder stays as it is");
}

#[tokio::test]
async fn it_is_set_up_again_when_its_adapter_or_what_that_needs_has_changed() {
    let sdk = Sdk::of_steps(&["echo x >> {build}/log"]);
    let release = sdk.release("1.0.0");
    install(&release).await.unwrap();
    for (number, file) in ["sdk/main.sh", "sdk/new", "contract/words"].iter().enumerate() {
        sdk.write(&format!("peers/sh/{file}"), "changed");
        assert_eq!(release.state().unwrap(), State::Stale);
        install(&release).await.unwrap();
        assert_eq!(sdk.read("kept/sh/log").lines().count(), number + 2);
    }
}

#[tokio::test]
async fn it_is_set_up_again_when_what_it_produced_is_gone() {
    let sdk = Sdk::new(&format!("steps = [{}]\nproduces = \"{{home}}/program\"\n", shell(&["touch program"])));
    let release = sdk.release("1.0.0");
    install(&release).await.unwrap();
    fs::remove_file(release.home().join("program")).unwrap();
    assert_eq!(release.state().unwrap(), State::Stale);
    install(&release).await.unwrap();
    sdk.manifest(&format!("steps = [{}]\nproduces = \"{{home}}/program\"\n", shell(&["true"])));
    let error = install(&sdk.release("1.0.0")).await.unwrap_err().to_string();
    assert!(error.contains("all its commands succeeded") && error.contains("program does not exist"), "{error}");
}

#[tokio::test]
async fn a_set_up_in_place_runs_once_and_again_when_the_peer_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("peer.toml");
    let text = "id = \"p@1\"\nlanguage = \"sh\"\nabout = \"a peer\"\nrevisions = []\n[client]\ncommand = [\"true\"]\n\
                [setup]\ncommand = [\"sh\", \"-c\", 'echo x >> {build}/runs']\n";
    fs::write(&path, text).unwrap();
    let kept = tempfile::tempdir().unwrap();
    let release = Installation::of_manifest(&path, None, &Cache::of_project(kept.path())).unwrap();
    for _ in 0..2 {
        install(&release).await.unwrap();
    }
    fs::write(folder.path().join("main.rs"), "changed").unwrap();
    assert!(!release.is_ready().unwrap());
    install(&release).await.unwrap();
    assert_eq!(fs::read_to_string(kept.path().join("sh/runs")).unwrap(), "x\nx\n");
}

#[tokio::test]
async fn what_fails_is_told_with_its_last_lines_and_its_log_and_is_begun_anew() {
    let sdk = Sdk::of_steps(&["touch half; echo noise; echo no compiler >&2; exit 3"]);
    let release = sdk.release("1.0.0");
    let (outcome, steps) = installed(&release).await;
    let error = outcome.unwrap_err();
    let InstallError::Failed { tail, log, .. } = &error else { panic!("{error}") };
    assert_eq!(tail, "noise\nno compiler");
    assert!(fs::read_to_string(log).unwrap().ends_with("noise\nno compiler\n"));
    assert!(error.to_string().contains("ended with exit status 3"), "{error}");
    assert_eq!(steps.last(), Some(&Progress::Failed));
    assert_eq!(release.state().unwrap(), State::Unfinished);
    sdk.steps(&["test ! -e half"]);
    assert_eq!(install(&sdk.release("1.0.0")).await.unwrap(), Outcome::Installed);
}

#[tokio::test]
async fn a_registry_that_does_not_answer_is_asked_three_times_at_most() {
    let script = "echo x >> {build}/tries; if test $(wc -l < {build}/tries) -lt $(cat {build}/needed); then \
                  echo npm error code ETIMEDOUT >&2; exit 1; fi";
    let sdk = Sdk::of_steps(&[script]);
    for (needed, succeeds) in [("3", true), ("4", false)] {
        sdk.write("kept/sh/tries", "");
        sdk.write("kept/sh/needed", needed);
        let (outcome, steps) = installed(&sdk.release(&format!("1.0.{needed}"))).await;
        let again = steps.iter().filter(|step| matches!(step, Progress::Again { of: 3, .. })).count();
        assert_eq!((outcome.is_ok(), again), (succeeds, 2), "{outcome:?}");
        if let Err(error) = outcome {
            assert!(matches!(error, InstallError::Unreachable { tries: 3, .. }), "{error}");
            assert!(error.to_string().contains("did not answer"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_registry_that_says_no_is_asked_once() {
    let sdk = Sdk::of_steps(&["echo x >> {build}/tries; echo No matching version found for sdk@1.0.0 >&2; exit 1"]);
    let error = install(&sdk.release("1.0.0")).await.unwrap_err().to_string();
    assert!(error.contains("No matching version found"), "{error}");
    assert_eq!(sdk.read("kept/sh/tries"), "x\n");
}

#[tokio::test]
async fn a_checked_in_lock_file_is_put_into_the_copy_and_has_steps_of_its_own() {
    let setup = format!(
        "lock = [\"a.lock\", \"deep/b.lock\"]\nlocked = [{}]\nsteps = [{}]\n",
        shell(&["cat a.lock deep/b.lock > got"]),
        shell(&["mkdir -p deep; echo {version} > a.lock; echo b > deep/b.lock; echo resolved > got"])
    );
    let sdk = Sdk::new(&setup);
    sdk.write("peers/sh/sdk/locks/1.0.0/a.lock", "A");
    sdk.write("peers/sh/sdk/locks/1.0.0/deep/b.lock", "B");
    let got = |release: &Installation| fs::read_to_string(release.home().join("got")).unwrap();
    let (locked, free) = (sdk.release("1.0.0"), sdk.release("1.1.0"));
    install(&locked).await.unwrap();
    install(&free).await.unwrap();
    assert_eq!((got(&locked).as_str(), got(&free).as_str()), ("AB", "resolved\n"));

    sdk.write("peers/sh/sdk/locks/1.1.0/a.lock", "A");
    let error = install(&sdk.release("1.1.0")).await.unwrap_err().to_string();
    assert!(error.contains("1.1.0/a.lock exists, but") && error.contains("deep/b.lock does not"), "{error}");

    let locking = Installer::new(Options { lock: true, ..Options::default() });
    for release in [&locked, &free] {
        assert_eq!(locking.install(release, |_| {}).await.unwrap(), Outcome::Installed);
        assert_eq!(got(release), "resolved\n");
        assert_eq!(release.state().unwrap(), State::Ready);
    }
    assert_eq!(sdk.read("peers/sh/sdk/locks/1.0.0/a.lock"), "1.0.0\n");
    assert_eq!(sdk.read("peers/sh/sdk/locks/1.1.0/deep/b.lock"), "b\n");
    let none = Sdk::of_steps(&["true"]);
    let error = locking.install(&none.release("1.0.0"), |_| {}).await.unwrap_err().to_string();
    assert!(error.contains("its manifest has no `lock`"), "{error}");
}

#[tokio::test]
async fn a_tool_that_is_missing_is_told_before_anything_is_done() {
    let sdk =
        Sdk::new("steps = [[\"touch\", \"{build}/ran\"]]\n[[tool]]\ncommand = [\"no-such-tool\"]\nget = \"it\"\n");
    let release = sdk.release("1.0.0");
    let error = install(&release).await.unwrap_err();
    assert_eq!(error.to_string(), "cannot install sdk@1.0.0: `no-such-tool` is missing. Install it");
    assert_eq!(release.state().unwrap(), State::Absent);
    assert!(!sdk.at("kept/sh/ran").exists());
}

#[tokio::test]
async fn two_at_once_wait_for_each_other_and_do_it_once() {
    let sdk = Sdk::of_steps(&["echo x >> {build}/log; while test ! -e {build}/go; do sleep 0.02; done"]);
    let release = sdk.release("1.0.0");
    let waiting = |step| {
        if step == Progress::Waiting {
            sdk.write("kept/sh/go", "");
        }
    };
    let (installer, other) = (installer(), installer());
    let both = async {
        let first = installer.install(&release, |_| {});
        let second = async {
            until(|| !sdk.read("kept/sh/log").is_empty(), || "the first did not begin".to_owned()).await;
            other.install(&release, waiting).await
        };
        tokio::join!(first, second)
    };
    let (first, second) = timeout(TIMEOUT, both).await.unwrap();
    assert_eq!((first.unwrap(), second.unwrap()), (Outcome::Installed, Outcome::AlreadyThere));
    assert_eq!(sdk.read("kept/sh/log"), "x\n");
}

#[tokio::test]
async fn a_command_that_takes_long_is_reported_until_it_ends() {
    let sdk = Sdk::of_steps(&["echo compiling; while test ! -e {build}/go; do sleep 0.02; done"]);
    let release = sdk.release("1.0.0");
    let often = Installer::new(Options { report_every: Duration::from_millis(20), ..Options::default() });
    let mut reports = 0;
    let notice = |step| {
        if let Progress::StillRunning { command, elapsed, last_line } = step {
            assert!(command.starts_with("sh -c echo compiling;"), "{command}");
            assert!(elapsed >= Duration::from_millis(20), "{elapsed:?}");
            // Under load the shell may not have begun by the first report.
            if last_line.as_deref() == Some("compiling") {
                reports += 1;
            }
            if reports == 3 {
                sdk.write("kept/sh/go", "");
            }
        }
    };
    let outcome = timeout(TIMEOUT, often.install(&release, notice)).await.unwrap();
    assert_eq!(outcome.unwrap(), Outcome::Installed);
    assert!(reports >= 3, "{reports}");
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_ended_with_all_that_it_started() {
    let sdk = Sdk::of_steps(&["trap '' TERM; export MARK={build}; echo begun; sleep 600 & sleep 600"]);
    let hurried = Installer::new(Options { command_timeout: Duration::from_millis(200), ..Options::default() });
    let release = sdk.release("1.0.0");
    let error = timeout(TIMEOUT, hurried.install(&release, |_| {})).await.unwrap().unwrap_err();
    assert!(matches!(&error, InstallError::TimedOut { tail, .. } if tail == "begun"), "{error}");
    until(|| processes(&sdk.at("kept/sh")).is_empty(), || "left behind".to_owned()).await;
}

#[tokio::test]
async fn one_that_is_dropped_leaves_no_process_and_is_begun_anew() {
    let sdk = Sdk::of_steps(&["trap '' TERM; export MARK={build}; sleep 600 & sleep 600"]);
    let release = sdk.release("1.0.0");
    let there = || !processes(&sdk.at("kept/sh")).is_empty();
    tokio::select! {
        outcome = install(&release) => panic!("{outcome:?}"),
        () = until(there, || "it did not begin".to_owned()) => {}
    }
    until(|| !there(), || "left behind".to_owned()).await;
    assert_eq!(release.state().unwrap(), State::Unfinished);
    sdk.steps(&["true"]);
    assert_eq!(install(&sdk.release("1.0.0")).await.unwrap(), Outcome::Installed);
}

#[tokio::test]
async fn of_many_those_of_a_language_follow_each_other_and_none_keeps_another_from_it() {
    let sdk = Sdk::of_steps(&["mkdir {build}/busy && sleep 0.05 && rmdir {build}/busy && test {version} != 1.0.1"]);
    let wanted: Vec<_> = ["1.0.2", "1.0.1", "1.0.0"].map(|version| sdk.release(version)).to_vec();
    let steps = Arc::new(Mutex::new(Vec::new()));
    let watch = Arc::clone(&steps);
    let watch = Arc::new(move |peer: &Installation, step| watch.lock().unwrap().push((peer.id().to_string(), step)));
    let outcomes = timeout(TIMEOUT, Arc::new(installer()).install_all(wanted, 8, watch)).await.unwrap();
    let ids: Vec<_> = outcomes.iter().map(|(peer, outcome)| (peer.id().as_str(), outcome.is_ok())).collect();
    assert_eq!(ids, [("sdk@1.0.2", true), ("sdk@1.0.1", false), ("sdk@1.0.0", true)]);
    let steps = steps.lock().unwrap();
    assert!(!steps.iter().any(|(_, step)| *step == Progress::Waiting), "they are not in each other's way: {steps:?}");
    assert_eq!(steps.iter().filter(|(_, step)| *step == Progress::Done).count(), 2);
}

#[tokio::test]
async fn what_is_removed_is_gone_and_the_others_stay() {
    let sdk = Sdk::of_steps(&["true"]);
    let (one, two) = (sdk.release("1.0.0"), sdk.release("2.0.0"));
    for release in [&one, &two] {
        install(release).await.unwrap();
    }
    one.remove(|| {}).await.unwrap();
    assert_eq!((one.state().unwrap(), two.state().unwrap()), (State::Absent, State::Ready));
    assert!(!one.home().exists() && Path::new(two.home()).exists());
    one.remove(|| {}).await.unwrap();
}

#[tokio::test]
async fn two_versions_of_an_adapter_share_a_cache_and_lose_nothing() {
    let (older, newer) = (Sdk::of_steps(&["touch {home}/older"]), Sdk::of_steps(&["touch {home}/newer"]));
    let kept = tempfile::tempdir().unwrap();
    let cache = Cache::shared(kept.path());
    let version = Version::parse("1.0.0").unwrap();
    let release =
        |sdk: &Sdk| Installation::of_manifest(&sdk.at("peers/sh/sdk/peer.toml"), Some(&version), &cache).unwrap();
    for sdk in [&older, &newer] {
        assert_eq!(release(sdk).state().unwrap(), State::Absent);
        release(sdk).install(|_| {}).await.unwrap();
    }
    for (sdk, file) in [(&older, "older"), (&newer, "newer")] {
        let release = release(sdk);
        assert_eq!(release.state().unwrap(), State::Ready);
        assert!(release.home().join(file).exists() && release.bytes() > 0);
    }
    // Each of the two sees the installation of the other as a leftover.
    let folder = PeersFolder::read(&older.at("peers"), &cache).unwrap();
    let leftovers = cache.remove(|| folder.leftovers(), || ()).await.unwrap();
    assert_eq!(leftovers.len(), 1);
    assert!(release(&newer).home().starts_with(&leftovers[0].path));
    assert_eq!(release(&older).state().unwrap(), State::Ready);
    assert_eq!(release(&newer).state().unwrap(), State::Absent);
    assert_eq!(cache.contents().len(), 2, "the releases and their logs");
}

#[tokio::test]
async fn what_was_interrupted_or_is_out_of_date_can_go() {
    let sdk = Sdk::of_steps(&["true"]);
    let cache = Cache::of_project(&sdk.at("kept"));
    sdk.release("1.0.0").install(|_| {}).await.unwrap();
    let folder = PeersFolder::read(&sdk.at("peers"), &cache).unwrap();
    assert_eq!(folder.leftovers(), []);
    for left in
        ["kept/homes/sdk/1.2.0/sdk/x", "kept/homes/sdk/1.3.0.part/x", "kept/removing-1-0/x", "kept/unpacking-1/x"]
    {
        sdk.write(left, "");
    }
    let left = folder.leftovers().into_iter().map(|left| left.path.file_name().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(left, ["removing-1-0", "1.2.0", "1.3.0.part"], "what is being unpacked is not left");
    sdk.write("peers/sh/sdk/main.sh", "exit 1");
    assert_eq!(folder.leftovers().len(), 4, "its adapter has changed");
}
