"""The mutants that are written by hand."""

from tools.mutants._handwritten import Handwritten
from tools.mutants.handwritten import context, limits, serve, stream, turn

HANDWRITTEN = [
    mutant
    for module in (turn, limits, stream, context, serve)
    for mutant in vars(module).values()
    if isinstance(mutant, Handwritten)
]
