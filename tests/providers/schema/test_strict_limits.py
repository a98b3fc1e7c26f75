from __future__ import annotations

from typing import Any

import pytest

from finalturn._providers.schema.strict_limits import Inexpressible, check_size


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def nested(levels: int) -> dict[str, Any]:
    schema = of(leaf={"type": "string"})
    for _ in range(levels - 1):
        schema = of(inner={"type": "array", "items": {"anyOf": [schema, {"type": "null"}]}})
    return schema


def chain(levels: int) -> dict[str, Any]:
    """As many levels, each in a definition that the one before refers to twice."""
    definitions = {
        f"d{n}": of(a={"$ref": f"#/$defs/d{n + 1}"}, b={"$ref": f"#/$defs/d{n + 1}"}) for n in range(levels)
    }
    return of(a={"$ref": "#/$defs/d1"}) | {"$defs": {**definitions, f"d{levels - 1}": of(a={"type": "null"})}}


def enum(*values: object) -> dict[str, Any]:
    return of(a={"enum": list(values)})


RECURSIVE: dict[str, Any] = of(
    kids={"type": "array", "items": {"$ref": "#"}}, other={"$ref": "#/$defs/n"}
) | {"$defs": {"n": of(next={"$ref": "#/$defs/n"})}}


@pytest.mark.parametrize(
    "schema",
    [
        of(),
        nested(10),
        chain(10),
        RECURSIVE,
        of(**{f"p{n}": {"type": "null"} for n in range(5000)}),
        of(**{"p" * 120_000: {"type": "null"}}),
        enum(*range(1000)),
        enum(*("x" * 60 + str(n) for n in range(100, 350))),
        enum(*("x" * 56 + str(n) for n in range(1000, 1250))),
    ],
)
def test_what_fits(schema: dict[str, Any]) -> None:
    check_size(schema)


@pytest.mark.parametrize(
    "schema",
    [
        nested(11),
        chain(11),
        of(**{f"p{n}": {"type": "null"} for n in range(5001)}),
        of(**{"p" * 120_001: {"type": "null"}}),
        of() | {"$defs": {"d" * 120_001: {"type": "null"}}},
        of(a={"const": "x" * 120_000}),
        enum(*range(1001)),
        of(a={"enum": list(range(600))}, b={"items": {"enum": list(range(600))}}),
        of(a={"$ref": "#/$defs/d"}) | {"$defs": {"d": {"enum": list(range(1001))}}},
        enum(*("x" * 60 + str(n) for n in range(1000, 1251))),
    ],
)
def test_what_does_not_fit(schema: dict[str, Any]) -> None:
    with pytest.raises(Inexpressible):
        check_size(schema)
