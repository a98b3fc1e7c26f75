"""The keys by which pydantic models take their fields from JSON."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any

from finalturn._core.output.root import NOTHING, Root, either
from finalturn._core.type_guards import is_dict

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

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
        named = {item["ref"]: item for item in schema["definitions"]}
        return _models(schema["schema"], named)
    if kind == "definition-ref":
        rest = dict(definitions)
        target = rest.pop(schema["schema_ref"], None)
        return None if target is None else _models(target, rest)
    if kind == "model" and not schema.get("root_model"):
        return [schema["cls"]]
    if kind in _TRANSPARENT:
        return _models(schema["schema"], definitions)
    if kind in ("union", "tagged-union"):
        return _of_choices(schema["choices"], definitions)
    return [] if kind in _SCALARS else None


def _of_choices(choices: Any, definitions: Mapping[str, Any]) -> list[type[BaseModel]] | None:
    found: list[type[BaseModel]] = []
    for choice in choices.values() if is_dict(choices) else choices:
        # A choice of a union may come with its label, as a pair.
        models = _models(choice if is_dict(choice) else choice[0], definitions)
        if models is None:
            return None
        found += models
    return found
