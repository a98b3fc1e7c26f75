"""Reads tool calls from a model's text, and writes tools into the prompt of a model that takes none.

Two kinds of model write them. One without tools of its own is told how, in the prompt: `as_text` writes
the tools and the conversation into it, and `TextToolCalls` reads the calls. One that has tools, behind a
server that does not know its notation, writes them as it was trained to: `markup_of` says what to look for.
Both are found by the one splitter of `finalturn._core.markup`. The calls have no ids.

All of it is pure, and stands below the turn's machine: what it lets through is what the machine receives.
"""

from finalturn._core.textcalls.calls import TextToolCalls
from finalturn._core.textcalls.request import as_text, block_of
from finalturn._core.textcalls.spellings import Calls, markup_of

__all__ = ["Calls", "TextToolCalls", "as_text", "block_of", "markup_of"]
