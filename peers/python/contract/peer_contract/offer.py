"""A script as a server holds it: in its SDK's own types, with how far each session has come."""

import os
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import anyio

from .exact import Unsupported
from .script import Error, Evolution, Exit, Hang, Result, Script

T = TypeVar("T")
R = TypeVar("R")
E = TypeVar("E")


@dataclass(frozen=True)
class Answers(Generic[R]):
    """A call is answered with a result of the SDK's type."""

    result: R


@dataclass(frozen=True)
class Raises(Generic[E]):
    """A call is answered with an error of the SDK's type."""

    error: E


Reply = Answers[R] | Raises[E] | Hang | Exit | Evolution


@dataclass(frozen=True)
class Stage(Generic[T, R, E]):
    """The tools for some time, in the order in which they are listed."""

    tools: dict[str, tuple[T, Reply[R, E]]]
    told: bool


class Offer(Generic[T, R, E]):
    """Tools of type ``T``, answered with results of type ``R`` or errors of type ``E``.

    ``tool``, ``result`` and ``error`` put what the script says into the SDK's types; they raise :class:`Unsupported`
    where those do not give it back. ``is_alone``: the process serves one session, so it may end with it.
    """

    def __init__(
        self,
        script: Script,
        *,
        is_alone: bool,
        tool: Callable[[dict[str, Any]], T],
        result: Callable[[dict[str, Any]], R],
        error: Callable[[dict[str, Any]], E],
    ) -> None:
        def reply(reply: object) -> Reply[R, E]:
            match reply:
                case Result(value):
                    return Answers(result(value))
                case Error(value):
                    return Raises(error(value))
                case Exit() if not is_alone:
                    raise Unsupported(
                        "the SDK's HTTP server cannot drop one connection"
                    )
                case Hang() | Exit() | Evolution():
                    return reply
                case _:
                    raise AssertionError(reply)

        self._stages: list[Stage[T, R, E]] = []
        for stage in script.stages:
            tools = {
                each.name: (tool(each.definition), reply(each.reply))
                for each in stage.tools
            }
            if len(tools) < len(stage.tools):
                raise Unsupported(
                    "the SDK keeps only one of two tools with the same name"
                )
            self._stages.append(Stage(tools, stage.told))
        self._page_size = script.page_size

    @property
    def changes(self) -> bool:
        """Returns whether the tools ever change."""
        return len(self._stages) > 1

    def stage(self, number: int) -> Stage[T, R, E]:
        """A stage; the last one stays."""
        return self._stages[min(number, len(self._stages) - 1)]

    def page(self, number: int, cursor: str | None) -> tuple[list[T], str | None]:
        """The page of a stage that a cursor names, and the cursor of the next one. ``LookupError``: no such cursor."""
        tools = [tool for tool, _ in self.stage(number).tools.values()]
        start = 0
        if cursor is not None:
            if not cursor.isdecimal() or int(cursor) >= len(tools):
                raise LookupError("no page has this cursor")
            start = int(cursor)
        end = start + (self._page_size or len(tools))
        return tools[start:end], str(end) if end < len(tools) else None


async def perform(
    reply: Reply[R, E],
    *,
    refuse: Callable[[E], Exception],
    evolve: Callable[[], Awaitable[R]],
) -> R:
    """Does what a call answers.

    ``refuse`` makes the exception that the SDK sends as an error, and ``evolve`` takes the step to the next stage.
    """
    match reply:
        case Answers(result):
            return result
        case Raises(error):
            raise refuse(error)
        case Hang():
            await anyio.sleep_forever()
        case Exit(status):
            os._exit(status)
        case Evolution():
            return await evolve()
    raise AssertionError(reply)


class Progress:
    """Current stage of each session. Any hashable value identifies a session: an object of the SDK, an id."""

    def __init__(self) -> None:
        self._stages: dict[Hashable, int] = {}

    def stage(self, session: Hashable) -> int:
        """The stage that a session is in."""
        return self._stages.get(session, 0)

    def advance(self, session: Hashable) -> int:
        """Goes to the next stage, and says which it is."""
        self._stages[session] = self.stage(session) + 1
        return self._stages[session]
