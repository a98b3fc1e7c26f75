"""How long to wait before asking again."""

from __future__ import annotations

import pytest

from finalturn._providers.http.transport import LONGEST_DELAY, LONGEST_WAIT, retry_delay


def test_without_a_wish_of_the_provider_the_delay_doubles_up_to_a_limit() -> None:
    for attempt, longest in ((1, 0.5), (2, 1.0), (3, 2.0), (9, LONGEST_DELAY)):
        delays = {retry_delay(attempt, None) for _ in range(50)}
        assert all(delay is not None and longest / 2 <= delay <= longest for delay in delays)
        assert len(delays) > 1


@pytest.mark.parametrize(
    ("asked", "delay"), [(0.0, 0.0), (0.25, 0.25), (LONGEST_WAIT, LONGEST_WAIT), (LONGEST_WAIT + 1, None)]
)
def test_what_the_provider_wishes_counts(asked: float, delay: float | None) -> None:
    assert retry_delay(5, asked) == delay
