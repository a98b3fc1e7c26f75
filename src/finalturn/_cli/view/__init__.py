"""What a turn looks like: a pure model of it, and two ways to draw it."""

from finalturn.cli.view._blocks import Block, Bubble, Card, Question, Thought, ToolUse
from finalturn.cli.view._open import open_stage
from finalturn.cli.view._plain import PlainStage
from finalturn.cli.view._play import Item, play
from finalturn.cli.view._stage import Screen, Stage
from finalturn.cli.view._transcript import Transcript

__all__ = [
    "Block",
    "Bubble",
    "Card",
    "Item",
    "PlainStage",
    "Question",
    "Screen",
    "Stage",
    "Thought",
    "ToolUse",
    "Transcript",
    "open_stage",
    "play",
]
