"""What is behind ``finalturn.prices``: the cost of tokens."""
