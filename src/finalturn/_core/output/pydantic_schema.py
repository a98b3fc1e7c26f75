"""The JSON Schema of the input that a pydantic type validates. Imported when one is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from pydantic.json_schema import JsonSchemaValue

from finalturn._core.json_schema import SchemaValueError
from finalturn._core.output.pydantic_values import JsonValuesSchema
from finalturn._core.type_guards import is_array


class InputSchema(JsonValuesSchema):
    """pydantic's generator, with five differences.

    - What JSON cannot say is left out without a warning, since only the input matters.
    - A model that reads no aliases is described without them; older versions of pydantic name them.
    - A field that is read from a path (``AliasPath("data", "x")``) and from nowhere else is described where
      validation looks for it; pydantic describes it under its own name, which validation ignores.
    - A ``Literal`` is described without the members that no JSON is: those of an enum of neither texts nor
      numbers.
    - An ``Iterable`` is refused: pydantic validates its items when somebody reads them, and an answer is
      validated before anybody does.
    """

    def literal_schema(self, schema: Any) -> JsonSchemaValue:
        """The values that validation takes."""
        taken = [
            value
            for value in schema["expected"]
            if not isinstance(value, Enum) or isinstance(value, (str, int))
        ]
        if not taken:
            kind = type(schema["expected"][0]).__name__
            raise SchemaValueError("", f"a Literal of {kind} takes no JSON; derive {kind} from StrEnum")
        return super().literal_schema({**schema, "expected": taken})

    def generator_schema(self, schema: Any) -> JsonSchemaValue:
        """Refuse it.

        Raises:
            SchemaValueError: always.
        """
        raise SchemaValueError("", "an Iterable is validated only as it is read; write list or Sequence")

    def _get_alias_name(self, field: Any, name: str) -> str:
        return name if self._config.validate_by_alias is False else super()._get_alias_name(field, name)

    def _named_required_fields_schema(
        self, named_required_fields: Sequence[tuple[str, bool, Any]]
    ) -> JsonSchemaValue:
        schema = super()._named_required_fields_schema(named_required_fields)
        for name, required, field in named_required_fields:
            path = _only_path(field) if self._config.validate_by_alias is not False else None
            if path and not (self._config.validate_by_name or self._config.populate_by_name):
                _move_field(schema, name, path, required)
        return schema


def _only_path(field: Mapping[str, Any]) -> Sequence[str | int] | None:
    """The first path of a field that no single key reaches."""
    alias = field.get("validation_alias")
    if not is_array(alias):
        return None
    # One path, or a list of them.
    paths = alias if is_array(alias[0]) else [alias]
    return None if any(len(path) == 1 for path in paths) else paths[0]


def _move_field(schema: JsonSchemaValue, name: str, path: Sequence[str | int], required: bool) -> None:
    field = schema["properties"].pop(name)
    if required:
        schema["required"].remove(name)
    _insert_field(schema, path, field, required)


def _insert_field(node: Any, path: Sequence[str | int], field: Any, required: bool) -> Any:
    if not path:
        return field
    step, inner_path = path[0], path[1:]
    if isinstance(step, int):
        node["type"] = "array"
        items: list[Any] = node.setdefault("prefixItems", [])
        items += [{} for _ in range(step + 1 - len(items))]
        items[step] = _insert_field(items[step], inner_path, field, required)
        if required:
            node["minItems"] = max(len(items), node.get("minItems", 0))
    else:
        node["type"] = "object"
        properties: dict[str, Any] = node.setdefault("properties", {})
        properties[step] = _insert_field(properties.get(step, {}), inner_path, field, required)
        if required:
            node["required"] = list(dict.fromkeys([*node.get("required", ()), step]))
    return node
