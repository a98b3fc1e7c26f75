"""What a user gives as response_format, made into an `Output`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar, cast
from weakref import WeakKeyDictionary

from finalturn.core._frozen import freeze, thaw
from finalturn.core.errors import ConfigurationError, MessageFormatError
from finalturn.core.output import (
    Output,
    Shape,
    adapter_shape,
    model_shape,
    pydantic_output,
    schema_output,
    schema_shape,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel, TypeAdapter

__all__ = ["is_adapter", "is_model", "output_of"]

K = TypeVar("K")

# A shape holds no reference to its type, so a class that nobody else needs can be collected.
_models: WeakKeyDictionary[type[BaseModel], Shape] = WeakKeyDictionary()
_adapters: WeakKeyDictionary[TypeAdapter[Any], Shape] = WeakKeyDictionary()


def output_of(response_format: object) -> Output[Any]:
    """What validates an answer, and the schema that a model is given.

    Args:
        response_format: a pydantic model class, a ``TypeAdapter``, or a JSON Schema (draft 2020-12) as
            a mapping, which is copied.

    Raises:
        ConfigurationError: it is anything else, or its schema cannot be used.
    """
    if isinstance(response_format, Mapping):
        return _schema_output(cast("Mapping[str, Any]", response_format))
    if is_adapter(response_format):
        shape = _cached(_adapters, response_format, adapter_shape, repr(response_format))
        return pydantic_output(shape, response_format.validate_json)
    if is_model(response_format):
        shape = _cached(_models, response_format, model_shape, response_format.__qualname__)
        return pydantic_output(shape, response_format.model_validate_json)
    raise ConfigurationError(_advice(response_format))


def is_adapter(given: object) -> TypeGuard[TypeAdapter[Any]]:
    """Whether it is a ``TypeAdapter``."""
    from pydantic import TypeAdapter

    return isinstance(given, TypeAdapter)


def is_model(given: object) -> TypeGuard[type[BaseModel]]:
    """Whether it is a pydantic model class."""
    from pydantic import BaseModel

    return isinstance(given, type) and issubclass(given, BaseModel)


def _cached(shapes: WeakKeyDictionary[K, Shape], key: K, make: Callable[[K], Shape], label: str) -> Shape:
    shape = shapes.get(key)
    if shape is None:
        try:
            shape = make(key)
        except Exception as error:
            # pydantic's own text goes on with a link.
            problem = str(error).partition("\n")[0] or type(error).__name__
            raise ConfigurationError(
                f"response_format {label} has no usable JSON Schema: {problem}"
            ) from None
        shapes[key] = shape
    return shape


def _schema_output(schema: Mapping[str, Any]) -> Output[Any]:
    from finalturn._jsonschema import problems_finder

    try:
        copy = thaw(freeze(schema, "response_format"))
    except MessageFormatError as error:
        raise ConfigurationError(f"the mapping is not a JSON Schema: {error}") from None
    problems = problems_finder(copy)
    return schema_output(schema_shape(copy), problems)


def _advice(given: object) -> str:
    from pydantic import BaseModel

    name = _display(given)
    if isinstance(given, BaseModel):
        advice = "give the class itself"
    elif any(base.__module__.startswith("pydantic.v1") for base in getattr(given, "__mro__", ())):
        advice = "it is a model of pydantic's v1 interface: derive it from pydantic.BaseModel"
    elif isinstance(given, type) or _is_typing(given):
        advice = f"wrap it: TypeAdapter({name})"
    elif isinstance(given, (str, bytes)):
        advice = "decode a JSON Schema into a mapping first"
    else:
        advice = "give a pydantic model class, a TypeAdapter, or a JSON Schema as a mapping"
    return f"response_format cannot be {name}; {advice}"


def _display(given: object) -> str:
    if isinstance(given, type):
        return given.__qualname__
    return repr(given) if _is_typing(given) else f"an instance of {type(given).__name__}"


def _is_typing(given: object) -> bool:
    """Whether it is a type to a type checker (``list[int]``, ``A | B``, a type alias), but no class."""
    return any(hasattr(given, name) for name in ("__args__", "__value__", "__supertype__"))
