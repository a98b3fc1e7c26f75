"""``finalturn contract``: what is promised, and whether a recorded turn keeps it."""

from finalturn.cli.contract._list import run_list
from finalturn.cli.contract._show import run_show
from finalturn.cli.contract._verify import run_verify

__all__ = ["run_list", "run_show", "run_verify"]
