"""How a request or a turn can fail, in words that a client may read."""
