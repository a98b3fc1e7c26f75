"""``finalturn chat``: a conversation with any server that speaks chat completions."""

from finalturn.cli.chat._chat import run_chat
from finalturn.cli.chat._options import Options

__all__ = ["Options", "run_chat"]
