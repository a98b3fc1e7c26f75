"""``finalturn serve``: an agent over HTTP, with a page to try it on."""

from finalturn.cli.serve._command import run_serve

__all__ = ["run_serve"]
