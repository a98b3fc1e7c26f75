"""Sentences that wait for a person, beside the clauses that they retell."""

from __future__ import annotations

from dataclasses import replace

from tests.contractdocs._plant import PROJECT
from tools.contractdocs.review import FILE, confirmed, pending, shown, stored

CLAUSE = next(one for one in PROJECT.clauses if one.id == "close-stops-work")
CHANGED = PROJECT.with_clause(replace(CLAUSE, statement="It MUST stop."))


def test_nothing_waits_in_the_repository() -> None:
    assert shown(PROJECT) == "nothing waits"
    assert confirmed(PROJECT)[FILE] == PROJECT.files[FILE]


def test_each_sentence_is_shown_beside_its_clause() -> None:
    lines = shown(CHANGED).split("\n")
    waiting = {(one.file, one.text): one for one, _ in pending(CHANGED)}
    assert len(waiting) > 1
    for one in waiting.values():
        at = lines.index(f"{one.file}:{one.line}: {one.text}")
        assert "    close-stops-work: It MUST stop." in lines[at + 1 : at + 1 + len(one.clauses)]
    assert lines[-1].startswith(f"{len(waiting)} sentences wait; name files, places or clauses behind review")


def test_only_what_is_named_is_confirmed() -> None:
    first = next(one for one, _ in pending(CHANGED))
    for name in (first.file, f"{first.file}:{first.line}"):
        left = {one.text for one, _ in pending(CHANGED.with_file(FILE, confirmed(CHANGED, [name])[FILE]))}
        assert left and first.text not in left
    whole = CHANGED.with_file(FILE, confirmed(CHANGED, ["close-stops-work"])[FILE])
    assert list(pending(whole)) == []


def test_a_sentence_that_is_gone_is_forgotten() -> None:
    project = PROJECT.with_file("docs/tutorial.md", "# Tutorial\n")
    kept = stored(project.with_file(FILE, confirmed(project, ["README.md"])[FILE]))
    assert kept and all(file != "docs/tutorial.md" for file, _ in kept)
