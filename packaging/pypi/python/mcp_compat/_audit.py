"""The audit of a server, as cases that a test runner runs."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence, Union

from mcp_compat import _once
from mcp_compat._program import program

Command = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]
Arguments = Mapping[str, Any]


class AuditError(Exception):
    """The server could not be audited: the input is wrong, the server does not start, or mcp-compat failed."""


class CompatibilityError(AssertionError):
    """A client loses something by a tool, or the result of a tool was not seen."""


@dataclass(frozen=True)
class Case:
    """A tool with a client, or the call of a tool."""

    #: ``tool-client``, or ``tool-called``.
    id: str
    #: The name of the tool.
    tool: str
    #: The client, such as ``profile/typescript@1``. ``None`` if the case is about the call itself.
    client: Optional[str]
    #: ``passed``, ``failed`` or ``skipped``.
    result: str
    #: Why the case failed and what to do, why it was skipped, or why a loss is in the baseline.
    text: str

    def check(self) -> None:
        """Raises :class:`CompatibilityError` if the case failed."""
        if self.result == "failed":
            raise CompatibilityError(self.text)


class ServerAudit:
    """A server that is audited when its cases are first needed. pytest collects it as a test for each case."""

    #: pytest collects the object by the plugin, not as a class of tests.
    __test__ = False

    def __init__(self, options: Sequence[str], cwd: Optional[str]) -> None:
        self._options = list(options)
        self._cwd = cwd
        self._report: Optional[dict[str, Any]] = None

    @property
    def report(self) -> dict[str, Any]:
        """The whole audit, as ``mcp-compat audit --json`` prints it."""
        if self._report is None:
            path = program()
            words = json.dumps([path, self._options, self._cwd or os.getcwd()])
            self._report = json.loads(_once.once(words, lambda: self._ask(path)))
        return self._report

    def cases(self) -> list[Case]:
        """Each tool with each client, and each tool whose result was not seen."""
        return [_case(test) for test in self.report.get("tests", [])]

    def __iter__(self) -> Iterator[Case]:
        return iter(self.cases())

    def _ask(self, path: str) -> str:
        asked = [path, "audit", "--json", "--tests", "python", "--fail-on", "never", *self._options]
        try:
            done = subprocess.run(asked, cwd=self._cwd, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except OSError as error:
            raise AuditError(f"cannot start {path}: {error}") from error
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip() or f"exit status {done.returncode}"
            raise AuditError(f"{said}{_version_hint(path)}")
        for line in done.stderr.decode("utf-8", "replace").splitlines():
            if line.startswith("the baseline: "):
                print(f"mcp-compat: {line}", file=sys.stderr)
        text = done.stdout.decode("utf-8")
        tool_version = json.loads(text).get("tool_version")
        if _other_version(tool_version):
            raise AuditError(_mismatch(path, str(tool_version)))
        return text


def audit_server(
    command: Optional[Command] = None,
    *,
    url: Optional[str] = None,
    headers: Optional[Mapping[str, str]] = None,
    calls: Optional[Mapping[str, Optional[Arguments]]] = None,
    expect_error: Union[Iterable[str], Mapping[str, Optional[Arguments]]] = (),
    allow_uncalled: Iterable[str] = (),
    tools: Iterable[str] = (),
    against: Iterable[str] = (),
    guess: bool = False,
    baseline: Optional[Union[str, "os.PathLike[str]"]] = None,
    env: Optional[Mapping[str, str]] = None,
    cwd: Optional[Union[str, "os.PathLike[str]"]] = None,
    start_timeout: Optional[float] = None,
    timeout: Optional[float] = None,
) -> ServerAudit:
    """A server as tests: each of its tools with each client.

    Assign the result to a name that begins with ``test``, and pytest collects it::

        test_weather = mcp_compat.audit_server(["python", "weather.py"])

    The server is asked for its tools at every revision of the protocol that it speaks. Tools that are marked read-only are
    called, and those that ``calls`` names. What they answered is played to the reference clients and to profiles of
    released SDKs.

    :param command: the server's command, as a list of words or one string; the server speaks over its standard streams.
    :param url: the server's address, in place of a command.
    :param headers: headers that each request to the address gets.
    :param calls: tools to call and their arguments; ``None`` stands for what the inputSchema of the tool offers.
    :param expect_error: tools whose call is to fail: names, or a mapping to arguments. The arguments in ``calls`` count, too.
    :param allow_uncalled: globs of tools that may stay without a call. Otherwise, such a tool is a case that fails.
    :param tools: globs of the tools to look at; all by default.
    :param against: globs of the clients, such as ``profile/typescript@*``; all by default.
    :param guess: make up arguments that an inputSchema does not offer.
    :param baseline: a file with known breaks. ``MCP_COMPAT_BASELINE=update`` rewrites it.
    :param env: variables of the server's environment, beside those of this process.
    :param cwd: the folder that the server is started in.
    :param start_timeout: how many seconds the server may take to start; 120 by default.
    :param timeout: how many seconds each list and each call may take; 30 by default.
    """
    if (command is None) == (url is None):
        raise ValueError("audit_server: give either the command of the server or its url")
    failing = dict(expect_error) if isinstance(expect_error, Mapping) else dict.fromkeys(_words(expect_error))
    called = dict(calls or {})
    for tool, arguments in failing.items():
        asked = called.pop(tool, None)
        if asked is not None and arguments is not None and asked != arguments:
            raise ValueError(f"audit_server: {tool!r} is in calls and in expect_error: each tool is called in one way")
        failing[tool] = asked if arguments is None else arguments
    options = []
    for option, asked_calls in (("--call", called), ("--expect-error", failing)):
        for tool, arguments in asked_calls.items():
            given = tool if arguments is None else f"{tool}={json.dumps(arguments)}"
            options.append(f"{option}={given}")
    for option, globs in (("--allow-uncalled", allow_uncalled), ("--tool", tools), ("--against", against)):
        options += [f"{option}={glob}" for glob in _words(globs)]
    if guess:
        options.append("--guess")
    if baseline is not None:
        options.append(f"--baseline={Path(baseline).resolve()}")
    for option, seconds in (("--start-timeout", start_timeout), ("--timeout", timeout)):
        if seconds is not None:
            options.append(f"{option}={round(seconds * 1000)}ms")
    if url is not None:
        options += [f"--header={name}: {value}" for name, value in (headers or {}).items()]
        options.append(f"--url={url}")
    elif command is not None:
        options += [f"--env={name}={value}" for name, value in (env or {}).items()]
        options += ["--", *_command(command)]
    return ServerAudit(options, None if cwd is None else os.fspath(cwd))


def _command(command: Command) -> list[str]:
    if isinstance(command, str):
        return shlex.split(command)
    if isinstance(command, os.PathLike):
        return [os.fspath(command)]
    return [os.fspath(word) for word in command]


def _words(words: Iterable[str]) -> list[str]:
    return [words] if isinstance(words, str) else list(words)


def _case(test: Mapping[str, Any]) -> Case:
    tool, client = test["tool"], test.get("client")
    return Case(f"{tool}-{client or 'called'}", tool, client, test["result"], test.get("text", ""))


def _package_version() -> Optional[str]:
    try:
        return metadata.version("mcp-compat-cli")
    except metadata.PackageNotFoundError:  # a checkout
        return None


def _other_version(version: Optional[str]) -> bool:
    ours = _package_version()
    return ours is not None and version != ours


def _mismatch(path: str, version: str) -> str:
    return (
        f"{path} has version {version}, but this Python package has version {_package_version()}. Install the same "
        "version of both, or unset MCP_COMPAT_PROGRAM to use the program of the package."
    )


def _version_hint(path: str) -> str:
    """What to add to an error if the program has another version than the package."""
    try:
        told = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=10, check=False).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    version = told.split()[-1] if told.split() else "unknown"
    return f"\n{_mismatch(path, version)}" if _other_version(version) else ""
