"""The implementation of ``finalturn.sessions``: stores in memory, in SQLite and in PostgreSQL."""
