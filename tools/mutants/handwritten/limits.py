"""Mutants of what a turn may use, and of how it ends when it has used that."""

from finalturn import ProviderError
from finalturn._core.turn import Failed, LimitReached
from tools.mutants._handwritten import handwritten

METER = "finalturn._agent.meter:Meter"


@handwritten("limits-end-cleanly", at=f"{METER}._spent")
def a_turn_may_make_one_request_more(run, self):
    reached = run(self)
    return None if reached == "requests" and self._requests == self._limits.requests else reached


@handwritten("limits-end-cleanly", at=f"{METER}._spent")
def a_turn_may_use_any_number_of_tokens(run, self):
    reached = run(self)
    return reached if reached == "requests" else None


@handwritten("limits-end-cleanly", at=f"{METER}.forbids_tool_calls")
def the_last_batch_may_pass_the_limit(run, self, calls):
    return run(self, min(calls, 1))


@handwritten("limits-end-cleanly", at=f"{METER}.forbids_tool_calls")
def the_last_tools_that_are_allowed_do_not_run(run, self, calls):
    return run(self, calls + 1)


@handwritten("limits-end-cleanly", at="finalturn._adapters.in_time:in_time")
async def what_is_under_way_may_take_its_time(run, deadline, work):
    return await run(None, work)


@handwritten("limits-end-cleanly", at="finalturn._agent.driver:Driver._feed")
def a_limit_is_an_error(run, self, item):
    run(self, Failed(ProviderError("time is up")) if isinstance(item, LimitReached) else item)
