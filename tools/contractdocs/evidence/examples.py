"""Runs the Python fences of the documents."""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_examples import CodeExample, find_examples
from pytest_examples.config import ExamplesConfig
from pytest_examples.run_code import run_code

from tests._limited import TooLong, limited
from tools.contractdocs.evidence.model import Example, one_line
from tools.contractdocs.findings import ROOT, relative

LIMIT = 20
"""Seconds that an example may take."""

DOCUMENTS = ("README.md", "AGENT.md", "docs")


def find(root: Path = ROOT) -> list[CodeExample]:
    """Every Python fence, in order."""
    places = [root / name for name in DOCUMENTS if (root / name).exists()]
    return sorted(find_examples(*places), key=lambda example: (example.path, example.start_line))


def run(examples: list[CodeExample]) -> Iterator[Example]:
    """Run them, each as a program of its own."""
    # A page shows how a provider is made; nothing is sent.
    os.environ["OPENAI_API_KEY"] = "not-a-key"
    main = sys.modules["__main__"]
    with tempfile.TemporaryDirectory() as folder:
        for example in examples:
            try:
                yield Example(relative(example.path), example.start_line, *_outcome(example, Path(folder)))
            finally:
                sys.modules["__main__"] = main


def _outcome(example: CodeExample, folder: Path) -> Any:
    settings = example.prefix_settings()
    if "test" in settings:
        reason = settings["test"]
        try:
            compile(example.source, str(example.path), "exec")
        except SyntaxError as error:
            return "failed", f"does not compile: {one_line(error)}"
        return "skipped", reason.removeprefix("skip:").strip() if reason.startswith("skip:") else ""
    file = folder / f"{example.module_name}.py"
    file.write_text(example.source, encoding="utf-8")
    try:
        with limited(LIMIT):
            printed, _ = run_code(
                example=example,
                python_file=file,
                loader=None,
                config=ExamplesConfig(),
                enable_print_mock=True,
                print_callback=None,
                include_print=None,
                module_globals=None,
                call=None,
            )
        shown = printed.updated_print_statements(example)
    except (Exception, SystemExit, TooLong) as error:
        return "failed", f"raised {one_line(error)}"
    return ("passed", "") if shown is None else ("failed", _difference(example.source, shown))


def _difference(page: str, shown: str) -> str:
    """The first line that differs between an example and what it would be with what it printed."""
    pairs = itertools.zip_longest(shown.splitlines(), page.splitlines())
    printed, says = next((new, old) for new, old in pairs if new != old)
    return f"printed {_text(printed)}; the page says {_text(says)}"


def _text(line: str | None) -> str:
    return "nothing" if line is None else repr(line.strip().removeprefix("#> "))
