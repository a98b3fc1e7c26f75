"""All of an `Output` but its validator: what can be cached without keeping the type alive."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from finalturn._core.frozen import freeze
from finalturn._core.output.model_keys import adapter_keys, model_keys
from finalturn._core.output.object_form import ObjectForm, object_form
from finalturn._core.output.root import Root, names_in, resolve_reference, root_of

if TYPE_CHECKING:
    from pydantic import BaseModel, TypeAdapter

_NOT_NAME = re.compile(r"[^A-Za-z0-9_-]+")


class Shape(NamedTuple):
    """What a response_format looks like.

    Attributes:
        name, schema, roots, required, declared: as in `Output`. The schema is frozen.
        names: every key that the schema declares, at any depth: what a reason may name.
        form: the schema with an object at its root.
    """

    name: str
    schema: Mapping[str, Any]
    roots: frozenset[str]
    required: frozenset[str]
    declared: frozenset[str]
    names: frozenset[str]
    form: ObjectForm


def model_shape(model: type[BaseModel]) -> Shape:
    """The shape of a pydantic model class.

    Raises:
        Exception: pydantic cannot make its schema, or it is not JSON.
    """
    from finalturn._core.output.pydantic_schema import InputSchema

    schema = model.model_json_schema(schema_generator=InputSchema)
    return _shape(schema, model.__name__, None if model.__pydantic_root_model__ else model_keys(model))


def adapter_shape(adapter: TypeAdapter[Any]) -> Shape:
    """The shape of what a TypeAdapter validates.

    Raises:
        Exception: pydantic cannot make its schema, or it is not JSON.
    """
    from finalturn._core.output.pydantic_schema import InputSchema

    schema = adapter.json_schema(schema_generator=InputSchema)
    return _shape(schema, None, adapter_keys(adapter.core_schema))


def schema_shape(schema: Mapping[str, Any]) -> Shape:
    """The shape of a JSON Schema, which is copied.

    Raises:
        MessageFormatError: the mapping is not JSON.
    """
    return _shape(schema, None, None)


def _shape(schema: Mapping[str, Any], name: str | None, keys: Root | None) -> Shape:
    frozen: Mapping[str, Any] = freeze(schema, "schema")
    form = object_form(frozen)
    root = root_of(frozen)
    declared, required = (root.declared, root.required) if keys is None else (keys.declared, keys.required)
    return Shape(
        name=_safe(_title(frozen) if name is None else name),
        schema=frozen,
        roots=root.kinds,
        required=required,
        declared=declared,
        names=names_in(frozen) | declared,
        form=ObjectForm(freeze(form.schema, "schema"), form.key),
    )


def _title(schema: Mapping[str, Any]) -> str:
    """The title of a schema, or of the definition that it refers to."""
    title = schema.get("title")
    if title is None and "$ref" in schema:
        try:
            title = resolve_reference(schema, schema["$ref"]).get("title")
        except (LookupError, AttributeError):
            title = None
    return title if isinstance(title, str) else ""


def _safe(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return _NOT_NAME.sub("_", plain).strip("_")[:64] or "answer"
