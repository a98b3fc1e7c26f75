"""Defaults: what docstrings and overloads say of them against what they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from tools.contractdocs._api import Symbol
from tools.contractdocs._api_docstring import entries
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._project import Project

# What ``None`` stands for, where a docstring says it in numbers: the constant that has it, and its file.
NONE_IS = {
    **{
        (f"finalturn.providers.{provider}", name): ("src/finalturn/_providers/http/client.py", constant)
        for provider in ("Anthropic", "Bedrock", "Gemini", "OpenAIChat", "OpenAIResponses")
        for name, constant in (("connect_timeout", "CONNECT_TIMEOUT"), ("read_timeout", "READ_TIMEOUT"))
    },
    **{
        (f"finalturn.providers.{provider}", "max_answer_bytes"): (
            "src/finalturn/_providers/answers/decode.py",
            "MAX_ANSWER",
        )
        for provider in ("Anthropic", "Bedrock", "Gemini", "OpenAIChat", "OpenAIResponses")
    },
    ("finalturn.providers.Anthropic", "max_tokens"): (
        "src/finalturn/_providers/anthropic/provider.py",
        "MAX_TOKENS",
    ),
}

_VALUE = r"(?:``(?P<code>[^`]+)``|(?P<word>-?\d+(?:\.\d+)?\b|True\b|False\b|None\b))"
_SAID = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:by default|defaults? to|default is|default|default:),? {_VALUE}",
        rf"{_VALUE},? by default\b",
    )
)


def said_default(text: str) -> str | None:
    """The literal that an entry of a docstring says is the default; ``None`` when it says none."""
    for pattern in _SAID:
        for match in pattern.finditer(text):
            found = match["code"] or match["word"]
            if _literal(found) is not _NOTHING:
                return found
    return None


def _wrong(project: Project) -> Iterator[Place]:
    for symbol in project.api.symbols.values():
        if symbol.kind not in ("class", "function", "method"):
            continue
        found = entries(symbol.docstring)
        described = {**found.attributes, **found.arguments}
        for parameter in symbol.parameters:
            said = said_default(described.get(parameter.name, ""))
            actual = _actual(project, symbol, parameter.name, parameter.default)
            if said is not None and not _equal(said, actual):
                yield at(
                    symbol.file,
                    symbol.line,
                    path=symbol.path,
                    name=parameter.name,
                    said=said,
                    actual=actual or "nothing",
                )


def _actual(project: Project, symbol: Symbol, name: str, default: str) -> str:
    file, constant = NONE_IS.get((symbol.path, name), ("", ""))
    found = (
        re.search(rf"^{constant} = (.+)$", project.files.get(file, ""), re.MULTILINE) if constant else None
    )
    return default if found is None else found[1]


_NOTHING = object()


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return _NOTHING


def _equal(said: str, actual: str) -> bool:
    return _literal(actual) is not _NOTHING and _literal(said) == _literal(actual)


def _overloads(project: Project) -> Iterator[Place]:
    for symbol in project.api.symbols.values():
        defaults: Mapping[str, str] = {one.name: one.default for one in symbol.parameters}
        seen: set[tuple[str, str]] = set()
        for parameter in (one for overload in symbol.overloads for one in overload):
            actual = defaults.get(parameter.name, "")
            wrong = (parameter.name, parameter.default)
            if parameter.default in ("", "...", actual) or wrong in seen:
                continue
            seen.add(wrong)
            yield at(
                symbol.file,
                symbol.line,
                path=symbol.path,
                name=parameter.name,
                said=parameter.default,
                actual=actual or "nothing",
            )


KINDS = (
    Kind(
        code="FT47",
        name="docstring-default",
        what="the docstring of {path} says that {name} is {said} by default; it is {actual}",
        remedy="correct the one that is wrong",
        why=(
            "Defaults are what most users run with. When a docstring names another one, they tune or debug a"
            " value that is not there."
        ),
        find=_wrong,
    ),
    Kind(
        code="FT4E",
        name="overload-default",
        what="an overload of {path} says that {name} is {said} by default; it is {actual}",
        remedy="give the overloads and the implementation one default",
        why=(
            "Type checkers and editors show the overloads; Python runs the implementation. No type checker"
            " reports that the two have different defaults."
        ),
        find=_overloads,
    ),
)
