"""Makes an `Output` of a response_format: a pydantic model, another type, a TypeAdapter or a JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar, cast
from weakref import WeakKeyDictionary

from finalturn._core.errors import ConfigurationError, MessageFormatError
from finalturn._core.json_schema import SchemaValueError, sendable_schema
from finalturn._core.output import (
    Output,
    Shape,
    adapter_shape,
    model_shape,
    pydantic_output,
    schema_output,
    schema_shape,
)
from finalturn._core.type_guards import is_mapping, is_sequence

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import BaseModel, TypeAdapter

__all__ = ["as_format", "is_adapter", "is_model", "output_of"]

K = TypeVar("K")

# A shape holds no reference to its type, so a class that nobody else needs can be collected.
_models: WeakKeyDictionary[type[BaseModel], Shape] = WeakKeyDictionary()
_adapters: WeakKeyDictionary[TypeAdapter[Any], Shape] = WeakKeyDictionary()


def as_format(response_format: object) -> object:
    """The same response_format as one of the three things that are understood.

    Any other type that pydantic can validate (a dataclass, a ``TypedDict``, ``A | B``, ``list[A]``, an
    ``Annotated`` or an alias of one) becomes its ``TypeAdapter``; everything else stays what it is.

    Raises:
        ConfigurationError: it is a type, and pydantic cannot validate it.
    """
    if _is_understood(response_format) or _is_old_model(response_format):
        return response_format
    if isinstance(response_format, type) or _is_typing(response_format):
        try:
            hash(response_format)
        except TypeError:
            return _adapter.__wrapped__(response_format, "")
        return _adapter(response_format, repr(response_format))
    return response_format


def output_of(response_format: object) -> Output[Any]:
    """What validates an answer, and the schema that a model is given.

    Args:
        response_format: a pydantic model class, a ``TypeAdapter``, any other type that pydantic can
            validate, or a JSON Schema (draft 2020-12) as a mapping, which is copied.

    Raises:
        ConfigurationError: it is anything else, or its schema cannot be used.
    """
    form = as_format(response_format)
    if isinstance(form, Mapping):
        return _schema_output(cast("Mapping[str, Any]", form))
    if is_adapter(form):
        label = repr(form) if form is response_format else _display(response_format)
        shape = _cached(_adapters, form, adapter_shape, label)
        return pydantic_output(shape, form.validate_json)
    if is_model(form):
        shape = _cached(_models, form, model_shape, form.__qualname__)
        return pydantic_output(shape, form.model_validate_json)
    raise ConfigurationError(_advice(form))


@lru_cache(maxsize=64)
def _adapter(form: Any, shown: str) -> TypeAdapter[Any]:
    """The adapter of a type.

    Args:
        form: the type.
        shown: how it is written: ``A | B`` equals ``B | A``, but is tried in another order.
    """
    from pydantic import TypeAdapter

    try:
        return TypeAdapter(form)
    except Exception as error:
        raise ConfigurationError(
            f"response_format {_display(form)} has no usable JSON Schema: {_first_line(error)}"
        ) from None


def is_adapter(value: object) -> TypeGuard[TypeAdapter[Any]]:
    """Whether it is a ``TypeAdapter``."""
    from pydantic import TypeAdapter

    return isinstance(value, TypeAdapter)


def is_model(value: object) -> TypeGuard[type[BaseModel]]:
    """Whether it is a pydantic model class."""
    from pydantic import BaseModel

    return isinstance(value, type) and issubclass(value, BaseModel)


def _cached(shapes: WeakKeyDictionary[K, Shape], key: K, make: Callable[[K], Shape], label: str) -> Shape:
    shape = shapes.get(key)
    if shape is None:
        try:
            shape = make(key)
        except Exception as error:
            raise ConfigurationError(
                f"response_format {label} has no usable JSON Schema: {_first_line(error)}"
            ) from None
        shapes[key] = shape
    return shape


def _first_line(error: Exception) -> str:
    # pydantic's own text goes on with a link.
    return str(error).partition("\n")[0] or type(error).__name__


def _schema_output(schema: Mapping[str, Any]) -> Output[Any]:
    from finalturn._jsonschema.validate import problems_finder

    try:
        shape = schema_shape(sendable_schema(schema))
    except (MessageFormatError, SchemaValueError) as error:
        raise ConfigurationError(f"the mapping is not a JSON Schema: {error}") from None
    # Here, what JSON cannot say still binds.
    return schema_output(shape, problems_finder(_plain(schema)))


def _plain(value: Any) -> Any:
    """A copy in plain dicts and lists, whatever stands in them."""
    if is_mapping(value):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if is_sequence(value) else value


def _advice(value: object) -> str:
    from pydantic import BaseModel

    name = _display(value)
    if isinstance(value, BaseModel):
        advice = "give the class itself"
    elif _is_old_model(value):
        advice = "it is a model of pydantic's v1 interface: derive it from pydantic.BaseModel"
    elif isinstance(value, (str, bytes)):
        advice = "decode a JSON Schema into a mapping first, and give a type itself, not its name"
    elif isinstance(value, (list, tuple)):
        advice = "write the type of a list as list[Item], and a choice of types as A | B"
    else:
        advice = "give a pydantic model class, another type, a TypeAdapter, or a JSON Schema as a mapping"
    return f"response_format cannot be {name}; {advice}"


def _is_understood(value: object) -> bool:
    return isinstance(value, Mapping) or is_model(value)


def _is_old_model(value: object) -> bool:
    """Whether it is a model class of pydantic's v1 interface."""
    return any(base.__module__.startswith("pydantic.v1") for base in getattr(value, "__mro__", ()))


def _display(value: object) -> str:
    if isinstance(value, type):
        return value.__qualname__
    return repr(value) if _is_typing(value) else f"an instance of {type(value).__name__}"


def _is_typing(value: object) -> bool:
    """Whether it is a type to a type checker (``list[int]``, ``A | B``, a type alias), but no class."""
    return any(hasattr(value, name) for name in ("__args__", "__origin__", "__value__", "__supertype__"))
