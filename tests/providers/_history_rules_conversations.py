"""Conversations as stores, other programs and other vendors leave them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from finalturn import ContentPart, Message, Role, ToolCall

DATA_URL = "data:image/png;base64,aGk="
IMAGES = st.sampled_from(
    [
        ContentPart.image_base64("aGk=", "image/png"),
        ContentPart.image_base64("aGk=", "image/jpeg"),
        ContentPart.image_url(DATA_URL),
    ]
)
NO_IMAGES = st.just(())
SOME_IMAGES = st.lists(IMAGES, max_size=2).map(tuple)
TEXTS = st.sampled_from(["", " ", "\n\u2028", "x", "It is sent.", "y\ud83d", "é😀", "{}"])

# Those of every vendor, those that some of them refuse, and none.
IDS = st.sampled_from(
    [
        None,
        "",
        "a",
        "call_0",
        "toolu_01A09q90qw90lq917835lq9",
        "pcZFHqej8",
        "call_1|fc_68af",
        "chatcmpl-tool-5d2f",
        "id with blanks.",
        "é",
        "x" * 50,
        "x" * 70,
        "x" * 70 + "y",
    ]
)
NAMES = st.sampled_from(["f", "g", "lookup_order", "", "a b", "ns.tool", "9lives", "ö", "-f", "n" * 70])
ARGUMENTS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{}, {"order": "A-1"}, {"a": [None, {"b": 1.5}]}, {"x\ud83d": "\ud83d"}]
)


def _chat(text: str) -> dict[str, Any]:
    return {"chat_reasoning": {"text": text}}


# What vendors want back with a call, and what looks like it.
PROVIDER_DATA: st.SearchStrategy[dict[str, Any] | None] = st.sampled_from(
    [
        None,
        {"extra_content": {"google": {"thought_signature": "c2ln"}}},
        _chat("Let me think."),
        {"chat_reasoning": {"model": "m", "details": [{"type": "reasoning.text", "text": "hm"}]}},
        {"gemini": {"id": "abc123", "thoughtSignature": "c2ln"}},
        {"gemini": {"id": "é", "thoughtSignature": 5}},
        {
            "responses": {
                "origin": "elsewhere",
                "before": [{"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "enc"}],
            }
        },
        {
            "anthropic": {
                "server": "elsewhere",
                "prefix": "p",
                "blocks": [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}, None],
            }
        },
        {"anthropic": 5, "gemini": [], "responses": "x", "chat_reasoning": {"text": 1}},
        {"somebody": {"else": True}},
    ]
)
CALLS = st.builds(
    ToolCall,
    NAMES,
    ARGUMENTS,
    IDS,
    error=st.sampled_from([None, None, "the arguments were cut"]),
    provider_data=PROVIDER_DATA,
)


def _result_of(call: ToolCall, text: str, *, ran: bool, parts: tuple[ContentPart, ...]) -> Message:
    result = text if ran else None
    return Message(
        Role.TOOL,
        text,
        tool_name=call.name,
        tool_call_id=call.id,
        tool_result=result,
        content_parts=parts,
    )


@st.composite
def exchanges(draw: st.DrawFn) -> list[Message]:
    """An answer with calls, and results of most of them, in some order."""
    calls = draw(st.lists(CALLS, min_size=1, max_size=3, unique_by=lambda call: call.id))
    asked = Message(Role.ASSISTANT, draw(TEXTS), tuple(calls), content_parts=draw(NO_IMAGES | SOME_IMAGES))
    answered = draw(st.permutations(calls))[: draw(st.integers(0, 3)) or None]
    found = [
        _result_of(call, draw(TEXTS), ran=draw(st.booleans()), parts=draw(NO_IMAGES | SOME_IMAGES))
        for call in answered
    ]
    return [asked, *found]


MESSAGES = st.one_of(
    st.builds(Message, st.just(Role.USER), TEXTS, content_parts=SOME_IMAGES),
    st.builds(Message, st.just(Role.SYSTEM), TEXTS),
    st.builds(
        Message,
        st.just(Role.ASSISTANT),
        TEXTS,
        st.lists(CALLS, max_size=2).map(tuple),
        content_parts=NO_IMAGES | SOME_IMAGES,
        structured=st.sampled_from([None, "{}", '{"topic": "refund"}']),
    ),
    st.builds(
        Message,
        st.just(Role.TOOL),
        TEXTS,
        tool_name=st.none() | NAMES,
        tool_call_id=IDS,
        tool_result=st.none() | TEXTS,
        content_parts=NO_IMAGES | SOME_IMAGES,
    ),
).map(lambda message: [message])

HISTORIES: st.SearchStrategy[list[Message]] = st.lists(MESSAGES | exchanges(), max_size=6).map(
    lambda found: [message for part in found for message in part]
)
