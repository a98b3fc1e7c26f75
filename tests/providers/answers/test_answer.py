"""What every vendor's answer keeps."""

from __future__ import annotations

import pytest

from finalturn import ProviderError, Usage
from finalturn._core.model import FinishReason
from finalturn._providers.answers.answer import BaseAnswer
from finalturn._providers.answers.usage import CHAT
from finalturn._providers.errors.failures import BrokeOffError


class PlainAnswer(BaseAnswer):
    def count(self, asked: int, answered: int) -> None:
        counts = {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}
        self._tokens.take(counts)

    def stop(self, reason: FinishReason) -> None:
        self._mark(reason)


def test_the_first_failure_that_says_why_counts_and_has_the_usage_so_far() -> None:
    answer = PlainAnswer(CHAT, None)
    answer.count(3, 4)
    why, later = ProviderError("why"), ProviderError("later")
    for failure in (BrokeOffError(), why, later):
        answer.fail(failure)
    assert answer.failure is why
    assert why.usage == Usage(input_tokens=3, output_tokens=4, total_tokens=7)
    assert answer.ending.failed


@pytest.mark.parametrize(
    ("reasons", "kept"),
    [(("stop",), "stop"), (("stop", "length"), "length"), (("length", "stop"), "length")],
)
def test_a_reason_that_says_more_than_stop_stays(reasons: tuple[FinishReason, ...], kept: str) -> None:
    answer = PlainAnswer(CHAT, None)
    for reason in reasons:
        answer.stop(reason)
    assert answer.reason == kept
    assert answer.ending.marked
