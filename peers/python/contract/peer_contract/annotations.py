"""Python annotations for a JSON Schema, as somebody would write them who has that schema in mind.

A typed API has no schemas but those that it makes of annotations. So a schema can be said there only where a type of
Python says it: ``{"type": "array", "items": {"type": "integer"}}`` is ``list[int]``. What no type says is
:class:`~peer_contract.exact.Unsupported`; nothing is said in part.

Objects become ``TypedDict``: a value is then returned as it stands, whether it is of that type or not.
"""

from typing import Annotated, Any, Literal, NotRequired, Union

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from .exact import Unsupported

TYPES = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "null": None,
}

OF_NUMBERS = {
    "minimum": "ge",
    "maximum": "le",
    "exclusiveMinimum": "gt",
    "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of",
}

CONSTRAINTS = {
    "string": {
        "minLength": "min_length",
        "maxLength": "max_length",
        "pattern": "pattern",
    },
    "integer": OF_NUMBERS,
    "number": OF_NUMBERS,
    "array": {"minItems": "min_length", "maxItems": "max_length"},
}
"""What keywords are called in ``pydantic.Field``."""

DEFINITIONS = ("$defs", "definitions")


def annotation(schema: Any, name: str) -> Any:
    """The annotation for a schema; ``name`` is for an object, which has to have one."""
    if not isinstance(schema, dict):
        return Reading({}).of(schema, name)
    definitions = {
        f"#/{key}/{entry}": schema[key][entry]
        for key in DEFINITIONS
        for entry in schema.get(key, {})
    }
    rest = {key: schema[key] for key in schema if key not in DEFINITIONS}
    return Reading(definitions).of(rest, name)


class Reading:
    """A schema being read: what it defines, and what was made of that."""

    def __init__(self, definitions: dict[str, Any]) -> None:
        self._definitions = definitions
        self._made: dict[str, Any] = {}
        self._being_made: set[str] = set()

    def of(self, schema: Any, name: str) -> Any:
        """The annotation of a part, with its words for people."""
        if schema is True:
            return Any
        if not isinstance(schema, dict):
            raise Unsupported(f"no annotation says the schema {schema}")
        schema = dict(schema)
        words = {
            key: schema.pop(key) for key in ("title", "description") if key in schema
        }
        plain = self._plain(schema, name)
        return Annotated[plain, Field(**words)] if words else plain

    def _plain(self, schema: dict[str, Any], name: str) -> Any:
        match schema:
            case {"type": "object", **rest}:
                return self._object(rest, name)
            case {"type": "array", **rest}:
                items = self.of(rest.pop("items", True), f"{name}_item")
                return _constrained(list[items], "array", rest)  # type: ignore[valid-type]
            case {"type": list(types), **rest} if types and not rest:
                options = [self._plain({"type": type}, name) for type in types]
                return Union[tuple(options)]
            case {"anyOf": list(options), **rest} if options and not rest:
                return Union[tuple(self.of(option, name) for option in options)]
            case {"enum": list(values), **rest} if values and set(rest) <= {"type"}:
                return _literal(values, rest.get("type"))
            case {"const": value, **rest} if set(rest) <= {"type"}:
                return _literal([value], rest.get("type"))
            case {"type": str(type), **rest} if type in TYPES:
                return _constrained(TYPES[type], type, rest)
            case {"$ref": str(pointer), **rest} if not rest:
                return self._defined(pointer)
        if schema:
            raise Unsupported(f"no annotation says `{'`, `'.join(schema)}` so")
        return Any

    def _object(self, rest: dict[str, Any], name: str) -> Any:
        properties = rest.pop("properties", {})
        required = rest.pop("required", [])
        others = rest.pop("additionalProperties", True)
        if rest or not set(required) <= set(properties):
            raise Unsupported(
                f"no annotation says `{'`, `'.join(rest or ['required'])}` of an object so"
            )
        if not properties and others is not False:
            return dict[str, self.of(others, f"{name}_value")]  # type: ignore[misc]
        if not isinstance(others, bool):
            raise Unsupported("no annotation says what other properties are")
        members = {}
        for key, schema in properties.items():
            member = self.of(schema, key)
            members[key] = member if key in required else NotRequired[member]
        made = TypedDict(name, members)  # type: ignore[operator]
        if not others:
            made.__pydantic_config__ = ConfigDict(extra="forbid")
        return made

    def _defined(self, pointer: str) -> Any:
        if pointer not in self._definitions:
            raise Unsupported(f"no annotation says the reference {pointer}")
        if pointer in self._being_made:
            raise Unsupported(
                f"no annotation made here says that {pointer} holds itself"
            )
        if pointer not in self._made:
            self._being_made.add(pointer)
            name = pointer.rpartition("/")[2]
            self._made[pointer] = self.of(self._definitions[pointer], name)
            self._being_made.remove(pointer)
        return self._made[pointer]


def _constrained(plain: Any, type: str, rest: dict[str, Any]) -> Any:
    known = CONSTRAINTS.get(type, {})
    for key in rest:
        if key not in known:
            raise Unsupported(f"no annotation says `{key}` of the type {type}")
    options = {known[key]: value for key, value in rest.items()}
    return Annotated[plain, Field(**options)] if options else plain


def _literal(values: list[Any], type: str | None) -> Any:
    kinds = {None: (str, int, bool), "string": str, "integer": int, "boolean": bool}
    for value in values:
        if type not in kinds or not isinstance(value, kinds[type]):
            raise Unsupported(f"no Literal says {value} of the type {type}")
    return Literal[tuple(values)]  # type: ignore[return-value]
