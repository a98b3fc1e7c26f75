"""JSON values that nobody can change any more, and that still compare equal to plain ones."""

from __future__ import annotations

import math
from typing import Any, NoReturn

from finalturn._core.errors import MessageFormatError
from finalturn._core.json_text import MAX_DEPTH
from finalturn._core.type_guards import is_array, is_dict, is_mapping, is_sequence

# Python reads no integer of more than 4300 digits from text, and neither does the JSON parser.
_MAX_INT = 10**4300

_TOO_DEEP = f"is nested more than {MAX_DEPTH} deep"


def _refuse(self: object, *args: object, **kwargs: object) -> NoReturn:
    raise TypeError(f"{type(self).__name__} is frozen; change a plain copy: json.loads(json.dumps(value))")


class FrozenDict(dict[str, Any]):
    """A ``dict`` of JSON values without its mutators."""

    __slots__ = ()

    __setitem__ = __delitem__ = __ior__ = _refuse  # pyright: ignore
    clear = pop = popitem = setdefault = update = _refuse  # pyright: ignore

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self))

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, memo: object) -> FrozenDict:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenDict, (dict(self),)


class FrozenList(list[Any]):
    """A ``list`` of JSON values without its mutators."""

    __slots__ = ()

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse  # pyright: ignore
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse  # pyright: ignore

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(len(self))

    def __copy__(self) -> FrozenList:
        return self

    def __deepcopy__(self, memo: object) -> FrozenList:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenList, (list(self),)


def freeze(value: object, field: str) -> Any:
    """Copy a JSON value into its frozen form.

    Args:
        value: any JSON value; tuples and other sequences count as arrays.
        field: where it stands, for the error.

    Raises:
        MessageFormatError: something in it is not JSON (a NaN, a key that is not a string, an
            object), or could not be read back (a number of more than 4300 digits, a value that is nested
            more than 100 deep).
    """
    if isinstance(value, (FrozenDict, FrozenList)):
        return value
    try:
        return _freeze(value, field, MAX_DEPTH)
    except RecursionError:
        raise MessageFormatError(field, _TOO_DEEP) from None


def _freeze(value: object, field: str, depth: int) -> Any:
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        # Not str(value): an enum of strings stands for its value.
        return str.__str__(value)
    if isinstance(value, int):
        if not -_MAX_INT < value < _MAX_INT:
            raise MessageFormatError(field, "holds a number that is too large")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise MessageFormatError(field, "holds a number that JSON does not have")
        return float(value)
    if not depth:
        raise MessageFormatError(field, _TOO_DEEP)
    if is_mapping(value):
        plain: dict[str, Any] = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise MessageFormatError(field, f"has a key of type {type(key).__name__}; keys are strings")
            plain[str.__str__(key)] = _freeze(item, field, depth - 1)
        return FrozenDict(plain)
    if is_sequence(value):
        items: list[Any] = []
        for item in value:
            items.append(_freeze(item, field, depth - 1))  # noqa: PERF401  # one frame for each level
        return FrozenList(items)
    raise MessageFormatError(field, f"holds a {type(value).__name__}, which JSON does not have")


def thaw(value: Any) -> Any:
    """Copy a frozen JSON value into plain dicts and lists."""
    if is_dict(value):
        return {key: thaw(item) for key, item in value.items()}
    if is_array(value):
        return [thaw(item) for item in value]
    return value
