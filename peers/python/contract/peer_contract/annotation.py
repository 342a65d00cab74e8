"""JSON Schema as a Python programmer writes it down: as a type annotation.

The typed API of an SDK makes a tool's schema from annotations. Here the way is gone backwards, as far as it is a natural
one: where no annotation says what a keyword says, the schema is :class:`~peer_contract.exact.Unsupported`.

=========================================  =======================================
schema                                     annotation
=========================================  =======================================
``string``, ``integer``, ``number``        ``str``, ``int``, ``float``
``boolean``, ``null``                      ``bool``, ``None``
``array``                                  ``list[…]``
``object`` with ``properties``             ``TypedDict``, perhaps ``NotRequired``
``object`` without                         ``dict[str, …]``
``enum``, ``const``                        ``Literal[…]``
``anyOf``, several types                   ``Union[…]``
``$ref`` to one of the ``$defs``           the one type of that name
bounds, ``pattern``, words for people      ``Annotated[…, Field(…)]``
no keyword at all                          ``Any``
=========================================  =======================================
"""

from typing import Annotated, Any, Literal, NotRequired, Union

from pydantic import Field
from typing_extensions import TypedDict  # pydantic asks for this one before 3.12

from .exact import Unsupported

LONGEST = 500
"""The length of a type's name, which grows with each level."""

MOST = 200
"""The members of one type. To make types of thousands keeps a server busy for seconds."""

PLAIN: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": None,
}

FIELDS = {
    "title": "title",
    "description": "description",
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
    "minLength": "min_length",
    "maxLength": "max_length",
    "minItems": "min_length",
    "maxItems": "max_length",
    "pattern": "pattern",
}
"""The keywords that ``Field`` has an argument for."""


def annotation(schema: Any, name: str) -> Any:
    """The annotation of a schema; ``name`` is that of the type, where it has to have one."""
    if not isinstance(schema, dict):
        return _annotation(schema, name, Named({}))
    rest = dict(schema)
    return _annotation(rest, name, Named(rest.pop("$defs", {})))


class Named:
    """The types that a schema has names for, each made once."""

    def __init__(self, schemas: dict[str, Any]) -> None:
        self._schemas = schemas
        self._made: dict[str, Any] = {}
        self._being_made: set[str] = set()

    def type(self, reference: Any) -> Any:
        """The type that a reference stands for."""
        place, _, name = str(reference).rpartition("/")
        if place != "#/$defs" or name not in self._schemas:
            raise Unsupported(f"no type annotation expresses the reference {reference}")
        if name in self._being_made:
            raise Unsupported(
                f"the adapter does not write recursive types such as {name}"
            )
        if name not in self._made:
            self._being_made.add(name)
            self._made[name] = _annotation(self._schemas[name], name, self)
            self._being_made.remove(name)
        return self._made[name]


def _annotation(schema: Any, name: str, named: Named) -> Any:
    if len(name) > LONGEST:
        raise Unsupported("types of source code are not nested this deep")
    if schema is True:
        return Any
    if not isinstance(schema, dict):
        raise Unsupported(f"no type annotation expresses the schema {schema!r}")
    rest = dict(schema)
    if "properties" in rest and str(rest.get("title", "")).isidentifier():
        name = rest.pop("title")  # which is what the class is called
    field = {FIELDS[word]: rest.pop(word) for word in FIELDS if word in rest}
    plain = _bare(rest, name, named)
    if rest:
        raise Unsupported(f"no type annotation expresses `{next(iter(rest))}`")
    return Annotated[plain, Field(**field)] if field else plain


def _bare(rest: dict[str, Any], name: str, named: Named) -> Any:
    """Takes from ``rest`` what the annotation says."""
    if "$ref" in rest:
        return named.type(rest.pop("$ref"))
    if "enum" in rest or "const" in rest:
        rest.pop("type", None)
        values = rest.pop("enum") if "enum" in rest else [rest.pop("const")]
        if not all(isinstance(value, str | int | None) for value in values):
            raise Unsupported("a Literal cannot hold objects, arrays or floats")
        return Literal[tuple(values)]
    if "anyOf" in rest:
        return _union([_annotation(each, name, named) for each in rest.pop("anyOf")])
    match rest.pop("type", None):
        case None:
            return Any
        case [*kinds]:
            return _union([_annotation({"type": kind}, name, named) for kind in kinds])
        case "array":
            return list[_annotation(rest.pop("items", True), f"{name}Item", named)]  # type: ignore[misc]
        case "object":
            return _object(rest, name, named)
        case kind if kind in PLAIN:
            return PLAIN[kind]
        case kind:
            raise Unsupported(f"no type annotation expresses `type: {kind}`")


def _object(rest: dict[str, Any], name: str, named: Named) -> Any:
    others = rest.pop("additionalProperties", True)
    required = set(rest.pop("required", []))
    properties = rest.pop("properties", {})
    if not properties and not required and others is not False:
        return dict[str, _annotation(others, f"{name}Value", named)]  # type: ignore[misc]
    if not isinstance(others, bool):
        raise Unsupported("a TypedDict cannot have members of other names")
    if required - properties.keys():
        raise Unsupported("a TypedDict cannot require a member without a type")
    if len(properties) > MOST:
        raise Unsupported("types of source code do not have this many members")
    members = {}
    for member, schema in properties.items():
        kind = _annotation(schema, f"{name}{member.title()}", named)
        members[member] = kind if member in required else NotRequired[kind]
    return TypedDict(name, members)  # type: ignore[operator]


def _union(kinds: list[Any]) -> Any:
    return Union[tuple(kinds)]  # noqa: UP007 - as many as there are
