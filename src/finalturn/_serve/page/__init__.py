"""The chat page."""

from finalturn.serve.page._page import ChatPage
from finalturn.serve.page._route import PageRoute

__all__ = ["ChatPage", "PageRoute"]
