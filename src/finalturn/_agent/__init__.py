"""Agents: their parts, the driver of a turn's machine, and the ways to run a turn."""

from finalturn._agent.agent import Agent
from finalturn._agent.batch import Batch, SyncBatch
from finalturn._agent.batch_work import BatchItem, BatchRetries
from finalturn._agent.config import StructuredOutputConfig
from finalturn._agent.options import RunOptions
from finalturn._agent.stream import AgentStream
from finalturn._agent.sync import SyncStream

__all__ = [
    "Agent",
    "AgentStream",
    "Batch",
    "BatchItem",
    "BatchRetries",
    "RunOptions",
    "StructuredOutputConfig",
    "SyncBatch",
    "SyncStream",
]
