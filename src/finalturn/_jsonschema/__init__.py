"""Schemas that are plain JSON: their references are resolved, and values are checked against them."""
