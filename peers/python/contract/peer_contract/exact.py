"""Reads JSON only where Python loses nothing of it, and tells where two values differ.

A script goes from text into Python's values, from there into an SDK's types, and back onto the wire. What Python's
values cannot give back (a key that is there twice, a decimal of more digits than a float has, ``1e400``, half a
surrogate pair, an integer of thousands of digits) would be blamed on the server, though the adapter lost it. So such a
script is refused with the reason, and the adapter says ``unsupported``.

Numbers are compared by what they are worth: ``1``, ``1.0`` and ``1e0`` are one value, and ``true`` is none of them.
"""

import json
import math
import re
from decimal import Decimal
from typing import Any, NoReturn


class Unsupported(Exception):
    """A request that the SDK or its adapter cannot satisfy, with the reason as a sentence for the report."""


def rejected(what: str, error: Exception) -> Unsupported:
    """The reason that an SDK's type refuses a value; of the errors that pydantic lists, the first."""
    words = str(error).partition(". ")[0]
    if hasattr(error, "errors"):  # of pydantic, which this module does without
        first = error.errors()[0]
        words = f"/{'/'.join(map(str, first['loc']))}: {first['msg']}"
    return Unsupported(f"the SDK cannot represent {what} ({words})")


def read(text: str | bytes) -> Any:
    """Reads JSON text, or raises :class:`Unsupported` where it would not be given back as it stands."""
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_float=_decimal,
            parse_constant=_no_json,
        )
        json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise Unsupported(
            "Python's json cannot read a value that is nested this deep"
        ) from None
    except UnicodeEncodeError:
        raise Unsupported(
            "Python cannot encode half of a surrogate pair as UTF-8"
        ) from None
    except ValueError as error:
        raise Unsupported(f"Python's json cannot read the message: {error}") from None
    return value


def address(text: str | bytes) -> int | None:
    """The ``id`` of a line, which stands first, whatever cannot be read in the rest of it."""
    if isinstance(text, bytes):
        text = text.decode(errors="replace")
    found = re.match(r'\s*\{\s*"id"\s*:\s*(\d+)', text)
    return int(found[1]) if found else None


TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|-?Infinity|NaN')
"""A string, or what ``json.dumps`` writes for a float that no JSON number is."""

JSON_OF = {"Infinity": "1e999", "-Infinity": "-1e999", "NaN": '"nan"'}
"""Replacements: a number that every reader of doubles reads as infinite; for NaN, Python's word as a string."""


def write(value: Any) -> str:
    """JSON text of what an SDK gave, infinite numbers included."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    except ValueError:
        text = json.dumps(value, separators=(",", ":"))
        return TOKEN.sub(lambda token: JSON_OF.get(token[0], token[0]), text)


def same(what: str, value: Any, held: Any) -> None:
    """Raises :class:`Unsupported` unless ``held``, what an SDK's type gives back, is ``value``."""
    pointer = difference(value, held)
    if pointer is not None:
        raise Unsupported(f"the SDK changes {pointer or 'the whole value'} in {what}")


def difference(left: Any, right: Any, at: str = "") -> str | None:
    """The JSON Pointer of the first difference, if there is one."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in [*left, *(key for key in right if key not in left)]:
            below = f"{at}/{key}"
            if key not in left or key not in right:
                return below
            found = difference(left[key], right[key], below)
            if found is not None:
                return found
        return None
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for index, (one, other) in enumerate(zip(left, right, strict=True)):
            found = difference(one, other, f"{at}/{index}")
            if found is not None:
                return found
        return None
    return None if _kind(left) == _kind(right) and left == right else at


def _kind(value: Any) -> type:
    """``True == 1`` in Python, but not in JSON; ``1 == 1.0`` in both."""
    return float if type(value) is int else type(value)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in members if keys.count(key) > 1)
        raise Unsupported(f"a Python dict keeps only one of two keys {twice!r}")
    return members


def _decimal(lexeme: str) -> float:
    value = float(lexeme)
    digits = lexeme.lower().partition("e")[0]
    is_zero = not re.search("[1-9]", digits)
    if is_zero:
        return value
    if value == 0 or math.isinf(value) or Decimal(lexeme) != Decimal(repr(value)):
        raise Unsupported(f"a Python float cannot represent {lexeme}")
    return value


def _no_json(word: str) -> NoReturn:
    raise Unsupported(f"{word} is not valid JSON")
