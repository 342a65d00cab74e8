#!/usr/bin/env python3
"""Golden record: the verdicts of one build, without texts and times, as lines that `diff` compares.

    .ci/golden.py target/release/mcp-compat OUT [--fleet]

Plays the corpus among the mocks with full coverage, the default run and, with `--fleet`, the small fleet (installed
with `mcp-compat peers install --small`). The self-test is that of `mcp-compat-lab` beside the program
(`cargo build --release --workspace --bins`). The fifteen audits of real
servers are compared by their own test: `cargo test -p mcp-compat-cli --test audits`.
"""

import argparse
import json
import subprocess
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def cells(program: str, name: str, arguments: list[str]) -> list[str]:
    """Plays a run and returns a line for each of its cells."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", *arguments, "--out", folder]
        status = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        if status > 1:
            raise SystemExit(f"{' '.join(command)} ended with status {status}")
        record = json.loads((Path(folder) / "run.json").read_text())
    lines = [f"{name} status {status} complete {record['complete']}"]
    for cell in record["cells"]:
        kept = {key: cell.get(key) for key in ("negotiated", "outcome", "rating", "silent", "vacuous", "blast_radius", "expected", "fault")}
        kept["missed"] = cell.get("missed") is not None
        kept["known"] = cell.get("known") is not None
        kept["rules"] = sorted({finding["rule"] for finding in cell["findings"]})
        lines.append(f"{name} {cell['id']} {json.dumps(kept, sort_keys=True)}")
    return lines


def small_fleet() -> list[str]:
    """Returns the arguments of the run of the small fleet, as `.ci/run` plays it."""
    arguments = ["--coverage", "smoke", "--timeout", "20s", "--baseline", "peers/known-breaks.toml"]
    for peer in ("mock/dual+auto", "mock/2025-11-25"):
        arguments += ["--client", peer]
    for peer in ("mock/dual", "mock/2025-11-25"):
        arguments += ["--server", peer]
    fleet = tomllib.loads((ROOT / "peers/fleet.toml").read_text())
    releases = next(value for value in fleet.values() if isinstance(value, list) and value and isinstance(value[0], dict))
    for release in releases:
        if release.get("small"):
            arguments += ["--client", f"{release['id']}*", "--server", f"{release['id']}*"]
    return arguments


def main() -> None:
    """Writes the golden record of a program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("out")
    parser.add_argument("--fleet", action="store_true")
    args = parser.parse_args()
    program = str(Path(args.program).resolve())
    lines = cells(program, "mocks", ["--no-peers", "--coverage", "full"])
    lines += cells(program, "default", [])
    if args.fleet:
        lines += cells(program, "fleet", small_fleet())
    lab = Path(program).with_name("mcp-compat-lab")
    # Before there was a lab, the program had the command.
    selftest = [str(lab if lab.exists() else program), "selftest"]
    selftest = subprocess.run(selftest, cwd=ROOT, capture_output=True, text=True)
    lines += [f"selftest {' '.join(line.split())}" for line in selftest.stdout.splitlines()]
    Path(args.out).write_text("\n".join(lines) + "\n")


main()
