"""The tokens that may hide something in a model's text: reasoning tags, and what begins and ends a call.

Each tag says whose it is, and where that can be read. `Markup` prepares tokens for the search.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from finalturn._core.messages import ToolCall
from finalturn._core.model import ReasoningDelta, TextDelta

__all__ = [
    "EVERY_TAG",
    "HARMONY",
    "THINK",
    "BlockEnd",
    "BlockReader",
    "Closing",
    "Markup",
    "Part",
    "Schemas",
    "Tag",
    "closing",
]


Part: TypeAlias = TextDelta | ReasoningDelta | ToolCall
"""A piece of prose, a piece of reasoning, or a whole call."""

Schemas: TypeAlias = Mapping[str, Mapping[str, Any]]
"""The parameters of each tool that was offered, by its name."""


@dataclass(frozen=True, slots=True)
class Tag:
    """How a model marks its reasoning.

    Attributes:
        open: what begins it; ``""`` where something else has begun it.
        closes: what ends it: the first of them that comes.
    """

    open: str
    closes: tuple[str, ...]


class BlockReader(Protocol):
    """Reads one block, from behind its opening token."""

    def feed(self, text: str, start: int, /) -> BlockEnd | None:
        """Take more text, from ``start`` on. Tells when the block ends in it."""
        ...

    def finish(self) -> BlockEnd:
        """No more text comes."""
        ...


class BlockEnd(NamedTuple):
    """A block that is over.

    Attributes:
        parts: its calls, or text that is to be shown after all.
        text: a text in which the answer goes on.
        at: the position in it.
        then: what comes next there, where it is not prose.
    """

    parts: tuple[ToolCall | TextDelta, ...]
    text: str
    at: int
    then: Tag | BlockReader | None = None


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


class Markup:
    """What may hide in a text. Made once, and shared by all answers.

    No token is the beginning of another, and the first character of a token stands in none a second time: so
    the last such character of a text is the only place where a token may be unfinished.

    Args:
        tags: how reasoning is marked.
        blocks: the opening tokens of blocks, each with what makes its reader.
        strays: tokens that are left out once something was hidden.
        frames: tokens that are always left out: they stand around text.
        quotes: whether code is quoted, so that no token counts in it.
    """

    __slots__ = (
        "blocks",
        "closes",
        "first_characters",
        "frames",
        "mark",
        "opening",
        "prefixes",
        "quotes",
        "strays",
        "tags",
    )

    def __init__(
        self,
        tags: Iterable[Tag] = (),
        blocks: Mapping[str, Callable[[Schemas], BlockReader]] | None = None,
        *,
        strays: Iterable[str] = (),
        frames: Iterable[str] = (),
        quotes: bool = True,
    ) -> None:
        self.tags: dict[str, Tag] = {tag.open: tag for tag in tags}
        self.blocks: dict[str, Callable[[Schemas], BlockReader]] = dict(blocks or {})
        self.frames: frozenset[str] = frozenset(frames)
        # Those of them that stand before all else close nothing but what the prompt has opened.
        self.closes: frozenset[str] = frozenset(close for tag in self.tags.values() for close in tag.closes)
        self.strays: frozenset[str] = frozenset((*strays, *self.closes)) - self.blocks.keys() - self.frames
        self.quotes: bool = quotes
        tokens = (*self.tags, *self.blocks, *self.strays, *self.frames)
        self.first_characters: str = "".join(sorted({token[0] for token in tokens}))
        self.prefixes: frozenset[str] = _prefixes(tokens)
        words = [re.escape(token) for token in tokens]
        if quotes:
            words += ["`", "~~*"]
        self.opening: re.Pattern[str] = re.compile("|".join(words))
        # A text without any of these has nothing to look for.
        self.mark: re.Pattern[str] = re.compile(
            f"[{re.escape(self.first_characters + ('`~' if quotes else ''))}]"
        )


class Closing(NamedTuple):
    """Closing tokens, prepared for the search.

    Attributes:
        pattern: any of them.
        prefixes: everything that may still become one.
        first_characters: the characters that they begin with.
    """

    pattern: re.Pattern[str]
    prefixes: frozenset[str]
    first_characters: str


@lru_cache(maxsize=64)
def closing(closes: tuple[str, ...]) -> Closing:
    """The tokens for the search."""
    first_characters = "".join(sorted({close[0] for close in closes}))
    return Closing(re.compile("|".join(map(re.escape, closes))), _prefixes(closes), first_characters)


def _prefixes(tokens: Iterable[str]) -> frozenset[str]:
    return frozenset(token[:size] for token in tokens for size in range(1, len(token)))
