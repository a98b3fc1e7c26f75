"""The agent: it drives the turn's machine, and projects what the turn shows onto each surface."""

from finalturn._agent.agent import Agent
from finalturn._agent.config import StructuredOutputConfig
from finalturn._agent.stream import AgentStream
from finalturn._agent.sync import SyncStream

__all__ = ["Agent", "AgentStream", "StructuredOutputConfig", "SyncStream"]
