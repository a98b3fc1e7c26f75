"""Running the Python fences of documents."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools.contractdocs.evidence import examples as documents
from tools.contractdocs.evidence.examples import find, run


def outcome(folder: Path, fence: str) -> tuple[str, str]:
    page = folder / "README.md"
    page.write_text(f"# Page\n\n{fence}\n")
    (done,) = run(find(folder))
    assert (done.file, done.line) == (page.as_posix(), 3)
    return done.outcome, done.detail


def fence(code: str, head: str = "python") -> str:
    return f"```{head}\n{code}\n```"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("print('ok')\n#> ok", ("passed", "")),
        ("x = 1", ("passed", "")),
        ("print('ok')\n#> skipped", ("failed", "printed 'ok'; the page says 'skipped'")),
        ("print('ok')", ("failed", "printed 'ok'; the page says nothing")),
        ("if False:\n    print('ok')\n    #> ok", ("passed", "")),
        ("print(1)\n#> 1\nprint(2)\n#> 3", ("failed", "printed '2'; the page says '3'")),
        ('print(\'a\\nb\')\n"""\na\nc\n"""', ("failed", "printed 'b'; the page says 'c'")),
        ("nowhere", ("failed", "raised NameError: name 'nowhere' is not defined")),
        ("raise SystemExit(3)", ("failed", "raised SystemExit: 3")),
        ("def f(:", ("failed", "raised SyntaxError: ")),
        ("import os\nprint(os.environ['OPENAI_API_KEY'])\n#> not-a-key", ("passed", "")),
    ],
)
def test_how_an_example_ends(tmp_path: Path, code: str, expected: tuple[str, str]) -> None:
    ended, detail = outcome(tmp_path, fence(code))
    assert ended == expected[0]
    assert detail == expected[1] or (expected[1].endswith(": ") and detail.startswith(expected[1]))


def test_an_example_is_a_program_of_its_own(tmp_path: Path) -> None:
    main = sys.modules["__main__"]
    assert outcome(tmp_path, fence("print(__name__)\n#> __main__")) == ("passed", "")
    assert sys.modules["__main__"] is main


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ('python test="skip: it needs a key"', ("skipped", "it needs a key")),
        ('python test="skip"', ("skipped", "")),
        ('python test="skip: "', ("skipped", "")),
        ('python test="later"', ("skipped", "")),
    ],
)
def test_one_that_is_not_run_says_why(tmp_path: Path, head: str, expected: tuple[str, str]) -> None:
    assert outcome(tmp_path, fence("nowhere", head)) == expected


def test_one_that_is_not_run_compiles(tmp_path: Path) -> None:
    ended, detail = outcome(tmp_path, fence("def f(:", 'py test="skip: it needs a key"'))
    assert ended == "failed"
    assert detail.startswith("does not compile: SyntaxError: ")


def test_one_that_does_not_come_back_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "LIMIT", 0.05)
    code = "import threading\nthreading.Event().wait()"
    assert outcome(tmp_path, fence(code)) == ("failed", "raised TooLong: it was stopped after 0.05 seconds")


def test_they_are_found_in_order_and_nothing_else_is(tmp_path: Path) -> None:
    (tmp_path / "docs" / "guides").mkdir(parents=True)
    for name in ("docs/b.md", "docs/guides/a.md", "AGENT.md"):
        (tmp_path / name).write_text(
            fence("x = 1") + "\n\n" + fence("y = 2", "py") + "\n\n" + fence("z", "text")
        )
    (tmp_path / "CHANGELOG.md").write_text(fence("x = 1"))
    found = [(one.path.relative_to(tmp_path).as_posix(), one.start_line) for one in find(tmp_path)]
    assert found == [
        (name, line) for name in ("AGENT.md", "docs/b.md", "docs/guides/a.md") for line in (1, 5)
    ]
