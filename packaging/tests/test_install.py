"""Each artefact, installed from its local file into an empty environment, does what the README says it does.

`PACKAGES=FOLDER` names the artefacts, which `packaging/build artefacts` made for this machine. Real servers come from the
registries. An installation, an audit of a server and a run among the mocks each have ten seconds; Rust is not on the PATH.
"""

import hashlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from environment import TOOLS_OF_NODE, Environment, Ran, Registry, Servers, manifest, packages  # noqa: E402

LIMIT = float(os.environ.get("PACKAGES_LIMIT", "10"))
# One of the tools of server-everything takes ten seconds, as long as nobody says otherwise.
EVERYTHING_TAKES = 10
SERVERS = Servers()
MEASURED = []


def setUpModule() -> None:
    SERVERS.everything()
    SERVERS.time()


def tearDownModule() -> None:
    print("\n" + "\n".join(MEASURED))


def only(pattern: str, folder: str) -> Path:
    """The one file with such a name."""
    found = sorted((packages() / folder).glob(pattern))
    if len(found) != 1:
        raise AssertionError(f"{packages() / folder} has {len(found)} files {pattern}: run `packaging/build artefacts` first")
    return found[0]


def tarballs() -> list:
    own = next(path for path in (packages() / "npm").glob("*.tgz") if manifest(path)["name"] == "mcp-compat")
    version = manifest(own)["version"]
    system = {"linux": "linux", "darwin": "darwin"}[sys.platform]
    cpu = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}[os.uname().machine]
    return [own, only(f"mcp-compat-{system}-{cpu}-{version}.tgz", "npm")]


class Installed(unittest.TestCase):
    def measured(self, what: str, ran: Ran, statuses=(0,), server_takes=0) -> Ran:
        """Checks a command that has ten seconds, beside what a server takes."""
        self.assertIn(ran.status, statuses, f"{what}: {ran}")
        self.assertLess(ran.seconds, LIMIT + server_takes, f"{what} took {ran.seconds:.1f} s")
        MEASURED.append(f"{ran.seconds:6.2f} s  {what}")
        return ran

    def audits_and_runs(self, how: str, env: Environment, *program, tools=()) -> None:
        """The two commands of the README, with this program."""
        for rust in ("cargo", "rustc", "rustup"):
            self.assertIsNone(shutil.which(rust, path=str(env.path)))
        shown = self.measured(f"{how}: --version", env.run(*program, "--version"))
        self.assertRegex(shown.out, r"^mcp-compat \d+\.\d+\.\d+\n$")
        # A finding is status 1.
        ran = env.run(*program, "audit", "--", *SERVERS.everything())
        self.measured(f"{how}: audit of server-everything", ran, (0, 1), EVERYTHING_TAKES)
        self.assertRegex(ran.out, r", stdio, \d{4}-\d\d-\d\d")
        ran = self.measured(f"{how}: audit of mcp-server-time", env.run(*program, "audit", "--", *SERVERS.time()), (0, 1))
        self.assertRegex(ran.out, r", stdio, \d{4}-\d\d-\d\d")
        self.runs(how, env, *program)

    def runs(self, how: str, env: Environment, *program) -> None:
        ran = self.measured(f"{how}: run --no-peers", env.run(*program, "run", "--no-peers", "--out", "record"))
        self.assertRegex(ran.out, r"scenarios, \d+ clients")
        self.assertTrue((env.work / "record/run.json").is_file())


