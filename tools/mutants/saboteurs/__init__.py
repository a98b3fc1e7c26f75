"""The saboteurs, by the chapters of the contract."""

from tools.mutants._saboteur import Saboteur
from tools.mutants.saboteurs import access, finalize, lifecycle, messages, outcome, serving, streaming

SABOTEURS: tuple[Saboteur, ...] = (
    *streaming.SABOTEURS,
    *finalize.SABOTEURS,
    *messages.SABOTEURS,
    *outcome.SABOTEURS,
    *lifecycle.SABOTEURS,
    *serving.SABOTEURS,
    *access.SABOTEURS,
)

__all__ = ["SABOTEURS"]
