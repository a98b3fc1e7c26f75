"""``finalturn keys``: who may use a server."""

from finalturn._cli.keys.list import run_list
from finalturn._cli.keys.new import run_new
from finalturn._cli.keys.revoke import run_revoke

__all__ = ["run_list", "run_new", "run_revoke"]
