"""Kinds of drift between names in documents and names in the code."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import lru_cache

from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._markdown import Document, Fence
from tools.contractdocs._markdown_documents import documents, prose
from tools.contractdocs._project import Project
from tools.contractdocs.kinds import text_code
from tools.contractdocs.kinds.text_code import Problem
from tools.contractdocs.kinds.text_commands import COMMAND
from tools.contractdocs.kinds.text_scope import Scope, scope_of
from tools.contractdocs.kinds.text_vocabulary import WORDS, Vocabulary

PYTHON = ("python", "py", "pycon", "python3")
_SUFFIX = re.compile(r"[\w./*-]*\.(?:py|md|toml|json|jsonl|yml|yaml|txt|svg|png|sh|cfg)")
_LIKELY = re.compile(r"[A-Za-z]\w*(?:[_-]\w+)+")
_TAGGED = re.compile(
    r"""["']?\b(?P<tag>event|structured_status|stop_reason|finish_reason)\b["']?\s*\)?\s*(?:={1,3}|!={1,2}|:)\s*["'](?P<word>[^"'\n]*)["']"""
)
_SWITCH = re.compile(r"""\bcase\s+["'](?P<word>[^"'\n]+)["']\s*:""")
_CLOSE = 0.82


def _dead(project: Project) -> Iterator[Place]:
    vocabulary = Vocabulary(project)
    for file, document in documents(project):
        scope = _scope(document, vocabulary)
        for span in document.spans:
            if found := _span(span.text, document, vocabulary, scope):
                yield at(
                    file, span.line, where=f"`{span.text}`", said=found.said, do=_hint(found, vocabulary)
                )
        for fence in document.fences:
            for found in _fence(fence, vocabulary, scope):
                line = fence.line + 1 + found.line
                text = fence.text.split("\n")[found.line].strip()
                yield at(file, line, where=f"`{text}`", said=found.said, do=_hint(found, vocabulary))
    for file, sentence in prose(project):
        for match in re.finditer(r"(?<![\w/.#-])[A-Za-z]+(?:_[A-Za-z]+)+(?![\w/])", sentence.plain):
            if match[0] not in vocabulary.names:
                found = Problem(0, f"nothing is called {match[0]}", match[0])
                yield at(file, sentence.line, where=match[0], said=found.said, do=_hint(found, vocabulary))


def _hint(found: Problem, vocabulary: Vocabulary) -> str:
    if found.hint:
        return found.hint
    like = vocabulary.like(found.word)
    return f"did you mean {like}?" if like else f"mend it, or list it with a reason in {WORDS}"


def _scope(document: Document, vocabulary: Vocabulary) -> Scope:
    scope = Scope()
    for fence in document.fences:
        if fence.language in PYTHON and (tree := _module(fence.text)):
            scope.add(scope_of(tree, vocabulary))
    return scope


@lru_cache(maxsize=512)
def _module(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def _span(text: str, document: Document, vocabulary: Vocabulary, scope: Scope) -> Problem | None:
    """What is wrong with a code span."""
    if text in vocabulary.words or text in vocabulary.clauses or text in vocabulary.drift:
        return None
    if COMMAND.match(text) or text in vocabulary.options or text in vocabulary.targets:
        return None  # commands are another kind's
    if vocabulary.is_file(text):
        return None
    if match := re.fullmatch(r"(?:finalturn)?\[([\w, -]+)\]", text):
        lost = [name for name in re.split(r", *", match[1]) if name not in vocabulary.extras]
        return Problem(0, f"finalturn has no extra {lost[0]}", lost[0]) if lost else None
    if text.startswith("-"):
        option = re.split(r"[ =]", text)[0]
        return (
            None
            if option in vocabulary.options
            else Problem(0, f"no command has the option {option}", option)
        )
    if ("/" in text and " " not in text) or _SUFFIX.fullmatch(text):
        return None if _in_fence(text, document) else Problem(0, f"there is no file {text}", text)
    if _is_data(text):
        return _string(text, document, vocabulary)
    return _python(text, document, vocabulary, scope)


def _is_data(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return len(text) > 1 and text[0] == text[-1] == "'"
    return True


def _string(text: str, document: Document, vocabulary: Vocabulary) -> Problem | None:
    word = text.strip("\"'")
    if text[0] not in "\"'" or word in vocabulary.names or word in vocabulary.clauses or not word:
        return next(_near(text, vocabulary, Scope()), None)
    return None if _in_fence(word, document) else Problem(0, f"{text} is no value of anything", word)


def _python(text: str, document: Document, vocabulary: Vocabulary, scope: Scope) -> Problem | None:
    if near := next(_near(text, vocabulary, scope), None):
        return near
    tree = text_code.parse(text)
    if tree is not None:
        found = next(text_code.problems(tree, vocabulary, scope, strict=True), None)
        known = found is None or (_in_fence(text, document) and not found.hint)
        return None if known else found
    if all(word in vocabulary.names or word in scope.names for word in re.findall(r"[A-Za-z_]\w*", text)):
        return None
    return (
        None
        if _in_fence(text, document)
        else Problem(0, "it is neither a name nor code that can be read", text)
    )


def _in_fence(text: str, document: Document) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", fence.text) for fence in document.fences)


def _fence(fence: Fence, vocabulary: Vocabulary, scope: Scope) -> Iterator[Problem]:
    tree = _module(fence.text) if fence.language in PYTHON else None
    told: set[tuple[int, str]] = set()
    found: list[Problem] = []
    if tree is not None:
        found += text_code.problems(tree, vocabulary, scope_of(tree, vocabulary), strict=False)
    else:
        found += _tagged(fence.text, vocabulary)
    for one in (*found, *_near(fence.text, vocabulary, scope)):
        if (one.line, one.word) not in told:
            told.add((one.line, one.word))
            yield one


def _tagged(text: str, vocabulary: Vocabulary) -> Iterator[Problem]:
    """Values of events and statuses, in code of any language."""
    for match in _TAGGED.finditer(text):
        line = text.count("\n", 0, match.start())
        yield from text_code.wrong_word(match["tag"], match["word"], line, vocabulary)
    if re.search(r"\bswitch\b[^{]*\.event\b", text):
        for match in _SWITCH.finditer(text):
            yield from text_code.wrong_word(
                "event", match["word"], text.count("\n", 0, match.start()), vocabulary
            )


def _near(text: str, vocabulary: Vocabulary, scope: Scope) -> Iterator[Problem]:
    """Words that are almost one of the contract's."""
    for match in _LIKELY.finditer(text):
        word = match[0]
        if word in vocabulary.names or word in scope.names or word in vocabulary.clauses or len(word) < 7:
            continue
        if (
            word in vocabulary.options
            or word in vocabulary.targets
            or word.isupper()
            or vocabulary.is_file(word)
        ):
            continue
        if close := get_close_matches(word, vocabulary.contract_words, 1, _CLOSE):
            line = text.count("\n", 0, match.start())
            yield Problem(line, f"nothing is called {word}", word, f"did you mean {close[0]}?")


def _stale_words(project: Project) -> Iterator[Place]:
    vocabulary = Vocabulary(project)
    used = " ".join(document.text for _, document in documents(project))
    bare = Vocabulary(project.with_file(WORDS, ""))
    for word, reason in vocabulary.words.items():
        line = project.line_of(WORDS, json.dumps(word))
        if not reason.strip():
            yield at(WORDS, line, said=f'"{word}" has no reason')
        elif not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", used):
            yield at(WORDS, line, said=f'no document writes "{word}"')
        elif word in bare.names or word in bare.clauses or word in bare.targets:
            yield at(WORDS, line, said=f'"{word}" is a name anyway')


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT33",
        name="dead-name",
        what="{where}: {said}",
        remedy="{do}",
        why=(
            "Documents name events, statuses, fields and functions. When one is renamed, every page that"
            " names it must follow, or a reader compares with a word that never comes."
        ),
        find=_dead,
    ),
    Kind(
        code="FT3G",
        name="stale-word",
        what="{said}",
        remedy="delete the entry, or mend it",
        why="The list of words that are nobody's names may not hide a name that is gone.",
        find=_stale_words,
    ),
)
