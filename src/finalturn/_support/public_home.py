"""Lets public classes and functions say where they are public: in tracebacks, pickles and ``repr()``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from finalturn.stability import _DEFINED_AS  # pyright: ignore[reportPrivateUsage]

__all__ = ["defined_in", "publish"]


def publish(names: Mapping[str, Any]) -> None:
    """Give everything that a public module lists its ``__module__``.

    Args:
        names: the module's own names, as ``globals()`` has them at its end.
    """
    home = names["__name__"]
    for name in names["__all__"]:
        value = names[name]
        module = getattr(value, "__module__", None)
        public = isinstance(value, (type, FunctionType)) and value.__qualname__ == name
        if public and isinstance(module, str) and module.startswith("finalturn.") and module != home:
            if isinstance(value, type):
                _resolve(value)
            _DEFINED_AS[f"{home}.{name}"] = f"{module}.{name}"
            value.__module__ = home


def defined_in(value: object) -> str:
    """The module that a class or a function is written in."""
    module = str(getattr(value, "__module__", ""))
    written = _DEFINED_AS.get(f"{module}.{getattr(value, '__qualname__', '')}")
    return module if written is None else written.rpartition(".")[0]


def _resolve(kind: type) -> None:
    """Read annotations now: whoever reads them later looks for their names in the module that it says."""
    if "__annotations__" not in vars(kind) and not hasattr(kind, "__annotate__"):
        return
    try:
        kind.__annotations__ = inspect.get_annotations(kind, eval_str=True)
    except NameError:
        # Some are for type checkers alone.
        return
