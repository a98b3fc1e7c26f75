"""Public names with two homes, without a level, or with a docstring that tells something else."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.api.docstrings import entries
from tools.contractdocs.checks import kinds
from tools.contractdocs.checks.api import CONSTANTS, said_default

GATES = "src/finalturn/gates.py"
LISTED = '__all__ = ["provider_check"]'
POLICY = "src/finalturn/_gates/policy.py"
COHERENCE = "src/finalturn/_gates/coherence.py"
CONFIG = "src/finalturn/_agent/config.py"
RESULT = "src/finalturn/_core/result.py"
CHUNKS = "src/finalturn/_core/chunks.py"
MODEL = "src/finalturn/_core/model.py"
OPENAI = "src/finalturn/_providers/openai_chat/provider.py"


@pytest.mark.parametrize("code", [kind.code for kind in kinds() if kind.code.startswith("FT4")])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


def marker(path: str) -> str:
    """The marker of a name, as it stands in the source."""
    symbol = PROJECT.api.symbols[path]
    since = symbol.since if symbol.since == "NEXT" else f'"{symbol.since}"'
    return f"{symbol.level}(since={since})"


GATE = f"@{marker('finalturn.ToolPolicy')}\n"
FIELD = f'"hold_json": {marker("finalturn.StructuredOutputConfig.hold_json")}'
ALIAS = f'{marker("finalturn.ModelEvent")}.constant(__name__, "ModelEvent")\n'
OWN = marker("finalturn.StructuredOutputConfig").removesuffix(")")
SHOWS = '    """What a streaming provider yields'


@pytest.mark.parametrize(
    ("code", "file", "old", "new", "said"),
    [
        (
            "FT42",
            GATES,
            LISTED,
            f'from finalturn import ToolPolicy\n\n{LISTED[:-1]}, "ToolPolicy"]',
            "finalturn.gates.ToolPolicy is public as finalturn.ToolPolicy too -> keep it in the __all__",
        ),
        (
            "FT4D",
            GATES,
            LISTED,
            '__all__ = ["gone", "provider_check"]',
            "__all__ of finalturn.gates lists 'gone', which the module does not have -> define or import it",
        ),
        (
            "FT4D",
            GATES,
            LISTED,
            '__all__ = ["provider_check", "provider_check"]',
            "__all__ of finalturn.gates lists 'provider_check' twice -> ",
        ),
        ("FT41", POLICY, GATE, "", "finalturn.ToolPolicy is public without a level -> put @stable("),
        ("FT41", MODEL, ALIAS, "", "finalturn.ModelEvent is public without a level -> put stable("),
        ("FT4C", POLICY, GATE, "@stable()\n", "finalturn.ToolPolicy is stable without since, which is no"),
        ("FT4C", POLICY, GATE, "@stable(since='0.1')\n", "ToolPolicy is stable since '0.1', which is"),
        ("FT4C", CONFIG, FIELD, '"hold_json": beta(since="soon")', "hold_json is beta since 'soon', "),
        ("FT4B", CONFIG, '"hold_json": ', '"hold_jsons": ', "has an entry 'hold_jsons' that names no"),
        ("FT4B", CONFIG, FIELD, f'"hold_json": {OWN})', "fields= has an entry 'hold_json' that says what "),
        ("FT4A", POLICY, GATE, f'{GATE}@deprecated("do not")\n', "does not name the version that says"),
        (
            "FT4A",
            POLICY,
            GATE,
            f'{GATE}@deprecated("deprecated in NEXT: use CoherenceGate")\n',
            "does not name the version of removal -> write",
        ),
        (
            "FT45",
            RESULT,
            '"""Tokens, as',
            '""\n    f"""Tokens, as',
            "the class finalturn.Usage is public without a docstring -> say what it means",
        ),
        (
            "FT45",
            "src/finalturn/sessions.py",
            '"""Where conversations are kept between turns."""\n',
            "",
            "the module finalturn.sessions is public without a docstring",
        ),
        (
            "FT46",
            RESULT,
            "        cached_tokens: of these, how many came from a cache.\n",
            "",
            "the docstring of finalturn.Usage does not describe cached_tokens -> make Args: and Attributes:",
        ),
        (
            "FT46",
            CHUNKS,
            "        STRUCTURED_REUSE: the text",
            "            The text",
            "the docstring of finalturn.StreamEvent does not describe STRUCTURED_REUSE",
        ),
        (
            "FT46",
            POLICY,
            "        deny: tools that never run.\n",
            "        deny: tools that never run.\n        forbid: the same.\n",
            "the docstring of finalturn.ToolPolicy describes forbid, which it does not have",
        ),
        (
            "FT48",
            RESULT,
            "StructuredOutputError: there is none;",
            "NoAnswer: there is none;",
            "the docstring of finalturn.AgentResult.unwrap says that it raises NoAnswer, which is no public",
        ),
        (
            "FT47",
            COHERENCE,
            "timeout: float | None = 60.0",
            "timeout: float | None = 30.0",
            "the docstring of finalturn.CoherenceGate says that timeout is 60 by default; it is 30.0",
        ),
        (
            "FT47",
            OPENAI,
            "how often to ask again, 2 by default",
            "how often to ask again (by default ``3``)",
            "the docstring of finalturn.providers.OpenAIChat says that max_retries is 3 by default; it is 2",
        ),
    ],
)
def test_a_planted_drift(code: str, file: str, old: str, new: str, said: str) -> None:
    (found,) = planted(code, PROJECT.edited(file, old, new))
    place, _, what = found.partition(f" {code} ")
    assert place.startswith(f"{file}:")
    assert said in what and " -> " in what


