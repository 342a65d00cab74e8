"""The licences of what is compiled into the program. Most of them want to be passed on with it."""

import json
import subprocess
from pathlib import Path

from .problem import Problem
from .project import ROOT

NAMES = ("license", "licence", "copying", "notice", "unlicense")


def third_parties(target: str) -> str:
    """One text: each licence with the crates that it is the licence of."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Problem("cannot list the dependencies: `cargo metadata` failed, see above")
    metadata = json.loads(done.stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    used = _compiled_in(metadata["resolve"]["nodes"], packages)
    texts: dict = {}
    for package in sorted((packages[each] for each in used), key=lambda each: (each["name"], each["version"])):
        if package["source"] is None:
            continue
        name = f"{package['name']} {package['version']} ({package['license']})"
        for text in _texts(Path(package["manifest_path"]).parent) or ["The crate has no file with its licence."]:
            texts.setdefault(text, []).append(name)
    parts = ["mcp-compat contains the crates below, under these licences."]
    for text, names in sorted(texts.items(), key=lambda each: each[1]):
        parts.append("\n".join(["=" * 100, *names, "-" * 100, text]))
    return "\n\n".join(parts) + "\n"


def _compiled_in(nodes: list, packages: dict) -> set:
    """What the program depends on, neither for its build nor for its tests."""
    edges = {
        node["id"]: [dep["pkg"] for dep in node["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
        for node in nodes
    }
    waiting = [each for each, package in packages.items() if package["name"] == "mcp-compat-cli"]
    seen: set = set()
    while waiting:
        each = waiting.pop()
        if each not in seen:
            seen.add(each)
            waiting += edges[each]
    return seen


def _texts(folder: Path) -> list:
    files = [path for path in folder.iterdir() if path.is_file() and path.name.lower().startswith(NAMES)]
    return [path.read_text(errors="replace").strip() for path in sorted(files)]
