"""Sessions in SQLite or PostgreSQL."""
