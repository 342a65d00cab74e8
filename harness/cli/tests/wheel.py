# Makes a wheel of the Python package without the program: `python3 wheel.py packaging/pypi VERSION FOLDER`. A release has
# wheels with the program, which maturin makes.
import base64, hashlib, pathlib, re, sys, zipfile

source, version, folder = sys.argv[1:]
pyproject = pathlib.Path(source, "pyproject.toml").read_text()
section = re.search(r"^\[project\.entry-points\.(\S+)\]\n((?:\S+ = .*\n)+)", pyproject, re.M)
info = f"mcp_compat_cli-{version}.dist-info"
files = {f"mcp_compat/{file.name}": file.read_bytes() for file in pathlib.Path(source, "python/mcp_compat").glob("*.py*")}
files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: mcp-compat-cli\nVersion: {version}\n".encode()
files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
files[f"{info}/entry_points.txt"] = f"[{section[1]}]\n{section[2]}".replace('"', "").encode()
digest = lambda data: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
record = [f"{name},sha256={digest(data)},{len(data)}" for name, data in files.items()] + [f"{info}/RECORD,,"]
files[f"{info}/RECORD"] = "\n".join(record).encode() + b"\n"
with zipfile.ZipFile(pathlib.Path(folder, f"mcp_compat_cli-{version}-py3-none-any.whl"), "w") as wheel:
    for name, data in files.items():
        wheel.writestr(name, data)
