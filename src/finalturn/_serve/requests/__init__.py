"""Reads requests: bodies of each format, their limits, and what is done around every endpoint."""
