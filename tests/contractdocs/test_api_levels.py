"""Names without a level or a version, markers that mark nothing, deprecations that say too little."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs._project import Project

POLICY = "src/finalturn/_gates/policy.py"
MODEL = "src/finalturn/_core/model.py"
CONFIG = "src/finalturn/_agent/config.py"
GATE = "finalturn.ToolPolicy"


def mark(path: str) -> str:
    """The marker of a name, as it stands in the source."""
    symbol = PROJECT.api.symbols[path]
    return f"{symbol.level}(since={symbol.since if symbol.since == 'NEXT' else repr(symbol.since)})".replace(
        "'", '"'
    )


def marked(new: str) -> Project:
    return PROJECT.edited(POLICY, f"@{mark(GATE)}\n", new)


def place(path: str, project: Project = PROJECT) -> str:
    symbol = project.api.symbols[path]
    return f"{symbol.file}:{symbol.line}"


@pytest.mark.parametrize("code", ["FT4A", "FT4B", "FT4C"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


def test_every_name_has_a_level() -> None:
    assert planted("FT41", PROJECT) == []


class TestNoLevel:
    def test_of_a_class(self) -> None:
        project = marked("")
        assert planted("FT41", project) == [
            f"{place(GATE, project)} FT41 no-level: {GATE} is public without a level -> put"
            " @stable(since=NEXT) or @beta(since=NEXT) above it, or take it out of __all__"
        ]

    def test_of_an_alias(self) -> None:
        alias = "finalturn.ModelEvent"
        project = PROJECT.edited(MODEL, f'{mark(alias)}.constant(__name__, "ModelEvent")\n', "")
        assert planted("FT41", project) == [
            f"{place(alias)} FT41 no-level: {alias} is public without a level -> put"
            ' stable(since=NEXT).constant(__name__, "ModelEvent") below it, or take it out of __all__'
        ]


class TestNoVersion:
    @pytest.mark.parametrize(
        ("marker", "since"),
        [
            ("@stable()\n", "without since"),
            ("@stable(since='next')\n", "since 'next'"),
            ("@stable(since='0.1')\n", "since '0.1'"),
            ("@stable(since=VERSION)\n", "since 'VERSION'"),
        ],
    )
    def test_of_a_class(self, marker: str, since: str) -> None:
        assert planted("FT4C", marked(marker)) == [
            f"{place(GATE)} FT4C no-version: {GATE} is stable {since}, which is no version -> write"
            " since=NEXT for what is new, or the version MAJOR.MINOR.PATCH that first had it"
        ]

    def test_of_a_field(self) -> None:
        path = "finalturn.StructuredOutputConfig.hold_json"
        project = PROJECT.edited(CONFIG, f'"hold_json": {mark(path)}', '"hold_json": beta(since="soon")')
        assert planted("FT4C", project) == [
            f"{place(path)} FT4C no-version: {path} is beta since 'soon', which is no version -> write"
            " since=NEXT for what is new, or the version MAJOR.MINOR.PATCH that first had it"
        ]

    @pytest.mark.parametrize("marker", ["@stable(since='1.20.3')\n", "@beta(since=NEXT)\n"])
    def test_a_version_is_one(self, marker: str) -> None:
        assert planted("FT4C", marked(marker)) == []


class TestUselessMarker:
    def test_of_a_field_that_is_not_there(self) -> None:
        path = "finalturn.StructuredOutputConfig"
        project = PROJECT.edited(CONFIG, '"hold_json": ', '"hold_jsons": ')
        assert planted("FT4B", project) == [
            f"{place(path)} FT4B useless-marker: fields= has an entry 'hold_jsons' that names no field,"
            f" parameter or method of {path} -> correct its name, or delete the entry"
        ]

    def test_that_says_what_the_class_says(self) -> None:
        path = "finalturn.StructuredOutputConfig"
        own = mark("finalturn.AgentStream")
        field = mark(f"{path}.hold_json")
        project = PROJECT.edited(CONFIG, f'"hold_json": {field}', f'"hold_json": {own}')
        symbol = PROJECT.api.symbols[path]
        assert planted("FT4B", project) == [
            f"{place(path)} FT4B useless-marker: fields= has an entry 'hold_json' that says what {path} says"
            f" itself: stable since {symbol.since} -> correct its name, or delete the entry"
        ]


class TestDeprecatedSilently:
    @pytest.mark.parametrize(
        ("message", "missing"),
        [
            ("do not", "the version that says so nor what to use instead nor the version of removal"),
            ("deprecated in 0.2.0: removed in 1.0.0", "what to use instead"),
            ("use CoherenceGate; removed in 1.0.0", "the version that says so"),
            ("deprecated in NEXT: use CoherenceGate", "the version of removal"),
        ],
    )
    def test_it_lacks_something(self, message: str, missing: str) -> None:
        project = marked(f'@{mark(GATE)}\n@deprecated("{message}")\n')
        assert planted("FT4A", project) == [
            f"{place(GATE)} FT4A deprecated-silently: the deprecation of {GATE}, {message!r}, does"
            f' not name {missing} -> write "deprecated in NEXT: use X; removed in 2.0.0"'
        ]

    def test_it_says_all(self) -> None:
        message = "deprecated in NEXT: use CoherenceGate; removed in 1.0.0"
        assert planted("FT4A", marked(f'@{mark(GATE)}\n@deprecated("{message}")\n')) == []
