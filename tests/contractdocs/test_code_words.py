"""Names that stand on the wire for ever."""

from __future__ import annotations

from tests.contractdocs._plant import PROJECT, planted
from tools.contractdocs.kinds.code_words import HERE

CHUNKS = "src/finalturn/_core/chunks.py"
RESULT = "src/finalturn/_core/result.py"
RECORDS = "src/finalturn/_contract/traces/records.py"
CLAUSES = "src/finalturn/_core/turn/table.py"
STALE = f"{HERE}:{PROJECT.line_of(HERE, '_WORDS = ')} FT2A unknown-word:"


def test_the_repository_as_it_is() -> None:
    assert planted("FT2A", PROJECT) == []


def test_an_event_that_is_misspelled() -> None:
    project = PROJECT.edited(CHUNKS, 'REUSE = "structured_reuse"', 'REUSE = "strutured_reuse"')
    line = project.line_of(CHUNKS, 'REUSE = "strutured')
    assert planted("FT2A", project) == [
        f"{CHUNKS}:{line} FT2A unknown-word: the value 'strutured_reuse' has the word 'strutured', which is"
        " not known -> correct it (did you mean 'structured'?); or read it twice, and add it to WORDS of"
        f" {HERE}"
    ]


def test_a_status_with_a_new_word() -> None:
    project = PROJECT.edited(RESULT, '"iteration_limit", ', '"iteration_limit", "zeroed_out", ')
    line = project.line_of(RESULT, '"zeroed_out"')
    assert planted("FT2A", project) == [
        f"{RESULT}:{line} FT2A unknown-word: the value 'zeroed_out' has the word 'zeroed', which is not known"
        f" -> correct it; or read it twice, and add it to WORDS of {HERE}"
    ]


def test_a_record_that_is_misspelled() -> None:
    project = PROJECT.edited(RECORDS, "class TurnSaved:", "class TurnSavd:")
    line = project.line_of(RECORDS, "class TurnSavd:")
    assert planted("FT2A", project) == [
        f"{RECORDS}:{line} FT2A unknown-word: the record 'TurnSavd' has the word 'savd', which is not known"
        f" -> correct it (did you mean 'saved'?); or read it twice, and add it to WORDS of {HERE}",
        f"{STALE} WORDS has 'saved', and no name is made of it -> delete it",
    ]


def test_a_clause_that_is_misspelled() -> None:
    project = PROJECT.edited(CLAUSES, '"held-json"', '"hold-jsn"')
    line = project.line_of(CLAUSES, '"hold-jsn"')
    assert [text.split(" -> ")[0] for text in planted("FT2A", project)] == [
        f"{CLAUSES}:{line} FT2A unknown-word: the value 'hold-jsn' has the word 'hold', which is not known",
        f"{CLAUSES}:{line} FT2A unknown-word: the value 'hold-jsn' has the word 'jsn', which is not known",
        f"{STALE} WORDS has 'held', and no name is made of it",
    ]
