"""Reads requests: the bodies of each format, their limits, and the steps that all endpoints share."""
