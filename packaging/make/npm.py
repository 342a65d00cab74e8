"""The packages for npm: one with the launcher and the helper, and one for each platform with the program."""

import json
import shutil
import tempfile
from pathlib import Path

from .program import TARGETS, Files, run
from .project import ROOT, repository, version

SOURCE = ROOT / "packaging/npm/mcp-compat"


def name_of(platform: dict) -> str:
    """The package of a platform, as `lib/program.js` looks for it."""
    return f"@mcp-compat/{platform['npm']['os']}-{platform['npm']['cpu']}"


def make(files: Files, out: Path) -> list:
    """Both packages, in a folder for npm."""
    folder = out / "npm"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        return [pack(launcher(Path(work) / "launcher", files), folder), pack(platform(Path(work) / "platform", files), folder)]


def launcher(folder: Path, files: Files) -> Path:
    """The package `mcp-compat`, with its version and the packages of all platforms."""
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("node_modules", "test", "tests", "*.tgz"))
    about = json.loads((folder / "package.json").read_text())
    about["version"] = version()
    about["files"].append("SKILL.md")
    (folder / "SKILL.md").write_bytes(files.skill)
    about["optionalDependencies"] = {name_of(each): version() for each in TARGETS.values()}
    return finished(folder, about, files)


def platform(folder: Path, files: Files) -> Path:
    """The package with the program. npm installs it only where `os` and `cpu` fit."""
    (folder / "bin").mkdir(parents=True)
    shutil.copyfile(files.program, folder / "bin/mcp-compat")
    (folder / "bin/mcp-compat").chmod(0o755)
    name, own = name_of(files.platform), files.platform["npm"]
    system = {"linux": "Linux", "darwin": "macOS"}[own["os"]]
    (folder / "README.md").write_text(
        f"# {name}\n\nThe program of the package `mcp-compat` for {system}, {own['cpu']}. "
        "Install `mcp-compat`, which depends on it.\n"
    )
    about = {
        "name": name,
        "version": version(),
        "description": f"The program of mcp-compat for {system}, {own['cpu']}",
        "license": "MIT OR Apache-2.0",
        "os": [own["os"]],
        "cpu": [own["cpu"]],
        "preferUnplugged": True,
    }
    for each, text in files.licences.items():
        (folder / each).write_bytes(text)
    return finished(folder, about, files)


def finished(folder: Path, about: dict, files: Files) -> Path:
    """Writes what all packages have."""
    if repository():
        about["repository"] = {"type": "git", "url": f"git+{repository()}.git"}
    about["publishConfig"] = {"access": "public"}
    (folder / "package.json").write_text(json.dumps(about, indent=2) + "\n")
    for each in ("LICENSE-APACHE", "LICENSE-MIT"):
        (folder / each).write_bytes(files.licences[each])
    return folder


def pack(folder: Path, out: Path) -> Path:
    """The file that `npm publish` and `npm install` take."""
    printed = run(["npm", "pack", "--json", "--silent", "--pack-destination", out], "pack for npm", cwd=folder)
    return out / json.loads(printed)[0]["filename"]
