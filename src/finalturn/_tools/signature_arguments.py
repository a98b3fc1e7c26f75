"""Reads a tool's arguments by its function's signature."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from finalturn._core.errors import ConfigurationError
from finalturn._core.frozen import freeze
from finalturn._tools.arguments import ArgumentsError, Values, problem_list, quote
from finalturn._tools.context_parameter import of_tool
from finalturn._tools.docstring import arguments as described_arguments
from finalturn._tools.function import parameters, source

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ValidationError

__all__ = ["SignatureArguments"]

_PLAIN_WORDS = {"missing": "is missing", "extra_forbidden": "is not an argument of this tool"}
_SCALARS = (str, int, float, bool, type(None))


class SignatureArguments:
    """One JSON object, validated as a typed dict: a parameter may have any name."""

    def __init__(self, fn: Callable[..., Any], label: str) -> None:
        """Read the signature.

        Raises:
            ConfigurationError: a parameter cannot be filled by a model.
        """
        visible = parameters(fn, label)
        self.context = of_tool(visible, label)
        if self.context is not None:
            visible = visible[1:]
        self._positional = [item for item in visible if item.kind is item.POSITIONAL_ONLY]
        self._adapter, schema = _build(visible, label)
        _describe(schema, visible, described_arguments(source(fn).__doc__))
        self.schema: Mapping[str, Any] = freeze(schema, "parameters")

    def read(self, text: str) -> Values:
        """Validate in JSON mode: numbers and dates are read from the text itself."""
        from pydantic_core import ValidationError

        try:
            named = self._adapter.validate_json(text)
        except KeyboardInterrupt:
            raise
        except ValidationError as error:
            raise ArgumentsError(problem_list(list(_problems(error)))) from None
        except BaseException as error:
            raise ArgumentsError(f"- a validator failed: {type(error).__name__}") from None
        return Values(tuple(named.pop(item.name, item.default) for item in self._positional), named)


def _build(
    visible: Sequence[inspect.Parameter], label: str
) -> tuple[TypeAdapter[dict[str, Any]], dict[str, Any]]:
    try:
        return _adapt(visible)
    except Exception as error:
        culprit = next((item.name for item in visible if not _has_json_form(item)), None)
        what = "one of its types" if culprit is None else f"the type of parameter {culprit!r}"
        raise ConfigurationError(
            f"tool {label}: {what} has no JSON form ({type(error).__name__}); use str, int, float, bool, a "
            "list, a dict, a date, an enum, a dataclass, a typed dict or a pydantic model"
        ) from error


def _has_json_form(item: inspect.Parameter) -> bool:
    try:
        _adapt([item])
    except Exception:
        return False
    return True


def _adapt(visible: Sequence[inspect.Parameter]) -> tuple[TypeAdapter[dict[str, Any]], dict[str, Any]]:
    from pydantic import ConfigDict, TypeAdapter
    from typing_extensions import TypedDict

    from finalturn._core.output.pydantic_values import JsonValuesSchema

    class Schema(JsonValuesSchema):
        def field_title_should_be_set(self, schema: object) -> bool:
            # A title that only repeats the name costs tokens and says nothing.
            return False

    fields = {item.name: _field(item) for item in visible}
    make_type: Any = TypedDict
    shape = make_type("Arguments", fields)
    shape.__pydantic_config__ = ConfigDict(extra="forbid", allow_inf_nan=False)
    adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(shape)
    schema = adapter.json_schema(schema_generator=Schema)
    schema.pop("title", None)
    # Some servers refuse an object without this key.
    schema.setdefault("properties", {})
    return adapter, schema


def _field(item: inspect.Parameter) -> Any:
    from pydantic.fields import FieldInfo

    if item.default is item.empty:
        return item.annotation
    if isinstance(item.default, FieldInfo):
        return typing.Annotated[item.annotation, item.default]
    # Left out by the model, it is left out of the call: the function's own default then holds.
    return typing.NotRequired[item.annotation]


def _describe(
    schema: dict[str, Any], visible: Sequence[inspect.Parameter], described: Mapping[str, str]
) -> None:
    for item in visible:
        entry: Any = schema["properties"].get(_key(item))
        if entry is None:
            continue
        if item.name in described:
            entry.setdefault("description", described[item.name])
        _note_default(entry, item)


def _note_default(entry: dict[str, Any], item: inspect.Parameter) -> None:
    from pydantic.fields import FieldInfo
    from pydantic_core import to_jsonable_python

    if item.default is item.empty or isinstance(item.default, FieldInfo):
        return
    try:
        value = freeze(to_jsonable_python(item.default), "default")
    except Exception:
        return
    entry.setdefault("default", value)


def _key(item: inspect.Parameter) -> str:
    """The parameter's name in JSON: a field's alias, where it has one."""
    metadata = getattr(item.annotation, "__metadata__", ())
    for part in (*metadata, item.default):
        for name in ("validation_alias", "alias"):
            alias = getattr(part, name, None)
            if isinstance(alias, str):
                return alias
    return item.name


def _problems(error: ValidationError) -> Iterator[tuple[Sequence[str | int], str]]:
    for item in error.errors(include_url=False, include_context=False):
        kind, where, value = item["type"], item["loc"], item["input"]
        if kind in _PLAIN_WORDS:
            yield where, _PLAIN_WORDS[kind]
        elif kind == "json_invalid" or not isinstance(value, _SCALARS):
            yield where, item["msg"]
        else:
            yield where, f"{item['msg']} (got {quote(value)})"
