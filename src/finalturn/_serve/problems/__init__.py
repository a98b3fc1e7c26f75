"""The failures of a request or a turn, in words that a client may read."""
