"""A time."""

from __future__ import annotations

from datetime import UTC, datetime

NOW = datetime(2026, 1, 31, 12, 0, 0, 123, UTC)
