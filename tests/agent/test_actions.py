"""How each action of the machine is carried out."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, cast

import anyio
import pytest

from finalturn import (
    AgentResult,
    Capabilities,
    ConfigurationError,
    ContentPart,
    Message,
    ModelRequest,
    ModelSettings,
    SessionError,
    SessionHistory,
    StructuredOutputConfig,
    ToolCall,
    Usage,
    tool,
)
from finalturn._agent.actions import Performer
from finalturn._agent.contexts import TurnContexts
from finalturn._core.turn import (
    AskFinalize,
    CallModel,
    Decided,
    Finish,
    Finished,
    RunTools,
    Saved,
    SaveTurn,
    ToolReturned,
    ToolsFinished,
)
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.agent._parts import turn_of

pytestmark = pytest.mark.anyio

HI = Message.user("hi")
BLOCK = '<tool_call>{"name": "look", "arguments": {"order": "A"}}</tool_call>'
RESULT: AgentResult[Any] = AgentResult(
    message=None,
    content="",
    parsed=None,
    structured_status=None,
    structured_error=None,
    text="",
    messages=(HI,),
    tool_calls=(),
    usage=Usage(),
    model_calls=1,
    answer_call=None,
    stop_reason="completed",
)


@tool
def look(order: str) -> str:
    """Looks."""
    return f"saw {order}"


def performer(provider: Any = None, version: int = 0, **parts: Any) -> Performer:
    turn = turn_of(provider or Scripted(), **parts)
    return Performer(turn, version, TurnContexts(turn, Usage))


def asking(predicate: Any) -> Performer:
    config = StructuredOutputConfig(final_turn_only=True, should_finalize=predicate)
    return performer(structured_output=config)


class TestModelCalls:
    request = ModelRequest([HI], tools=(look.spec,))

    async def response(self, provider: Scripted, request: ModelRequest) -> Any:
        call = performer(provider, tools=[look]).call_model(CallModel(request))
        while type(item := await call.next()) is not Finished:
            pass
        await call.aclose()
        return item.response

    async def test_the_provider_is_sent_the_request_itself(self) -> None:
        provider = Scripted("hello")
        await self.response(provider, self.request)
        assert provider.requests == [self.request]

    async def test_the_provider_is_sent_what_it_can_take(self) -> None:
        provider = Scripted("hello", capabilities=Capabilities(native_tools=False))
        image = Message.user("see", ContentPart.image_url("https://example.org/a.png"))
        await self.response(provider, ModelRequest([image], tools=(look.spec,)))
        sent = provider.requests[0]
        assert sent.tools == ()
        assert not sent.messages[0].content_parts

    async def test_calls_are_looked_for_in_the_text_where_they_are_offered_in_it(self) -> None:
        provider = Scripted(BLOCK, capabilities=Capabilities(native_tools=False))
        found = await self.response(provider, self.request)
        assert found.tool_calls == (ToolCall("look", {"order": "A"}),)

    @pytest.mark.parametrize(
        ("capabilities", "request_"),
        [
            (Capabilities(), request),
            (Capabilities(native_tools=False), ModelRequest([HI])),
            (
                Capabilities(native_tools=False),
                ModelRequest([HI], tools=(look.spec,), settings=ModelSettings(tool_choice="none")),
            ),
        ],
        ids=["native", "synthesis", "forbidden"],
    )
    async def test_elsewhere_the_text_is_text(self, capabilities: Any, request_: ModelRequest) -> None:
        provider = Scripted(BLOCK, capabilities=capabilities)
        assert (await self.response(provider, request_)).content == BLOCK

    async def test_one_that_the_provider_makes_for_the_turn_answers_all_of_them(self) -> None:
        class Making(Scripted):
            made = 0

            def for_turn(self) -> Scripted:
                self.made += 1
                return answering

        answering, making = Scripted("one", "two"), Making()
        one = performer(making, tools=[look])
        for _ in range(2):
            call = one.call_model(CallModel(self.request))
            await call.next()
            await call.aclose()
        assert (making.made, len(making.requests), len(answering.requests)) == (1, 0, 2)

    async def test_what_the_provider_makes_for_the_turn_is_a_provider(self) -> None:
        class Making(Scripted):
            def for_turn(self) -> str:
                return "nobody"

        with pytest.raises(ConfigurationError, match=r"Making.for_turn\(\) returned a str"):
            performer(Making())


class TestTools:
    async def test_each_outcome_is_an_input_and_then_the_end(self) -> None:
        calls = (ToolCall("look", {"order": "A"}, "1"), ToolCall("nothing", {}, "2"))
        found = await performer(tools=[look]).perform(RunTools(calls, (HI,)))
        returned = [item.outcome for item in found if isinstance(item, ToolReturned)]
        assert [(one.index, one.failure) for one in returned] == [(0, None), (1, "unknown_tool")]
        assert returned[0].text == "saw A"
        assert found[-1] == ToolsFinished()
        assert len(found) == 3

    @pytest.mark.parametrize("parallel", [True, False])
    async def test_they_run_at_the_same_time_or_one_by_one(self, parallel: bool) -> None:
        running = most = 0

        @tool
        async def work() -> None:
            """Works."""
            nonlocal running, most
            running += 1
            most = max(most, running)
            await anyio.wait_all_tasks_blocked()
            running -= 1

        one = performer(tools=[work], parallel_tools=parallel)
        await one.perform(RunTools(tuple(ToolCall("work", {}, str(index)) for index in range(3)), (HI,)))
        assert most == (3 if parallel else 1)

    async def test_denials_are_remembered_for_the_turn(self) -> None:
        asked: list[ToolCall] = []

        class Gate:
            def check(self, call: ToolCall, messages: Sequence[Message], /) -> Any:
                asked.append(call)
                raise ValueError

        one = performer(tools=[look], gates=[Gate()])
        for number in range(2):
            await one.perform(RunTools((ToolCall("look", {"order": "A"}, str(number)),), (HI,)))
        assert len(asked) == 1


class TestThePredicate:
    async def test_it_gets_a_fresh_list_and_the_text(self) -> None:
        seen: list[Any] = []

        def predicate(messages: Sequence[Message], text: str) -> bool:
            seen.append((messages, text))
            cast("list[Message]", messages).clear()
            return True

        action = AskFinalize((HI,), "said")
        one = asking(predicate)
        assert await one.perform(action) == [Decided(True)]
        assert await one.perform(action) == [Decided(True)]
        assert action.messages == (HI,)
        assert [text for _, text in seen] == ["said", "said"]
        assert seen[0][0] is not seen[1][0]

    @pytest.mark.parametrize("answer", [True, False])
    async def test_it_may_be_asynchronous(self, answer: bool) -> None:
        async def predicate(messages: Sequence[Message], text: str) -> bool:
            return answer

        assert await asking(predicate).perform(AskFinalize((HI,), "")) == [Decided(answer)]

    @pytest.mark.parametrize("answer", [None, 1, "yes", []])
    async def test_it_gives_a_bool(self, answer: Any) -> None:
        with pytest.raises(TypeError, match=f"must give a bool, not {type(answer).__name__}"):
            await asking(lambda messages, text: answer).perform(AskFinalize((HI,), ""))  # pyright: ignore

    @pytest.mark.parametrize("error", [LookupError("mine"), KeyboardInterrupt()], ids=repr)
    async def test_what_it_raises_is_raised_unchanged(self, error: BaseException) -> None:
        def predicate(messages: Sequence[Message], text: str) -> bool:
            raise error

        with pytest.raises(type(error)) as caught:
            await asking(predicate).perform(AskFinalize((HI,), ""))
        assert caught.value is error


class Store:
    """A store that fails, or tells what it was given."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error
        self.appended: list[Any] = []

    def load(self, session: str, /) -> SessionHistory:
        return SessionHistory()

    async def append(self, session: str, messages: Sequence[Message], version: int, /) -> None:
        self.appended.append((session, messages, version))
        if self.error is not None:
            raise self.error


