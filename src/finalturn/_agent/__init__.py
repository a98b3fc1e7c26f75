"""The agent: it drives the turn's machine, and projects what the turn shows onto each surface."""

from finalturn.agent._agent import Agent
from finalturn.agent._config import StructuredOutputConfig
from finalturn.agent._stream import AgentStream
from finalturn.agent._sync import SyncStream

__all__ = ["Agent", "AgentStream", "StructuredOutputConfig", "SyncStream"]
