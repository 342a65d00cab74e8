"""Finds the program that this package was installed with."""

import os
import shutil
import sys
import sysconfig
from pathlib import Path
from typing import Iterator


class ProgramNotFound(RuntimeError):
    """The program is not where an installation puts it."""


def program() -> str:
    """The path of the program.

    The variable ``MCP_COMPAT_PROGRAM`` names another one, such as a build of your own.
    """
    named = os.environ.get("MCP_COMPAT_PROGRAM")
    if named:
        if os.access(named, os.X_OK) and Path(named).is_file():
            return named
        raise ProgramNotFound(f"MCP_COMPAT_PROGRAM names no program that can be run: {named}")
    for folder in _folders():
        path = Path(folder) / "mcp-compat"
        if os.access(path, os.X_OK) and path.is_file():
            return str(path)
    found = shutil.which("mcp-compat")
    if found:
        return found
    raise ProgramNotFound(
        "cannot find the program mcp-compat: this installation of the package has no scripts. "
        "Install it again with `pip install --force-reinstall mcp-compat-cli`, or name the program in MCP_COMPAT_PROGRAM."
    )


def _folders() -> Iterator[str]:
    yield sysconfig.get_path("scripts")
    yield str(Path(sys.executable).parent)
    user = "osx_framework_user" if sys.platform == "darwin" and sys._framework else "posix_user"
    if user in sysconfig.get_scheme_names():
        yield sysconfig.get_path("scripts", scheme=user)
    # `pip install --target DIR` puts scripts beside the package.
    yield str(Path(__file__).resolve().parent.parent / "bin")
