"""The wheel: the program, and the Python package `mcp_compat`. maturin makes it from the build that is there."""

import shutil
import tempfile
from pathlib import Path
from typing import Optional

from .program import Files, run
from .project import ROOT, repository


def make(files: Files, target: Optional[str], profile: str, out: Path) -> list:
    """The wheel, in a folder for PyPI.

    Without a target it is tagged for this machine only, by what maturin finds in the program.
    """
    folder = out / "pypi"
    folder.mkdir(exist_ok=True)
    command = ["maturin", "build", "--profile", profile, "--locked", "--out", folder]
    if target:
        command += ["--target", target]
        if files.platform["wheel"]:
            command += ["--compatibility", *files.platform["wheel"]]
    # In the checkout, where cargo finds the same configuration as for the build.
    with tempfile.TemporaryDirectory(dir=ROOT / "target") as work:
        source = staged(Path(work) / "pypi", files)
        run(command, "make the wheel", cwd=source)
    return sorted(folder.glob("*.whl"))


def staged(source: Path, files: Files) -> Path:
    """The sources of the package with the licences, which cannot be named from outside their folder."""
    shutil.copytree(ROOT / "packaging/pypi", source, ignore=shutil.ignore_patterns("__pycache__", "tests", "*.egg-info"))
    for name, text in files.licences.items():
        (source / name).write_bytes(text)
    (source / "python/mcp_compat/SKILL.md").write_bytes(files.skill)
    about = (source / "pyproject.toml").read_text()
    about = about.replace('"LICENSE-MIT"]', '"LICENSE-MIT", "THIRD-PARTY-LICENSES"]')
    about = about.replace('manifest-path = "../../', f'manifest-path = "{ROOT}/')
    if repository():
        about += f'\n[project.urls]\nRepository = "{repository()}"\nChangelog = "{repository()}/blob/HEAD/CHANGELOG.md"\n'
    (source / "pyproject.toml").write_text(about)
    return source
