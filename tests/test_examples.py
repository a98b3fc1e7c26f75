"""Every Python example in the documents runs, and prints what the document says."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_examples import CodeExample, EvalExample, find_examples

ROOT = Path(__file__).parents[1]
EXAMPLES = list(find_examples(str(ROOT / "README.md"), str(ROOT / "AGENT.md"), str(ROOT / "docs")))


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_an_example_runs_and_prints_what_it_says(
    example: CodeExample, eval_example: EvalExample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")
    reason = example.prefix_settings().get("test", "")
    if reason:
        assert reason.startswith("skip: "), "an example that is not run says why"
        compile(example.source, str(example.path), "exec")
        return
    eval_example.run_print_check(example)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 6
