"""Public names with two homes, without a level, or with a docstring that tells something else."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT, planted
from tests.contractdocs._small import PART, small
from tools.contractdocs.api.model import entries
from tools.contractdocs.checks import kinds
from tools.contractdocs.checks.api import said_default

CODE = '''
@stable(since="0.1.0", fields={"held": beta(since=NEXT)})
@deprecated("deprecated in NEXT: use other; removed in 1.0.0")
class Config:
    """Settings.

    Args:
        held: whether it is, off by default.
        size: how many, 60 by default.

    Raises:
        ValueError: never.
    """

    def __init__(self, held: bool = False, size: float = 60.0) -> None: ...

    def run(self, way: Way) -> None:
        """Run.

        Args:
            way: how.
        """

Way: TypeAlias = Literal["a"]
"""How."""
stable(since="0.1.0").constant(__name__, "Way")
'''
RIGHT = small(CODE, "Config", "Way")


@pytest.mark.parametrize("code", [kind.code for kind in kinds() if kind.code.startswith("FT4")])
def test_nothing_is_found_where_nothing_drifted(code: str) -> None:
    assert planted(code, PROJECT) == [] == planted(code, RIGHT)


@pytest.mark.parametrize(
    ("code", "old", "new", "said"),
    [
        ("FT41", 'stable(since="0.1.0").constant(__name__, "Way")', "", "Way is public without a level -> p"),
        ("FT41", "@stable", "@other", "finalturn.Config is public without a level -> put @stable("),
        ("FT4A", "use other; ", "", "the deprecation of finalturn.Config says 'deprecated in NEXT: removed"),
        ("FT45", '"""Run.', '""\n        f"""Run.', "the method finalturn.Config.run is public without a do"),
        ("FT46", "size: how", "length: how", "does not describe size -> make Args: and Attributes: name"),
        ("FT46", "size: how", "length: how", "describes length, which it does not have"),
        ("FT47", "size: float = 60.0", "size: float = 30.0", "says that size is 60 by default; it is 30.0 -"),
        ("FT48", "ValueError: never", "NoAnswer: never", "says that it raises NoAnswer, which is no public"),
        ("FT49", 'stable(since="0.1.0").con', "beta(since=NEXT).con", "Config.run is stable and has in its"),
    ],
)  # fmt: skip
def test_a_drift_is_found_where_the_name_is_defined(code: str, old: str, new: str, said: str) -> None:
    found = planted(code, RIGHT.edited(PART, old, new))
    assert any(line.startswith(f"{PART}:") and said in line for line in found), found


def test_a_name_with_two_homes_is_found() -> None:
    gates = 'from finalturn import Config\n__all__ = ["Config"]\n'
    (found,) = planted("FT42", RIGHT.with_file("src/finalturn/gates.py", gates))
    assert "gates.py:2 FT42 two-homes: finalturn.gates.Config is public as finalturn.Config too" in found


def test_the_constant_that_a_default_of_none_stands_for_is_compared() -> None:
    code = (
        'MAX_SIZE = 8_000\nclass P:\n    """It.\n\n    Args:\n        max_size: 16000 by default.\n    """\n'
        "    def __init__(self, max_size: int | None = None) -> None: ...\n"
    )
    project = RIGHT.with_file("src/finalturn/_providers/planted.py", code)
    listed = 'from finalturn._providers.planted import P\n__all__ = ["P"]\n'
    (found,) = planted("FT47", project.with_file("src/finalturn/providers.py", listed))
    assert "P says that max_size is 16000 by default; it is 8_000 -> " in found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seconds, 60 by default; or none.", "60"),
        ("defaults to ``None``.", "None"),
        ("With the default, False, it is off.", "False"),
        ('the default is ``"auto"``', '"auto"'),
        ("By default the function's name.", None),
        ("60 seconds, the default being other", None),
    ],
)
def test_the_default_that_a_text_tells(text: str, said: str | None) -> None:
    assert said_default(text) == said


def test_a_docstring_is_read_with_each_entry_on_one_line() -> None:
    text = "What.\n\nArgs:\n    a: one,\n        in two lines.\n    *more: others.\n\nReturns:\n    It.\n"
    assert entries(text, "parameters") == {"a": "one, in two lines.", "*more": "others."}
    assert entries(text, "raises") == {}
