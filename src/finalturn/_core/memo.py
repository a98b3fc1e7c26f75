"""Keeps what was made of an immutable object, such as its JSON, with the object: it is made once.

A conversation is sent whole with every model call. What a message is in a provider's format does not change,
and lives as long as the message does: nothing has to be looked up, counted or thrown away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

__all__ = ["Form", "Keeper", "memoized", "memoized_plain"]

K = TypeVar("K", bound="Keeper")

_NOTHING: tuple[object, bytes] = (object(), b"")


class Form:
    """What something is made into. Compared by identity: it stands for all that the result depends on.

    Attributes:
        plain: stands for the same, of an object that is plain: see `memoized_plain`.
    """

    __slots__ = ("plain",)

    def __init__(self) -> None:
        self.plain = object()


class Keeper:
    """The base of an immutable class whose objects keep what was last made of them.

    It is no field: it is not compared, shown, copied, pickled, or passed on by ``dataclasses.replace``.
    """

    __slots__ = ("_memo",)

    _memo: tuple[object, bytes]


def memoized(items: Iterable[K], form: Form, make: Callable[[K], bytes]) -> list[bytes]:
    """What each object is in a form: as it is kept, or made now.

    One result is kept for each object, that of the form that was asked for last.
    """
    plain = form.plain
    # Thousands of messages go through here for one model call: no function is called for one that is kept.
    return [
        pair[1]
        if (pair := getattr(item, "_memo", _NOTHING))[0] is form or pair[0] is plain
        else _make(item, form, make)
        for item in items
    ]


def memoized_plain(
    items: Iterable[K], form: Form, make: Callable[[K], bytes], is_plain: Callable[[K], bool]
) -> list[bytes] | None:
    """As `memoized`, where all objects are plain; ``None`` where one is not.

    That an object is plain is kept with it too: of those that are known, nothing is looked at again.
    """
    plain = form.plain
    forms: list[bytes] = []
    for item in items:
        pair = getattr(item, "_memo", _NOTHING)
        if pair[0] is plain:
            forms.append(pair[1])
        elif is_plain(item):
            forms.append(_make(item, plain, make))
        else:
            return None
    return forms


def _make(item: K, form: object, make: Callable[[K], bytes]) -> bytes:
    result = make(item)
    # One assignment: a thread that reads meanwhile sees the whole of it, or of what was there before.
    object.__setattr__(item, "_memo", (form, result))
    return result
