"""Which servers are known."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args
from urllib.parse import urlsplit

import pytest

from finalturn._core.markup import THINK
from finalturn._core.model import Capabilities, ModelSettings
from finalturn._providers.openai_chat.profile import Profile
from finalturn._providers.openai_chat.profiles import ANY_SERVER, PROFILES, ProfileName

EACH = pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))


def test_every_name_that_can_be_given_has_a_profile() -> None:
    assert tuple(PROFILES) == get_args(ProfileName) == tuple(sorted(PROFILES))


def test_each_is_another_server() -> None:
    assert len({profile.name for profile in PROFILES.values()}) == len(PROFILES)
    assert len({profile.key_variable for profile in PROFILES.values()}) == len(PROFILES)


def test_of_any_server_nothing_is_assumed_but_that_its_model_may_write_markup() -> None:
    assert Profile(think_tags=ANY_SERVER.think_tags, text_calls=True) == ANY_SERVER
    assert THINK in ANY_SERVER.think_tags


def test_what_a_vendor_writes_itself_is_prose() -> None:
    for name in ("openai", "azure", "mistral", "deepseek", "openrouter"):
        assert not PROFILES[name].think_tags
    for name in ("openai", "azure", "mistral", "deepseek", "openrouter", "groq", "together"):
        assert not PROFILES[name].text_calls
    assert PROFILES["groq"].think_tags == PROFILES["together"].think_tags == (THINK,)


@EACH
def test_it_says_where_the_server_is_and_where_its_key_is(profile: Profile) -> None:
    assert (profile.base_url is None) is not (profile.base_variable is None)
    if profile.base_url is not None:
        parts = urlsplit(profile.base_url)
        assert parts.hostname
        assert (parts.scheme == "http") is (parts.hostname == "localhost") is not profile.key_needed
        assert not profile.base_url.endswith("/")
    assert profile.key_variable is not None


@EACH
def test_settings_that_it_lacks_are_settings(profile: Profile) -> None:
    assert profile.unsupported <= {field.name for field in fields(ModelSettings)}


@EACH
def test_a_schema_binds_beside_tools_only_where_it_does_alone(profile: Profile) -> None:
    can = profile.capabilities
    assert can.native_schema or can == Capabilities()
    assert profile.strict_schema or not can.native_schema_with_tools
    assert not (profile.strict_schema and profile.schema_in_words)
