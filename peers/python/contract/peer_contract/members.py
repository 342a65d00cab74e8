"""Takes the members of a message, and refuses a message with members that are not known.

A member that this adapter does not know may change what the message asks for: it is not passed over in silence.
"""

from typing import Any, TypeVar

from .exact import Unsupported

T = TypeVar("T")

REQUIRED: Any = object()


class Members:
    """The members of one object, each to be taken once::

    members = Members("a tool", value)
    tool = Tool(name=members.take("name", str), before=members.take("before", list, []))
    members.end()
    """

    def __init__(self, what: str, value: Any) -> None:
        if not isinstance(value, dict):
            raise Unsupported(f"{what} is not an object")
        self._what = what
        self._left = dict(value)

    def take(self, name: str, kind: type[T], default: T = REQUIRED) -> T:
        """A member of the kind given; ``default`` where it is absent or null."""
        value = self._left.pop(name, None)
        if value is None:
            if default is REQUIRED:
                raise Unsupported(f"{self._what} has no `{name}`")
            return default
        is_number = kind is int and isinstance(value, bool)
        if not isinstance(value, kind) or is_number:
            raise Unsupported(
                f"`{name}` of {self._what} is not of type {kind.__name__}"
            )
        return value

    def end(self) -> None:
        """Refuses what is left."""
        for name in self._left:
            raise Unsupported(f"this adapter does not support `{name}` in {self._what}")


def variant(what: str, value: Any) -> tuple[str, Any]:
    """The name and the content of a message that is one of several: ``{"name": content}``, or only ``"name"``."""
    if isinstance(value, str):
        return value, {}
    if isinstance(value, dict) and len(value) == 1:
        return next(iter(value.items()))
    raise Unsupported(f"{what} is not an object with one member")
