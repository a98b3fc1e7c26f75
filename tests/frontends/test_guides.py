"""The guides show the components that the tests drive, as they are."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.frontends._clients import MODULES, ROOT, SECONDS, Clients

GUIDES = ROOT / "docs" / "guides"
EXAMPLES = ROOT / "examples" / "frontends"
SHOWN = re.compile(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("guide", ["ag-ui", "ai-sdk"])
def test_a_guide_shows_the_file_that_it_names(guide: str) -> None:
    text = (GUIDES / f"{guide}.md").read_text(encoding="utf-8")
    shown = dict(SHOWN.findall(text))
    files = {path.relative_to(ROOT).as_posix(): path for path in (EXAMPLES / guide).iterdir()}
    assert shown == {name: path.read_text(encoding="utf-8") for name, path in files.items()}


@pytest.mark.frontends
def test_the_components_fit_the_types_of_their_libraries(clients: Clients) -> None:
    compiler = MODULES / "typescript" / "bin" / "tsc"
    done = subprocess.run(
        [clients.node, str(compiler), "--project", str(EXAMPLES)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert (done.returncode, done.stdout) == (0, "")
