"""``--schema``: what can be imported, and what is said when it cannot."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel, TypeAdapter

from finalturn import ConfigurationError
from finalturn._cli.chat.schema import load_schema

MODULE = """
from dataclasses import dataclass
from pydantic import BaseModel, TypeAdapter

class Ticket(BaseModel):
    topic: str

class Outer:
    class Inner(BaseModel):
        n: int

@dataclass
class Point:
    x: int

Either = int | str
adapter = TypeAdapter(list[int])
mapping = {"type": "object"}
number, text = 5, "int"
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "schema_good.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "schema_bad.py").write_text("1 / 0\n", encoding="utf-8")
    (tmp_path / "schema_needs.py").write_text("import schema_that_is_not_there\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for name in ("schema_good", "schema_bad", "schema_needs"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", ["Ticket", "Outer.Inner"])
def test_a_model_class_is_taken_as_it_is(name: str) -> None:
    found, title = load_schema(f"schema_good:{name}")
    assert issubclass(found, BaseModel)
    assert title == found.__name__


@pytest.mark.parametrize(("name", "value"), [("Point", b'{"x":1}'), ("Either", b"5"), ("adapter", b"[1]")])
def test_another_type_gets_an_adapter(name: str, value: bytes) -> None:
    found, title = load_schema(f"schema_good:{name}")
    assert isinstance(found, TypeAdapter)
    found.validate_json(value)
    assert title == name


def test_a_mapping_is_a_json_schema() -> None:
    assert load_schema("schema_good:mapping") == ({"type": "object"}, "mapping")


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ("Ticket", "give a module and a name"),
        ("schema_good:", "give a module and a name"),
        (":Ticket", "give a module and a name"),
        ("schema_good.py:Ticket", "the module's name, not its file"),
        ("./schema_good:Ticket", "the module's name, not its file"),
        ("schema_nowhere:Ticket", "there is no module schema_nowhere"),
        ("schema_good.sub:Ticket", "there is no module schema_good.sub"),
        ("schema_needs:Ticket", "importing schema_needs failed: No module named 'schema_that_is_not_there'"),
        ("schema_bad:Ticket", "importing schema_bad failed: ZeroDivisionError"),
        ("schema_good:Tiket", "there is no Tiket in schema_good; it has Ticket"),
        ("schema_good:Outer.Other", "there is no Other in Outer; it has Inner"),
        ("schema_good:Ticket.other", "there is no other in Ticket"),
        ("schema_good:number.other", "there is no other in int"),
        ("schema_good:number", "of type int"),
        ("schema_good:text", "of type str"),
        (".:Ticket", "importing . failed"),
    ],
)
def test_a_spec_that_is_wrong_says_what_is(spec: str, problem: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        load_schema(spec)
    assert str(raised.value).startswith(f"--schema {spec}: ")
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)
