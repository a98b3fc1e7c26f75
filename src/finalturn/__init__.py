"""Streaming chat agents whose last word is a typed, validated object.

``Agent`` runs turns; ``finalturn.providers`` has the models, ``finalturn.contract`` what is promised.
"""

from finalturn._agent import (
    Agent,
    AgentStream,
    Batch,
    BatchItem,
    BatchRetries,
    RunOptions,
    StructuredOutputConfig,
    SyncBatch,
    SyncStream,
)
from finalturn._core.chunks import NestedActivity, PartialObject, StreamChunk, StreamEvent
from finalturn._core.errors import (
    ConfigurationError,
    FinalturnError,
    MessageFormatError,
    ProtocolError,
    ProviderError,
    SessionConflictError,
    SessionDamagedError,
    SessionError,
    SessionTimeoutError,
    StreamClosedError,
    StreamError,
    StructuredOutputError,
    ToolError,
)
from finalturn._core.limits import LimitName, Limits
from finalturn._core.messages import ContentPart, Message, Role, ToolCall
from finalturn._core.model import (
    Capabilities,
    FinishReason,
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ModelResponse,
    ModelSettings,
    OutputSchema,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
    ToolSpec,
)
from finalturn._core.observers import TurnObserver, TurnWatch
from finalturn._core.protocols import (
    ContextGate,
    ContextPredicate,
    Denial,
    DenialKind,
    Provider,
    SessionCatalog,
    SessionHistory,
    SessionStore,
    SessionSummary,
    ShouldFinalize,
    StreamHandler,
    StreamingProvider,
    ToolGate,
)
from finalturn._core.result import AgentResult, ProviderSwitch, StopReason, StructuredStatus, Usage
from finalturn._core.run_context import RunContext
from finalturn._core.tool_outcome import ToolFailure
from finalturn._gates.coherence import CoherenceGate
from finalturn._gates.policy import ToolPolicy
from finalturn._support.public_home import publish
from finalturn._tools import Tool, tool
from finalturn.stability import NEXT, stable

__version__ = "0.1.0"
"""The version of this package, ``MAJOR.MINOR.PATCH`` (Semantic Versioning 2.0.0)."""
stable(since="0.1.0").constant(__name__, "__version__")
del NEXT, stable

__all__ = [
    "Agent",
    "AgentResult",
    "AgentStream",
    "Batch",
    "BatchItem",
    "BatchRetries",
    "Capabilities",
    "CoherenceGate",
    "ConfigurationError",
    "ContentPart",
    "ContextGate",
    "ContextPredicate",
    "Denial",
    "DenialKind",
    "FinalturnError",
    "FinishReason",
    "LimitName",
    "Limits",
    "Message",
    "MessageFormatError",
    "ModelEnd",
    "ModelEvent",
    "ModelRequest",
    "ModelResponse",
    "ModelSettings",
    "NestedActivity",
    "OutputSchema",
    "PartialObject",
    "ProtocolError",
    "Provider",
    "ProviderError",
    "ProviderSwitch",
    "ReasoningDelta",
    "Role",
    "RunContext",
    "RunOptions",
    "SessionCatalog",
    "SessionConflictError",
    "SessionDamagedError",
    "SessionError",
    "SessionHistory",
    "SessionStore",
    "SessionSummary",
    "SessionTimeoutError",
    "ShouldFinalize",
    "StopReason",
    "StreamChunk",
    "StreamClosedError",
    "StreamError",
    "StreamEvent",
    "StreamHandler",
    "StreamingProvider",
    "StructuredOutputConfig",
    "StructuredOutputError",
    "StructuredStatus",
    "SyncBatch",
    "SyncStream",
    "TextDelta",
    "Tool",
    "ToolCall",
    "ToolCallDelta",
    "ToolError",
    "ToolFailure",
    "ToolGate",
    "ToolPolicy",
    "ToolSpec",
    "TurnObserver",
    "TurnWatch",
    "Usage",
    "__version__",
    "tool",
]

publish(globals())
del publish
