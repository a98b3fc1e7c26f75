"""The shape of a profile."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from finalturn._core.model import Capabilities
from finalturn._providers.openai_chat.profile import ANY_ID, SHORT_ID, Profile


def test_what_is_not_said_is_the_plain_way() -> None:
    plain = Profile()
    assert plain.capabilities == Capabilities()
    assert (plain.base_url, plain.base_variable, plain.key_variable, plain.key_header) == (None,) * 4
    assert (plain.max_tokens_field, plain.seed_field, plain.required_choice) == (
        "max_tokens", "seed", "required"
    )  # fmt: skip
    assert not (plain.think_tags or plain.strict_roles or plain.schema_in_words or plain.unsupported)
    assert plain.replay is None


def test_it_is_data_that_nobody_changes() -> None:
    plain: Any = Profile()
    with pytest.raises(FrozenInstanceError):
        plain.name = "other"


def test_ids() -> None:
    assert ANY_ID.fullmatch("a\n" * 100)
    assert SHORT_ID.fullmatch("a" * 40)
    assert SHORT_ID.fullmatch("") is None
    assert SHORT_ID.fullmatch("a" * 41) is None
