"""The servers that are known by name."""

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


def profiles(*names: ProfileName) -> list[Profile]:
    return [PROFILES[name] for name in names]


SELF_HOSTED = pytest.mark.parametrize("profile", profiles("ollama", "vllm", "llamacpp", "lmstudio"))


def test_every_name_that_can_be_given_has_a_profile() -> None:
    assert tuple(PROFILES) == get_args(ProfileName) == tuple(sorted(PROFILES))


def test_each_is_another_server() -> None:
    assert len({profile.name for profile in PROFILES.values()}) == len(PROFILES)
    assert len({profile.key_variable for profile in PROFILES.values()}) == len(PROFILES)


def test_of_any_server_nothing_is_assumed_but_that_its_model_may_write_markup() -> None:
    assert Profile(think_tags=ANY_SERVER.think_tags, text_calls=True) == ANY_SERVER
    assert THINK in ANY_SERVER.think_tags


def test_what_a_vendor_writes_itself_is_prose() -> None:
    for profile in profiles("openai", "azure", "mistral", "deepseek", "openrouter"):
        assert not (profile.think_tags or profile.text_calls)


@pytest.mark.parametrize("profile", profiles("groq", "together"))
def test_a_vendor_may_leave_think_tags_in_its_text_but_no_calls(profile: Profile) -> None:
    assert profile.think_tags == (THINK,)
    assert not profile.text_calls


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


@pytest.mark.parametrize("profile", profiles("openai", "azure"))
def test_openai_follows_schemas_beside_tools_and_sees_images(profile: Profile) -> None:
    assert profile.capabilities == Capabilities(
        native_schema=True, native_schema_with_tools=True, images=True
    )
    assert profile.max_tokens_field == "max_completion_tokens"


def test_azure_is_elsewhere_for_everybody_and_has_a_header_of_its_own() -> None:
    azure = PROFILES["azure"]
    assert azure.base_variable == "AZURE_OPENAI_ENDPOINT"
    assert azure.base_path == "/openai/v1"
    assert azure.key_header == "api-key"


@pytest.mark.parametrize("profile", profiles("openrouter", "together", "groq", "deepseek"))
def test_where_it_depends_or_is_not_there_no_schema_is_promised(profile: Profile) -> None:
    assert profile.capabilities == Capabilities()


def test_mistral_has_names_of_its_own() -> None:
    mistral = PROFILES["mistral"]
    assert (mistral.seed_field, mistral.required_choice) == ("random_seed", "any")
    assert not mistral.stream_usage
    assert mistral.call_ids.fullmatch("pcZFHqej8")
    assert mistral.call_ids.fullmatch("call_1234") is None


def test_reasoning_goes_back_where_it_must() -> None:
    deepseek, openrouter = profiles("deepseek", "openrouter")
    assert (deepseek.replay, deepseek.replay_needed) == ("reasoning_content", True)
    assert (openrouter.replay, openrouter.replay_needed) == ("reasoning_details", False)
    for profile in profiles("openai", "azure", "groq", "mistral", "together"):
        assert profile.replay is None


@SELF_HOSTED
def test_no_self_hosted_server_needs_a_key(profile: Profile) -> None:
    assert not profile.key_needed


@SELF_HOSTED
def test_a_schema_is_a_grammar_which_the_model_does_not_see_and_no_tool_call_fits(profile: Profile) -> None:
    assert profile.capabilities.native_schema
    assert not profile.capabilities.native_schema_with_tools
    assert not profile.strict_schema
    assert profile.schema_in_words


@SELF_HOSTED
def test_models_have_strict_templates_and_may_think_and_call_in_their_text(profile: Profile) -> None:
    assert profile.strict_roles
    assert THINK in profile.think_tags
    assert profile.text_calls


@pytest.mark.parametrize("profile", profiles("ollama", "vllm", "llamacpp"))
def test_a_grammar_has_any_root(profile: Profile) -> None:
    assert profile.capabilities == Capabilities(native_schema=True, native_schema_any_root=True)


def test_ollama_ignores_the_choice_of_a_tool() -> None:
    assert PROFILES["ollama"].unsupported == {"tool_choice"}


def test_some_fetch_no_images() -> None:
    assert [profile.image_urls for profile in profiles("ollama", "lmstudio")] == [False, False]
    assert [profile.image_urls for profile in profiles("vllm", "llamacpp")] == [True, True]
