"""The tags between which models write their reasoning. Each says whose it is, and where that can be read."""

from __future__ import annotations

from typing import Final

from finalturn._core.markup.parts import Tag

__all__ = ["EVERY_TAG", "HARMONY", "THINK"]

# DeepSeek R1, Qwen3, GLM 4.5, Granite 3.3 and most others: vLLM, "Reasoning Outputs"
# (https://docs.vllm.ai/en/latest/features/reasoning_outputs.html).
THINK: Final = Tag("<think>", ("</think>",))

# OpenAI, "OpenAI Harmony Response Format" (https://cookbook.openai.com/articles/openai-harmony): a message of
# the channel "analysis". What begins it is a header, and not one token; the next message may begin
# without an end of this one.
HARMONY: Final = Tag("", ("<|end|>", "<|return|>", "<|call|>", "<|start|>", "<|channel|>"))

EVERY_TAG: Final = (
    THINK,
    # Models that were told to think in words of their own, and fine-tunes, with a capital or without.
    # Gemini's OpenAI compatibility and EXAONE Deep (https://huggingface.co/LGAI-EXAONE/EXAONE-Deep-32B) write
    # "thought".
    *(
        Tag(f"<{word}>", (f"</{word}>",))
        for name in ("think", "thinking", "thought", "reasoning", "reason")
        for word in (name, name.capitalize(), name.upper())
        if word != "think"
    ),
    # Sky-T1 (https://huggingface.co/NovaSky-AI/Sky-T1-32B-Preview) and OpenThinker.
    Tag("<|begin_of_thought|>", ("<|end_of_thought|>",)),
    # ByteDance Seed-OSS (https://huggingface.co/ByteDance-Seed/Seed-OSS-36B-Instruct).
    Tag("<seed:think>", ("</seed:think>",)),
    # Mistral's Magistral: mistral-common, "SpecialTokens" (https://github.com/mistralai/mistral-common).
    Tag("[THINK]", ("[/THINK]",)),
    # Kimi (https://huggingface.co/moonshotai/Kimi-VL-A3B-Thinking).
    Tag("◁think▷", ("◁/think▷",)),
    # Cohere, "Command A Reasoning" (https://docs.cohere.com/docs/command-a-reasoning-hf).
    Tag("<|START_THINKING|>", ("<|END_THINKING|>",)),
    # Google, "Thinking in Gemma" (https://ai.google.dev/gemma/docs/capabilities/thinking).
    Tag("<|channel>thought", ("<channel|>",)),
)
"""Every tag that is one token. A tag that only some models have is an ordinary word to none of them."""
