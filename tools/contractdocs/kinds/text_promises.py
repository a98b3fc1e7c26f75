"""Kinds of drift between what prose promises and what the contract does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from difflib import get_close_matches

from tools.contractdocs import _review
from tools.contractdocs._finding import Kind, Place, at
from tools.contractdocs._markdown_changelog import FILE as CHANGELOG
from tools.contractdocs._markdown_documents import documents, prose
from tools.contractdocs._markdown_prose import Sentence
from tools.contractdocs._project import Project

PROMISE = re.compile(
    r"""(?ix)
    \b(?: never | always | invariably | guarantee\w* | ensur(?:e|es|ed|ing) | exactly | forever
      | promis(?:e|es|ed)\s+(?:that|to|not) | prove[sn]?\s+that | reliabl[ey] | certainly | definitely
      | must | shall | can\s?not | can['’]t | won['’]t | will(?!\s+do\b)
      | impossible | no\s+matter | whatever\s+(?:the|happens|it) | come\s+what\s+may | even\s+(?:if|when)
      | under\s+(?:no|any|all) | in\s+(?:every|any|all)\s+cases? | (?:at\s+all\s+times|every\s+time)
      | without\s+(?:exception|fail) | (?:is|are)\s+(?:sure|safe|certain)\s+to | unconditionally | regardless
      | (?:exactly|at\s+most|at\s+least|only)\s+(?:once|one|two|twice)
      | (?:is|are|was|does|do|may)\s+(?:not\s+ever|only\s+ever)
      | not\s+(?:be\s+)?(?:shown|streamed?|appear|leak\w*|visible|logged|repaired|retried)
      | (?:only|just)\s+(?:when|if|after|before|once|while|then)
      | nothing\s+(?:\w+\s+){0,5}?
        (?:is|are|was|does|has|can|runs|starts|reaches|appears|streams|leaks)
      | no\s+\w+\s+(?:of\s+\w+\s+)?
        (?:is|are|can|may|ever|runs|starts|reaches|appears|streams|leaks)
      | (?:every(?!\s+other)|all(?!\s+that))\s+(?:\w+\s+){0,3}?
        (?:is|are|has|have|gets?|carr(?:y|ies)|comes?|ends?|goes|reach(?:es)?)
      | (?:comes|shown|sent|asked|called|emitted|given|fires|fired)\s+(?:only\s+)?once
      | every\s+[^.;]*?\s(?:before|after)
    )\b"""
)
"""Words that a reader may rely on."""


def promise_in(sentence: Sentence) -> str | None:
    """The words that promise something; ``None`` when none do."""
    match = PROMISE.search(sentence.plain)
    return " ".join(match[0].replace("\x02", "").split()) if match else None


def _stray(project: Project) -> Iterator[Place]:
    for file, sentence in prose(project):
        if file == CHANGELOG:
            continue  # it tells what changed, and promises nothing
        words = promise_in(sentence)
        if words and not sentence.allowance and not _review.cited(project, sentence):
            yield at(file, sentence.line, words=words, sentence=_review.short(sentence.text))


def _needless(project: Project) -> Iterator[Place]:
    for file, sentence in prose(project):
        if sentence.allowance_line and not sentence.allowance:
            said = "<!-- not-a-promise --> gives no reason"
            yield at(file, sentence.allowance_line, said=said, do="write <!-- not-a-promise: reason -->")
        elif sentence.allowance_line and file == CHANGELOG:
            said = "a changelog promises nothing"
            yield at(file, sentence.allowance_line, said=said, do="delete the comment")
        elif sentence.allowance_line and promise_in(sentence) is None:
            said = f'nothing in the sentence before it promises: "{_review.short(sentence.text)}"'
            yield at(file, sentence.allowance_line, said=said, do="delete the comment")
        elif sentence.allowance_line and (cited := _review.cited(project, sentence)):
            said = f"the sentence cites {', '.join(cited)}, and says that it is not a promise"
            yield at(file, sentence.allowance_line, said=said, do="delete one of the two")
    yield from _unattached(project)


def _unattached(project: Project) -> Iterator[Place]:
    attached = {(file, sentence.allowance_line) for file, sentence in prose(project)}
    for file, document in documents(project):
        for comment in document.comments:
            if comment.text.startswith("not-a-promise") and (file, comment.line) not in attached:
                said = "<!-- not-a-promise --> stands behind no sentence"
                yield at(file, comment.line, said=said, do="put it right behind the sentence, or delete it")


def _unreviewed(project: Project) -> Iterator[Place]:
    stored = _review.stored(project)
    wanted = {(one.file, one.text): one for one in _review.reviews(project)}
    gone = [key for key in stored if key not in wanted]
    renewed: set[tuple[str, str]] = set()
    for key, review in wanted.items():
        if key in stored:
            yield from _changed_clauses(project, review, stored[key])
            continue
        close = get_close_matches(review.text, [text for file, text in gone if file == review.file], 1, 0.5)
        renewed |= {(review.file, text) for text in close}
        was = f'; it was "{_review.short(close[0], review.text)}"' if close else ""
        now = _review.short(review.text, close[0] if close else None)
        said = f'nobody has confirmed "{now}" beside {review.of}{was}'
        yield at(review.file, review.line, said=said)
    for file, text in gone:
        if (file, text) not in renewed:
            line = project.line_of(_review.FILE, json.dumps(text, ensure_ascii=False))
            said = f'{file} no longer has the sentence "{_review.short(text)}", or it speaks of no clause now'
            yield at(_review.FILE, line, said=said)


def _changed_clauses(project: Project, review: _review.Review, stored: dict[str, str]) -> Iterator[Place]:
    statements: dict[str, str] = {clause.id: clause.statement for clause in project.clauses}
    sentence = _review.short(review.text)
    for clause in sorted(review.clauses.keys() | stored.keys()):
        if clause not in review.clauses:
            said = f'"{sentence}" spoke of {clause} when it was confirmed, and no longer does'
        elif clause not in stored:
            said = f'nobody has confirmed "{sentence}" beside {clause}'
        elif stored[clause] != review.clauses[clause]:
            said = f'{clause} has changed since "{sentence}" was confirmed; it says: "{statements[clause]}"'
        else:
            continue
        yield at(review.file, review.line, said=said)


KINDS: tuple[Kind, ...] = (
    Kind(
        code="FT32",
        name="stray-promise",
        what='"{words}" promises something outside the contract: "{sentence}"',
        remedy="cite the clause, by a link to it or its id as code; or reword; or put"
        " <!-- not-a-promise: reason --> right behind the sentence",
        why=(
            "A reader relies on what prose says, but only clauses are tested, compared between releases and"
            " kept. A promise that cites no clause is one that nobody keeps. The changelog is left out: it"
            " tells what changed, and is no place for promises."
        ),
        find=_stray,
    ),
    Kind(
        code="FT3D",
        name="needless-allowance",
        what="{said}",
        remedy="{do}",
        why="An exception that excuses nothing hides the next sentence that moves to its place.",
        find=_needless,
    ),
    Kind(
        code="FT3C",
        name="unreviewed-promise",
        what="{said}",
        remedy="read the sentence beside the clause; then python -m tools.contractdocs review",
        why=(
            "A sentence that retells a clause in other words must be read again when either of them changes."
            " Only a person can tell whether they still say the same, so a person confirms it."
        ),
        find=_unreviewed,
    ),
)
