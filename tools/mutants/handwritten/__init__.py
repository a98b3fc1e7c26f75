"""The mutants that are written by hand."""

from tools.mutants._handwritten import Handwritten
from tools.mutants.handwritten import limits, serve, stream, turn

HANDWRITTEN = [
    mutant
    for module in (turn, limits, stream, serve)
    for mutant in vars(module).values()
    if isinstance(mutant, Handwritten)
]
