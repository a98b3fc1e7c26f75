"""What may hide in the text of one answer, by what is known of its server and what was asked. Pure."""

from __future__ import annotations

from finalturn._core.markup import MarkupSplitter, Schemas
from finalturn._core.model import ModelRequest
from finalturn._core.textcalls import Calls, markup_of
from finalturn._providers.openai_chat.profile import ANY_MODEL_TAG, Profile


def splitter_for(
    request: ModelRequest, profile: Profile, *, native_tools: bool, starts_inside: bool
) -> MarkupSplitter | None:
    """What takes reasoning and calls out of the answer; ``None`` where its text is prose.

    Args:
        request: what is asked.
        profile: the server's ways.
        native_tools: the model has tools of its own. Otherwise it is told to write calls, which whoever told
            it reads: here, they are only kept apart from reasoning.
        starts_inside: the prompt ends inside reasoning.
    """
    tags = profile.think_tags or (ANY_MODEL_TAG if starts_inside else ())
    calls: Calls = "none"
    schemas: Schemas = {}
    if not native_tools:
        calls = "taught"
    elif profile.text_calls and request.tools and request.settings.tool_choice != "none":
        calls = "any"
        schemas = {tool.name: tool.parameters for tool in request.tools}
    if not tags and calls != "any":
        return None
    return MarkupSplitter(markup_of(tags, calls), schemas, inside=starts_inside)
