"""``finalturn serve``: an agent over HTTP, with a page to try it on."""

from finalturn._cli.serve.command import run_serve

__all__ = ["run_serve"]
