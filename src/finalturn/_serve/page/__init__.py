"""The chat page."""

from finalturn._serve.page.page import ChatPage, PageRoute

__all__ = ["ChatPage", "PageRoute"]
