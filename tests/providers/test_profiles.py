"""What is known of servers."""

from __future__ import annotations

from typing import get_args

from finalturn.core.model import Capabilities
from finalturn.providers._profiles import ANY_SERVER, PROFILES, ProfileName


def test_every_name_that_can_be_given_has_a_profile() -> None:
    assert set(PROFILES) == set(get_args(ProfileName))


def test_of_any_server_nothing_is_assumed() -> None:
    assert ANY_SERVER.capabilities == Capabilities()
    assert ANY_SERVER.base_url is None
    assert ANY_SERVER.key_variable is None


def test_openai() -> None:
    openai = PROFILES["openai"]
    assert openai.base_url == "https://api.openai.com/v1"
    assert openai.key_variable == "OPENAI_API_KEY"
    assert openai.capabilities == Capabilities(native_schema=True, native_schema_with_tools=True, images=True)
