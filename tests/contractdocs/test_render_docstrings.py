"""``Contract:`` sections of docstrings."""

from __future__ import annotations

import ast
from dataclasses import replace

from finalturn.contract import HELD_JSON, RESULT_IS_LAST, Deprecation
from tests.contractdocs._plant import PROJECT
from tools.contractdocs.render.docstrings import section, source_files, with_sections

LAST = replace(RESULT_IS_LAST, stability="stable", statement="A turn MUST end.")
HELD = replace(HELD_JSON, stability="beta", statement="JSON MUST NOT be shown.")

PLAIN = '''\
class Stream:
    """A stream."""

    def close(self) -> None:
        """Close it.

        Raises:
            ValueError: never.
        """  # noqa: D401


def other() -> str:
    return "    Contract:"
'''
WITH = '''\
class Stream:
    """A stream.

    Contract:
        - `result-is-last` (stable): A turn MUST end.
    """

    def close(self) -> None:
        """Close it.

        Raises:
            ValueError: never.

        Contract:
            - `result-is-last` (stable): A turn MUST end.
            - `held-json` (beta): JSON MUST NOT be shown.
        """  # noqa: D401


def other() -> str:
    return "    Contract:"
'''
CLAUSES = {"Stream": [LAST], "Stream.close": [LAST, HELD]}


def test_a_section_is_added_at_the_end() -> None:
    assert with_sections(PLAIN, CLAUSES) == WITH


def test_writing_twice_changes_nothing() -> None:
    assert with_sections(WITH, CLAUSES) == WITH


def test_a_section_goes_with_its_clauses() -> None:
    assert with_sections(WITH, {}) == PLAIN


def test_a_section_is_rewritten_at_the_end() -> None:
    head, tail = 'def f() -> None:\n    """Do.\n', "\n    Raises:\n        E: no.\n"
    section = "\n    Contract:\n        - old\n          words\n"
    end = "\n    Contract:\n        - `result-is-last` (stable): A turn MUST end.\n"
    for before in (f'{head}{section}{tail}    """\n', f'{head}{tail}{section}    """\n'):
        assert with_sections(before, {"f": [LAST]}) == f'{head}{tail}{end}    """\n'
        assert with_sections(before, {}) == f'{head}{tail}    """\n'


def test_text_right_before_the_closing_quotes_is_kept() -> None:
    text = 'def f() -> None:\n    r"""Do\n    this."""\n'
    changed = with_sections(text, {"f": [LAST]})
    assert ast.get_docstring(ast.parse(changed).body[0]) == (  # type: ignore[arg-type]
        "Do\nthis.\n\nContract:\n    - `result-is-last` (stable): A turn MUST end."
    )


def test_what_has_no_docstring_gets_no_section() -> None:
    text = "def f() -> None:\n    return None\n"
    assert with_sections(text, {"f": [LAST]}) == text


def test_long_statements_are_wrapped_and_ids_are_not() -> None:
    long = replace(LAST, statement="A turn MUST " + "end-with-one-result " * 12)
    lines = section([long], 4)
    assert all(len(line) <= 110 for line in lines)
    assert (
        " ".join(" ".join(lines).split())
        == f"Contract: - `result-is-last` (stable): {long.statement.strip()}"
    )
    assert lines[2].startswith("          end-with-one-result")


def test_a_deprecated_clause_says_so() -> None:
    gone = replace(LAST, deprecation=Deprecation("1.2.0", "2.0.0"))
    assert "(stable, deprecated since 1.2.0)" in section([gone], 4)[1]


def test_sections_say_what_clauses_are_about_and_the_code_stays_as_it_is() -> None:
    files = source_files(PROJECT)
    for name in ("Agent", "StreamChunk", "AgentResult"):
        (text,) = [text for text in files.values() if f"\nclass {name}(" in text]
        about = [
            clause
            for clause in PROJECT.clauses
            if name in {getattr(one, "__name__", "") for one in clause.about}
        ]
        assert about
        assert all(f"- `{clause.id}` ({clause.stability}):" in text for clause in about)
    assert not any(file.startswith("src/finalturn/_contract/") for file in files)
    changed = with_sections(files["src/finalturn/_core/chunks.py"], {})
    assert changed != files["src/finalturn/_core/chunks.py"]
    assert _without_docstrings(changed) == _without_docstrings(files["src/finalturn/_core/chunks.py"])


def _without_docstrings(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(
            node
        ):
            node.body = node.body[1:]
    return ast.dump(tree)
