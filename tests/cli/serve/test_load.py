"""``MODULE:AGENT``: what can be served, and what is said of anything else."""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from finalturn import Agent, ConfigurationError
from finalturn._cli.serve.load import load_agent, load_function

MODULE = """
from starlette.applications import Starlette

from finalturn import Agent
from finalturn.providers import Scripted

agent = Agent(Scripted("Hi."))
number = 5
app = Starlette()

def make():
    return agent

def broken():
    raise ValueError("no\\nmodel")

async def later():
    return agent

class Desk:
    agent = agent
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[None, None, None]:
    """A working directory with modules, which no other test finds imported."""
    (tmp_path / "desk_module.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "desk_broken.py").write_text("import desk_missing\n", encoding="utf-8")
    (tmp_path / "desk_raises.py").write_text("raise RuntimeError('two\\nlines')\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    yield
    for name in [name for name in sys.modules if name.startswith("desk_")]:
        del sys.modules[name]


@pytest.mark.parametrize("name", ["agent", "make", "Desk.agent"])
def test_an_agent_is_found(name: str) -> None:
    assert isinstance(load_agent(f"desk_module:{name}"), Agent)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("desk_module", "give a module and a name in it"),
        ("desk_module:", "give a module and a name in it"),
        ("desk_module.py:agent", "give the module's name, not its file"),
        ("./desk_module:agent", "give the module's name, not its file"),
        ("desk_nowhere:agent", "there is no module desk_nowhere"),
        ("desk_module:agnet", "there is no agnet in desk_module; it has agent"),
        ("desk_module:Desk.x", "there is no x in Desk; it has agent"),
        ("desk_module:number", "it is of type int, and not an Agent"),
        ("desk_module:broken", "calling it failed: ValueError: no model"),
        ("desk_module:later", "it is an async function"),
        ("desk_module:app", "it is an application, not an agent: run it with uvicorn"),
        ("desk_module:Desk", "what it gives is of type Desk, and not an Agent"),
        ("desk_broken:agent", "importing desk_broken failed: No module named 'desk_missing'"),
        ("desk_raises:agent", "importing desk_raises failed: RuntimeError: two lines"),
    ],
)
def test_anything_else_is_one_line(spec: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_agent(spec)
    assert str(caught.value).startswith(f"{spec}: {said}") and "\n" not in str(caught.value)


def test_a_function_is_found() -> None:
    assert load_function("desk_module:make")().__class__ is Agent


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("desk_module", "give a module and a name in it, such as support:deps"),
        ("desk_module:number", "it is of type int, and not a function"),
        ("desk_nowhere:deps", "there is no module desk_nowhere"),
    ],
)
def test_what_is_no_function_is_one_line(spec: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_function(spec)
    assert str(caught.value).startswith(f"{spec}: {said}") and "\n" not in str(caught.value)
