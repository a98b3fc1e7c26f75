"""The servers of vendors and gateways."""

from __future__ import annotations

import pytest

from finalturn._core.model import Capabilities
from finalturn._providers.openai_chat import profiles_cloud as cloud
from finalturn._providers.openai_chat.profile import Profile


@pytest.mark.parametrize("profile", [cloud.OPENAI, cloud.AZURE])
def test_openai_follows_schemas_beside_tools_and_sees_images(profile: Profile) -> None:
    assert profile.capabilities == Capabilities(
        native_schema=True, native_schema_with_tools=True, images=True
    )
    assert profile.max_tokens_field == "max_completion_tokens"


def test_azure_is_elsewhere_for_everybody_and_has_a_header_of_its_own() -> None:
    assert cloud.AZURE.base_variable == "AZURE_OPENAI_ENDPOINT"
    assert cloud.AZURE.base_path == "/openai/v1"
    assert cloud.AZURE.key_header == "api-key"


@pytest.mark.parametrize("profile", [cloud.OPENROUTER, cloud.TOGETHER, cloud.GROQ, cloud.DEEPSEEK])
def test_where_it_depends_or_is_not_there_no_schema_is_promised(profile: Profile) -> None:
    assert profile.capabilities == Capabilities()


def test_mistral_has_names_of_its_own() -> None:
    mistral = cloud.MISTRAL
    assert (mistral.seed_field, mistral.required_choice) == ("random_seed", "any")
    assert not mistral.stream_usage
    assert mistral.call_ids.fullmatch("pcZFHqej8")
    assert mistral.call_ids.fullmatch("call_1234") is None


def test_reasoning_goes_back_where_it_must() -> None:
    assert (cloud.DEEPSEEK.replay, cloud.DEEPSEEK.replay_needed) == ("reasoning_content", True)
    assert (cloud.OPENROUTER.replay, cloud.OPENROUTER.replay_needed) == ("reasoning_details", False)
    for profile in (cloud.OPENAI, cloud.AZURE, cloud.GROQ, cloud.MISTRAL, cloud.TOGETHER):
        assert profile.replay is None
