"""Runs, which are the turns of a server: their frames, their readers, and how they end."""