class Npm(Installed):
    FLAGS = ("--no-audit", "--no-fund", "--silent")

    def test_npx_takes_the_package_of_this_platform_from_a_registry(self):
        with Environment(*TOOLS_OF_NODE) as env, Registry(tarballs()) as registry:
            npx = ("npx", "--yes", "--registry", registry.address, "mcp-compat")
            first = env.run(*npx, "audit", "--", *SERVERS.everything())
            self.measured("npx: install, and audit of server-everything", first, (0, 1), EVERYTHING_TAKES)
            self.audits_and_runs("npx", env, *npx)

    def test_local_files(self):
        with Environment(*TOOLS_OF_NODE) as env, Registry(tarballs()) as registry:
            from_files = ("npm", "install", *self.FLAGS, "--registry", registry.address, *tarballs())
            self.measured("npm: install of the local files", env.run(*from_files))
            installed = sorted(path.name for path in (env.work / "node_modules/@mcp-compat").iterdir())
            self.assertEqual(len(installed), 1, installed)
            self.audits_and_runs("npm", env, "npx", "mcp-compat")
            self.assertEqual(env.run("npx", "mcp-compat", "nonsense").status, 2)

    def test_no_script_runs_at_installation(self):
        for path in tarballs():
            self.assertNotIn("scripts", manifest(path))

    def test_an_installation_without_optional_dependencies_says_what_to_do(self):
        with Environment(*TOOLS_OF_NODE) as env, Registry(tarballs()) as registry:
            install = ("npm", "install", *self.FLAGS, "--registry", registry.address, "mcp-compat")
            self.assertEqual(env.run(*install, "--omit=optional").status, 0)
            ran = env.run("npx", "mcp-compat", "--version")
            self.assertEqual(ran.status, 3, ran)
            self.assertIn("--omit=optional", ran.error)
            self.assertIn("npm install --include=optional", ran.error)
            self.assertEqual(env.run("npm", "install", *self.FLAGS, "--registry", registry.address, "--include=optional").status, 0)
            self.assertEqual(env.run("npx", "mcp-compat", "--version").status, 0)

    def test_another_platform_is_named(self):
        with Environment(*TOOLS_OF_NODE) as env, Registry(tarballs()) as registry:
            env.run("npm", "install", *self.FLAGS, "--registry", registry.address, "mcp-compat")
            finder = (env.work / "node_modules/mcp-compat/lib/program.js").as_uri()

            def asked(platform: str, arch: str) -> str:
                text = f"import('{finder}').then((m) => m.program({{platform: '{platform}', arch: '{arch}'}})).catch((e) => console.log(e.message))"
                return env.run("node", "-e", text).out

            windows = asked("win32", "x64")
            self.assertIn("no package for win32-x64", windows)
            self.assertIn("Windows Subsystem for Linux", windows)
            self.assertNotIn("cargo install", windows)
            self.assertIn("cargo install --locked mcp-compat-cli", asked("linux", "riscv64"))
            other = asked("darwin", "arm64" if sys.platform == "linux" else "x64")
            self.assertIn("installed on another platform", other)

    def test_signals_reach_the_program(self):
        with Environment(*TOOLS_OF_NODE) as env, Registry(tarballs()) as registry:
            env.run("npm", "install", *self.FLAGS, "--registry", registry.address, "mcp-compat")
            launcher = env.work / "node_modules/mcp-compat/bin/mcp-compat.js"
            # As the program itself ends: a mock that is interrupted has done its work.
            # One that hears the signal before it listens for it is ended by it.
            for name, statuses in {"SIGTERM": (-signal.SIGTERM,), "SIGINT": (0, -signal.SIGINT)}.items():
                command = [env.path / "node", launcher, "mock", "server", "--http", "--scenario", "root-type/array"]
                mock = subprocess.Popen(command, env=env.variables(), cwd=env.work, stdout=subprocess.PIPE, stdin=subprocess.PIPE)
                self.assertIn(b"http://127.0.0.1", mock.stdout.readline())
                mock.send_signal(getattr(signal, name))
                self.assertIn(mock.wait(timeout=10), statuses, name)
                # The program has ended, too: nobody has the other end of its output.
                self.assertEqual(mock.stdout.read(), b"", name)
                mock.stdout.close()
                mock.stdin.close()


