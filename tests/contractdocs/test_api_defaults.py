"""Defaults that a docstring or an overload tells wrong."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.kinds.api_defaults import NONE_IS, said_default

REMEDY = "correct the one that is wrong"
OPENAI = "src/finalturn/_providers/openai_chat/provider.py"


def place(path: str) -> str:
    symbol = PROJECT.api.symbols[path]
    return f"{symbol.file}:{symbol.line}"


@pytest.mark.parametrize("code", ["FT47", "FT4E"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


class TestOfADocstring:
    @pytest.mark.parametrize(
        ("path", "name", "said", "actual", "file", "old", "new"),
        [
            (
                "finalturn.CoherenceGate",
                "timeout",
                "60",
                "30.0",
                "src/finalturn/_gates/coherence.py",
                "timeout: float | None = 60.0",
                "timeout: float | None = 30.0",
            ),
            (
                "finalturn.CoherenceGate",
                "timeout",
                "45",
                "60.0",
                "src/finalturn/_gates/coherence.py",
                "seconds to wait for it, 60 by default",
                "seconds to wait for it, 45 by default",
            ),
            (
                "finalturn.providers.Anthropic",
                "max_tokens",
                "16000",
                "8_000",
                "src/finalturn/_providers/anthropic/provider.py",
                "MAX_TOKENS = 16_000",
                "MAX_TOKENS = 8_000",
            ),
            (
                "finalturn.providers.OpenAIChat",
                "max_retries",
                "3",
                "2",
                OPENAI,
                "how often to ask again, 2 by default",
                "how often to ask again (by default ``3``)",
            ),
            (
                "finalturn.providers.OpenAIChat",
                "model",
                "'gpt-5'",
                "nothing",
                OPENAI,
                "model: the model's name",
                "model: defaults to ``'gpt-5'``: the model's name",
            ),
        ],
    )
    def test_it_is_another(
        self, path: str, name: str, said: str, actual: str, file: str, old: str, new: str
    ) -> None:
        assert planted("FT47", PROJECT.edited(file, old, new)) == [
            f"{place(path)} FT47 docstring-default: the docstring of {path} says that {name} is {said}"
            f" by default; it is {actual} -> {REMEDY}"
        ]

    def test_what_several_take_for_none_is_another(self) -> None:
        project = PROJECT.edited(
            "src/finalturn/_providers/http/client.py", "CONNECT_TIMEOUT = 10.0", "CONNECT_TIMEOUT = 20.0"
        )
        paths = {path for path, name in NONE_IS if name == "connect_timeout"}
        assert set(planted("FT47", project)) == {
            f"{place(path)} FT47 docstring-default: the docstring of {path} says that connect_timeout is 10"
            f" by default; it is 20.0 -> {REMEDY}"
            for path in paths
        }

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("seconds, 60 by default; or none.", "60"),
            ("By default 2.5, or more.", "2.5"),
            ("defaults to ``None``.", "None"),
            ("With the default, False, it is off.", "False"),
            ('the default is ``"auto"``', '"auto"'),
            ("what is default: -1 for all", "-1"),
            ("By default the function's name.", None),
            ("by default, native tools alone", None),
            ("by default ``name``, else ``3``", None),
            ("60 seconds, the default being other", None),
        ],
    )
    def test_what_a_text_says(self, text: str, said: str | None) -> None:
        assert said_default(text) == said

    def test_what_none_stands_for_is_there(self) -> None:
        for (path, name), (file, constant) in NONE_IS.items():
            defaults = {one.name: one.default for one in PROJECT.api.symbols[path].parameters}
            assert defaults[name] == "None"
            assert f"\n{constant} = " in PROJECT.files[file]


class TestOfAnOverload:
    def test_the_implementation_has_another(self) -> None:
        file = "src/finalturn/_agent/agent.py"
        before, _, after = PROJECT.files[file].rpartition("max_iterations: int = 10")
        project = PROJECT.with_file(file, f"{before}max_iterations: int = 12{after}")
        assert planted("FT4E", project) == [
            f"{place('finalturn.Agent')} FT4E overload-default: an overload of finalturn.Agent says that"
            " max_iterations is 10 by default; it is 12 -> give the overloads and the implementation one"
            " default"
        ]
