"""Servers that people run themselves."""

from __future__ import annotations

import pytest

from finalturn._core.markup import THINK
from finalturn._core.model import Capabilities
from finalturn._providers.openai_chat import profiles_local as local
from finalturn._providers.openai_chat.profile import Profile

EACH = pytest.mark.parametrize("profile", [local.OLLAMA, local.VLLM, local.LLAMACPP, local.LMSTUDIO])


@EACH
def test_none_needs_a_key(profile: Profile) -> None:
    assert not profile.key_needed


@EACH
def test_a_schema_is_a_grammar_which_the_model_does_not_see_and_no_tool_call_fits(profile: Profile) -> None:
    assert profile.capabilities.native_schema
    assert not profile.capabilities.native_schema_with_tools
    assert not profile.strict_schema
    assert profile.schema_in_words


@EACH
def test_models_have_strict_templates_and_may_think_and_call_in_their_text(profile: Profile) -> None:
    assert profile.strict_roles
    assert THINK in profile.think_tags
    assert profile.text_calls


@pytest.mark.parametrize("profile", [local.OLLAMA, local.VLLM, local.LLAMACPP])
def test_a_grammar_has_any_root(profile: Profile) -> None:
    assert profile.capabilities == Capabilities(native_schema=True, native_schema_any_root=True)


def test_ollama_ignores_the_choice_of_a_tool() -> None:
    assert local.OLLAMA.unsupported == {"tool_choice"}


def test_some_fetch_no_images() -> None:
    assert [profile.image_urls for profile in (local.OLLAMA, local.LMSTUDIO)] == [False, False]
    assert [profile.image_urls for profile in (local.VLLM, local.LLAMACPP)] == [True, True]