class Pip(Installed):
    def test_the_wheel(self):
        with Environment("sh") as env:
            venv = subprocess.run([sys.executable, "-m", "venv", env.folder / "venv"], env=env.variables(), check=False)
            self.assertEqual(venv.returncode, 0)
            bin_ = env.folder / "venv/bin"
            os.symlink(Path(shutil.which("node")).resolve(), env.path / "node")
            wheel = next(path for path in sorted((packages() / "pypi").glob("*.whl")) if os.uname().machine in path.name)
            pip = (bin_ / "python", "-m", "pip", "install", "--no-index", "--disable-pip-version-check", wheel)
            self.measured("pip: install of the wheel", env.run(*pip))
            self.audits_and_runs("pip", env, bin_ / "mcp-compat")
            self.assertRegex(env.run(bin_ / "python", "-m", "mcp_compat", "--version").out, r"^mcp-compat ")
            (bin_ / "mcp-compat").unlink()
            lost = env.run(bin_ / "python", "-m", "mcp_compat", "--version")
            self.assertEqual(lost.status, 3)
            self.assertIn("--force-reinstall", lost.error)


    def test_uvx_takes_the_wheel_from_a_folder(self):
        if shutil.which("uvx") is None:
            self.skipTest("there is no uvx; `pip install --requirement packaging/requirements.txt` has it")
        with Environment("sh", "node", "uv", "uvx") as env:
            index = ("--offline", "--no-index", "--find-links", packages() / "pypi", "--python", sys.executable)
            first = env.run("uvx", *index, "--from", "mcp-compat-cli", "mcp-compat", "audit", "--", *SERVERS.time())
            self.measured("uvx: install, and audit of mcp-server-time", first, (0, 1))
            self.runs("uvx", env, "uvx", *index, "--from", "mcp-compat-cli", "mcp-compat")


class Archive(Installed):
    def test_the_archive(self):
        path = next(path for path in packages().glob("mcp-compat-*.tar.gz") if os.uname().machine in path.name)
        with Environment("node") as env:
            with tarfile.open(path) as tar:
                names = {name.split("/", 1)[1] for name in tar.getnames()}
                tar.extractall(env.work, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(env.work)
            for wanted in ("LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY-LICENSES", "README.md", "CHANGELOG.md", "SKILL.md"):
                self.assertIn(wanted, names)
            program = env.work / path.name.removesuffix(".tar.gz") / "mcp-compat"
            self.audits_and_runs("archive", env, program)

    def test_the_checksums(self):
        sums = packages() / "SHA256SUMS"
        if not sums.exists():
            self.skipTest("no SHA256SUMS: `packaging/build sums` writes it")
        for line in sums.read_text().splitlines():
            digest, name = line.split("  ")
            self.assertEqual(hashlib.sha256((packages() / name).read_bytes()).hexdigest(), digest, name)


class Container(Installed):
    def test_the_program_needs_nothing_around_it(self):
        """Plays in a folder that has the files of the image and no others, as the image's user."""
        arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, "none")
        found = sorted((packages() / "container").glob(f"*-{arch}.tar.gz"))
        if not found or os.geteuid() != 0:
            self.skipTest("there is no static program for this machine, or this user may not change the root folder")
        around = ["unshare", "--mount", "--pid", "--fork"]
        if shutil.which("unshare") is None or subprocess.run([*around, "true"], capture_output=True).returncode != 0:
            self.skipTest("this machine does not allow a process with file systems of its own (`unshare --mount --pid`)")
        with Environment() as env:
            with tarfile.open(found[0]) as tar:
                tar.extractall(env.work)
            root = env.work / "root"
            shutil.move(env.work / "work", root / "work")
            os.chown(root / "work", 65532, 65532)
            env.folder.chmod(0o755)

            # What every container has as well.
            (root / "proc").mkdir()
            (root / "dev").mkdir()
            for name, minor in {"null": 3, "urandom": 9}.items():
                try:
                    os.mknod(root / "dev" / name, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
                except PermissionError:
                    self.skipTest("this user may not make /dev/null for another root folder")
                (root / "dev" / name).chmod(0o666)
            inside = [*around, f"--mount-proc={root}/proc", "chroot", "--userspec=65532:65532", root]
            command = [*inside, "/mcp-compat", "run", "--no-peers", "--out", "/work/record"]
            variables = {"HOME": "/work", "TMPDIR": "/work", "PATH": os.environ["PATH"]}
            done = subprocess.run(command, env=variables, capture_output=True, text=True, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
            self.assertTrue((root / "work/record/run.json").is_file())


if __name__ == "__main__":
    unittest.main()
