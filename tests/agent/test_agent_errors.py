"""What a user's code raises in a turn, on every surface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from anyio import to_thread

from finalturn import (
    Agent,
    Denial,
    Message,
    StructuredOutputConfig,
    ToolCall,
    tool,
)
from finalturn.providers import Scripted
from tests.agent._parts import Ticket
from tests.agent._surfaces import by_run, by_stream, on_every_surface

pytestmark = pytest.mark.anyio


class Mine(Exception):
    pass


def raise_mine(*given: Any) -> Any:
    raise Mine


async def raise_mine_later(*given: Any) -> Any:
    raise Mine


class TestExceptions:
    @on_every_surface
    @pytest.mark.parametrize("fail", [raise_mine, raise_mine_later])
    @pytest.mark.parametrize("where", ["system_prompt", "context", "predicate", "provider"])
    async def test_of_the_users_code_are_raised_unchanged(self, drive: Any, fail: Any, where: str) -> None:
        class Provider:
            complete = staticmethod(fail)

        script = Scripted("hm")
        parts: dict[str, Any] = {
            "system_prompt": {"system_prompt": fail},
            "context": {"context": ["a", fail]},
            "predicate": {
                "structured_output": StructuredOutputConfig(final_turn_only=True, should_finalize=fail),
                "response_format": Ticket,
            },
            "provider": {},
        }[where]
        make: Any = Agent
        agent = make(Provider() if where == "provider" else script, **parts)
        with pytest.raises(Mine):
            await drive(agent, "go")
        assert script.open == 0
        assert len(script.requests) == (1 if where == "predicate" else 0)

    @on_every_surface
    async def test_of_tools_and_gates_are_told_to_the_model(self, drive: Any) -> None:
        class Gate:
            def check(self, call: ToolCall, messages: Sequence[Message], /) -> Denial | None:
                if call.name == "guarded":
                    raise Mine
                return None

        failing = tool(name="failing")(raise_nothing)
        guarded = tool(name="guarded")(raise_nothing)
        script = Scripted([Scripted.call("failing"), Scripted.call("guarded")], "done")
        result = await drive(Agent(script, tools=[failing, guarded], gates=[Gate()]), "go")
        results = [message for message in result.messages if message.role == "tool"]
        assert [message.tool_result for message in results] == [None, None]
        assert result.content == "done"

    @pytest.mark.parametrize("drive", [by_run, by_stream], ids=["run", "stream"])
    @pytest.mark.parametrize("asynchronous", [True, False])
    async def test_an_interrupt_of_a_tool_is_raised_itself_and_the_next_turn_runs(
        self, drive: Any, asynchronous: bool
    ) -> None:
        def interrupt() -> None:
            """Interrupts."""
            raise KeyboardInterrupt

        async def interrupt_async() -> None:
            """Interrupts."""
            raise KeyboardInterrupt

        caught: list[BaseException] = []

        async def turn() -> None:
            # An interrupt that leaves a thread would end the test run.
            def guarded() -> None:
                script = Scripted(Scripted.call("act"))
                act = tool(name="act")(interrupt_async if asynchronous else interrupt)
                agent = Agent(script, tools=[act])
                try:
                    agent.run("go") if drive is by_run else list(agent.stream("go"))
                except KeyboardInterrupt as error:
                    caught.append(error)

            await to_thread.run_sync(guarded)

        await turn()
        assert [type(error) for error in caught] == [KeyboardInterrupt]
        assert (await drive(Agent(Scripted("fine")), "go")).content == "fine"


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_an_interrupt_of_one_of_several_tools_comes_alone(backend: str) -> None:
    """In no group, and with the other tools stopped."""
    stopped: list[str] = []

    @tool
    async def interrupt() -> None:
        """Interrupts."""
        await anyio.wait_all_tasks_blocked()
        raise KeyboardInterrupt

    @tool
    async def wait() -> None:
        """Waits."""
        try:
            await anyio.sleep_forever()
        finally:
            stopped.append("stopped")

    calls = [Scripted.call("wait"), Scripted.call("interrupt"), Scripted.call("wait")]
    agent = Agent(Scripted(calls), tools=[interrupt, wait])
    with pytest.raises(KeyboardInterrupt):
        anyio.run(agent.arun, "go", backend=backend)
    assert stopped == ["stopped", "stopped"]


def raise_nothing() -> None:
    """Fails."""
    raise Mine
