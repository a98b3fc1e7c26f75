"""What is behind ``finalturn.contract``: clauses, checks of recorded turns, and the traces that they read."""
