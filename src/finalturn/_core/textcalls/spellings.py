"""The notations in which models write tool calls into their text, each with what reads it.

Each spelling says whose it is, and where that can be read. The parsers of vLLM
(https://docs.vllm.ai/en/latest/features/tool_calling.html) know nearly all of them, by the name in
parentheses.

A block is a call, and is hidden, whether it can run or not: one that cannot be read, or is cut, has an error,
and one of a tool that was not offered fails as an unknown tool. Gemma 3 and Llama 4 write calls as Python, in
a fence or bare: such a text cannot be told from code that is meant for a reader, and stays text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final, Literal, TypeAlias

from finalturn._core.markup import HARMONY, BlockReader, Markup, Schemas, Tag
from finalturn._core.messages import ToolCall
from finalturn._core.model import TextDelta
from finalturn._core.textcalls.block import ToolCallBlock, WholeBlock
from finalturn._core.textcalls.head_block import HeadBlock, JsonBlock
from finalturn._core.textcalls.json_calls import json_calls, named_call
from finalturn._core.textcalls.model_calls import (
    CUT,
    MALFORMED,
    TokenBlock,
    braces_call,
    deepseek_calls,
    kimi_calls,
    tool_name,
)
from finalturn._core.textcalls.read import CLOSE, OPEN
from finalturn._core.textcalls.xml_calls import (
    DSML,
    function_body,
    function_calls,
    invoke_calls,
    tool_call_calls,
)

__all__ = ["Calls", "markup_of"]

Calls: TypeAlias = Literal["none", "taught", "any"]
"""Which calls to look for."""

_Reader = Callable[[str, Schemas], tuple[ToolCall, ...] | None]
_Maker = Callable[[Schemas], BlockReader]

# What ends a message of OpenAI's harmony format; the last two begin the next.
_ENDS: Final = ("<|end|>", "<|return|>", "<|call|>")
_NEXT: Final = ("<|start|>", "<|channel|>")

_RECIPIENT: Final = re.compile(r"\bto=([^\s<]+)")
_CHANNEL: Final = re.compile(r"<\|channel\|>\s*(\w+)")
_ANY: Final = re.compile(r"[\w\s=.:<|>-]*")
_TO_MESSAGE: Final = re.compile(r"[\w\s=.:<|>-]*?<\|message\|>")

_CALL_BEGUN: Final = re.compile(r"\s*(?:[\[{]|<(?:f|\Z)|\Z|[\w.:-]+\s*(?:<(?:a|\Z)|\Z))")
_VALUE: Final = re.compile(r"\s*(?=[\[{])")
_BLANK: Final = re.compile(r"\s*")
_INVOKE: Final = re.compile(r"\s*(?=<invoke[\s>])")
_INVOKE_BEGUN: Final = re.compile(r"\s*(?:<(?:i(?:n(?:v(?:o(?:ke?)?)?)?)?)?)?")
_BEFORE_WORD: Final = re.compile(r"\s*(?=\S)")
_NAME_AND_CLOSE: Final = re.compile(r"""["']?([\w.:-]+)["']?>""")
_NAME_BEGUN: Final = re.compile(r"""["']?[\w.:-]*["']?""")
_MISTRAL: Final = re.compile(
    r"\s*(?:([\w.-]+)\s*(?:\[CALL_ID\]\s*[\w-]*\s*)?(?:\[ARGS\]\s*)?(?=\{)|(?=\{|\[\s*[{\]]))"
)
_MISTRAL_BEGUN: Final = re.compile(r"\s*(?:[\w.-]+\s*(?:\[[A-Z_]*(?:\]\s*[\w-]*\s*)?)*|\[\s*)?")


def _until(*closes: str, read: _Reader) -> _Maker:
    return lambda schemas: TokenBlock(closes, lambda text: read(text, schemas))


def _tagged(opening: str, close: str, read: _Reader) -> _Maker:
    return lambda schemas: ToolCallBlock(
        close,
        lambda text: read(text, schemas),
        not_exact=MALFORMED,
        not_closed=CUT,
        begun=_CALL_BEGUN,
        opening=opening,
    )


def _headed(
    opening: str,
    head: re.Pattern[str],
    begun: re.Pattern[str],
    then: Callable[[re.Match[str], Schemas], BlockReader | Tag | TextDelta | None],
) -> _Maker:
    return lambda schemas: HeadBlock(opening, head, begun, lambda match: then(match, schemas))


def _json(text: str, schemas: Schemas) -> tuple[ToolCall, ...] | None:
    return json_calls(text)


def _as_tuple(call: ToolCall | None) -> tuple[ToolCall, ...] | None:
    return None if call is None else (call,)


def _function(head: re.Match[str], schemas: Schemas) -> ToolCallBlock:
    name = head[1]
    return ToolCallBlock(
        "</function>",
        lambda text: _as_tuple(function_body(name, text, schemas)),
        name=name,
        not_exact=MALFORMED,
        not_closed=CUT,
    )


def _mistral(head: re.Match[str], schemas: Schemas) -> JsonBlock:
    name = head[1]
    if not name:
        return JsonBlock(json_calls)
    return JsonBlock(lambda text: _as_tuple(named_call(name, text)), name=name)


def _python_tag(head: re.Match[str], schemas: Schemas) -> BlockReader:
    if head.string[head.end()] in "{[":
        return JsonBlock(json_calls, more=True)
    # A tool that is built into the model is called in Python: there is none.
    return TokenBlock(("<|eom_id|>", "<|eot_id|>"), lambda text: None)


def _message(head: re.Match[str], schemas: Schemas, opening: str) -> BlockReader | Tag | TextDelta | None:
    """What the header of a harmony message leads to."""
    header = opening + head[0]
    recipient, channel = _RECIPIENT.search(header), _CHANNEL.search(header)
    if recipient is None:
        return HARMONY if channel is not None and channel[1] == "analysis" else None
    if not schemas:
        return TextDelta(header)
    name = tool_name(recipient[1])
    return TokenBlock(
        (*_ENDS, *_NEXT), lambda text: _as_tuple(named_call(name, text)), name=name, reopening=_NEXT
    )


# OpenAI, "OpenAI Harmony Response Format" (https://cookbook.openai.com/articles/openai-harmony). The header
# says whether a message is reasoning, a call or text.
_HARMONY: Final[dict[str, _Maker]] = {
    token: _headed(token, _TO_MESSAGE, _ANY, partial(_message, opening=token)) for token in _NEXT
}

_CALLS: Final[dict[str, _Maker]] = {
    # JSON: Hermes and Qwen (hermes; https://huggingface.co/NousResearch/Hermes-3-Llama-3.1-8B).
    # A function: Qwen3-Coder (qwen3_coder; https://huggingface.co/Qwen/Qwen3-Coder-30B-A3B-Instruct).
    # A name and pairs: GLM 4.5 (glm45; https://huggingface.co/zai-org/GLM-4.5).
    OPEN: _tagged(OPEN, CLOSE, tool_call_calls),
    # Llama 3.1, "Custom Tool Calling" (https://www.llama.com/docs/model-cards-and-prompt-formats/llama3_1/):
    # JSON behind the name. Qwen3-Coder, when it leaves out the tag around it.
    "<function=": _headed("<function=", _NAME_AND_CLOSE, _NAME_BEGUN, _function),
    # The same page, "JSON based tool calling" (llama3_json).
    "<|python_tag|>": _headed("<|python_tag|>", _BEFORE_WORD, _BLANK, _python_tag),
    # mistral-common (mistral; https://github.com/mistralai/mistral-common): an array; since tokenizer v11 a
    # name and its arguments.
    "[TOOL_CALLS]": _headed("[TOOL_CALLS]", _MISTRAL, _MISTRAL_BEGUN, _mistral),
    # IBM Granite 3 (granite; https://huggingface.co/ibm-granite/granite-3.1-8b-instruct) and Phi-4-mini
    # (https://huggingface.co/microsoft/Phi-4-mini-instruct): an array.
    "<|tool_call|>": _headed("<|tool_call|>", _VALUE, _BLANK, lambda head, _: JsonBlock(json_calls)),
    # Granite 20B (granite-20b-fc; https://huggingface.co/ibm-granite/granite-20b-functioncalling): an object.
    "<function_call>": _headed("<function_call>", _VALUE, _BLANK, lambda head, _: JsonBlock(json_calls)),
    # Hunyuan (hunyuan_a13b; https://huggingface.co/tencent/Hunyuan-A13B-Instruct) and Jamba (jamba).
    "<tool_calls>": _tagged("<tool_calls>", "</tool_calls>", _json),
    # Nemotron (https://huggingface.co/nvidia/NVIDIA-Nemotron-Nano-9B-v2).
    "<TOOLCALL>": _tagged("<TOOLCALL>", "</TOOLCALL>", _json),
    # Seed-OSS (seed_oss; https://huggingface.co/ByteDance-Seed/Seed-OSS-36B-Instruct).
    "<seed:tool_call>": _until("</seed:tool_call>", read=function_calls),
    # MiniMax M2 (minimax_m2; https://huggingface.co/MiniMaxAI/MiniMax-M2).
    "<minimax:tool_call>": _until("</minimax:tool_call>", read=invoke_calls),
    # Models that learned it from answers of Anthropic's, as its docs wrote it before it had tools.
    "<function_calls>": _headed(
        "<function_calls>",
        _INVOKE,
        _INVOKE_BEGUN,
        lambda _, schemas: TokenBlock(("</function_calls>",), lambda text: invoke_calls(text, schemas)),
    ),
    # DeepSeek V3.2 (deepseek_v32; https://huggingface.co/deepseek-ai/DeepSeek-V3.2).
    f"<{DSML}function_calls>": _until(
        f"</{DSML}function_calls>", read=lambda text, schemas: invoke_calls(text, schemas, DSML)
    ),
    # Kimi K2 (kimi_k2; https://huggingface.co/moonshotai/Kimi-K2-Instruct/blob/main/docs/tool_call_guidance.md).
    "<|tool_calls_section_begin|>": _until(
        "<|tool_calls_section_end|>", read=lambda text, _: kimi_calls(text)
    ),
    "<|tool_call_begin|>": _until(
        "<|tool_call_end|>", read=lambda text, _: kimi_calls("<|tool_call_begin|>" + text)
    ),
    # Gemma 4, "Function calling" (https://ai.google.dev/gemma/docs/capabilities/text/function-calling-gemma4).
    "<|tool_call>": _until("<tool_call|>", read=lambda text, _: braces_call(text, '<|"|>')),
    # FunctionGemma (https://ai.google.dev/gemma/docs/functiongemma).
    "<start_function_call>": _until(
        "<end_function_call>", read=lambda text, _: braces_call(text, "<escape>")
    ),
    # Cohere (https://huggingface.co/CohereLabs/c4ai-command-a-03-2025).
    "<|START_ACTION|>": _until("<|END_ACTION|>", read=_json),
}


def _deepseek(bar: str) -> dict[str, _Maker]:
    call_begin = f"<{bar}tool▁call▁begin{bar}>"
    return {
        f"<{bar}tool▁calls▁begin{bar}>": _until(
            f"<{bar}tool▁calls▁end{bar}>", read=lambda text, _: deepseek_calls(text, bar)
        ),
        call_begin: _until(
            f"<{bar}tool▁call▁end{bar}>", read=lambda text, _: deepseek_calls(call_begin + text, bar)
        ),
    }


# DeepSeek V3 (deepseek_v3) and V3.1 (deepseek_v31; https://huggingface.co/deepseek-ai/DeepSeek-V3.1). Its
# tokens have a wide bar, which some templates write as a plain one.
_CALLS.update(_deepseek("｜"))
_CALLS.update(_deepseek("|"))

# What ends a call or a turn, and is left over where it has nothing to end.
_STRAYS: Final = (
    *(CLOSE, "</function>", "</function_call>", "<|/tool_call|>", "</|tool_call|>"),
    *("<|tool_calls_section_end|>", "<｜tool▁calls▁end｜>", "<|tool▁calls▁end|>"),
    *("<|eom_id|>", "<|eot_id|>", "<|im_end|>", "<｜end▁of▁sentence｜>"),
    *("</s>", "<|endoftext|>", "<|end_of_text|>", "<end_of_turn>"),
)
# What stands around text: Cohere's, and that of Sky-T1.
_FRAMES: Final = ("<|START_RESPONSE|>", "<|START_TEXT|>", "<|begin_of_solution|>", "<|end_of_solution|>")
_FRAME_ENDS: Final = ("<|END_RESPONSE|>", "<|END_TEXT|>", *_ENDS)


@lru_cache(maxsize=32)
def markup_of(tags: tuple[Tag, ...], calls: Calls) -> Markup:
    """What may hide in an answer.

    Args:
        tags: how reasoning may be marked. With `HARMONY`, its headers are read.
        calls: ``"none"`` where no tool was offered; ``"taught"`` where the model was told to write blocks:
            each is passed on as it is, for `TextToolCalls`, and nothing in it is reasoning; ``"any"`` where
            it may write calls in a way of its own.
    """
    open_tags = tuple(tag for tag in tags if tag.open)
    framed = len(open_tags) < len(tags) or calls == "any"
    blocks = dict(_HARMONY) if framed else {}
    if calls == "taught":
        blocks[OPEN] = lambda schemas: WholeBlock(OPEN, ToolCallBlock())
    elif calls == "any":
        blocks.update(_CALLS)
    strays = (*(_STRAYS if calls == "any" else ()), *(_FRAME_ENDS if framed else ()))
    return Markup(open_tags, blocks, strays=strays, frames=_FRAMES if framed else ())
