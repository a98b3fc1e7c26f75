"""``finalturn keys``: manages the keys of a server."""

from finalturn._cli.keys.commands import run_list, run_new, run_revoke

__all__ = ["run_list", "run_new", "run_revoke"]
