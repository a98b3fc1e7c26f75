"""``finalturn demo``: a support desk on a real small model, then every path of the contract."""

from finalturn._cli.demo.demo import run_demo

__all__ = ["run_demo"]
