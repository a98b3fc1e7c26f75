"""Mutants of the turn, and of what stands around it: each must be caught by a test that proves its clause."""
