"""The limits on the command line are those of `ServeConfig`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
import typer

from finalturn._cli.serve.settings import config_of, options
from finalturn.serve import ServeConfig

DEFAULTS = {field.name: field.default for field in fields(ServeConfig)}


def test_each_field_is_an_option_with_its_meaning() -> None:
    found = options()
    assert {option.name: option.default for option in found} == DEFAULTS
    for option in found:
        kind, info = option.annotation.__args__[0], option.annotation.__metadata__[0]
        assert kind is type(option.default)
        assert info.help and info.help[0].isupper() and info.help.endswith(".")


def test_the_limits_are_taken_out_of_what_was_given() -> None:
    given: dict[str, Any] = {**DEFAULTS, "max_runs": 7, "port": 1}
    assert config_of(given) == ServeConfig(max_runs=7)
    assert given["port"] == 1


def test_a_limit_that_cannot_be_is_named_as_an_option() -> None:
    with pytest.raises(typer.BadParameter, match=r"^must be greater than 0, not 0$") as caught:
        config_of({**DEFAULTS, "max_runs": 0})
    assert caught.value.param_hint == "--max-runs"
