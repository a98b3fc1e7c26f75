"""Reads the token usage that a server reports, in one way for every vendor. Pure.

Formats differ in what they count inside another figure and what beside it:

- Chat completions and Responses count reasoning inside the output, and cached tokens inside the input, as
  OpenAI's API reference has it. Servers that speak them may count either beside it: xAI says that reasoning
  "will be counted separately from completion_tokens, but will be counted in the total_tokens"
  (https://docs.x.ai/docs/key-information/consumption-and-rate-limits). The total tells which it is; where it
  does not, a part that is larger than its whole stands beside it.
- generateContent counts thoughts, and what the vendor's own tools read, beside the candidates and the prompt
  (``UsageMetadata`` of the Gemini API). Servers that translate to it may count thoughts as candidates; then
  the total says so.
- Messages and Converse count what is read from a cache, and written to one, beside the input (Anthropic's
  page "Prompt caching"; ``TokenUsage`` of the Amazon Bedrock API reference).

Servers report usage once, on every record as a running total, or a part at the beginning and a part at the
end. So a count replaces an earlier one of its name, and none, null, and 0 replace nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, TypeAlias

from finalturn._core.result import Usage
from finalturn._providers.json_types import as_array, as_int, as_object

Path: TypeAlias = str | tuple[str, str]
"""The name of a field, or those of an object and of a field in it."""

Part: TypeAlias = Literal["cached", "stored", "tools", "reasoning"]

_PARTS: tuple[Part, ...] = ("cached", "stored", "tools", "reasoning")
_NUMBER = re.compile(r"\s*\d{1,15}\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class UsageFormat:
    """The fields in which a vendor reports each count: of several, the first that holds more than 0 counts.

    Attributes:
        input: tokens read.
        output: tokens written.
        total: all of them.
        cached: of those read, how many came from a cache.
        stored: of those read, how many went into a cache.
        tools: tokens that the vendor's own tools have read.
        reasoning: of those written, how many were reasoning.
        beside: what is not counted in the input or output that it belongs to.
        unsure: what servers of the format count differently from each other.
    """

    input: tuple[Path, ...]
    output: tuple[Path, ...]
    total: tuple[Path, ...] = ()
    cached: tuple[Path, ...] = ()
    stored: tuple[Path, ...] = ()
    tools: tuple[Path, ...] = ()
    reasoning: tuple[Path, ...] = ()
    beside: frozenset[Part] = frozenset()
    unsure: frozenset[Part] = frozenset()


CHAT = UsageFormat(
    input=("prompt_tokens", "input_tokens"),
    output=("completion_tokens", "output_tokens"),
    total=("total_tokens",),
    cached=(
        ("prompt_tokens_details", "cached_tokens"),
        ("input_tokens_details", "cached_tokens"),
        "prompt_cache_hit_tokens",
        "num_cached_tokens",
        "cached_tokens",
        "cache_read_input_tokens",
    ),
    stored=("cache_creation_input_tokens",),
    reasoning=(
        ("completion_tokens_details", "reasoning_tokens"),
        ("output_tokens_details", "reasoning_tokens"),
        "reasoning_tokens",
    ),
    unsure=frozenset({"cached", "stored", "reasoning"}),
)

RESPONSES = UsageFormat(
    input=("input_tokens",),
    output=("output_tokens",),
    total=("total_tokens",),
    cached=(("input_tokens_details", "cached_tokens"),),
    reasoning=(("output_tokens_details", "reasoning_tokens"),),
    unsure=frozenset({"cached", "reasoning"}),
)

GENERATE_CONTENT = UsageFormat(
    input=("promptTokenCount",),
    output=("candidatesTokenCount",),
    total=("totalTokenCount",),
    cached=("cachedContentTokenCount",),
    tools=("toolUsePromptTokenCount",),
    reasoning=("thoughtsTokenCount",),
    beside=frozenset({"tools", "reasoning"}),
    unsure=frozenset({"reasoning"}),
)

MESSAGES = UsageFormat(
    input=("input_tokens",),
    output=("output_tokens",),
    cached=("cache_read_input_tokens",),
    stored=("cache_creation_input_tokens",),
    reasoning=(("output_tokens_details", "thinking_tokens"),),
    beside=frozenset({"cached", "stored"}),
)

CONVERSE = UsageFormat(
    input=("inputTokens",),
    output=("outputTokens",),
    total=("totalTokens",),
    cached=("cacheReadInputTokens",),
    stored=("cacheWriteInputTokens",),
    beside=frozenset({"cached", "stored"}),
)

# Iterations of Messages that the message's own counts leave out: "The top-level input_tokens and
# output_tokens do not include compaction iteration usage", and "Advisor tokens are not rolled into the
# top-level totals". See https://platform.claude.com/docs/en/build-with-claude/compaction and, behind the same
# address, agents-and-tools/tool-use/advisor-tool.
_LEFT_OUT = frozenset({"compaction", "advisor_message"})


class Tokens:
    """The token usage of an answer, collected from its records.

    Args:
        form: where the vendor reports what.
    """

    __slots__ = ("_extra", "_form", "_own")

    def __init__(self, form: UsageFormat) -> None:
        self._form = form
        self._own: dict[str, int] = {}
        # Of iterations that the counts above leave out.
        self._extra: dict[str, int] = {}

    def take(self, reported: object) -> None:
        """Read the usage part of a record.

        Where Messages lists ``iterations``, each of them counts once: the model's own together in place of
        what stands above the list, which may leave some out, and all others beside it.
        """
        usage = as_object(reported)
        if not usage:
            return
        own = _counts(usage, self._form)
        iterations = usage.get("iterations")
        if iterations:
            listed: dict[str, int] = {}
            extra: dict[str, int] = {}
            for entry in map(as_object, as_array(iterations)):
                beside = entry.get("type") in _LEFT_OUT
                _add(extra if beside else listed, _counts(entry, self._form))
            own |= {name: count for name, count in listed.items() if count}
            self._extra = extra or self._extra
        for name, count in own.items():
            if count or name not in self._own:
                self._own[name] = count

    def usage(self) -> Usage | None:
        """The sum, or ``None`` when no record has said anything."""
        own, form = self._own, self._form
        if not own and not self._extra:
            return None
        counts = dict(own)
        _add(counts, self._extra)
        asked, answered = counts.get("input", 0), counts.get("output", 0)
        parts: dict[Part, int] = {name: counts.get(name, 0) for name in _PARTS}
        total = counts.get("total", 0)
        beside = _separate_parts(asked, answered, total, parts, form)
        asked += sum(parts[name] for name in beside if name != "reasoning")
        answered += parts["reasoning"] if "reasoning" in beside else 0
        return Usage(
            input_tokens=asked,
            cached_tokens=parts["cached"],
            output_tokens=answered,
            # Servers that count it by themselves may come to a little more than the output.
            reasoning_tokens=parts["reasoning"],
            # Less than its parts is no total.
            total_tokens=max(total, asked + answered),
        )


def _separate_parts(
    asked: int, answered: int, total: int, parts: dict[Part, int], form: UsageFormat
) -> set[Part]:
    """Which parts are not counted in the input or output that they belong to."""
    unsure: list[Part] = [name for name in _PARTS if parts[name] and name in form.unsure]
    sure: set[Part] = set(form.beside - form.unsure)
    usually_separate = form.beside & form.unsure
    for flips in product((False, True), repeat=len(unsure)):
        flipped: set[Part] = {
            name for name, flip in zip(unsure, flips, strict=True) if flip != (name in usually_separate)
        }
        separate = sure | flipped
        if total == asked + answered + sum(parts[name] for name in separate):
            return separate
    separate = sure | usually_separate
    # A part that is larger than its whole is not inside it.
    if parts["reasoning"] > answered:
        separate.add("reasoning")
    if parts["cached"] + parts["stored"] > asked:
        separate |= {"cached", "stored"}
    return separate


def _counts(usage: dict[str, Any], form: UsageFormat) -> dict[str, int]:
    """The counts that a record states, by what they are."""
    counts: dict[str, int] = {}
    for name in ("input", "output", "total", *_PARTS):
        paths: tuple[Path, ...] = getattr(form, name)
        for path in paths:
            stated = _number(
                usage.get(path) if isinstance(path, str) else as_object(usage.get(path[0])).get(path[1])
            )
            if stated is not None:
                counts[name] = counts.get(name) or stated
    return counts


def _number(value: object) -> int | None:
    """A count, as a number or as the text of one. None is below 0."""
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return int(value)
    count = as_int(value)
    return None if count is None else max(count, 0)


def _add(counts: dict[str, int], more: dict[str, int]) -> None:
    for name, count in more.items():
        counts[name] = counts.get(name, 0) + count
