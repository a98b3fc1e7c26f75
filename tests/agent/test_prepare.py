"""What is done once, before the first model call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import TypeAdapter

from finalturn import (
    Capabilities,
    ConfigurationError,
    Message,
    SessionError,
    SessionHistory,
    StructuredOutputConfig,
    Usage,
    tool,
)
from finalturn._agent.contexts import TurnContexts
from finalturn._agent.prepare import evaluate, load_session, prepare
from finalturn._agent.spec import TurnSpec
from finalturn._core.turn import Mode, TurnSetup
from finalturn._response_format import output_of
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.agent._parts import FINAL, Ticket, turn_of

pytestmark = pytest.mark.anyio

TICKET = output_of(Ticket)
LIST = output_of(TypeAdapter(list[int]))
COMBINED = Capabilities(native_schema=True, native_schema_with_tools=True)
ALONE = Capabilities(native_schema=True)
NOTHING = Capabilities()


async def prepared(turn: TurnSpec) -> tuple[TurnSetup, int]:
    """The turn's setup, and the version of its session."""
    prepared = await prepare(turn, TurnContexts(turn, Usage))
    assert prepared.version is not None
    return prepared.setup, prepared.version


@tool
def look(order: str) -> str:
    """Looks."""
    return order


class Store:
    """A store that loads whatever it is told to."""

    def __init__(self, found: Any) -> None:
        self.found = found

    def load(self, session: str, /) -> Any:
        if isinstance(self.found, BaseException):
            raise self.found
        return self.found

    def append(self, session: str, messages: Sequence[Message], version: int, /) -> None:
        raise AssertionError("nothing is saved here")


class TestTexts:
    async def test_a_text_is_itself(self) -> None:
        assert await evaluate("a", "system_prompt") == "a"

    async def test_a_callable_gives_one(self) -> None:
        async def later() -> str:
            return "later"

        assert await evaluate(lambda: "now", "system_prompt") == "now"
        assert await evaluate(later, "system_prompt") == "later"

    async def test_what_it_gives_is_a_text(self) -> None:
        async def later() -> int:
            return 7

        with pytest.raises(ConfigurationError, match=r"context\[1\] gave an int; it must give a str"):
            await evaluate(later, "context[1]")
        with pytest.raises(ConfigurationError, match="system_prompt gave None"):
            await evaluate(lambda: None, "system_prompt")

    async def test_what_it_raises_is_raised_unchanged(self) -> None:
        error = LookupError("mine")

        def fail() -> str:
            raise error

        with pytest.raises(LookupError, match="mine") as caught:
            await evaluate(fail, "system_prompt")
        assert caught.value is error

    async def test_each_is_evaluated_once_and_empty_ones_are_left_out(self) -> None:
        asked: list[str] = []

        def give(text: str) -> Any:
            def evaluated() -> str:
                asked.append(text)
                return text

            return evaluated

        turn = turn_of(Scripted(), system_prompt=give("be kind"), context=["a", give(""), give("b")])
        setup, _ = await prepared(turn)
        assert asked == ["be kind", "", "b"]
        assert setup.system == "be kind"
        assert setup.injections == (Message.system("a"), Message.system("b"))


class TestSession:
    async def test_without_one_nothing_is_loaded(self) -> None:
        store = Store(AssertionError("it was loaded"))
        assert await load_session(turn_of(Scripted(), sessions=store)) == SessionHistory()
        assert await load_session(turn_of(Scripted(), session="s")) == SessionHistory()

    async def test_its_messages_come_before_the_callers(self) -> None:
        store = InMemorySessions()
        store.append("s", [Message.user("first"), Message.assistant("one")], 0)
        given = [Message.system("note"), Message.user("second")]
        setup, version = await prepared(turn_of(Scripted(), given, sessions=store, session="s"))
        assert version == 1
        assert [message.content for message in setup.history] == ["first", "one", "note"]
        assert setup.user == (Message.user("second"),)

    async def test_an_empty_one_leaves_the_callers_history(self) -> None:
        given = [Message.assistant("hello"), Message.user("hi")]
        turn = turn_of(Scripted(), given, sessions=InMemorySessions(), session="s")
        setup, version = await prepared(turn)
        assert (setup.history, version) == ((Message.assistant("hello"),), 0)

    async def test_a_stores_own_error_is_raised_unchanged(self) -> None:
        error = SessionError("locked")
        with pytest.raises(SessionError, match="locked") as caught:
            await prepared(turn_of(Scripted(), sessions=Store(error), session="s"))
        assert caught.value is error

    async def test_another_error_is_a_session_error_that_says_nothing_of_its_text(self) -> None:
        cause = OSError("/secret/path")
        with pytest.raises(SessionError, match=r"could not be loaded \(OSError\)$") as caught:
            await prepared(turn_of(Scripted(), sessions=Store(cause), session="s"))
        assert caught.value.__cause__ is cause
        assert caught.value.result is None

    async def test_what_is_no_exception_to_be_caught_passes(self) -> None:
        with pytest.raises(KeyboardInterrupt):
            await prepared(turn_of(Scripted(), sessions=Store(KeyboardInterrupt()), session="s"))

    @pytest.mark.parametrize(
        ("found", "problem"),
        [
            (None, r"load\(\) returned None; it must return a SessionHistory"),
            ([Message.user("hi")], r"load\(\) returned a list"),
            (
                SessionHistory(({"role": "user"},)),  # type: ignore[arg-type]  # pyright: ignore
                r"messages\[0\] of the loaded session is a dict",
            ),
        ],
    )
    async def test_what_it_loads_is_a_history(self, found: Any, problem: str) -> None:
        with pytest.raises(SessionError, match=problem):
            await prepared(turn_of(Scripted(), sessions=Store(found), session="s"))


