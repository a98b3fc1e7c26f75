"""Shows turns in a terminal: a pure model of what is seen, and two ways to draw it."""

from finalturn._cli.view.blocks import Block, Bubble, Card, Notice, Question, Thought, ToolUse
from finalturn._cli.view.open import open_stage
from finalturn._cli.view.plain import PlainStage
from finalturn._cli.view.player import Item, play
from finalturn._cli.view.stage import Screen, Stage
from finalturn._cli.view.transcript import Transcript

__all__ = [
    "Block",
    "Bubble",
    "Card",
    "Item",
    "Notice",
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
