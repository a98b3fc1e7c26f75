"""pydantic's JSON Schema generator, which never says what JSON cannot. Imported when a type is given."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from typing import Any, cast

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import PydanticSerializationError, to_jsonable_python

from finalturn._core.json_schema import SchemaValueError, json_form, sendable_schema
from finalturn._core.type_guards import is_dict, is_mapping, is_sequence

__all__ = ["JsonValuesSchema"]


class JsonValuesSchema(GenerateJsonSchema):
    """The generator, with what JSON cannot say left out, and errors that name the field."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012  # pydantic's declaration

    def generate_inner(self, schema: Any) -> JsonSchemaValue:
        """As pydantic does it, but extras that cannot be said do not fail the whole."""
        metadata = schema.get("metadata")
        extra = metadata.get("pydantic_js_extra") if is_dict(metadata) else None
        if is_dict(extra):
            sendable = {key: value for key, value in extra.items() if key == "enum" or _has_json_form(value)}
            if "enum" in sendable and is_sequence(sendable["enum"]):
                sendable["enum"] = [value for value in sendable["enum"] if _has_json_form(value)]
            schema = {
                **schema,
                "metadata": {**cast("dict[Any, Any]", metadata), "pydantic_js_extra": sendable},
            }
        return super().generate_inner(schema)

    def _named_required_fields_schema(
        self, named_required_fields: Sequence[tuple[str, bool, Any]]
    ) -> JsonSchemaValue:
        path: list[str] = vars(self).setdefault("_way", [])
        path.append("")
        try:
            fields = cast("Sequence[tuple[str, bool, Any]]", _recorded_in_path(named_required_fields, path))
            return super()._named_required_fields_schema(fields)
        except SchemaValueError as error:
            raise SchemaValueError(error.path or ".".join(path), error.problem) from None
        except Exception as error:
            # pydantic's own text goes on with a link.
            problem = str(error).partition("\n")[0] or type(error).__name__
            raise SchemaValueError(".".join(path), problem) from error
        finally:
            path.pop()

    def literal_schema(self, schema: Any) -> JsonSchemaValue:
        """The values that JSON can say."""
        sendable: Any = {**schema, "expected": _with_json_form(schema["expected"])}
        return super().literal_schema(sendable)

    def enum_schema(self, schema: Any) -> JsonSchemaValue:
        """The members that JSON can say."""
        sendable: Any = {**schema, "members": _with_json_form(schema["members"])}
        return super().enum_schema(sendable)

    def encode_default(self, dft: Any) -> Any:
        """The default in JSON types.

        Raises:
            PydanticSerializationError: it has no such form; pydantic then leaves it out.
        """
        try:
            encoded = json_form(super().encode_default(dft))
        except PydanticSerializationError:
            raise
        except Exception as error:
            raise PydanticSerializationError("the default has no JSON form") from error
        if not _holds_only_finite(dft):
            raise PydanticSerializationError("the default holds a number that JSON does not have")
        return encoded

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:
        """The last step: what users have put in themselves is looked at too."""
        return super().sort(sendable_schema(value) if parent_key is None else value, parent_key)


def _recorded_in_path(
    fields: Sequence[tuple[str, bool, Any]], path: list[str]
) -> Iterator[tuple[str, bool, Any]]:
    """The fields, each noted as the place to name when it fails."""
    for field in fields:
        path[-1] = field[0]
        yield field


def _with_json_form(values: Sequence[Any]) -> list[Any]:
    sendable = [
        value for value in values if _has_json_form(value.value if isinstance(value, Enum) else value)
    ]
    if not sendable:
        raise SchemaValueError("", "JSON can say none of its values")
    return sendable


def _has_json_form(value: object) -> bool:
    try:
        json_form(to_jsonable_python(value))
    except Exception:
        return False
    return _holds_only_finite(value)


def _holds_only_finite(value: object) -> bool:
    """Whether no number in it is infinite or NaN: pydantic may write those as null, or as text."""
    pending: list[object] = [value]
    seen_ids: set[int] = set()
    while pending:
        node = pending.pop()
        if isinstance(node, Enum):
            node = node.value
        if isinstance(node, float) and not math.isfinite(node):
            return False
        if isinstance(node, Decimal) and not node.is_finite():
            return False
        if id(node) in seen_ids or isinstance(node, (str, bytes, type)):
            continue
        seen_ids.add(id(node))
        pending.extend(_parts(node))
    return True


def _parts(node: object) -> Sequence[object]:
    if is_mapping(node):
        return [*node.values()]
    if is_sequence(node) or isinstance(node, (set, frozenset)):
        return [*cast("Sequence[object]", node)]
    if dataclasses.is_dataclass(node):
        return [getattr(node, field.name, None) for field in dataclasses.fields(node)]
    fields: Mapping[str, object] = getattr(node, "__dict__", {})
    return [*fields.values()]
