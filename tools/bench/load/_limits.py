"""Room for many connections."""

from __future__ import annotations

import resource

WANTED = 65_536


def raise_limits() -> int:
    """Let the process open more files; returns how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = WANTED if hard == resource.RLIM_INFINITY else min(hard, WANTED)
    if soft == resource.RLIM_INFINITY or soft >= limit:
        return soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    return limit
