from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.errors import ConfigurationError
from finalturn._jsonschema.refs import check_references


def nothing(schema: Any) -> None:
    """Accept every target."""


def test_references_inside_the_schema_are_taken() -> None:
    cases: list[dict[str, Any]] = [
        {"title": "nothing"},
        {"$schema": "https://json-schema.org/draft/2020-12/schema"},
        {"$schema": "https://json-schema.org/draft/2020-12/schema#"},
        {"$ref": "#/$defs/a", "$defs": {"a": True}},
        {"$ref": "#/definitions/a", "definitions": {"a": True}},
        {"properties": {"self": {"$ref": "#"}}},
        {"$ref": "#here", "$defs": {"a": {"$anchor": "here"}}},
        {"$dynamicRef": "#here", "$defs": {"a": {"$dynamicAnchor": "here"}}},
        {
            "$id": "https://example.org/root",
            "$ref": "https://example.org/root#/$defs/a",
            "$defs": {"a": True},
        },
        {"$ref": "other", "$defs": {"a": {"$id": "other"}}},
        {"$ref": "#/x-parts/a%20b", "x-parts": {"a b": {"type": "null"}}},
        {"properties": {"$ref": {"type": "string"}}},
        {"const": {"$ref": "https://example.org/x"}, "enum": [{"$ref": "#/nowhere"}]},
        {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"items": {"$ref": "#"}}}},
        {"propertyNames": {"$ref": "#/$defs/a"}, "$defs": {"a": {"propertyNames": {"$ref": "#/$defs/a"}}}},
        {
            "if": {"$ref": "#/$defs/a"},
            "then": False,
            "else": {"not": True},
            "$defs": {"a": {"allOf": [True]}},
        },
    ]
    for schema in cases:
        check_references(schema, nothing)


@pytest.mark.parametrize(
    ("schema", "what"),
    [
        ({"$ref": "https://example.org/x"}, "$ref to 'https://example.org/x', which is not in it"),
        ({"$ref": "file:///etc/x"}, "$ref to 'file:///etc/x', which is not in it"),
        ({"$ref": "https://json-schema.org/draft/2020-12/schema"}, "which is not in it"),
        ({"$ref": "other.json#/a"}, "$ref to 'other.json#/a', which is not in it"),
        ({"$ref": "#/$defs/a"}, "$ref to '#/$defs/a', which is not in it"),
        ({"$ref": "#here"}, "$ref to '#here', which is not in it"),
        ({"$ref": "#/allOf/x", "allOf": [True]}, "$ref to '#/allOf/x', which is not in it"),
        ({"$ref": "#/minLength/x", "minLength": 1}, "$ref to '#/minLength/x', which is not in it"),
        ({"$ref": "http://["}, "$ref to 'http://[', which is not in it"),
        ({"$dynamicRef": "#here"}, "$dynamicRef to '#here', which is not in it"),
        ({"properties": {"a": {"items": {"$ref": "x"}}}}, "$ref to 'x', which is not in it"),
        ({"$ref": "#/x/a", "x": {"a": {"$ref": "#/x/b"}}}, "$ref to '#/x/b', which is not in it"),
        ({"$ref": "#/enum", "enum": [1]}, "$ref to '#/enum', which is not a schema"),
    ],
)
def test_references_that_lead_nowhere(schema: dict[str, Any], what: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        check_references(schema, nothing)
    assert what in str(caught.value)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"$defs": {"a": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/a"}]}}},
        {"oneOf": [{"not": {"$ref": "#"}}]},
        {"if": {}, "then": {"allOf": [{"$ref": "#"}]}},
        {"dependentSchemas": {"a": {"$ref": "#"}}},
        {
            "properties": {"a": {"$dynamicRef": "#here"}},
            "$defs": {"a": {"$dynamicAnchor": "here", "$ref": "#here"}},
        },
    ],
)
def test_references_without_end(schema: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="only leads back to itself"):
        check_references(schema, nothing)


@pytest.mark.parametrize(
    "schema",
    [
        {"$schema": "http://json-schema.org/draft-07/schema#"},
        {"$schema": "https://json-schema.org/draft/2019-09/schema"},
        {"$defs": {"a": {"$id": "a", "$schema": "http://json-schema.org/draft-07/schema#"}}},
    ],
)
def test_other_drafts_are_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=r"declares \$schema 'http.*only draft 2020-12"):
        check_references(schema, nothing)


def test_only_targets_in_unusual_places_are_checked() -> None:
    checked: list[Any] = []
    check_references(
        {
            "allOf": [{"$ref": "#/x/a"}, {"$ref": "#/x/a"}, {"$ref": "#/$defs/b"}],
            "x": {"a": {"type": "null"}},
            "$defs": {"b": {}},
        },
        checked.append,
    )
    assert checked == [{"type": "null"}]
