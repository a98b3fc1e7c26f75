"""How long to wait before asking again."""

from __future__ import annotations

FIRST_DELAY = 0.5
LONGEST_DELAY = 8.0
# A provider that wants a longer pause than this is not waited for: the caller hears of it instead.
LONGEST_WAIT = 60.0


def retry_delay(attempt: int, asked: float | None) -> float | None:
    """How many seconds to wait before the next attempt; ``None`` to give up.

    What the provider asks for counts. Otherwise the delay doubles with each attempt, with up to half of it
    taken away by chance, so that clients which failed together do not come back together.

    Args:
        attempt: how many attempts have failed, from 1.
        asked: the seconds that the provider asks to wait; ``None`` when it has not said.
    """
    if asked is not None:
        return asked if asked <= LONGEST_WAIT else None
    import random

    return min(FIRST_DELAY * 2.0 ** (attempt - 1), LONGEST_DELAY) * random.uniform(0.5, 1.0)
