"""Empty environments: a fresh home, and a PATH with the named tools only."""

import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]

# What `npm` and the scripts that it makes need beside Node.
TOOLS_OF_NODE = ("node", "npm", "npx", "sh", "env")


class Ran:
    """A command that has ended."""

    def __init__(self, done: subprocess.CompletedProcess, seconds: float) -> None:
        self.status, self.out, self.error, self.seconds = done.returncode, done.stdout, done.stderr, seconds

    def __str__(self) -> str:
        return f"status {self.status} after {self.seconds:.1f} s\n{self.out[-3000:]}\n{self.error[-3000:]}"


class Environment:
    """A folder to work in, with nothing of the user who runs the tests."""

    def __init__(self, *tools: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mcp-compat-"))
        self.path = self.folder / "tools"
        self.work = self.folder / "work"
        (self.folder / "home").mkdir()
        self.path.mkdir()
        self.work.mkdir()
        for tool in tools:
            (self.path / tool).symlink_to(Path(shutil.which(tool)).resolve())

    def __enter__(self) -> "Environment":
        return self

    def __exit__(self, *_) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def variables(self, **more: str) -> dict:
        home = str(self.folder / "home")
        return {"PATH": str(self.path), "HOME": home, "TMPDIR": str(self.folder), "LANG": "C.UTF-8", **more}

    def run(self, *command, **more: str) -> Ran:
        """Runs a command in the folder. `more` are further variables."""
        words = [str(word) for word in command]
        found = shutil.which(words[0], path=str(self.path)) or words[0]
        start = time.monotonic()
        done = subprocess.run(
            [found, *words[1:]],
            cwd=self.work,
            env=self.variables(**more),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
        )
        return Ran(done, time.monotonic() - start)


class Registry:
    """A registry for npm on this machine: `mcp-compat`, and a package for each platform.

    There is one real package, for this platform. Those for other platforms are listed and cannot be downloaded, so npm
    has to choose as it would among real ones.
    """

    def __init__(self, tarballs: list) -> None:
        self.packages = {}
        for path in tarballs:
            about = manifest(path)
            digest = subprocess.run(["openssl", "dgst", "-sha512", "-binary", path], capture_output=True, check=True).stdout
            about["dist"] = {"tarball": path.name, "integrity": f"sha512-{_base64(digest)}"}
            self.packages[about["name"]] = about
        real = next(about for name, about in self.packages.items() if name.startswith("@"))
        for name in self.packages["mcp-compat"]["optionalDependencies"]:
            system, cpu = name.removeprefix("@mcp-compat/").split("-")
            other = {**real, "name": name, "os": [system], "cpu": [cpu], "dist": {"tarball": "nowhere.tgz"}}
            self.packages.setdefault(name, other)
        self.files = {path.name: path for path in tarballs}
        registry = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name = unquote(self.path.lstrip("/"))
                if name in registry.files:
                    self.answer(200, registry.files[name].read_bytes())
                elif name in registry.packages:
                    self.answer(200, json.dumps(registry.packument(name)).encode())
                else:
                    self.answer(404, b"{}")

            def answer(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def packument(self, name: str) -> dict:
        about = self.packages[name]
        version = about["version"]
        dist = {**about["dist"], "tarball": self.address + about["dist"]["tarball"]}
        return {"name": name, "dist-tags": {"latest": version}, "versions": {version: {**about, "dist": dist}}}

    def __enter__(self) -> "Registry":
        return self

    def __exit__(self, *_) -> None:
        self.server.shutdown()
        self.server.server_close()


def _base64(data: bytes) -> str:
    import base64

    return base64.b64encode(data).decode()


def manifest(tarball: Path) -> dict:
    """The package.json of a package for npm."""
    import tarfile

    with tarfile.open(tarball) as tar:
        return json.load(tar.extractfile("package/package.json"))


class Servers:
    """Real servers, installed once from the registries: not a part of what is measured."""

    def __init__(self) -> None:
        self.folder = ROOT / "target/packaging-servers"

    def everything(self) -> list:
        """The command of `@modelcontextprotocol/server-everything`."""
        package = "@modelcontextprotocol/server-everything"
        start = self.folder / f"node_modules/{package}/dist/index.js"
        if not start.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / "package.json").write_text("{}")
            flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
            subprocess.run(["npm", "install", *flags, f"{package}@2026.8.31"], cwd=self.folder, check=True)
        return ["node", str(start), "stdio"]

    def time(self) -> list:
        """The command of `mcp-server-time`."""
        start = self.folder / "venv/bin/mcp-server-time"
        if not start.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            subprocess.run([sys.executable, "-m", "venv", self.folder / "venv"], check=True)
            pip = [self.folder / "venv/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, "mcp-server-time==2026.10.19"], check=True)
        return [str(start), "--local-timezone", "UTC"]


def packages() -> Path:
    """The folder with the artefacts under test."""
    return Path(os.environ.get("PACKAGES", ROOT / "target/packages")).resolve()
