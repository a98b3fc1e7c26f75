"""What is behind ``finalturn.sessions``: stores in memory, in SQLite and in PostgreSQL."""
