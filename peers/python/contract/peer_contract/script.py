"""Script of a server: its tools, the answer to a call of each, and the stages after a change."""

import os
from dataclasses import dataclass
from typing import Any

from . import exact
from .exact import Unsupported
from .members import Members, variant

SCENARIO_VARIABLE = "MCP_COMPAT_SCENARIO"
"""Names the file with a stdio server's script."""


@dataclass(frozen=True)
class Result:
    """A result, as it stands on the wire."""

    value: dict[str, Any]


@dataclass(frozen=True)
class Error:
    """A JSON-RPC error object."""

    value: dict[str, Any]


@dataclass(frozen=True)
class Hang:
    """No answer, ever."""


@dataclass(frozen=True)
class Exit:
    """The end of the process."""

    status: int


@dataclass(frozen=True)
class Evolution:
    """The step to the next stage."""


Reply = Result | Error | Hang | Exit | Evolution


@dataclass(frozen=True)
class ScriptedTool:
    """A tool and its one answer."""

    name: str
    definition: dict[str, Any]
    """As in ``tools/list``."""
    reply: Reply


@dataclass(frozen=True)
class Stage:
    """The tools for some time."""

    tools: list[ScriptedTool]
    told: bool
    """True if the step into this stage is told."""


@dataclass(frozen=True)
class Script:
    """Script of a server."""

    scenario: str
    stages: list[Stage]
    page_size: int | None
    """Number of tools on a page of the list; all when absent."""
    list: dict[str, Any]
    """Members that the result of ``tools/list`` has beside ``tools``."""


def from_environment() -> Script:
    """The script of a stdio server."""
    path = os.environ.get(SCENARIO_VARIABLE)
    if path is None:
        raise Unsupported(f"{SCENARIO_VARIABLE} is not set")
    with open(path, "rb") as file:
        return read(exact.read(file.read()))


def read(value: Any) -> Script:
    """Reads a script; what it asks for and an SDK leaves to nobody is :class:`Unsupported`."""
    members = Members("a script", value)
    script = Script(
        scenario=members.take("scenario", str),
        stages=[_stage(stage) for stage in members.take("stages", list)],
        page_size=members.take("page_size", int, 0) or None,
        list=members.take("list", dict, {}),
    )
    if members.take("answers", list, []):
        raise Unsupported(
            "the SDK's server API cannot script answers to requests other than tools/call"
        )
    if members.take("list_without", list, []):
        raise Unsupported(
            "the SDK's server API adds the members that the revision requires"
        )
    members.end()
    return script


def _stage(value: Any) -> Stage:
    members = Members("a stage", value)
    stage = Stage(
        tools=[_tool(tool) for tool in members.take("tools", list)],
        told=members.take("told", bool, False),
    )
    members.end()
    return stage


def _tool(value: Any) -> ScriptedTool:
    members = Members("a tool", value)
    tool = ScriptedTool(
        name=members.take("name", str),
        definition=members.take("definition", dict),
        reply=_reply(members.take("reply", object)),
    )
    if members.take("without", list, []):
        raise Unsupported(
            "the SDK's server API adds the members that the revision requires"
        )
    if members.take("before", list, []):
        raise Unsupported(
            "the SDK's server API cannot send a scripted message before an answer"
        )
    if members.take("answers_after", str, ""):
        raise Unsupported("the adapter cannot delay one answer until after another")
    members.end()
    return tool


def _reply(value: Any) -> Reply:
    match variant("a reply", value):
        case "result", dict(result):
            return Result(result)
        case "error", dict(error):
            return Error(error)
        case "hang", _:
            return Hang()
        case "exit", {"status": int(status)}:
            return Exit(status)
        case "evolve", _:
            return Evolution()
        case "raw", _:
            raise Unsupported("the SDK's server API cannot send raw bytes")
        case name, _:
            raise Unsupported(f"this adapter does not support the reply `{name}`")
