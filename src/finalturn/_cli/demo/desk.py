"""The support desk: an agent with a database of orders, whose turns end in a ticket."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from pydantic import BaseModel, Field

from finalturn import Agent, ModelSettings, Provider, StreamingProvider, StructuredOutputConfig, Tool, tool

__all__ = ["Ticket", "order_database", "order_tool", "support_desk"]

_ORDERS = (
    ("A-1001", "blue kettle", "shipped", "Friday"),
    ("A-1002", "two lamps", "waiting for payment", None),
    ("A-1003", "oak table", "delivered", None),
)


class Ticket(BaseModel):
    """A support ticket."""

    # Patterns, rather than lengths: servers that follow a schema follow these.
    order: str = Field(pattern=r"^A-[0-9]{4}$", description="The order's number.")
    topic: Literal["delivery", "payment", "refund", "other"]
    urgent: bool
    summary: str = Field(pattern=r"^[A-Z][A-Za-z0-9 ,-]{8,60}$", description="What it is about.")


@contextmanager
def order_database() -> Generator[Path]:
    """A small SQLite database of orders, in a temporary file."""
    with TemporaryDirectory(prefix="finalturn-") as folder:
        path = Path(folder) / "orders.sqlite"
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("CREATE TABLE orders (number TEXT PRIMARY KEY, item TEXT, state TEXT, due TEXT)")
            database.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", _ORDERS)
        yield path


def order_tool(path: Path) -> Tool[[str], str]:
    """A tool that reads this database."""

    @tool
    def lookup_order(order: str) -> str:
        """Find an order by its number."""
        with closing(sqlite3.connect(path)) as database:
            query = "SELECT item, state, due FROM orders WHERE number = ?"
            row: tuple[str, str, str | None] | None = database.execute(query, (order,)).fetchone()
        if row is None:
            return f"There is no order {order}."
        item, state, due = row
        return f"Your order {order}, {item}, is {state}" + (f" and arrives on {due}." if due else ".")

    return lookup_order


def support_desk(
    provider: Provider | StreamingProvider,
    path: Path,
    structured_output: StructuredOutputConfig,
    settings: ModelSettings,
) -> Agent[Ticket]:
    """The agent: it looks orders up, answers in prose, and leaves a ticket."""
    return Agent(
        provider,
        tools=[order_tool(path)],
        system_prompt="You are the support desk of a shop.",
        response_format=Ticket,
        structured_output=structured_output,
        max_iterations=3,
        settings=settings,
    )
