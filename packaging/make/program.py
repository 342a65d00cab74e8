"""The program for one target, and the files that go with it into every artefact."""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Optional

from . import licences
from .problem import Problem
from .project import ROOT

# Under the names that the shells look for.
COMPLETIONS = {"mcp-compat.bash": "bash", "_mcp-compat": "zsh", "mcp-compat.fish": "fish"}
TARGETS = json.loads((ROOT / "packaging/targets.json").read_text())


def run(command: list, doing: str, **options) -> str:
    """Runs a command to its end and gives what it printed. Its errors go to the terminal."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, **options)
    except OSError as error:
        raise Problem(f"cannot {doing}: {command[0]}: {error.strerror}. Install {command[0]}.") from error
    if done.returncode != 0:
        raise Problem(f"cannot {doing}: `{' '.join(map(str, command))}` ended with status {done.returncode}")
    return done.stdout


def host() -> str:
    """The target that Rust builds for here if it is not told another."""
    about = run(["rustc", "-vV"], "ask rustc for its target")
    return next(line.removeprefix("host: ") for line in about.splitlines() if line.startswith("host: "))


def platform_of(target: str) -> dict:
    """What the registries call the platform of a target. A build for glibc counts as the one for its system."""
    known = TARGETS.get(target) or TARGETS.get(target.replace("-gnu", "-musl"))
    if not known:
        raise Problem(f"no package is made for {target}. packaging/targets.json has: {', '.join(TARGETS)}")
    return known


def build(target: Optional[str], profile: str) -> Path:
    """Builds the program, or takes the build that is there and up to date."""
    command = ["cargo", "build", "--locked", "--package", "mcp-compat-cli", "--profile", profile]
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    if target:
        platform_of(target)
        command += ["--target", target]
        folder /= target
    run(command, "build the program", cwd=ROOT)
    return folder / ("debug" if profile == "dev" else profile) / "mcp-compat"


class Files:
    """The program and what stands beside it in an archive, by path."""

    def __init__(self, built: Path, target: str) -> None:
        self.program = built
        self.target = target
        self.platform = platform_of(target)
        self.licences = {name: (ROOT / name).read_bytes() for name in ("LICENSE-APACHE", "LICENSE-MIT")}
        self.licences["THIRD-PARTY-LICENSES"] = licences.third_parties(target).encode()
        self.texts = {name: (ROOT / name).read_bytes() for name in ("README.md", "CHANGELOG.md")}
        self.skill = (ROOT / "packaging/SKILL.md").read_bytes()
        self.generated = dict(self._generated())

    def _generated(self):
        """Completions and the manual pages, printed by the program itself. One for another system cannot be asked."""
        if self.target.split("-")[0] != host().split("-")[0] or ("darwin" in self.target) != ("darwin" in host()):
            print(f"note: no completions and no manual pages, because a program for {self.target} does not run here")
            return
        for path, shell in COMPLETIONS.items():
            yield f"completions/{path}", run([self.program, "completions", shell], f"make completions/{path}").encode()
        with tempfile.TemporaryDirectory() as folder:
            run([self.program, "man", "--out", folder], "make the manual pages")
            for page in sorted(Path(folder).iterdir()):
                yield f"man/{page.name}", page.read_bytes()
