"""Recorded turns: their records, the files that hold them, and how a check reads them."""
