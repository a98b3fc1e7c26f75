from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from finalturn import ConfigurationError
from finalturn.serve import ServeConfig


def test_what_is_not_said_has_a_default() -> None:
    config = ServeConfig(max_runs=3)
    assert (config.max_runs, config.resume_for, config.heartbeat) == (3, 0.0, 15.0)


@pytest.mark.parametrize("name", [field.name for field in fields(ServeConfig)])
def test_a_limit_must_be_a_number_that_makes_sense(name: str) -> None:
    values: list[Any] = [-1, "1", None, True, float("nan")]
    for value in values:
        with pytest.raises(ConfigurationError, match=rf"ServeConfig\.{name} must be .*, not {value!r}$"):
            ServeConfig(**{name: value})


@pytest.mark.parametrize("name", ["busy_timeout", "resume_for", "drain_timeout"])
def test_some_times_may_be_nothing(name: str) -> None:
    assert getattr(ServeConfig(**{name: 0}), name) == 0


def test_other_limits_may_not_be_nothing() -> None:
    with pytest.raises(ConfigurationError, match=r"ServeConfig\.buffer must be greater than 0, not 0"):
        ServeConfig(buffer=0)
    with pytest.raises(ConfigurationError, match=r"ServeConfig\.resume_for must be 0 or more, not -1"):
        ServeConfig(resume_for=-1)


def test_a_size_is_whole() -> None:
    with pytest.raises(ConfigurationError, match=r"ServeConfig\.max_body must be a whole number, not 1\.5"):
        ServeConfig(max_body=1.5)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
