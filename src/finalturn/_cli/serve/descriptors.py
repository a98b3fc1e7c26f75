"""Limits connections by the file descriptors that the process may have open."""

from __future__ import annotations

import sys

__all__ = ["connections_for", "raise_descriptors"]

_ENOUGH = 65_536
# For what is open anyway: the log, the event loop, libraries, and a database with all its connections.
_KEPT_FREE = 96

if sys.platform == "win32":  # pragma: no cover

    def raise_descriptors() -> int:
        """There is no such limit here."""
        return _ENOUGH
else:
    import resource

    def raise_descriptors() -> int:
        """Let the process open as many files as it may, up to what a server can use.

        Returns:
            How many that are.
        """
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
        if soft == resource.RLIM_INFINITY:
            return _ENOUGH
        if soft < wanted:
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            except (OSError, ValueError):
                # Some systems have a further limit, and do not say which.
                return soft
            return wanted
        return soft


def connections_for(descriptors: int, wanted: int) -> int:
    """How many connections a server takes at the same time: each may need one to its model, too.

    Args:
        descriptors: how many files the process may have open.
        wanted: how many connections it is to take at most.
    """
    return max(1, min(wanted, (descriptors - _KEPT_FREE) // 2))
