"""Conversations of every kind, sound or not."""

from __future__ import annotations

from hypothesis import strategies as st

from finalturn._core.messages import ContentPart, Message, Role, ToolCall

IMAGE = ContentPart.image_url("https://example.org/a.png")
IDS = st.sampled_from([None, "", "a", "call_0", "pcZFHqej8", "x" * 50])
TEXTS = st.sampled_from(["", " ", "x", "y\ud83d"])
CALLS = st.builds(ToolCall, st.sampled_from(["f", "g", "", "a b"]), st.just({}), IDS)
PARTS = st.sampled_from([(), (), (IMAGE,)])

HISTORIES = st.lists(
    st.one_of(
        st.builds(Message, st.sampled_from([Role.USER, Role.SYSTEM]), TEXTS, content_parts=PARTS),
        st.builds(
            Message,
            st.just(Role.ASSISTANT),
            TEXTS,
            st.lists(CALLS, max_size=3).map(tuple),
            content_parts=PARTS,
            structured=st.sampled_from([None, None, "{}"]),
        ),
        st.builds(Message, st.just(Role.TOOL), TEXTS, tool_call_id=IDS, content_parts=PARTS),
    ),
    max_size=10,
)
