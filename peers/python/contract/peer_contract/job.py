"""Job of a client: the address of the server, the steps, and their deadlines."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from .exact import Unsupported
from .members import Members, variant

EVOLVE_TOOL = "mcp_compat_evolve"
"""The tool whose call makes a server go to its next stage."""

Mode = Literal["legacy", "auto", "modern"]


@dataclass(frozen=True)
class Stdio:
    """A server to start: a command, and the variables to set beside the inherited ones."""

    command: list[str]
    env: dict[str, str]


@dataclass(frozen=True)
class Http:
    """A streamable HTTP endpoint."""

    url: str


@dataclass(frozen=True)
class ListTools:
    """List all tools, following the pages."""


@dataclass(frozen=True)
class Call:
    """Call a tool."""

    tool: str
    arguments: dict[str, Any]
    at_once: bool = False
    """Together with the call before."""
    feed: tuple[tuple[str, str], ...] = ()
    """Arguments from the structured content of the call before: JSON Pointer to JSON Pointer."""


@dataclass(frozen=True)
class Evolve:
    """Call :data:`EVOLVE_TOOL`; ``told``: the server will tell of the change."""

    told: bool


Step = ListTools | Call | Evolve


@dataclass(frozen=True)
class Job:
    """One session to play."""

    id: int
    scenario: str
    server: Stdio | Http
    mode: Mode | None
    steps: list[Step]
    connect: float
    """Seconds until a session stands."""
    step: float
    """Seconds for each step."""

    def waits_for_change(self) -> bool:
        """Returns whether a step waits for the server to tell of a change."""
        return any(isinstance(step, Evolve) and step.told for step in self.steps)

    def rounds(self) -> Iterator[list[Step]]:
        """The steps, those that are taken together in one list."""
        together: list[Step] = []
        for step in self.steps:
            if together and not (isinstance(step, Call) and step.at_once):
                yield together
                together = []
            together.append(step)
        if together:
            yield together


def read(value: Any) -> Job:
    """Reads a job; what it asks for and this adapter does not know is :class:`Unsupported`."""
    members = Members("a job", value)
    deadlines = Members("deadlines", members.take("deadlines", dict))
    job = Job(
        id=members.take("id", int),
        scenario=members.take("scenario", str),
        server=_server(members.take("server", dict)),
        mode=_mode(members.take("mode", str, "")),
        steps=[_step(step) for step in members.take("steps", list)],
        connect=deadlines.take("connect_ms", int) / 1000,
        step=deadlines.take("step_ms", int) / 1000,
    )
    deadlines.end()
    members.end()
    return job


def _server(value: Any) -> Stdio | Http:
    server: Stdio | Http
    match variant("a server", value):
        case "stdio", content:
            members = Members("a stdio server", content)
            server = Stdio(members.take("command", list), members.take("env", dict, {}))
        case "http", content:
            members = Members("an HTTP server", content)
            server = Http(members.take("url", str))
        case name, _:
            raise Unsupported(
                f"this adapter does not support servers of the kind `{name}`"
            )
    members.end()
    return server


def _mode(word: str) -> Mode | None:
    match word:
        case "":
            return None
        case "legacy" | "auto" | "modern":
            return word
        case _:
            raise Unsupported(f"this adapter does not support the mode `{word}`")


def _step(value: Any) -> Step:
    name, content = variant("a step", value)
    members = Members(f"the step `{name}`", content)
    step: Step
    match name:
        case "list":
            step = ListTools()
        case "call":
            step = Call(
                tool=members.take("tool", str),
                arguments=members.take("arguments", dict),
                at_once=members.take("at_once", bool, False),
                feed=tuple(members.take("feed", dict, {}).items()),
            )
        case "evolve":
            step = Evolve(members.take("told", bool))
        case _:
            raise Unsupported(f"this adapter does not support the step `{name}`")
    members.end()
    return step
