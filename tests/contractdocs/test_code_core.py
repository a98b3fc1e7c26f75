"""What the core must not import or call."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT, planted

SHOWS = "src/finalturn/_core/turn/shows.py"
FUTURE = "from __future__ import annotations\n"
DO = "let the driver do it, and tell the machine what came of it"


@pytest.mark.parametrize("code", ["FT26", "FT2C"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("import time", "imports time, which pyproject.toml forbids it"),
        ("from os.path import join", "imports os.path, which pyproject.toml forbids it"),
        ("import datetime", "imports datetime, which is not known to be pure"),
        ("import urllib.request", "imports urllib.request, which is not known to be pure"),
        ("import numpy", "imports numpy, which is a package of others"),
        ("from finalturn._agent import Agent", "imports finalturn._agent, which is not below it"),
        ("from finalturn import agent", "imports finalturn._agent, which is not below it"),
        ("SETTINGS = open('settings')", "calls open(), which is not pure"),
    ],
)
def test_impure_core(line: str, what: str) -> None:
    project = PROJECT.edited(SHOWS, FUTURE, f"{FUTURE}{line}\n")
    number = project.line_of(SHOWS, line)
    assert planted("FT26", project) == [f"{SHOWS}:{number} FT26 impure-core: the core {what} -> {DO}"]


def test_impure_core_in_a_function() -> None:
    old = '    """The text, as it comes."""\n'
    project = PROJECT.edited(SHOWS, old, f"{old}    from random import choice\n")
    assert planted("FT26", project) == [
        f"{SHOWS}:{project.line_of(SHOWS, 'from random')} FT26 impure-core: the core imports random, which"
        f" pyproject.toml forbids it -> {DO}"
    ]


@pytest.mark.parametrize(
    "code",
    [
        "import operator\n",
        "from urllib.parse import quote\n",
        "from pydantic import BaseModel\n",
        "from finalturn.stability import stable\n",
        "if TYPE_CHECKING:\n    import asyncio\n",
    ],
)
def test_what_the_core_may_import(code: str) -> None:
    assert planted("FT26", PROJECT.edited(SHOWS, FUTURE, FUTURE + code)) == []


def test_core_unguarded() -> None:
    project = PROJECT.edited("pyproject.toml", '"socket",', "")
    line = PROJECT.line_of("pyproject.toml", 'id = "pure-core"')
    assert planted("FT2C", project) == [
        f"pyproject.toml:{line} FT2C core-unguarded: the import linter's contract on the core does not forbid"
        " socket -> put it back into forbidden_modules"
    ]
