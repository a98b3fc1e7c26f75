"""Tools: functions that a model may call.

Decorate a function with `tool`, or wrap it in a `Tool`, and give it to an agent. Its signature says what
the model must send, its docstring says what it is for.
"""

from finalturn._tools.decorator import tool
from finalturn._tools.tool import Tool

__all__ = ["Tool", "tool"]