@pytest.mark.parametrize(
    ("code", "new"),
    [
        ("FT4C", "@stable(since='1.20.3')\n"),
        ("FT4C", "@beta(since=NEXT)\n"),
        ("FT4A", f'{GATE}@deprecated("deprecated in NEXT: use CoherenceGate; removed in 1.0.0")\n'),
    ],
)
def test_a_marker_that_is_right(code: str, new: str) -> None:
    assert planted(code, PROJECT.edited(POLICY, GATE, new)) == []


def test_a_parameter_that_was_renamed_without_its_docstring() -> None:
    file = "src/finalturn/_gates/provider_check.py"
    found = planted(
        "FT46", PROJECT.edited(file, "    settings: ModelSettings |", "    sampling: ModelSettings |")
    )
    assert [line.partition("provider_check ")[2].partition(" ->")[0] for line in found] == [
        "does not describe sampling",
        "describes settings, which it does not have",
    ]


def test_a_stable_name_with_a_beta_one_in_its_signature() -> None:
    project = PROJECT.edited(CHUNKS, "@stable(", "@beta(")
    assert any(
        "is stable and has in its signature finalturn.StreamEvent, which is beta -> make it beta" in line
        for line in planted("FT49", project)
    )


def test_an_overload_with_another_default() -> None:
    file = "src/finalturn/_agent/agent.py"
    before, _, after = PROJECT.files[file].rpartition("max_iterations: int = 10")
    project = PROJECT.with_file(file, f"{before}max_iterations: int = 12{after}")
    (found,) = planted("FT4E", project)
    assert "an overload of finalturn.Agent says that max_iterations is 10 by default; it is 12 -> " in found


def test_a_constant_that_none_stands_for() -> None:
    symbol = PROJECT.api.symbols["finalturn.providers.Anthropic"]
    (found,) = planted("FT47", PROJECT.edited(symbol.file, "MAX_TOKENS = 16_000", "MAX_TOKENS = 8_000"))
    assert "Anthropic says that max_tokens is 16000 by default; it is 8_000 -> " in found


@pytest.mark.parametrize(("name", "constant"), CONSTANTS.items())
def test_what_none_stands_for_is_there(name: str, constant: str) -> None:
    assert any(f"\n{constant} = " in text for file, text in PROJECT.files.items() if "providers" in file)
    parameters = [one for symbol in PROJECT.api.symbols.values() for one in symbol.parameters]
    assert any((one.name, one.default) == (name, "None") for one in parameters)


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


def test_a_docstring_is_read() -> None:
    found = entries(
        "What it is.\n\nArgs:\n    a: one,\n        in two lines.\n    *more: others.\n\n"
        "Attributes:\n    b: another.\n\nReturns:\n    Something.\n\nRaises:\n    ValueError: never.\n"
    )
    assert found.arguments == {"a": "one, in two lines.", "*more": "others."}
    assert found.attributes == {"b": "another."}
    assert found.raises == {"ValueError": "never."}