class TestModes:
    @pytest.mark.parametrize(
        ("output", "config", "mode"),
        [
            (None, FINAL, Mode.PLAIN),
            (TICKET, StructuredOutputConfig(), Mode.DEFAULT),
            (TICKET, FINAL, Mode.FINAL_TURN),
        ],
    )
    async def test_the_mode(self, output: Any, config: StructuredOutputConfig, mode: Mode) -> None:
        setup, _ = await prepared(turn_of(Scripted(), output=output, structured_output=config))
        assert (setup.mode, setup.output) == (mode, output)

    @pytest.mark.parametrize(
        ("capabilities", "tools", "output", "native", "loop", "synthesis"),
        [
            (NOTHING, [], TICKET, True, False, False),
            (ALONE, [], TICKET, True, True, True),
            (ALONE, [], TICKET, False, False, False),
            (ALONE, [look], TICKET, True, False, True),
            (COMBINED, [look], TICKET, True, True, True),
            (COMBINED, [look], LIST, True, True, True),
            (Capabilities(native_schema=True, native_schema_any_root=True), [], LIST, True, True, True),
        ],
    )
    async def test_where_the_schema_is_sent_natively(
        self, capabilities: Any, tools: Any, output: Any, native: bool, loop: bool, synthesis: bool
    ) -> None:
        for final in (False, True):
            config = StructuredOutputConfig(
                final_turn_only=final, single_pass=final and native, native=native
            )
            provider = Scripted(capabilities=capabilities)
            turn = turn_of(provider, output=output, tools=tools, structured_output=config)
            setup, _ = await prepared(turn)
            assert (setup.native_loop, setup.native_synthesis) == (loop, synthesis)
            assert setup.single_pass is (final and loop)

    async def test_final_turn_only_alone_keeps_it_out_of_the_loop(self) -> None:
        turn = turn_of(Scripted(capabilities=COMBINED), output=TICKET, structured_output=FINAL)
        setup, _ = await prepared(turn)
        assert (setup.native_loop, setup.native_synthesis, setup.single_pass) == (False, True, False)

    async def test_json_is_held_where_content_is_shown(self) -> None:
        config = StructuredOutputConfig(final_turn_only=True, hold_json=True, single_pass=True)
        held, _ = await prepared(turn_of(Scripted(), output=TICKET, structured_output=config))
        assert (held.hold, held.single_pass) == (True, False)
        hidden, _ = await prepared(
            turn_of(Scripted(capabilities=COMBINED), output=TICKET, structured_output=config)
        )
        assert (hidden.hold, hidden.single_pass) == (False, True)
        plain, _ = await prepared(turn_of(Scripted(), structured_output=config))
        assert plain.hold is False

    async def test_the_rest_of_the_agent(self) -> None:
        config = StructuredOutputConfig(
            final_turn_only=True,
            reuse_loop_answer=False,
            should_finalize=lambda messages, text: True,
            max_validation_retries=5,
        )
        turn = turn_of(Scripted(), output=TICKET, tools=[look], structured_output=config, max_iterations=3)
        setup, version = await prepared(turn)
        assert (setup.reuse, setup.asks, setup.max_retries, setup.max_iterations) == (False, True, 5, 3)
        assert setup.tools == (look.spec,)
        assert (setup.settings, version) == (turn.agent.settings, 0)
