"""How an agent makes its structured answers: what can be combined."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from inspect import signature
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
        partial_objects=False,
    )


@pytest.mark.parametrize(
    "options",
    [
        {"final_turn_only": True},
        {"final_turn_only": True, "should_finalize": always, "hold_json": True, "single_pass": True},
        {"final_turn_only": True, "should_finalize": Empty()},
        {"final_turn_only": True, "should_finalize": always, "hold_json": True, "partial_objects": True},
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
        ({"partial_objects": True}, "partial_objects needs final_turn_only=True"),
        (
            {"final_turn_only": True, "partial_objects": True, "single_pass": True},
            "single_pass makes none: leave one out",
        ),
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


OF_CHAT = {"final_turn_only": True, "hold_json": True}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"should_finalize": always, "max_validation_retries": 0},
        {"reuse_loop_answer": False, "native": False},
        {"single_pass": True},
    ],
)
def test_a_chat_is_the_same_as_its_two_options(options: dict[str, Any]) -> None:
    every: dict[str, Any] = {**OF_CHAT, **options}
    assert StructuredOutputConfig.chat(**options) == StructuredOutputConfig(**every)


def test_a_chat_takes_every_other_option() -> None:
    taken = {
        parameter.name: parameter.default
        for parameter in signature(StructuredOutputConfig.chat).parameters.values()
    }
    others = {
        field.name: field.default for field in fields(StructuredOutputConfig) if field.name not in OF_CHAT
    }
    assert taken == others


def test_a_chat_says_which_option_it_does_not_know() -> None:
    make: Any = StructuredOutputConfig.chat
    with pytest.raises(TypeError, match=r"StructuredOutputConfig.chat.*singlepass.*single_pass"):
        make(singlepass=True)
    with pytest.raises(ConfigurationError, match="needs reuse_loop_answer"):
        StructuredOutputConfig.chat(single_pass=True, reuse_loop_answer=False)
