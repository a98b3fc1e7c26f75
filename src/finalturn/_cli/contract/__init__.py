"""``finalturn contract``: shows the contract's clauses, and checks recorded turns against them."""

from finalturn._cli.contract.clauses import run_list, run_show
from finalturn._cli.contract.verify import run_verify

__all__ = ["run_list", "run_show", "run_verify"]
