"""``LocalModel`` as a caller uses it, with a server that stands in for the real one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from finalturn.local import LocalModel, LocalModelUnavailable

Fake = Callable[[str], Path]


def test_inside_the_block_there_is_a_url_and_a_name(fake_packages: Fake) -> None:
    fake_packages("pass")
    with LocalModel() as model:
        assert model.url == "http://127.0.0.1:9/v1"
        assert model.model == "smollm2"


def test_outside_the_block_the_url_says_what_to_do(fake_packages: Fake) -> None:
    fake_packages("pass")
    model = LocalModel()
    for _ in range(2):
        with pytest.raises(LocalModelUnavailable, match="inside `with LocalModel"):
            _ = model.url
        with model:
            assert model.url


def test_it_is_not_entered_twice_at_once(fake_packages: Fake) -> None:
    fake_packages("pass")
    with LocalModel() as model:
        with pytest.raises(LocalModelUnavailable, match="is running already"):
            model.__enter__()
        assert model.url


def test_an_exception_in_the_block_passes_and_the_server_is_stopped(fake_packages: Fake) -> None:
    fake_packages("pass")
    model = LocalModel()
    with pytest.raises(KeyError), model:
        raise KeyError
    with pytest.raises(LocalModelUnavailable):
        _ = model.url


def test_leaving_without_having_entered_is_harmless() -> None:
    LocalModel().__exit__(None, None, None)


@pytest.mark.usefixtures("no_packages")
def test_a_missing_package_is_said_on_entering() -> None:
    with pytest.raises(LocalModelUnavailable, match="xllamacpp"), LocalModel():
        pytest.fail("entered")


def test_a_server_that_never_listens_is_given_up_after_the_given_time(fake_packages: Fake) -> None:
    fake_packages("threading.Event().wait()")
    with pytest.raises(LocalModelUnavailable, match=r"within 0\.2 s"), LocalModel(load_timeout=0.2):
        pytest.fail("entered")
