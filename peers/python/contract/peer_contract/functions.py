"""A script's tool as a function, for an API that makes tools of functions with annotations.

Its user says parameters and a return type, and returns a value; the API makes the schemas and the result of them. What
a script says beyond that is :class:`~peer_contract.exact.Unsupported`.
"""

import inspect
import keyword
import os
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import anyio
from pydantic import TypeAdapter, ValidationError

from . import exact
from .annotations import annotation
from .exact import Unsupported
from .script import Error, Evolution, Exit, Hang, Reply, Result, Script, ScriptedTool

NOTHING = inspect.Signature.empty
"""The return type of a function that declares none."""


@dataclass(frozen=True)
class Function:
    """A tool as a function."""

    name: str
    """The tool's name, which need not be a name for a function."""
    said: dict[str, Any]
    """What the definition says beside name and schemas: ``title``, ``description``, ``annotations``, ``_meta``."""
    call: Callable[..., Awaitable[Any]]
    """The function, with its signature and annotations."""


@dataclass(frozen=True)
class Api:
    """What an API makes of functions."""

    raises: Callable[[str], Exception]
    """The exception for a tool that fails, made of its words."""
    sends: Callable[[Any, Any], bool]
    """Whether it sends a value as it stands that is returned as a type: ``sends(value, type)``."""
    is_alone: bool
    """Whether the process serves one session, so that it may end with it."""


def functions(script: Script, api: Api) -> Iterator[Function]:
    """The tools of a script."""
    if len(script.stages) > 1:
        raise Unsupported("functions under a decorator are the same to every session")
    for tool in script.stages[0].tools:
        try:
            yield _function(tool, api)
        except RecursionError:
            raise Unsupported("types nested deeper than Python goes") from None


def is_of(value: Any, type: Any) -> bool:
    """Whether a value is of a type, which holds all of it. For an API that sends no other."""
    adapter = TypeAdapter(type)
    try:
        held = adapter.dump_python(adapter.validate_python(value, strict=True))
    except ValidationError:
        return False
    return exact.difference(value, held) is None


def _function(tool: ScriptedTool, api: Api) -> Function:
    said = dict(tool.definition)
    name = said.pop("name")
    parameters = _parameters(said.pop("inputSchema", None))
    returns: Any = NOTHING
    if "outputSchema" in said:
        returns = annotation(said.pop("outputSchema"), "Output")
    body = _body(tool.reply, returns, api)

    async def call(**arguments: Any) -> Any:
        return await body()

    call.__name__ = call.__qualname__ = name
    call.__doc__ = None
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    if returns is not NOTHING:
        call.__annotations__["return"] = returns
    call.__signature__ = inspect.Signature(parameters, return_annotation=returns)  # type: ignore[attr-defined]
    return Function(name, said, call)


def _parameters(schema: Any) -> list[inspect.Parameter]:
    match schema:
        case {"type": "object", **rest} if set(rest) <= {"properties", "required"}:
            properties, required = rest.get("properties", {}), rest.get("required", [])
        case _:
            raise Unsupported("parameters do not say this input schema")
    made = []
    for name, said in properties.items():
        if not name.isidentifier() or keyword.iskeyword(name):
            raise Unsupported(f"{name!r} is no name of a parameter")
        kind = inspect.Parameter.KEYWORD_ONLY
        type = annotation(said, name)
        if name in required:
            made.append(inspect.Parameter(name, kind, annotation=type))
        else:
            type = type | None
            made.append(inspect.Parameter(name, kind, annotation=type, default=None))
    return made


def _body(reply: Reply, returns: Any, api: Api) -> Callable[[], Awaitable[Any]]:
    """What the function does when it is called."""
    match reply:
        case Result({"isError": True} as value):
            error = api.raises(_words(value))

            async def fail() -> Any:
                raise error

            return fail
        case Result(value):
            meant = _meant(value, returns, api)

            async def give() -> Any:
                return meant

            return give
        case Hang():
            return anyio.sleep_forever
        case Exit(status) if api.is_alone:

            async def end() -> Any:
                os._exit(status)

            return end
        case Exit():
            raise Unsupported("the SDK's HTTP server cannot drop one connection")
        case Error():
            raise Unsupported("what a function raises becomes a result")
        case Evolution():
            raise Unsupported("functions under a decorator do not change")


def _words(value: dict[str, Any]) -> str:
    """The words of a tool's error that has nothing else."""
    match value:
        case {"content": [{"type": "text", "text": str(words), **others}], **members}:
            if not others and set(members) == {"isError"}:
                return words
    raise Unsupported("what a function raises has words, and nothing else")


def _meant(value: dict[str, Any], returns: Any, api: Api) -> Any:
    """The value that the function returns, where the result says no more than that the API can make of it."""
    if set(value) - {"content", "structuredContent", "isError"}:
        raise Unsupported("a function returns a value, and nothing beside it")
    match value:
        case {"structuredContent": meant, "content": [*blocks]}:
            parts = [meant, *meant] if isinstance(meant, list) else [meant]
            if not all(_tells(block, parts) for block in blocks):
                raise Unsupported("the SDK makes the content of the value")
            if returns is not NOTHING and not api.sends(meant, returns):
                raise Unsupported("a value that is not of the function's return type")
            return meant
        case {"content": [{"type": "text", "text": str(text), **others}]}:
            if not others and returns is NOTHING:
                return text
        case {"content": []} if returns is NOTHING:
            return None
    raise Unsupported("no value that a function returns becomes this result")


def _tells(block: Any, parts: list[Any]) -> bool:
    """Whether a block is text that says the value, or an item of it, and nothing else."""
    match block:
        case {"type": "text", "text": str(text), **others} if not others:
            try:
                told = exact.read(text)
            except Unsupported:
                return text in parts
            return any(exact.difference(part, told) is None for part in parts)
    return False
