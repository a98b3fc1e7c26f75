"""Strategies: texts of all of Unicode, JSON values, messages, and dictionaries that only look like them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from finalturn._core.messages import ContentPart, Message, Role, ToolCall

PITFALLS = (
    # Ends of lines: Python's own, Unicode's, and those that old systems have.
    *(
        "\n",
        "\r",
        "\r\n",
        "\n\r",
        "\r\r\n",
        "\x0b",
        "\x0c",
        "\x1c",
        "\x1d",
        "\x1e",
        "\x85",
        "\u2028",
        "\u2029",
    ),
    # What a database, a C string, a terminal or a trim takes for something else.
    *(
        "\x00",
        "\x01",
        "\x1a",
        "\x1b[0m",
        "\x7f",
        "\x80",
        "\x9f",
        " ",
        "\t",
        "\xa0",
        "\u200b",
        "\u3000",
        "\ufeff",
    ),
    # Halves of surrogate pairs, whole characters beside them, and what is no character.
    *("\ud83d", "\ude00", "\ude00\ud83d", "\U0001f600", "\U0010ffff", "\ufffd", "\ufffe", "\uffff", "\ufdd0"),
    # Letters that change when they are normalised, or set in another case; writing from the right.
    *("\u00e9", "e\u0301", "\u212b", "\ufb01", "\u0130", "\u00df", "\u1e9e", "\u202e", "\u200d"),
    # What is an escape, a quote or a word elsewhere.
    *(
        "\\",
        "\\n",
        "\\u0000",
        "\\ud83d",
        '"',
        "'",
        "''",
        "%s",
        "{}",
        "null",
        "None",
        '{"a": 1}',
        "--",
        "data: ",
    ),
)
"""Pieces of text that something on the way might change, take for an end, or join with what is beside it."""

# Pieces stand beside one another in any order. Halves of surrogate pairs are among them.
TEXT = st.one_of(
    st.text(st.characters(), max_size=12),
    st.sampled_from(("", *PITFALLS)),
    st.lists(st.sampled_from(PITFALLS) | st.characters(), max_size=6).map("".join),
)
INTEGERS = st.integers() | st.sampled_from([2**53 + 1, -(2**63) - 1, 10**300, 10**4300 - 1, 1 - 10**4300])
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | INTEGERS | FLOATS | TEXT
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


def nested(depth: int) -> Any:
    """Arrays and objects, so many in one another."""
    value: Any = None
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


# Not as deep as is allowed: each level costs time.
OBJECTS = st.dictionaries(TEXT, JSON, max_size=3) | st.sampled_from([{"deep": nested(30)}])

CALLS = st.builds(
    ToolCall,
    TEXT,
    OBJECTS,
    st.none() | TEXT,
    st.none() | TEXT,
    st.none() | OBJECTS,
)
PARTS = st.builds(ContentPart.image_url, TEXT) | st.builds(
    ContentPart.image_base64, TEXT, st.sampled_from(["image/png", "x"])
)
MESSAGES = st.builds(
    Message,
    st.sampled_from(Role),
    TEXT,
    st.lists(CALLS, max_size=2).map(tuple),
    st.none() | TEXT,
    st.none() | TEXT,
    st.none() | TEXT,
    st.lists(PARTS, max_size=2).map(tuple),
    st.none() | TEXT,
)

_NAMES = st.sampled_from(
    [
        *("role", "content", "tool_calls", "tool_name", "tool_call_id", "tool_result"),
        *("content_parts", "structured", "name", "arguments", "id", "error", "provider_data", "kind"),
        *("url", "data", "media_type", "_text"),
    ]
)
_WORDS = st.sampled_from(["user", "assistant", "tool", "system", "image", "https://x/y.png", ""])
LOOKALIKES = st.recursive(
    SCALARS | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES | TEXT, inner, max_size=5),
    max_leaves=12,
)
"""JSON whose keys and words are those of messages."""


EVERY_CHARACTER = "".join(map(chr, range(0x110000)))
"""All of Unicode, halves of surrogate pairs included."""

EVERY_PAIR = "".join(first + second for first in PITFALLS for second in PITFALLS)
"""Each of the pitfalls beside each other one."""


def filled(text: str) -> list[Message]:
    """A message of each role that has a text wherever it may have one."""
    call = ToolCall(text, {text: [text, {text: text}]}, text, text, {text: text})
    parts = (ContentPart.image_url(text), ContentPart.image_base64(text, text))
    return [Message(role, text, (call,), text, text, text, parts, text) for role in Role]
