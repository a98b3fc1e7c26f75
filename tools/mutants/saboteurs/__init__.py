"""The saboteurs, by the chapters of the contract."""

from tools.mutants._saboteur import Saboteur
from tools.mutants.saboteurs import finalize, lifecycle, messages, outcome, streaming

SABOTEURS: tuple[Saboteur, ...] = (
    *streaming.SABOTEURS,
    *finalize.SABOTEURS,
    *messages.SABOTEURS,
    *outcome.SABOTEURS,
    *lifecycle.SABOTEURS,
)

__all__ = ["SABOTEURS"]
