"""The API report: what it shows of a name, and of a change."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT
from tests.contractdocs._small import PART, small
from tools.contractdocs.api.report import PATH, first_sentence, report, wrapped

CODE = '''
_LIMIT = 60.0

@stable(since="0.1.0", fields={"held": beta(since=NEXT)})
@dataclass(frozen=True)
class Config:
    """Settings. They are frozen.

    Attributes:
        held: whether it is; off by default.
    """

    held: bool = False

@beta(since=NEXT)
@deprecated("deprecated in NEXT: use other; removed in 1.0.0")
def run(limit: float | None = _LIMIT) -> None:
    """Run it."""
'''
SMALL = small(CODE, "Config", "run")
SHOWN = """
finalturn.Config (class, stable since 0.1.0)
    # Settings.
    @dataclass(frozen=True) class Config
    Config(held: bool = False)
finalturn.Config.held (field, beta since NEXT)
    # whether it is; off by default.
    held: bool = False

finalturn.__version__ (constant, no level since ?)
    __version__: str

finalturn.run (function, beta since NEXT)
    deprecated: deprecated in NEXT: use other; removed in 1.0.0
    # Run it.
    def run(limit: float | None = 60.0) -> None
"""


def test_each_name_has_its_level_its_meaning_and_its_signature() -> None:
    project = SMALL.edited(
        "src/finalturn/__init__.py", "['Config', 'run']", "['Config', 'run', '__version__']"
    )
    head, _, shown = report(project.api).partition("`make docs`. Edit the code.\n")
    assert head.startswith("# The public API of finalturn: ") and shown == SHOWN


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("held: bool = False", "held: bool = True", "    held: bool = True"),
        ("_LIMIT = 60.0", "_LIMIT = 90.0", "    def run(limit: float | None = 90.0) -> None"),
        ("@stable(", "@beta(", "finalturn.Config (class, beta since 0.1.0)"),
        ("Run it.", "Go.", "    # Go."),
    ],
)
def test_a_change_shows_as_a_changed_line(old: str, new: str, shown: str) -> None:
    lines = report(SMALL.edited(PART, old, new).api).splitlines()
    assert shown in lines and shown not in report(SMALL.api).splitlines()


def test_the_report_of_the_repository_names_every_symbol_and_no_place() -> None:
    text = report(PROJECT.api)
    heads = [line.partition(" (")[0] for line in text.splitlines() if line.startswith("finalturn")]
    assert heads == list(PROJECT.api.symbols)
    assert "src/" not in text
    assert f"({PATH})" in PROJECT.files["AGENT.md"]


def test_a_long_signature_has_a_parameter_on_each_line() -> None:
    names = "first_name, second_name, third_name, fourth_name, fifth_name, sixth_name, seventh_name, eighth"
    assert wrapped(f"def f({names}: str = 'a, (b', *, c: dict[str, int] = {{}}) -> int") == [
        "def f(",
        *(f"    {name}," for name in names.split(", ")[:-1]),
        "    eighth: str = 'a, (b',",
        "    *,",
        "    c: dict[str, int] = {},",
        ") -> int",
    ]
    assert wrapped("def f(a, b)") == ["def f(a, b)"]
    assert wrapped("x" * 200) == ["x" * 200]


@pytest.mark.parametrize(
    ("docstring", "meaning"),
    [
        ("", ""),
        ("One model call. It may fail.\n\nMore.", "One model call."),
        ("A message that\nis long. Deep-frozen.", "A message that is long."),
        ("the URL, e.g. https://example.org; or none.", "the URL, e.g. https://example.org; or none."),
        ("What the model calls it by: `name`.", "What the model calls it by"),
        ("Nothing ends it", "Nothing ends it"),
    ],
)
def test_what_a_name_means_is_the_first_sentence(docstring: str, meaning: str) -> None:
    assert first_sentence(docstring) == meaning
