"""Passes values from one result on to the arguments of the next call, as an agent does."""

import copy
from collections.abc import Iterable
from typing import Any


def fed(
    arguments: dict[str, Any], feed: Iterable[tuple[str, str]], last: Any
) -> dict[str, Any]:
    """The arguments with what stands in ``last``: from JSON Pointer to JSON Pointer. What is not there is left out."""
    arguments = copy.deepcopy(arguments)
    for into, source in feed:
        parent, _, key = into.rpartition("/")
        try:
            value, place = _at(last, source), _at(arguments, parent)
        except (LookupError, TypeError, ValueError):
            continue
        if isinstance(place, dict):
            place[_unescaped(key)] = value
    return arguments


def _at(value: Any, pointer: str) -> Any:
    for token in pointer.split("/")[1:]:
        value = value[int(token) if isinstance(value, list) else _unescaped(token)]
    return value


def _unescaped(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~")
