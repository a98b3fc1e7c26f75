"""Makes the table of turns, with one row for each."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "finalturn_turns",
        sa.Column(
            "session",
            sa.String(128).with_variant(sa.String(128, collation="C"), "postgresql"),
            primary_key=True,
        ),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("saved", sa.DateTime(timezone=True), nullable=False),
        sa.Column("messages", sa.Text, nullable=False),
    )
