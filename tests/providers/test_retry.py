"""When to ask again."""

from __future__ import annotations

import pytest

from finalturn.providers._retry import LONGEST_DELAY, retry_delay


@pytest.mark.parametrize("headers", [None, {}, {"retry-after": ""}, {"retry-after": "soon"}])
def test_without_a_wish_of_the_provider_the_delay_doubles_up_to_a_limit(
    headers: dict[str, str] | None,
) -> None:
    for attempt, longest in ((1, 0.5), (2, 1.0), (3, 2.0), (9, LONGEST_DELAY)):
        delays = {retry_delay(attempt, headers) for _ in range(50)}
        assert all(delay is not None and longest / 2 <= delay <= longest for delay in delays)
        assert len(delays) > 1


@pytest.mark.parametrize(
    ("headers", "delay"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
        ({"retry-after-ms": "x", "retry-after": "7"}, 7.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:30 GMT"}, 20.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:05 GMT"}, 0.0),
        ({"retry-after": "61"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "Thu, 01 Jan 1970 01:00:00 GMT"}, None),
    ],
)
def test_what_the_provider_wishes_counts(headers: dict[str, str], delay: float | None) -> None:
    assert retry_delay(5, headers, now=10.0) == delay


def test_a_date_is_held_against_the_clock() -> None:
    assert retry_delay(1, {"retry-after": "Thu, 01 Jan 1970 00:00:30 GMT"}) == 0.0
