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
        self._positional = [parameter for parameter in visible if parameter.kind is parameter.POSITIONAL_ONLY]
        self._adapter, schema = _build(visible, label)
        _describe(schema, visible, described_arguments(source(fn).__doc__))
        self.schema: Mapping[str, Any] = freeze(schema, "parameters")

    def read(self, text: str) -> Values:
        """Validate in JSON mode: numbers and dates are read from the text itself."""
        from pydantic_core import ValidationError

        try:
            arguments = self._adapter.validate_json(text)
        except KeyboardInterrupt:
            raise
        except ValidationError as error:
            raise ArgumentsError(problem_list(list(_problems(error)))) from None
        except BaseException as error:
            raise ArgumentsError(f"- a validator failed: {type(error).__name__}") from None
        positional = (arguments.pop(parameter.name, parameter.default) for parameter in self._positional)
        return Values(tuple(positional), arguments)


def _build(
    visible: Sequence[inspect.Parameter], label: str
) -> tuple[TypeAdapter[dict[str, Any]], dict[str, Any]]:
    try:
        return _adapt(visible)
    except Exception as error:
        culprit = next((parameter.name for parameter in visible if not _has_json_form(parameter)), None)
        subject = "one of its types" if culprit is None else f"the type of parameter {culprit!r}"
        raise ConfigurationError(
            f"tool {label}: {subject} has no JSON form ({type(error).__name__}); use str, int, float, bool, "
            "a list, a dict, a date, an enum, a dataclass, a typed dict or a pydantic model"
        ) from error


def _has_json_form(parameter: inspect.Parameter) -> bool:
    try:
        _adapt([parameter])
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

    fields = {parameter.name: _field(parameter) for parameter in visible}
    make_type: Any = TypedDict
    shape = make_type("Arguments", fields)
    shape.__pydantic_config__ = ConfigDict(extra="forbid", allow_inf_nan=False)
    adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(shape)
    schema = adapter.json_schema(schema_generator=Schema)
    schema.pop("title", None)
    # Some servers refuse an object without this key.
    schema.setdefault("properties", {})
    return adapter, schema


def _field(parameter: inspect.Parameter) -> Any:
    from pydantic.fields import FieldInfo

    if parameter.default is parameter.empty:
        return parameter.annotation
    if isinstance(parameter.default, FieldInfo):
        return typing.Annotated[parameter.annotation, parameter.default]
    # Left out by the model, it is left out of the call: the function's own default then holds.
    return typing.NotRequired[parameter.annotation]


def _describe(
    schema: dict[str, Any], visible: Sequence[inspect.Parameter], described: Mapping[str, str]
) -> None:
    for parameter in visible:
        entry: Any = schema["properties"].get(_key(parameter))
        if entry is None:
            continue
        if parameter.name in described:
            entry.setdefault("description", described[parameter.name])
        _note_default(entry, parameter)


def _note_default(entry: dict[str, Any], parameter: inspect.Parameter) -> None:
    from pydantic.fields import FieldInfo
    from pydantic_core import to_jsonable_python

    if parameter.default is parameter.empty or isinstance(parameter.default, FieldInfo):
        return
    try:
        value = freeze(to_jsonable_python(parameter.default), "default")
    except Exception:
        return
    entry.setdefault("default", value)


def _key(parameter: inspect.Parameter) -> str:
    """The parameter's name in JSON: a field's alias, where it has one."""
    metadata = getattr(parameter.annotation, "__metadata__", ())
    for part in (*metadata, parameter.default):
        for name in ("validation_alias", "alias"):
            alias = getattr(part, name, None)
            if isinstance(alias, str):
                return alias
    return parameter.name


def _problems(error: ValidationError) -> Iterator[tuple[Sequence[str | int], str]]:
    for problem in error.errors(include_url=False, include_context=False):
        kind, where, value = problem["type"], problem["loc"], problem["input"]
        if kind in _PLAIN_WORDS:
            yield where, _PLAIN_WORDS[kind]
        elif kind == "json_invalid" or not isinstance(value, _SCALARS):
            yield where, problem["msg"]
        else:
            yield where, f"{problem['msg']} (got {quote(value)})"
