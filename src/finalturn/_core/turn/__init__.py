"""The turn, as a pure state machine: a table of rules, what they show, and the machine that runs them."""

from finalturn._core.turn.actions import Action, AskFinalize, CallModel, Finish, Raise, RunTools, SaveTurn
from finalturn._core.turn.inputs import (
    TABLE_INPUTS,
    Cancelled,
    Decided,
    Failed,
    Finished,
    Input,
    Judged,
    LimitReached,
    Saved,
    Started,
    ToolReturned,
    ToolsFinished,
    ToolShows,
    Verdict,
)
from finalturn._core.turn.machine import Machine, Step
from finalturn._core.turn.setup import Mode, TurnSetup
from finalturn._core.turn.state import Phase, State
from finalturn._core.turn.table import IGNORED, TABLE, Rule, Table

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
    "LimitReached",
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
    "ToolShows",
    "ToolsFinished",
    "TurnSetup",
    "Verdict",
]
