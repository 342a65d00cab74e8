"""A scripted tool as the user of a typed API writes it: a function with annotations, that returns or raises.

::

    inputSchema  ─ parameters ─┐
    outputSchema ─ returns ────┼─ Function ─ given to the SDK, which makes schemas, text and structured content of it
    reply        ─ body ───────┘

What the reply says beyond that, the SDK's user could not have said either: the script is
:class:`~peer_contract.exact.Unsupported`. That the SDK may say it in other words, or not at all, is what is played for.
"""

import inspect
import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Optional

import anyio
from pydantic import PydanticUserError, TypeAdapter, ValidationError

from . import exact
from .annotation import annotation
from .exact import Unsupported
from .script import Error, Evolution, Exit, Hang, Reply, Result, ScriptedTool


@dataclass(frozen=True)
class Api:
    """Abilities of the functions of a typed API besides returning."""

    fails: Callable[[str], Exception]
    """Makes the exception with which a function says that its tool failed."""
    refuses: Callable[[dict[str, Any]], Exception] | None = None
    """Makes the exception that becomes a JSON-RPC error; ``None`` where there is no such exception."""
    evolves: Callable[..., Awaitable[Any]] | None = None
    """The function that goes to the next stage; ``None`` where the tools are the same for many sessions."""
    is_alone: bool = False
    """True if the process serves one session, so that it may end with it."""
    annotations: Callable[[Any], Any] | None = None
    """Puts the annotations of a tool into the API's type; ``None`` where it takes them as they stand."""


@dataclass(frozen=True)
class Function:
    """A tool of a typed API."""

    name: str
    about: dict[str, Any]
    """Further members of the definition, as these APIs take them: ``title``, ``annotations``, ``meta`` and so on."""
    call: Callable[..., Awaitable[Any]]
    """The function, with its signature."""


def function(tool: ScriptedTool, api: Api) -> Function:
    """Writes the function of a tool."""
    definition = dict(tool.definition)
    name = definition.pop("name")
    parameters = _parameters(definition.pop("inputSchema"))
    output = definition.pop("outputSchema", None)
    about: dict[str, Any] = {
        word.lstrip("_"): definition.pop(word)
        for word in ("title", "description", "annotations", "_meta")
        if word in definition
    }
    if "annotations" in about and api.annotations:
        try:
            about["annotations"] = api.annotations(about["annotations"])
        except ValidationError as error:
            raise exact.rejected("the tool's annotations", error) from error
    for word in definition:
        raise Unsupported(f"this API cannot declare `{word}` for a tool")
    returns = (
        inspect.Signature.empty
        if output is None
        else annotation(output, f"{_identifier(name)}Result")
    )
    if tool.reply == Evolution():
        if api.evolves is None:
            raise Unsupported("this API has the same tools in all sessions")
        return Function(name, about, api.evolves)
    body = _body(tool.reply, returns, api)

    async def call(**_: Any) -> Any:
        return await body()

    # Names that its source would have given it.
    call.__name__ = _identifier(name)
    call.__signature__ = inspect.Signature(parameters, return_annotation=returns)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    if output is not None:
        call.__annotations__["return"] = returns
    return Function(name, about, call)


def _parameters(schema: dict[str, Any]) -> list[inspect.Parameter]:
    rest = dict(schema)
    rest.pop("type", None)
    required = rest.pop("required", [])
    rest.pop("additionalProperties", None)
    parameters = []
    for name, each in rest.pop("properties", {}).items():
        if not name.isidentifier():
            raise Unsupported(f"a Python parameter cannot be named `{name}`")
        kind = annotation(each, f"{name.title()}Argument")
        default: Any = inspect.Parameter.empty
        if name not in required:
            kind, default = Optional[kind], None  # noqa: UP045 - it need not be a type
        parameters.append(
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default
            )
        )
    for word in rest:
        raise Unsupported(f"no function signature expresses `{word}`")
    return parameters


def _body(reply: Reply, returns: Any, api: Api) -> Callable[[], Awaitable[Any]]:
    match reply:
        case Result(result) if result.get("isError") is True:
            return _raising(api.fails, _words(result))
        case Result(result):
            return _returning(_value(result, returns))
        case Error(error) if api.refuses:
            return _raising(api.refuses, error)
        case Error():
            raise Unsupported(
                "the SDK turns every exception of a function into a tool error"
            )
        case Hang():
            return anyio.sleep_forever
        case Exit(status) if api.is_alone:
            return _exiting(status)
        case Exit():
            raise Unsupported("the SDK's HTTP server cannot drop one connection")
        case Evolution():
            raise AssertionError("an evolution has a function of its own")


def _returning(value: Any) -> Callable[[], Awaitable[Any]]:
    async def body() -> Any:
        return value

    return body


def _raising(make: Callable[[Any], Exception], of: Any) -> Callable[[], Awaitable[Any]]:
    async def body() -> Any:
        raise make(of)

    return body


def _exiting(status: int) -> Callable[[], Awaitable[Any]]:
    async def body() -> Any:
        os._exit(status)

    return body


def _words(result: dict[str, Any]) -> str:
    """The words of a tool error."""
    match result:
        case {
            "isError": True,
            "content": [{"type": "text", "text": str(words), **more}],
            **rest,
        } if not more and not rest:
            return words
        case _:
            raise Unsupported(
                "an exception of this API carries a message and nothing else"
            )


def _value(result: dict[str, Any], returns: Any) -> Any:
    """Value that the function returns."""
    rest = dict(result)
    rest.pop("isError", None)
    content = rest.pop("content", [])
    has_value = "structuredContent" in rest
    value = rest.pop("structuredContent", None)
    for word in rest:
        raise Unsupported(
            f"a function of this API cannot return `{word}` beside its value"
        )
    if has_value != (returns is not inspect.Signature.empty):
        raise Unsupported(
            "a function of this API returns a value if and only if its signature declares one"
        )
    if not has_value:
        return _text(content)
    if _holds(returns, value):
        _require_same(content, value)
    return value


def _holds(returns: Any, value: Any) -> bool:
    """Returns whether the annotation accepts the value unchanged. A value that it refuses is the SDK's to deal with."""
    try:
        adapter = TypeAdapter(returns)
        held = adapter.dump_python(adapter.validate_python(value), mode="json")
    except ValidationError:
        return False
    except (PydanticUserError, NameError, TypeError, RecursionError) as error:
        raise exact.rejected("the annotated type", error) from None
    exact.same("a value of the annotated type", value, held)
    return True


def _require_same(content: Any, value: Any) -> None:
    """The SDK writes the text, so it has to be the value's."""
    match content:
        case [{"type": "text", "text": str(text), **more}] if not more:
            try:
                if exact.difference(json.loads(text), value) is None:
                    return
            except ValueError:
                pass
    raise Unsupported(
        "the SDK generates the content from the value and sends no other content"
    )


def _text(content: Any) -> Any:
    texts = []
    for block in content:
        match block:
            case {"type": "text", "text": str(text), **more} if not more:
                texts.append(text)
            case _:
                raise Unsupported(
                    "a function of this API returns text and no other content"
                )
    match texts:
        case []:
            return None
        case [text]:
            return text
        case _:
            return texts


def _identifier(name: str) -> str:
    words = "".join(letter if letter.isalnum() else "_" for letter in name)
    return words if words.isidentifier() else f"tool_{words}"
