"""The turn, as a pure state machine: a table of rules, what they show, and the machine that runs them."""

from finalturn.core.turn._actions import Action, AskFinalize, CallModel, Finish, Raise, RunTools, SaveTurn
from finalturn.core.turn._inputs import (
    TABLE_INPUTS,
    Cancelled,
    Decided,
    Failed,
    Finished,
    Input,
    Judged,
    Saved,
    Started,
    ToolReturned,
    ToolsFinished,
    Verdict,
)
from finalturn.core.turn._machine import Machine, Step
from finalturn.core.turn._rule import Rule, Table
from finalturn.core.turn._setup import Mode, TurnSetup
from finalturn.core.turn._state import Phase, State
from finalturn.core.turn._table import IGNORED, TABLE

__all__ = [
    "IGNORED",
    "TABLE",
    "TABLE_INPUTS",
    "Action",
    "AskFinalize",
    "CallModel",
    "Cancelled",
    "Decided",
    "Failed",
    "Finish",
    "Finished",
    "Input",
    "Judged",
    "Machine",
    "Mode",
    "Phase",
    "Raise",
    "Rule",
    "RunTools",
    "SaveTurn",
    "Saved",
    "Started",
    "State",
    "Step",
    "Table",
    "ToolReturned",
    "ToolsFinished",
    "TurnSetup",
    "Verdict",
]
