"""Checks of clauses: each looks at the trace of one recorded turn and names what breaks a promise."""
