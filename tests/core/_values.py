"""Strategies: JSON values, messages, and dictionaries that only look like messages."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from finalturn.core.messages import ContentPart, Message, Role, ToolCall

# Halves of surrogate pairs are among them.
TEXT = st.one_of(
    st.text(st.characters(), max_size=12),
    st.sampled_from(["", "null", "None", "\ud83d", "\ude00\ud83d", "\u2028", "\x00", '{"a": 1}', " "]),
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
