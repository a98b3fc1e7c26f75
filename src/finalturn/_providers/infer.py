"""Makes a provider from one text, such as ``"openai:MODEL"``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from finalturn._core.errors import ConfigurationError
from finalturn._providers.openai_chat.profiles import ProfileName
from finalturn.stability import NEXT, beta

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from finalturn._providers.anthropic.provider import Anthropic
    from finalturn._providers.bedrock.provider import Bedrock
    from finalturn._providers.gemini.provider import Gemini
    from finalturn._providers.openai_chat.provider import OpenAIChat
    from finalturn._providers.openai_responses.provider import OpenAIResponses

    Inferred: TypeAlias = Anthropic | Bedrock | Gemini | OpenAIChat | OpenAIResponses


@beta(since=NEXT)
def infer_provider(
    model: str, /, **options: Any
) -> Anthropic | Bedrock | Gemini | OpenAIChat | OpenAIResponses:
    """The provider for a name and a model, such as ``"anthropic:claude-sonnet-5"`` or ``"ollama:qwen3:8b"``.

    - ``openai`` and ``openai-responses`` are `OpenAIResponses`, ``openai-chat`` is `OpenAIChat`. OpenAI's
      reasoning models keep their thoughts from one tool call to the next in the former only.
    - ``anthropic`` is `Anthropic`.
    - ``gemini`` and ``google`` are `Gemini`; ``vertex`` is too, on Vertex AI, in its express mode or with
      ``vertex=Vertex(...)``.
    - ``bedrock`` is `Bedrock`.
    - The name of any other profile, such as ``groq`` or ``ollama``, is `OpenAIChat` with that profile.

    Args:
        model: a name, a colon, and the model as the provider knows it. Only the first colon separates.
        **options: passed on to the provider, such as ``api_key`` and ``base_url``.

    Raises:
        ConfigurationError: the name is not known, or there is no model; or the provider cannot be made.
    """
    name, colon, wanted = str(model).partition(":")
    name, wanted = name.strip(), wanted.strip()
    make = MAKERS.get(name)
    if make is None:
        raise ConfigurationError(f"there is no provider {_shown(name)}{_suggestion(name)}; {_known()}")
    if not colon or not wanted:
        raise ConfigurationError(f"there is no model after {name!r}; give both, such as {name + ':MODEL'!r}")
    return make(wanted, options)


def _anthropic(model: str, options: Mapping[str, Any]) -> Inferred:
    from finalturn._providers.anthropic.provider import Anthropic

    return Anthropic(model, **options)


def _bedrock(model: str, options: Mapping[str, Any]) -> Inferred:
    from finalturn._providers.bedrock.provider import Bedrock

    return Bedrock(model, **options)


def _gemini(model: str, options: Mapping[str, Any]) -> Inferred:
    from finalturn._providers.gemini.provider import Gemini

    return Gemini(model, **options)


def _vertex(model: str, options: Mapping[str, Any]) -> Inferred:
    from finalturn._providers.gemini.provider import Gemini
    from finalturn._providers.gemini.vertex import Vertex

    arguments: dict[str, Any] = {"vertex": Vertex(), **options}
    return Gemini(model, **arguments)


def _responses(model: str, options: Mapping[str, Any]) -> Inferred:
    from finalturn._providers.openai_responses.provider import OpenAIResponses

    return OpenAIResponses(model, **options)


def _chat(model: str, options: Mapping[str, Any]) -> Inferred:
    from finalturn._providers.openai_chat.provider import OpenAIChat

    return OpenAIChat(model, **options)


def _profiled(profile: ProfileName) -> Callable[[str, Mapping[str, Any]], Inferred]:
    return lambda model, options: _chat(model, {"profile": profile, **options})


MAKERS: dict[str, Callable[[str, Mapping[str, Any]], Inferred]] = {
    **{name: _profiled(name) for name in get_args(ProfileName)},
    "anthropic": _anthropic,
    "bedrock": _bedrock,
    "gemini": _gemini,
    "google": _gemini,
    "openai": _responses,
    "openai-chat": _chat,
    "openai-responses": _responses,
    "vertex": _vertex,
}


def _shown(name: str) -> str:
    """What was given as a name, unless it is long: it may be a key."""
    return repr(name) if len(name) <= 20 else "of that name"


def _suggestion(name: str) -> str:
    from difflib import get_close_matches

    matches = get_close_matches(name.lower(), MAKERS, n=1)
    return f", did you mean {matches[0]!r}?" if matches else ""


def _known() -> str:
    return f"give NAME:MODEL, where NAME is one of: {', '.join(sorted(MAKERS))}"
