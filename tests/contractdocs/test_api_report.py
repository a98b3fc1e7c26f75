"""The API report, and where the committed one is stale."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs._api_report import HEAD, PATH, blocks, first_sentence, report, wrapped
from tools.contractdocs._project import Project

REMEDY = "run make docs, and review the change of the API that it shows"
COMMITTED = PROJECT.with_file(PATH, report(PROJECT.api))

RESULT = "src/finalturn/_core/result.py"


def head(path: str) -> str:
    """The first line of what the report says of a name."""
    symbol = PROJECT.api.symbols[path]
    return f"{path} ({symbol.kind}, {symbol.level} since {symbol.since})"


def line(text: str) -> int:
    return report(PROJECT.api).splitlines().index(text) + 1


def place(project: Project, path: str) -> str:
    symbol = project.api.symbols[path]
    return f"{symbol.file}:{symbol.line}"


def stale(project: Project) -> list[str]:
    return planted("FT40", project)


def test_the_report_as_it_is_made_is_not_stale() -> None:
    assert stale(COMMITTED) == []


def test_it_is_not_there() -> None:
    assert stale(PROJECT.with_file(PATH, None)) == [
        f"{PATH} FT40 report-stale: there is no API report -> {REMEDY}"
    ]


def test_a_default_flipped() -> None:
    file, old = "src/finalturn/_agent/config.py", "hold_json: bool = False"
    drift = COMMITTED.edited(file, old, "hold_json: bool = True")
    path, field = "finalturn.StructuredOutputConfig", "finalturn.StructuredOutputConfig.hold_json"
    assert stale(drift) == [
        f"{PATH}:{line(head(path))} FT40 report-stale: of `{path}` it says `hold_json: bool = False,`;"
        f" {place(drift, path)} says `hold_json: bool = True,` -> {REMEDY}",
        f"{PATH}:{line(head(field))} FT40 report-stale: of `{field}` it says `hold_json: bool = False`;"
        f" {place(drift, field)} says `hold_json: bool = True` -> {REMEDY}",
    ]


def test_a_method_added() -> None:
    path, old = "finalturn.Usage.total", "    def __add__("
    drift = COMMITTED.edited(RESULT, old, f"    def total(self) -> int: ...\n\n{old}")
    assert stale(drift) == [
        f"{PATH} FT40 report-stale: it lacks `{path} (method, stable since {drift.api.symbols[path].since})"
        f" def total() -> int`, which {place(drift, path)} makes public -> {REMEDY}"
    ]


def test_a_method_removed() -> None:
    gone = head("finalturn.AgentResult.unwrap")
    assert stale(COMMITTED.edited(RESULT, "def unwrap(", "def _unwrap(")) == [
        f"{PATH}:{line(gone)} FT40 report-stale: it has `{gone} def unwrap() -> T_co`, which is public no"
        f" more -> {REMEDY}"
    ]


@pytest.mark.parametrize(
    ("file", "old", "new", "said", "found"),
    [
        (
            "src/finalturn/_core/chunks.py",
            'STRUCTURED_REUSE = "structured_reuse"',
            'STRUCTURED_REUSE = "reuse"',
            "STRUCTURED_REUSE = 'structured_reuse'",
            "STRUCTURED_REUSE = 'reuse'",
        ),
        (
            "src/finalturn/_core/protocols.py",
            'Literal["policy", "approval", "coherence"]',
            'Literal["policy", "approval"]',
            "DenialKind = Literal['policy', 'approval', 'coherence']",
            "DenialKind = Literal['policy', 'approval']",
        ),
        (
            "src/finalturn/_providers/openai_chat/profiles.py",
            '    "together",\n    "vllm",\n',
            '    "together",\n    "vllm",\n    "other",\n',
            "profile: Literal['azure', 'deepseek', 'groq', ",
            "profile: Literal['azure', 'deepseek', 'groq', ",
        ),
        (
            "src/finalturn/_tools/tool.py",
            "DEFAULT_TIMEOUT = 60.0",
            "DEFAULT_TIMEOUT = 90.0",
            "timeout: float | None = 60.0,",
            "timeout: float | None = 90.0,",
        ),
        (
            "src/finalturn/_sessions/memory.py",
            "@stable(since=",
            "@beta(since=",
            "finalturn.sessions.InMemorySessions (class, stable since",
            "finalturn.sessions.InMemorySessions (class, beta since",
        ),
        (
            "src/finalturn/_agent/turns.py",
            "input: Input,\n        *,\n        response_format: Format",
            "input: Input,\n        response_format: Format",
            "",
            "",
        ),
    ],
)
def test_other_changes_of_what_users_can_name(file: str, old: str, new: str, said: str, found: str) -> None:
    messages = stale(COMMITTED.edited(file, old, new))
    # What overloads hide from users may change.
    assert bool(messages) is bool(said)
    assert not said or any(f"it says `{said}" in one and f"says `{found}" in one for one in messages)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("src/finalturn/_core/result.py", "class Usage:", "class Usage:  # tokens"),
        ("src/finalturn/_core/result.py", '"""Tokens, as', '"""How many tokens, as'),
        ("src/finalturn/_core/messages.py", "def _role(", "def _helper() -> None: ...\n\n\ndef _role("),
        ("src/finalturn/_gates/coherence.py", "timeout: float | None = 60.0", "timeout: float | None=(60.0)"),
        (
            "src/finalturn/__init__.py",
            '    "Agent",\n    "AgentResult",\n',
            '    "AgentResult",\n    "Agent",\n',
        ),
    ],
)
def test_what_changes_nothing_that_users_can_name(file: str, old: str, new: str) -> None:
    assert stale(COMMITTED.edited(file, old, new)) == []


def test_the_committed_report_edited_by_hand() -> None:
    path = "finalturn.AgentResult.unwrap"
    drift = COMMITTED.edited(PATH, "def unwrap() -> T_co", "def unwrap() -> object")
    assert stale(drift) == [
        f"{PATH}:{line(head(path))} FT40 report-stale: of `{path}` it says `def unwrap() -> object`;"
        f" {place(drift, path)} says `def unwrap() -> T_co` -> {REMEDY}"
    ]


def test_the_report_has_no_line_numbers_and_reads_back() -> None:
    text = report(PROJECT.api)
    assert text.startswith(HEAD)
    assert set(blocks(text)) == set(PROJECT.api.symbols)
    assert "src/" not in text


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
        ("One model call.", "One model call."),
        ("One model call. It may fail.\n\nMore.", "One model call."),
        ("A message that\nis long. Deep-frozen.", "A message that is long."),
        (
            "the URL, e.g. https://example.org; ``None`` without one.",
            "the URL, e.g. https://example.org; ``None`` without one.",
        ),
        ("What the model calls it by: `name`.", "What the model calls it by"),
        ("Nothing ends it", "Nothing ends it"),
    ],
)
def test_what_a_name_means_is_the_first_sentence(docstring: str, meaning: str) -> None:
    assert first_sentence(docstring) == meaning


def test_each_name_is_there_with_what_it_means() -> None:
    found = blocks(report(PROJECT.api))
    for path, symbol in PROJECT.api.symbols.items():
        lines = found[path][1].splitlines()
        meanings = [line for line in lines if line.startswith("    # ")]
        assert meanings == [f"    # {first_sentence(symbol.docstring)}"] * bool(symbol.docstring), path


def test_another_meaning_changes_the_report_and_is_no_change_of_the_api() -> None:
    drift = COMMITTED.edited(RESULT, '"""The terminal result of a turn.', '"""What a turn ends with.')
    assert "\n    # What a turn ends with.\n" in report(drift.api)
    assert report(drift.api) != report(COMMITTED.api)
    assert stale(drift) == []


def test_the_page_for_assistants_leads_there() -> None:
    assert f"({PATH})" in PROJECT.files["AGENT.md"]
