"""What has been made of an immutable object, kept with it so that it is made once.

A conversation is sent whole with every model call. What a message is in a provider's format does not change,
and lives as long as the message does: nothing has to be looked up, counted or thrown away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

__all__ = ["Keeper", "kept"]

K = TypeVar("K", bound="Keeper")

_NOTHING: tuple[object, bytes] = (object(), b"")


class Keeper:
    """The base of an immutable class whose objects keep what was last made of them.

    It is no field: it is not compared, shown, copied, pickled, or passed on by ``dataclasses.replace``.
    """

    __slots__ = ("_kept",)

    _kept: tuple[object, bytes]


def kept(items: Iterable[K], form: object, make: Callable[[K], bytes]) -> list[bytes]:
    """What each object is in a form: as it is kept, or made now.

    Args:
        form: stands for everything else that the result depends on; compared by identity. One result is
            kept for each object, that of the form that was asked for last.
    """
    # Thousands of messages go through here for one model call: no function is called for one that is kept.
    return [
        pair[1] if (pair := getattr(item, "_kept", _NOTHING))[0] is form else _make(item, form, make)
        for item in items
    ]


def _make(item: K, form: object, make: Callable[[K], bytes]) -> bytes:
    made = make(item)
    # One assignment: a thread that reads meanwhile sees the whole of it, or of what was there before.
    object.__setattr__(item, "_kept", (form, made))
    return made
