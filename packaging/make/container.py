"""What a container image is built from: a folder with the program, the roots of TLS and an empty working folder."""

from pathlib import Path

from .archive import packed
from .problem import Problem
from .program import Files
from .project import ROOT, version

# Where Debian, Fedora and macOS keep the authorities that they trust.
AUTHORITIES = ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem")


def make(files: Files, out: Path) -> list:
    """`mcp-compat-VERSION-ARCHITECTURE.tar.gz`: the context for `packaging/container/Containerfile`. Only a static program runs there."""
    if not files.target.endswith("-linux-musl"):
        return []
    name = {"x64": "amd64", "arm64": "arm64"}[files.platform["npm"]["cpu"]]
    roots = next((Path(each) for each in AUTHORITIES if Path(each).is_file()), None)
    if roots is None:
        raise Problem("cannot make the container: this machine has no list of authorities. Install ca-certificates.")
    entries = {
        "Containerfile": (ROOT / "packaging/container/Containerfile").read_bytes(),
        "root/mcp-compat": files.program.read_bytes(),
        "root/etc/ssl/certs/ca-certificates.crt": roots.read_bytes(),
        "work/": b"",
        **{f"root/licences/{each}": text for each, text in files.licences.items()},
    }
    folder = out / "container"
    folder.mkdir(exist_ok=True)
    path = folder / f"mcp-compat-{version()}-{name}.tar.gz"
    path.write_bytes(packed(entries, {"root/mcp-compat"}))
    return [path]
