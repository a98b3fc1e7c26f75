"""What bodies of requests have in common in formats of content blocks."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn import ConfigurationError
from finalturn._core.messages import Message, Role
from finalturn._core.model import ModelRequest, ModelSettings, OutputSchema, ToolSpec
from finalturn._providers.blocks.encode import check_settings, parameters_schema, system_text, without_none

MESSAGES = [Message.user("hi"), Message(Role.SYSTEM, "Be brief."), Message(Role.SYSTEM, " ")]
REQUEST = ModelRequest(MESSAGES, "Be kind.", output=OutputSchema("Answer", {"type": "object"}))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (ModelSettings(seed=1), "the Some API has no seed; leave settings.seed out"),
        (ModelSettings(temperature=1.5), "the Some API takes a temperature from 0 to 1"),
    ],
)
def test_settings_that_the_format_lacks_are_refused(settings: ModelSettings, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        check_settings(settings, "Some")
    check_settings(ModelSettings(temperature=1), "Some")


def test_system_messages_follow_the_system_prompt() -> None:
    assert system_text(REQUEST, MESSAGES, schema_in_words=False) == "Be kind.\n\nBe brief."


def test_a_schema_that_is_not_enforced_is_told() -> None:
    assert system_text(REQUEST, MESSAGES, schema_in_words=True).endswith('{"type":"object"}')


def test_arguments_are_an_object_without_unions_at_the_root() -> None:
    schema: dict[str, Any] = {"anyOf": [{}], "properties": {"a": {"anyOf": [{}]}}}
    assert parameters_schema(ToolSpec("f", "", schema)) == {
        "type": "object", "properties": {"a": {"anyOf": [{}]}}
    }  # fmt: skip


def test_fields_without_a_value_are_left_out() -> None:
    assert without_none({"a": 0, "b": None, "c": []}) == {"a": 0, "c": []}
