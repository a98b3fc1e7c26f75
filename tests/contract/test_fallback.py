"""Turns of a `Fallback`: what it does is the same on every surface, and said on the result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from finalturn import ProviderError, Usage
from finalturn.contract import NO_DOUBLED_TEXT, SURFACE_PARITY, USAGE_COMPLETE
from finalturn.providers import Fallback, Scripted
from tests.contract._model import Model
from tests.contract._play import Play
from tests.contract._proves import SHOWING, proves
from tests.contract._scenes import ANSWER, FINAL, Ticket

SPENT = Usage(input_tokens=5, output_tokens=3, total_tokens=8)


def down() -> ProviderError:
    """A failure of its own for each turn, as it takes down what the turn had used."""
    return ProviderError("it is down", status=503, retryable=True)


@dataclass
class WithOthers:
    """A model with other providers before it, and behind it."""

    inner: Model
    before: tuple[Any, ...] = ()
    behind: tuple[Any, ...] = ()

    @property
    def provider(self) -> Any:
        return Fallback(*self.before, self.inner.provider, *self.behind)

    @property
    def requests(self) -> Any:
        return self.inner.requests

    @property
    def under_way(self) -> int:
        return self.inner.under_way

    @property
    def abandoned(self) -> int:
        return self.inner.abandoned

    def wait_until(self, condition: Callable[[], bool]) -> None:
        self.inner.wait_until(condition)


@proves(SURFACE_PARITY, USAGE_COMPLETE)
def test_each_switch_of_a_turn_is_on_its_result(play: Play) -> None:
    first, second = Scripted(down()), Scripted([SPENT, "Hello"], down())
    with play.model([SPENT, ANSWER]) as model:
        observed = play.turn(WithOthers(model, (first, second)), response_format=Ticket, config=FINAL)
    result = observed.result
    assert observed.content == "Hello"
    assert result.structured_status == "ok"
    # Which providers an agent has is nothing that a client is told.
    switches = [] if play.over_http else [(0, 503), (1, 503)]
    assert [(one.call, one.status) for one in result.switches] == switches
    # Two providers failed, and said nothing of what that took.
    assert result.usage == SPENT + SPENT + Usage(unreported_calls=2)
    assert result.model_calls == 2


@proves(NO_DOUBLED_TEXT, drivers=SHOWING, kinds=["streaming", "sync-stream", "http"])
@pytest.mark.parametrize("begun", ["Hel", ".", Scripted.reasoning("Hm.")], ids=repr)
def test_no_other_provider_goes_on_with_what_was_shown(play: Play, begun: Any) -> None:
    with play.model([begun, down()]) as model:
        later = Scripted("Hello")
        observed = play.turn(WithOthers(model, behind=(later,)))
    assert observed.content == (begun if isinstance(begun, str) else "")
    assert observed.is_failed_by_provider
    assert later.requests == []
