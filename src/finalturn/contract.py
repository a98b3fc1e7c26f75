"""The contract: what finalturn promises, each clause declared once, as a typed constant."""

from finalturn._contract.clauses import CLAUSES
from finalturn._contract.clauses import finalize as _finalize
from finalturn._contract.clauses import lifecycle as _lifecycle
from finalturn._contract.clauses import messages as _messages
from finalturn._contract.clauses import outcome as _outcome
from finalturn._contract.clauses import serving as _serving
from finalturn._contract.clauses import streaming as _streaming
from finalturn._contract.clauses.clause import Clause, Deprecation, Family, Surface
from finalturn._contract.clauses.finalize import *
from finalturn._contract.clauses.lifecycle import *
from finalturn._contract.clauses.messages import *
from finalturn._contract.clauses.outcome import *
from finalturn._contract.clauses.serving import *
from finalturn._contract.clauses.streaming import *
from finalturn._contract.traces.file import TraceFormatError, read_traces
from finalturn._contract.traces.records import (
    CallEnded,
    CallStarted,
    FinalizeAnswered,
    FinalizeAsked,
    ModelReasoning,
    ModelText,
    Record,
    Shown,
    ToolOutcomeRecorded,
    ToolsStarted,
    TurnCancelled,
    TurnFailed,
    TurnResult,
    TurnSaved,
    TurnStarted,
)
from finalturn._contract.traces.trace import Check, Trace, Undecidable, Violation
from finalturn._contract.verify import Finding, Outcome, verify
from finalturn._support.public_home import publish

__all__ = [
    "CLAUSES",
    "CallEnded",
    "CallStarted",
    "Check",
    "Clause",
    "Deprecation",
    "Family",
    "FinalizeAnswered",
    "FinalizeAsked",
    "Finding",
    "ModelReasoning",
    "ModelText",
    "Outcome",
    "Record",
    "Shown",
    "Surface",
    "ToolOutcomeRecorded",
    "ToolsStarted",
    "Trace",
    "TraceFormatError",
    "TurnCancelled",
    "TurnFailed",
    "TurnResult",
    "TurnSaved",
    "TurnStarted",
    "Undecidable",
    "Violation",
    "read_traces",
    "verify",
]
# A name of a clause is listed by its chapter alone.
__all__ += _streaming.__all__
__all__ += _finalize.__all__
__all__ += _messages.__all__
__all__ += _outcome.__all__
__all__ += _lifecycle.__all__
__all__ += _serving.__all__

publish(globals())
del publish
