"""The chat page."""

from finalturn._serve.page.page import ChatPage
from finalturn._serve.page.route import PageRoute

__all__ = ["ChatPage", "PageRoute"]
