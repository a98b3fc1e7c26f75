"""``finalturn chat``: a conversation with any server that speaks chat completions."""

from finalturn._cli.chat.chat import run_chat
from finalturn._cli.chat.options import ChatOptions

__all__ = ["ChatOptions", "run_chat"]
