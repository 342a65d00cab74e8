"""The archive: one folder with the program. The same files give the same bytes."""

import gzip
import io
import tarfile
from pathlib import Path

from .program import Files
from .project import version

# The first second that zip, too, can write.
MOMENT = 315532800


def make(files: Files, out: Path) -> Path:
    """`mcp-compat-VERSION-TARGET.tar.gz`, with a folder of that name."""
    name = f"mcp-compat-{version()}-{files.target}"
    entries = {"mcp-compat": files.program.read_bytes(), **files.licences, **files.texts, "SKILL.md": files.skill, **files.generated}
    path = out / f"{name}.tar.gz"
    path.write_bytes(packed({f"{name}/{each}": data for each, data in entries.items()}, {f"{name}/mcp-compat"}))
    return path


def packed(entries: dict, programs: set) -> bytes:
    """A .tar.gz in which names are sorted, and nothing is said about the machine or the time.

    A name that ends with `/` is a folder.
    """
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in sorted(entries.items()):
            entry = tarfile.TarInfo(name)
            entry.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            executable = name in programs or entry.isdir()
            entry.size, entry.mtime, entry.mode = len(data), MOMENT, 0o755 if executable else 0o644
            tar.addfile(entry, io.BytesIO(data))
    return gzip.compress(raw.getvalue(), compresslevel=9, mtime=MOMENT)
