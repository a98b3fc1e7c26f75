"""Mutants of the turn's table: each broken variant must be caught by a test that proves its clause."""
