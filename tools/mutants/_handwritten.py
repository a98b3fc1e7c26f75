"""Mutants that are written by hand: wrongs that no small change makes, in any layer.

Each is a function that runs in place of another one. The function that it replaces is named by its import
path, and is the first argument, so that a wrong can be done to what goes in or to what comes out. Nothing of
the code inside is quoted: it may be written anew, and the mutant fits as long as the function is there.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from traceback import walk_tb
from types import FunctionType
from typing import Any, TypeAlias

from finalturn._core.clauses import ClauseId
from tools.mutants._code import KINDS, ROOT, Mutant, Unit, site, statements, swapped, unit_at

Replacement: TypeAlias = Callable[..., Any]

SLIPS = (AttributeError, ImportError, NameError, TypeError)
"""What a replacement raises that no longer fits the code that it stands in."""

_CALLS = {
    0: "def call(*args, **kwargs):\n    return {0}(*args, **kwargs)",
    inspect.CO_GENERATOR: "def call(*args, **kwargs):\n    return (yield from {0}(*args, **kwargs) or ())",
    inspect.CO_COROUTINE: "async def call(*args, **kwargs):\n    return await {0}(*args, **kwargs)",
    inspect.CO_ASYNC_GENERATOR: (
        "async def call(*args, **kwargs):\n    async for item in {0}(*args, **kwargs):\n        yield item"
    ),
}
_NAME = "__finalturn_mutant_{0}__"


@dataclass(frozen=True)
class Handwritten:
    """A wrong, done on purpose.

    Attributes:
        name: what it does.
        clauses: the ids of those that must reject it: a proof of each must fail.
        replaced: what runs in place of each function.
        slips: what went wrong in the replacements themselves, since they were last put in place.
    """

    name: str
    clauses: tuple[ClauseId, ...]
    replaced: dict[str, Replacement]
    slips: list[str]

    def also(self, *paths: str) -> Callable[[Replacement], Replacement]:
        """Do something to another function as well."""

        def add(replacement: Replacement) -> Replacement:
            self.replaced.update(dict.fromkeys(paths, replacement))
            return replacement

        return add

    def mutants(self) -> Iterator[Mutant]:
        """A mutant for each clause that must reject it.

        Raises:
            LookupError: a function that it replaces is no longer there.
        """
        units = {unit_at(path): replacement for path, replacement in self.replaced.items()}
        first = next(iter(units))
        for clause in self.clauses:
            yield Mutant(
                name=f"{self.name} [{clause}]",
                file=first.file,
                line=first.node.lineno,
                clauses=(clause,),
                install=lambda: self._installed(units),
                sites=frozenset(site(unit, statements(unit.node)[0]) for unit in units),
                units=tuple(units),
                pure=all(unit.module.startswith("finalturn._core.turn.") for unit in units),
            )

    @contextmanager
    def _installed(self, units: dict[Unit, Replacement]) -> Iterator[None]:
        codes = []
        for unit, replacement in units.items():
            function, code = unit.function, unit.function.__code__
            run = FunctionType(code, function.__globals__, code.co_name, None, function.__closure__)
            run.__defaults__, run.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
            name = _NAME.format(unit.name.replace(".", "_"))
            # It stays there: a thread may still run such code when the case is over.
            function.__globals__[name] = self._watched(replacement, run, code.co_flags & KINDS)
            namespace: dict[str, Any] = {}
            exec(_CALLS[code.co_flags & KINDS].format(name), namespace)
            codes.append((unit, namespace["call"].__code__.replace(co_freevars=code.co_freevars)))
        self.slips.clear()
        with swapped(codes):
            yield
        if self.slips:
            raise RuntimeError(f'the mutant "{self.name}" does not fit the code any more: {self.slips[0]}')

    def _watched(self, replacement: Replacement, run: FunctionType, kind: int) -> Replacement:
        """Call a replacement, whatever kind of function it is, as the kind that it stands for."""

        async def awaited(*args: Any, **kwargs: Any) -> Any:
            with self._noting(replacement):
                result = replacement(run, *args, **kwargs)
                return await result if isinstance(result, Awaitable) else result

        async def iterated(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            with self._noting(replacement):
                async for item in replacement(run, *args, **kwargs):
                    yield item

        def called(*args: Any, **kwargs: Any) -> Any:
            with self._noting(replacement):
                return replacement(run, *args, **kwargs)

        return {inspect.CO_COROUTINE: awaited, inspect.CO_ASYNC_GENERATOR: iterated}.get(kind, called)

    @contextmanager
    def _noting(self, replacement: Replacement) -> Iterator[None]:
        try:
            yield
        except SLIPS as error:
            files = [frame.f_code.co_filename for frame, _ in walk_tb(error.__traceback__)]
            ours = [file for file in files if file.startswith(str(ROOT)) and "site-packages" not in file]
            if ours and ours[-1] == inspect.getsourcefile(replacement):
                self.slips.append(f"{type(error).__name__}: {error}")
            raise


def handwritten(*clauses: ClauseId, at: str | tuple[str, ...]) -> Callable[[Replacement], Handwritten]:
    """Make a mutant of a function.

    Args:
        clauses: the ids of those that must reject it.
        at: the import path of the function that it replaces, such as ``finalturn._agent.driver:Driver.next``;
            or of several.
    """
    paths = (at,) if isinstance(at, str) else at

    def made(replacement: Replacement) -> Handwritten:
        name = replacement.__name__.replace("_", " ")
        return Handwritten(name, clauses, dict.fromkeys(paths, replacement), [])

    return made
