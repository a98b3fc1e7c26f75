"""Turns that a server runs: their frames, those who read them, and how they end."""
