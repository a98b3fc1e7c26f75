"""Docstrings that are missing, or describe something else than the signature."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs._api_docstring import entries
from tools.contractdocs._project import Project

RESULT = "src/finalturn/_core/result.py"
MESSAGES = "src/finalturn/_core/messages.py"
CHUNKS = "src/finalturn/_core/chunks.py"
POLICY = "src/finalturn/_gates/policy.py"
SAY = "say what it means, its shape and units, and which errors it raises"
MAKE = "make Args: and Attributes: name what the signature names, and nothing else"


def place(path: str, project: Project = PROJECT) -> str:
    symbol = project.api.symbols[path]
    return f"{symbol.file}:{symbol.line}"


@pytest.mark.parametrize("code", ["FT45", "FT46", "FT48"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


class TestNoDocstring:
    @pytest.mark.parametrize(
        ("path", "kind", "file", "old", "new"),
        [
            (
                "finalturn.AgentStream.usage",
                "property",
                "src/finalturn/_agent/stream.py",
                '        """Tokens of the model calls so far, failed and stopped ones included;'
                ' readable at any time."""\n',
                "",
            ),
            (
                "finalturn.ModelEvent",
                "alias",
                "src/finalturn/_core/model.py",
                '"""What a streaming provider yields: pieces in any order, then one `ModelEnd`."""\n',
                "",
            ),
            ("finalturn.Usage", "class", RESULT, '"""Tokens, as', '""\n    f"""Tokens, as'),
        ],
    )
    def test_of_a_name(self, path: str, kind: str, file: str, old: str, new: str) -> None:
        assert planted("FT45", PROJECT.edited(file, old, new)) == [
            f"{place(path)} FT45 no-docstring: the {kind} {path} is public without a docstring -> {SAY}"
        ]

    def test_of_a_module(self) -> None:
        file = "src/finalturn/sessions.py"
        project = PROJECT.edited(file, '"""Where conversations are kept between turns."""\n', "")
        assert planted("FT45", project) == [
            f"{file}:1 FT45 no-docstring: the module finalturn.sessions is public without a docstring"
            f" -> {SAY}"
        ]


class TestUndocumentedParameter:
    @pytest.mark.parametrize(
        ("path", "problem", "file", "old", "new"),
        [
            (
                "finalturn.Message.user",
                "does not describe *parts",
                MESSAGES,
                "            *parts: images; they stand after the text.\n",
                "",
            ),
            (
                "finalturn.Usage",
                "does not describe cached_tokens",
                RESULT,
                "        cached_tokens: of these, how many came from a cache.\n",
                "",
            ),
            (
                "finalturn.StreamEvent",
                "does not describe STRUCTURED_REUSE",
                CHUNKS,
                "        STRUCTURED_REUSE: the text",
                "            The text",
            ),
            (
                "finalturn.Usage",
                "describes billed_tokens, which it does not have",
                RESULT,
                "        input_tokens: tokens read",
                "        billed_tokens: tokens to pay for.\n        input_tokens: tokens read",
            ),
            (
                "finalturn.ToolPolicy",
                "describes forbid, which it does not have",
                POLICY,
                "        deny: tools that never run.\n",
                "        deny: tools that never run.\n        forbid: the same.\n",
            ),
            (
                "finalturn.ToolPolicy.check",
                "describes calls, which it does not have",
                POLICY,
                "            messages: the conversation; it is not looked at.\n",
                "            messages: the conversation; it is not looked at.\n            calls: others.\n",
            ),
        ],
    )
    def test_of_a_name(self, path: str, problem: str, file: str, old: str, new: str) -> None:
        assert planted("FT46", PROJECT.edited(file, old, new)) == [
            f"{place(path)} FT46 undocumented-parameter: the docstring of {path} {problem} -> {MAKE}"
        ]

    def test_a_parameter_that_was_renamed(self) -> None:
        path = "finalturn.gates.provider_check"
        project = PROJECT.edited(
            "src/finalturn/_gates/provider_check.py",
            "    settings: ModelSettings |",
            "    sampling: ModelSettings |",
        )
        assert planted("FT46", project) == [
            f"{place(path)} FT46 undocumented-parameter: the docstring of {path} {problem} -> {MAKE}"
            for problem in ("does not describe sampling", "describes settings, which it does not have")
        ]


class TestNoSuchError:
    def test_of_a_method(self) -> None:
        path = "finalturn.AgentResult.unwrap"
        project = PROJECT.edited(RESULT, "StructuredOutputError: there is none;", "NoAnswer: there is none;")
        assert planted("FT48", project) == [
            f"{place(path)} FT48 no-such-error: the docstring of {path} says that it raises NoAnswer,"
            " which is no public exception -> name a builtin or a public exception, or make this one public"
        ]


def test_a_docstring_is_read() -> None:
    found = entries(
        "What it is.\n\nArgs:\n    a: one,\n        in two lines.\n    *more: others.\n\n"
        "Attributes:\n    b: another.\n\nReturns:\n    Something.\n\nRaises:\n    ValueError: never.\n\n"
        "Contract:\n    `single-pass`: a clause.\n\nNote:\n    Besides."
    )
    assert found.arguments == {"a": "one, in two lines.", "*more": "others."}
    assert found.attributes == {"b": "another."}
    assert found.raises == {"ValueError": "never."}
    assert found.prose.split("\n\n") == ["What it is.", "Something.", "Besides."]
