"""What is known of the servers that speak chat completions: data, and nothing else."""

from __future__ import annotations

from typing import Literal, TypeAlias

from finalturn._providers.openai_chat import profiles_cloud as cloud
from finalturn._providers.openai_chat import profiles_local as local
from finalturn._providers.openai_chat.profile import ANY_MODEL_TAG, Profile

ProfileName: TypeAlias = Literal[
    "azure",
    "deepseek",
    "groq",
    "llamacpp",
    "lmstudio",
    "mistral",
    "ollama",
    "openai",
    "openrouter",
    "together",
    "vllm",
]

ANY_SERVER = Profile(think_tags=ANY_MODEL_TAG, text_calls=True)
"""A server of which nothing is known but that it speaks chat completions: most often one's own."""

PROFILES: dict[str, Profile] = {
    "azure": cloud.AZURE,
    "deepseek": cloud.DEEPSEEK,
    "groq": cloud.GROQ,
    "llamacpp": local.LLAMACPP,
    "lmstudio": local.LMSTUDIO,
    "mistral": cloud.MISTRAL,
    "ollama": local.OLLAMA,
    "openai": cloud.OPENAI,
    "openrouter": cloud.OPENROUTER,
    "together": cloud.TOGETHER,
    "vllm": local.VLLM,
}
