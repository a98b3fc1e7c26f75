"""``finalturn keys``: who may use a server."""

from finalturn.cli.keys._list import run_list
from finalturn.cli.keys._new import run_new
from finalturn.cli.keys._revoke import run_revoke

__all__ = ["run_list", "run_new", "run_revoke"]
