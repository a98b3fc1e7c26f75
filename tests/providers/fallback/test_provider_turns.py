"""Turns of agents whose provider is a `Fallback`, on every driver."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from finalturn import (
    Agent,
    Capabilities,
    ModelRequest,
    ModelResponse,
    ProviderError,
    ProviderSwitch,
    ToolCall,
    Usage,
    tool,
)
from finalturn.providers import Fallback, OpenAIChat, Scripted
from finalturn.testing import HttpAnswer, ScriptedServer
from tests.contract._drivers import CHUNK_DRIVERS, TOKEN_DRIVERS
from tests.contract._observed import Observed
from tests.contract._scenes import ANSWER, FINAL, LOOKUP, Ticket, lookup
from tests.providers._fallback import KINDS, SPENT, Kind, Named, Nobody, down

DRIVERS = {**CHUNK_DRIVERS, **TOKEN_DRIVERS}
KEY = "sk-SENTINEL"


@pytest.fixture(params=DRIVERS)
def drive(request: pytest.FixtureRequest) -> Callable[..., Observed]:
    """Plays a turn of an agent of these providers."""

    def run(*providers: Any, given: Any = "Where is my order?", **parts: Any) -> Observed:
        observed = Observed()
        agent: Agent[Any] = Agent(Fallback(*providers), **parts)
        try:
            DRIVERS[request.param](agent, given, {}, observed)
        except Exception as error:
            observed.fails(error)
        return observed

    return run


def chat(server: ScriptedServer, *, max_retries: int = 0) -> OpenAIChat:
    return OpenAIChat("m", base_url=server.url, api_key=KEY, max_retries=max_retries)


def switched(observed: Observed) -> list[tuple[int, str, str]]:
    return [(one.call, one.from_provider, one.to_provider) for one in observed.result.switches]


Drive = Callable[..., Observed]


class TestSwitching:
    def test_is_not_done_while_the_first_works(self, drive: Drive) -> None:
        for name, kind in KINDS.items():
            observed = drive(kind(Scripted("Hello", usage=SPENT)), Nobody())
            assert (observed.content, observed.result.switches) == ("Hello", ()), name
            assert observed.result.usage == SPENT, name

    @pytest.mark.parametrize("name", KINDS)
    def test_is_done_when_it_fails_before_anything(self, drive: Drive, name: str) -> None:
        for answer in (down(retryable=True), [LOOKUP, down()], [LOOKUP, Scripted.CUT]):
            self._expect_a_switch(drive, KINDS[name], answer)

    def _expect_a_switch(self, drive: Drive, kind: Kind, answer: Any) -> None:
        first, second = Named("a", answer), Named("b", ["Hel", "lo"])
        observed = drive(kind(first), kind(second), tools=[lookup])
        assert observed.content == "Hello"
        assert len(observed.result.switches) == 1
        assert observed.result.tool_calls == ()
        assert len(observed.result.messages) == 2
        assert (first.open, len(first.requests), len(second.requests)) == (0, 1, 1)

    def test_says_who_failed_and_why(self, drive: Drive) -> None:
        observed = drive(Named("a", down("no credit", status=402, code="credit")), Named("b", "Hello"))
        assert observed.result.switches == (ProviderSwitch(0, "a", "b", "no credit", 402, "credit"),)

    def test_goes_from_one_kind_to_another(self, drive: Drive) -> None:
        sync = Named("b", down()).whole_reply(sync=True)
        last = Named("c", ModelResponse("Hello", "hm")).whole_reply()
        observed = drive(Named("a", Scripted.CUT), sync, last)
        assert observed.content == observed.result.content == "Hello"
        assert len(observed.result.switches) == 2

    def test_is_not_done_for_other_exceptions(self, drive: Drive) -> None:
        for name, kind in KINDS.items():
            error = LookupError("mine")
            assert drive(kind(Scripted(error)), Nobody()).error is error, name


class TestAfterSomethingWasShown:
    @pytest.mark.parametrize("stream", ["streaming", "sync-stream"])
    def test_the_failure_is_the_turn_s(self, drive: Drive, stream: str) -> None:
        for start in ("half", Scripted.reasoning("hm"), " "):
            for end in (down("it broke"), Scripted.CUT):
                first = Scripted([start, end])
                observed = drive(KINDS[stream](first), Nobody())
                assert isinstance(observed.error, ProviderError), (start, end)
                assert "broke" in str(observed.error), (start, end)
                assert observed.error.switches == ()
                assert observed.content == (start if isinstance(start, str) else "")
                assert first.open == 0

    def test_it_says_who_failed_before(self, drive: Drive) -> None:
        observed = drive(Named("a", down(usage=SPENT)), Scripted(["half", down("it broke")]), Nobody())
        assert isinstance(observed.error, ProviderError)
        assert str(observed.error) == "it broke"
        assert [one.from_provider for one in observed.error.switches] == ["a"]
        assert observed.error.usage == SPENT + Usage(unreported_calls=1)
        assert observed.content == "half"


class TestCallsOfABrokenAnswer:
    def test_do_not_run_and_are_not_shown(self, drive: Drive) -> None:
        ran: list[str] = []

        @tool
        def act(what: str) -> str:
            """Acts."""
            ran.append(what)
            return "done"

        first = Scripted(
            [Scripted.call("act", {"what": "half"}), Scripted.call("act", {"what": "broken"}), down()]
        )
        second = Scripted([Scripted.call("act", {"what": "whole"})], "Done.")
        observed = drive(first, second, tools=[act])
        assert ran == ["whole"]
        assert [call.arguments for call in observed.result.tool_calls] == [{"what": "whole"}]
        if observed.seen is not None:
            calls = [call for chunk in observed.seen for call in chunk.tool_calls]
            assert [call.arguments for call in calls] == [{"what": "whole"}]


class TestATurn:
    def test_stays_with_the_one_that_it_came_to(self, drive: Drive) -> None:
        """It switches in its second call, and makes its third and its synthesis there."""
        first = Named("a", ["Look. ", LOOKUP], down(), then=AssertionError("it is asked again"))
        second = Named("b", [LOOKUP], "It is on its way.", ANSWER)
        observed = drive(
            first, second, Nobody(), tools=[lookup], response_format=Ticket, structured_output=FINAL
        )
        assert observed.result.structured_status == "ok"
        assert observed.content == "Look. It is on its way."
        assert switched(observed) == [(1, "a", "b")]
        assert observed.result.model_calls == 4
        assert (len(first.requests), [one.call for one in second.requests]) == (2, [1, 2, 3])

    def test_may_switch_more_than_once(self, drive: Drive) -> None:
        providers = Named("a", [LOOKUP], down()), Named("b", [LOOKUP], down()), Named("c", "Done.")
        observed = drive(*providers, tools=[lookup])
        assert switched(observed) == [(1, "a", "b"), (2, "b", "c")]
        assert [one.call for one in providers[2].requests] == [2]

    def test_begins_with_the_first_again(self, drive: Drive) -> None:
        first, second = Named("a", down(), "back"), Named("b", "Hello")
        assert drive(first, second).content == "Hello"
        assert drive(first, second).content == "back"

    def test_counts_what_the_failed_have_used(self, drive: Drive) -> None:
        for name, kind in KINDS.items():
            first = Scripted([LOOKUP, Usage(1)], down(usage=SPENT))
            second = Scripted(["Done.", Usage(2)])
            observed = drive(kind(first), kind(second), tools=[lookup])
            assert observed.result.usage == Usage(3) + SPENT, name

    def test_counts_each_call_that_reported_nothing_once(self, drive: Drive) -> None:
        assert drive(Scripted(down()), Scripted("Hello")).result.usage == Usage(unreported_calls=2)
        observed = drive(Scripted(down(usage=SPENT)), Scripted("Hello"))
        assert observed.result.usage == SPENT + Usage(unreported_calls=1)


class TestAllFail:
    def test_the_turn_fails_with_the_reasons(self, drive: Drive) -> None:
        for kind in KINDS.values():
            self._expect_the_reasons(drive, kind)

    def _expect_the_reasons(self, drive: Drive, kind: Kind) -> None:
        first = Named("a", [LOOKUP, Usage(1)], down(usage=SPENT))
        last = Named("b", down("gone", retryable=True, usage=Usage(2)))
        observed = drive(kind(first), kind(last), tools=[lookup])
        error = observed.error
        assert isinstance(error, ProviderError)
        assert str(error) == "all 2 providers that were tried failed; the last: gone"
        assert error.retryable
        assert [(one.call, one.reason) for one in error.switches] == [(1, "it is down")]
        assert (error.detail or "").count("\n") == 1
        assert error.usage == Usage(3) + SPENT
        assert observed.results == []


class TestNested:
    def test_each_keeps_its_place(self, drive: Drive) -> None:
        inner = Fallback(Named("a", down()), Named("b", [LOOKUP], down("gone")))
        outer = Named("c", "Done.")
        observed = drive(inner, outer, tools=[lookup])
        assert switched(observed) == [(0, "a", "b"), (1, "Fallback(a, b)", "c")]
        assert [one.reason for one in observed.result.switches] == ["it is down", "gone"]
        assert [one.call for one in outer.requests] == [1]

    def test_all_of_the_inner_may_fail_at_once(self, drive: Drive) -> None:
        inner = Fallback(Named("a", down(usage=SPENT)), Named("b", down("gone", usage=SPENT)))
        observed = drive(inner, Named("c", ["Done.", Usage(1)]))
        assert switched(observed) == [(0, "a", "b"), (0, "Fallback(a, b)", "c")]
        assert observed.result.switches[1].reason.endswith(
            "2 providers that were tried failed; the last: gone"
        )
        assert observed.result.usage == SPENT + SPENT + Usage(1)

    def test_a_whole_reply_within_stays_what_it_is(self, drive: Drive) -> None:
        broken = ModelResponse(tool_calls=(ToolCall("lookup", {}, "c", "it is malformed in its own way"),))

        class Whole:
            answers = iter([broken, ModelResponse("Done.")])

            def complete(self, request: ModelRequest, /) -> ModelResponse:
                return next(self.answers)

        observed = drive(Named("a", down()), Fallback(Whole()), tools=[lookup])
        assert observed.result.content == "Done."
        assert observed.result.tool_calls == broken.tool_calls
        assert switched(observed) == [(0, "a", "Fallback(Whole)")]


class TestCapabilities:
    def test_all_are_asked_for_what_all_can_do(self, drive: Drive) -> None:
        """The second cannot call tools natively, so both are asked in text."""
        block = '<tool_call>{"name": "lookup", "arguments": {"order": "A1"}}</tool_call>'
        first, second = (
            Scripted(down()),
            Scripted(block, "Done.", capabilities=Capabilities(native_tools=False)),
        )
        observed = drive(first, second, tools=[lookup])
        assert observed.content == "Done."
        assert [call.name for call in observed.result.tool_calls] == ["lookup"]
        assert first.requests[0].tools == second.requests[0].tools == ()


class TestOverHttp:
    def test_an_error_of_the_server_goes_to_the_next_after_its_own_retries(self, drive: Drive) -> None:
        slow = HttpAnswer(503, {"error": {"message": "busy", "code": "overloaded"}}, {"retry-after-ms": "1"})
        with ScriptedServer(then=slow) as bad, ScriptedServer(["Hel", "lo"]) as good:
            observed = drive(chat(bad, max_retries=2), chat(good))
            assert len(bad.requests) == 3
        (switch,) = observed.result.switches
        assert observed.content == "Hello"
        assert (switch.status, switch.code, switch.from_provider) == (503, "overloaded", "OpenAIChat m (1)")

    def test_an_error_that_no_retry_helps_goes_to_the_next(self, drive: Drive) -> None:
        for status in (400, 401, 404):
            with ScriptedServer(HttpAnswer(status)) as bad, ScriptedServer("Hello") as good:
                observed = drive(chat(bad), chat(good))
            assert [one.status for one in observed.result.switches] == [status]

    @pytest.mark.parametrize("end", [Scripted.CUT, ScriptedServer.DROP], ids=["cut", "drop"])
    def test_an_answer_that_breaks_off(self, drive: Drive, end: Any) -> None:
        """In its calls it is handed on; in its text it is not."""
        with ExitStack() as stack:
            bad = stack.enter_context(ScriptedServer([LOOKUP, end], ["half", end]))
            good = stack.enter_context(ScriptedServer("Hello"))
            handed_on = drive(chat(bad), chat(good), tools=[lookup])
            broken = drive(chat(bad), chat(good), tools=[lookup])
            assert len(good.requests) == 1
        assert handed_on.content == "Hello"
        assert (broken.content, type(broken.error)) == ("half", ProviderError)

    def test_a_server_that_is_not_there(self, drive: Drive) -> None:
        nowhere = OpenAIChat("m", base_url="http://127.0.0.1:1/v1", api_key=KEY, max_retries=0)
        with ScriptedServer("Hello") as good:
            observed = drive(nowhere, chat(good))
        assert observed.content == "Hello"
        assert observed.result.switches[0].reason == (
            "the provider could not be reached: nothing listens at 127.0.0.1:1; is the server running?"
        )

    def test_a_key_is_in_no_switch_and_in_no_error(
        self, drive: Drive, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level("DEBUG", "finalturn")
        echo = HttpAnswer(401, {"error": {"message": f"bad key {KEY}", "code": KEY, "type": KEY}})
        with ScriptedServer(echo, echo) as bad, ScriptedServer("Hello") as good:
            fine = drive(chat(bad), chat(good))
            failed = drive(chat(bad), Scripted(down()))
        assert isinstance(failed.error, ProviderError)
        said = repr(fine.result.switches), repr(failed.error.switches), str(failed.error), failed.error.detail
        assert not any("SENTINEL" in str(text) for text in said)
        assert "SENTINEL" not in caplog.text


def test_requests_are_the_same_for_all(drive: Drive) -> None:
    first, second = Scripted(down()), Scripted("Hello")
    drive(first, second, tools=[lookup], system_prompt="Be brief.")
    request: ModelRequest = first.requests[0]
    assert second.requests == [request]
    assert request.system == "Be brief."
