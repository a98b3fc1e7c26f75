"""The shape of a response_format: its name, its schema and its keys.

That is all of an `Output` but its validator, so it can be cached without keeping the user's type alive.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from finalturn._core.frozen import freeze
from finalturn._core.output.object_form import ObjectForm, object_form
from finalturn._core.output.root import NOTHING, Root, either, names_in, resolve_reference, root_of
from finalturn._core.type_guards import is_dict

if TYPE_CHECKING:
    from pydantic import BaseModel, TypeAdapter
    from pydantic.fields import FieldInfo


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


_TRANSPARENT = frozenset({"default", "function-after", "function-before", "function-wrap", "nullable"})
_SCALARS = frozenset({"none", "bool", "int", "float", "str", "literal", "enum"})


def model_keys(model: type[BaseModel]) -> Root:
    """A model's keys, from its fields.

    Args:
        model: a class with named fields (no ``RootModel``).
    """
    config = model.model_config
    by_alias = config.get("validate_by_alias") is not False
    by_name = bool(config.get("validate_by_name") or config.get("populate_by_name"))
    declared: set[str] = set()
    required: set[str] = set()
    for name, field in model.model_fields.items():
        aliases = _aliases(field) if by_alias else set[str]()
        keys = aliases | {name} if by_name or not aliases else aliases
        declared |= keys
        if field.is_required():
            required |= keys
    return Root(frozenset({"object"}), frozenset(declared), frozenset(required))


def adapter_keys(core_schema: Mapping[str, Any]) -> Root | None:
    """The keys of a type that is a model, or a union of models and scalars.

    Returns:
        ``None`` when it is anything else.
    """
    models = _models(core_schema, {})
    return reduce(either, map(model_keys, models), NOTHING) if models else None


def _aliases(field: FieldInfo) -> set[str]:
    alias = field.alias if field.validation_alias is None else field.validation_alias
    if alias is None:
        return set()
    if isinstance(alias, str):
        return {alias}
    # An alias path is a list that starts with the key; alias choices are a list of such lists.
    paths = alias.convert_to_aliases()
    return {str(path[0]) if isinstance(path, list) else str(paths[0]) for path in paths}


def _models(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> list[type[BaseModel]] | None:
    kind = schema["type"]
    if kind == "definitions":
        by_ref = {item["ref"]: item for item in schema["definitions"]}
        return _models(schema["schema"], by_ref)
    if kind == "definition-ref":
        other_definitions = dict(definitions)
        target = other_definitions.pop(schema["schema_ref"], None)
        return None if target is None else _models(target, other_definitions)
    if kind == "model" and not schema.get("root_model"):
        return [schema["cls"]]
    if kind in _TRANSPARENT:
        return _models(schema["schema"], definitions)
    if kind in ("union", "tagged-union"):
        return _of_choices(schema["choices"], definitions)
    return [] if kind in _SCALARS else None


def _of_choices(choices: Any, definitions: Mapping[str, Any]) -> list[type[BaseModel]] | None:
    classes: list[type[BaseModel]] = []
    for choice in choices.values() if is_dict(choices) else choices:
        # A choice of a union may come with its label, as a pair.
        models = _models(choice if is_dict(choice) else choice[0], definitions)
        if models is None:
            return None
        classes += models
    return classes
