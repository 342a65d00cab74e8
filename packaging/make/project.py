"""What the project says about itself: its version, its address, its changelog."""

import re
import tomllib
from pathlib import Path
from typing import Optional

from .problem import Problem

ROOT = Path(__file__).resolve().parents[2]

# This sentence of the README is true until the first release, which removes it.
NOT_PUBLISHED = "is not published yet"


def _package() -> dict:
    return tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]


def version() -> str:
    """The version of the workspace. Every artefact has it."""
    return _package()["version"]


def repository() -> str:
    """The address of the repository. It is empty as long as the project has none."""
    return _package().get("repository", "")


def section(changelog: str, title: str) -> Optional[str]:
    """The text below the heading `## TITLE`, `## [TITLE]` or one of them with a date."""
    heading = re.compile(rf"^## \[?{re.escape(title)}\]?(?: .*)?$", re.MULTILINE)
    found = heading.search(changelog)
    if not found:
        return None
    rest = changelog[found.end():]
    end = re.search(r"^## ", rest, re.MULTILINE)
    return rest[: end.start() if end else None].strip()


def notes(of: str, unreleased_too: bool = False) -> str:
    """What the changelog says about a version. In a dry run, what is not released yet."""
    changelog = (ROOT / "CHANGELOG.md").read_text()
    text = section(changelog, of)
    if text is None and unreleased_too:
        text = section(changelog, "Unreleased")
    if not text:
        raise Problem(f"CHANGELOG.md has no section for {of}. Rename the section Unreleased to `## {of} - YYYY-MM-DD`.")
    return text


def check_release(tag: str, at: Optional[str]) -> None:
    """Raises a problem that lists all that a release of this tag still lacks."""
    own, address = version(), repository()
    lacks = []
    if tag != f"v{own}":
        lacks.append(f"the tag is {tag}, but Cargo.toml has version {own}: tag v{own}, or change the version")
    if not address:
        lacks.append("`repository` in Cargo.toml is empty: set it to the address of the repository")
    elif at and address.removesuffix("/") != at.removesuffix("/"):
        lacks.append(f"`repository` in Cargo.toml is {address}, but this release is made at {at}: set it to that")
    try:
        notes(own)
    except Problem as problem:
        lacks.append(str(problem))
    if NOT_PUBLISHED in " ".join((ROOT / "README.md").read_text().split()):
        lacks.append(f'README.md says "{NOT_PUBLISHED}": remove that sentence')
    if lacks:
        raise Problem("\n".join(["this is not ready to be released:", *(f"- {each}" for each in lacks)]))
