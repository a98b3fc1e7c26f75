"""How an agent makes its structured answers: what can be combined."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from finalturn import ConfigurationError, StructuredOutputConfig


def always(messages: Any, text: str) -> bool:
    return True


class Empty:
    """A predicate that is falsy."""

    def __len__(self) -> int:
        return 0

    def __call__(self, messages: Any, text: str, /) -> bool:
        return True


def test_the_defaults() -> None:
    config = StructuredOutputConfig()
    assert config == StructuredOutputConfig(
        final_turn_only=False,
        reuse_loop_answer=True,
        should_finalize=None,
        single_pass=False,
        hold_json=False,
        native=True,
        max_validation_retries=2,
    )


@pytest.mark.parametrize(
    "options",
    [
        {"final_turn_only": True},
        {"final_turn_only": True, "should_finalize": always, "hold_json": True, "single_pass": True},
        {"final_turn_only": True, "should_finalize": Empty()},
        {"final_turn_only": True, "reuse_loop_answer": False, "native": False, "hold_json": True},
        {"reuse_loop_answer": False, "native": False, "max_validation_retries": 0},
    ],
)
def test_options_that_can_be_combined_are_taken(options: dict[str, Any]) -> None:
    config = StructuredOutputConfig(**options)
    assert {name: getattr(config, name) for name in options} == options


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"should_finalize": always}, "should_finalize needs final_turn_only=True"),
        ({"should_finalize": Empty()}, "should_finalize needs final_turn_only=True"),
        ({"single_pass": True}, "single_pass needs final_turn_only=True"),
        ({"hold_json": True}, "hold_json needs final_turn_only=True"),
        (
            {"final_turn_only": True, "single_pass": True, "reuse_loop_answer": False},
            "it needs reuse_loop_answer=True",
        ),
        ({"final_turn_only": True, "single_pass": True, "native": False}, "it needs native=True"),
        ({"final_turn_only": True, "should_finalize": True}, "should_finalize must be a callable"),
        ({"final_turn_only": True, "should_finalize": 0}, "should_finalize must be a callable"),
        ({"max_validation_retries": -1}, "must be 0 or more"),
        ({"max_validation_retries": None}, "must be 0 or more"),
        ({"max_validation_retries": "2"}, "must be 0 or more"),
    ],
)
def test_options_that_cannot_be_combined_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        StructuredOutputConfig(**options)


def test_a_configuration_is_frozen() -> None:
    config: Any = StructuredOutputConfig()
    with pytest.raises(FrozenInstanceError):
        config.native = False


def test_a_plain_function_is_a_predicate() -> None:
    config = StructuredOutputConfig(final_turn_only=True, should_finalize=always)
    assert config.should_finalize is always
