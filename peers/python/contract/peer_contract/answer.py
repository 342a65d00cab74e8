"""Answer of a client to a job: the observations of the user of its SDK's API."""

from dataclasses import dataclass, field
from typing import Any, Literal

Layer = Literal["connect", "decode", "validate", "protocol", "tool", "timeout"]


@dataclass(frozen=True)
class PeerError:
    """An error that the API raised, by where in the client it arose.

    ``connect``: no session, or it was lost. ``decode``: an answer is not what it should be. ``validate``: a value does
    not conform to its schema. ``protocol``: the server answered with a JSON-RPC error. ``tool``: the API raised a
    tool's error. ``timeout``: the client waited no longer.
    """

    layer: Layer
    message: str
    code: int | None = None
    """For a JSON-RPC error."""


@dataclass(frozen=True)
class SeenTool:
    """One tool as the API gives it."""

    name: str
    output_schema: Any = None


@dataclass(frozen=True)
class Listed:
    """The tools of a list."""

    tools: list[SeenTool]


@dataclass(frozen=True)
class Called:
    """A result, as JSON values."""

    structured: Any
    """The structured content, where it is ``present``."""
    content: list[Any]
    is_error: bool
    present: bool
    """True if the API has structured content: tells a null that it has from none."""


@dataclass(frozen=True)
class Evolved:
    """The server went to its next stage; ``seen``: the user of the API was told."""

    seen: bool


Seen = Listed | Called | Evolved | PeerError


@dataclass
class Answer:
    """The answer to one job."""

    id: int
    negotiated: str | None = None
    unsupported: str | None = None
    error: PeerError | None = None
    steps: list[Seen] = field(default_factory=list)

    def line(self) -> dict[str, Any]:
        """The message."""
        members: dict[str, Any] = {"id": self.id}
        if self.negotiated is not None:
            members["negotiated"] = self.negotiated
        if self.unsupported is not None:
            members["unsupported"] = self.unsupported
        if self.error is not None:
            members |= _step(self.error)
        return members | {"steps": [_step(seen) for seen in self.steps]}


def _step(seen: Seen) -> dict[str, Any]:
    match seen:
        case Listed(tools):
            return {"tools": [_tool(tool) for tool in tools]}
        case Called():
            structured: dict[str, Any] = {"present": seen.present}
            if seen.present:
                structured["value"] = seen.structured
            return {
                "structured": structured,
                "content": seen.content,
                "is_error": seen.is_error,
            }
        case Evolved(told):
            return {"evolved": told}
        case PeerError(layer, message, code):
            error: dict[str, Any] = {"layer": layer, "message": message}
            return {"error": error if code is None else error | {"code": code}}


def _tool(tool: SeenTool) -> dict[str, Any]:
    if tool.output_schema is None:
        return {"name": tool.name}
    return {"name": tool.name, "output_schema": tool.output_schema}
