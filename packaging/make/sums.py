"""Checksums, in the format of `sha256sum --check`."""

import hashlib
from pathlib import Path

from .problem import Problem


def write(folder: Path) -> None:
    """Writes `SHA256SUMS` for the files of a folder, sorted by name."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    if not files:
        raise Problem(f"cannot write checksums: {folder} has no files")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (folder / "SHA256SUMS").write_text("".join(lines))
