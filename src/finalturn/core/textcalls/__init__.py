"""Tool calls for models that have none of their own: written into the prompt, read from the text.

A pure decorator below the turn's machine. What it lets through is what the machine receives as text.
"""

from finalturn.core.textcalls._calls import TextToolCalls
from finalturn.core.textcalls._request import as_text, block_of

__all__ = ["TextToolCalls", "as_text", "block_of"]
