"""When to ask again."""

from __future__ import annotations

from collections.abc import Mapping

FIRST_DELAY = 0.5
LONGEST_DELAY = 8.0
# A provider that wants a longer pause than this is not waited for: the caller hears of it instead.
LONGEST_WAIT = 60.0


def retry_delay(attempt: int, headers: Mapping[str, str] | None, *, now: float | None = None) -> float | None:
    """How many seconds to wait before the next attempt; ``None`` to give up.

    What the provider asks for counts (``retry-after-ms``; ``Retry-After`` of RFC 9110, section 10.2.3, in
    seconds or as a date). Otherwise the delay doubles with each attempt, with up to half of it taken
    away by chance, so that clients which failed together do not come back together.

    Args:
        attempt: how many attempts have failed, from 1.
        headers: of the failed answer, if there was one.
        now: the time as seconds since the epoch; by default, now.
    """
    asked = None if headers is None else _asked_for(headers, now)
    if asked is None:
        import random

        return min(FIRST_DELAY * 2.0 ** (attempt - 1), LONGEST_DELAY) * random.uniform(0.5, 1.0)
    return max(asked, 0.0) if asked <= LONGEST_WAIT else None


def _asked_for(headers: Mapping[str, str], now: float | None) -> float | None:
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return float(headers.get(name, "")) * unit
        except ValueError:
            continue
    return _seconds_until(headers.get("retry-after", ""), now)


def _seconds_until(date: str, now: float | None) -> float | None:
    import time
    from email.utils import parsedate_to_datetime

    try:
        moment = parsedate_to_datetime(date).timestamp()
    except ValueError:
        return None
    return moment - (time.time() if now is None else now)