class TestSaving:
    @pytest.mark.parametrize("parts", [{}, {"session": "s"}, {"sessions": InMemorySessions()}])
    async def test_without_a_session_nothing_is_saved(self, parts: Any) -> None:
        assert await performer(**parts).perform(SaveTurn(RESULT)) == [Saved()]

    async def test_the_turns_messages_are_appended_to_the_version_it_started_from(self) -> None:
        store = Store()
        one = performer(version=7, sessions=store, session="s")
        assert await one.perform(SaveTurn(RESULT)) == [Saved()]
        assert store.appended == [("s", (HI,), 7)]

    async def test_a_synchronous_store_will_do(self) -> None:
        store = InMemorySessions()
        await performer(sessions=store, session="s").perform(SaveTurn(RESULT))
        assert store.load("s").messages == (HI,)

    async def test_a_session_error_gets_the_result(self) -> None:
        error = SessionError("conflict")
        with pytest.raises(SessionError, match="conflict") as caught:
            await performer(sessions=Store(error), session="s").perform(SaveTurn(RESULT))
        assert caught.value is error
        assert error.result is RESULT

    async def test_another_error_becomes_one(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG)
        cause = OSError("/secret/path")
        with pytest.raises(
            SessionError, match=r"could not be saved \(OSError\); it stands in .result$"
        ) as caught:
            await performer(sessions=Store(cause), session="s").perform(SaveTurn(RESULT))
        assert caught.value.result is RESULT
        assert caught.value.__cause__ is cause
        assert "/secret" not in caplog.text

    async def test_an_interrupt_of_the_store_is_raised_itself(self) -> None:
        with pytest.raises(KeyboardInterrupt):
            await performer(sessions=Store(KeyboardInterrupt()), session="s").perform(SaveTurn(RESULT))


async def test_what_is_not_carried_out_here_is_a_mistake_of_the_driver() -> None:
    for action in (Finish(RESULT), CallModel(ModelRequest([HI]))):
        with pytest.raises(AssertionError, match="is not carried out here"):
            await performer().perform(action)
