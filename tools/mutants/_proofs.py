"""The contract's tests, as functions to call: in process, without pytest's machinery."""

from __future__ import annotations

import functools
import importlib
import inspect
import itertools
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import tests.contract
from tests.contract._drivers import TOKEN_DRIVERS
from tests.contract._play import Play
from tests.contract._proves import PROOFS

Proof = Callable[[], object]


def proofs() -> dict[str, list[Proof]]:
    """For each clause, its proofs: every test that proves it, with each of its parameters."""
    _load()
    return {clause: [one for test in found for one in _cases(test)] for clause, found in PROOFS.items()}


def proving_tests() -> dict[str, list[str]]:
    """For each clause, the names of the tests that prove it."""
    _load()
    return {clause: [getattr(test, "__name__", "?") for test in found] for clause, found in PROOFS.items()}


def _load() -> None:
    for module in pkgutil.iter_modules(tests.contract.__path__):
        if module.name.startswith("test_"):
            importlib.import_module(f"tests.contract.{module.name}")


def _cases(test: Any) -> Iterator[Proof]:
    plays: list[Play] = []
    others: list[list[dict[str, Any]]] = []
    for mark in test.pytestmark:
        if mark.name != "parametrize":
            continue
        names, values = mark.args[0], list(mark.args[1])
        if names == "play":
            plays = _one_of_each_surface(values)
        else:
            keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
            others.append([_bind(keys, value) for value in values])
    if {"caplog", "monkeypatch"} & inspect.signature(test).parameters.keys():
        return
    for play in plays:
        for choice in itertools.product(*others):
            more = {key: value for one in choice for key, value in one.items()}
            yield functools.partial(test, play=play, **more)


def _one_of_each_surface(plays: list[Play]) -> list[Play]:
    """One play for each surface: a table is the same under every driver and kind of provider."""
    streaming = [play for play in plays if play.kind == "streaming"]
    chunks = [play for play in streaming if play.driver == "astream-asyncio"]
    tokens = [play for play in streaming if play.driver in TOKEN_DRIVERS and play.driver == "arun-asyncio"]
    return chunks + tokens


def _bind(keys: list[str], value: Any) -> dict[str, Any]:
    values = getattr(value, "values", value)
    values = (values,) if len(keys) == 1 else values
    return dict(zip(keys, values, strict=True))
