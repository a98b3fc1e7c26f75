"""Batches of calls: what each outcome is, and what a batch promises as a whole."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

import anyio
import pytest

from finalturn._core.errors import ToolError
from finalturn._core.messages import Message, ToolCall
from finalturn._core.protocols import Denial, ToolGate
from finalturn._core.tool_outcome import ToolFailure, ToolOutcome
from finalturn._tools import Tool, tool
from finalturn._tools.run import MOST_AT_A_TIME, ToolRunner
from tests.tools._contexts import contexts

pytestmark = pytest.mark.anyio
SHORT = 0.01
user: ContextVar[str] = ContextVar("user")


@tool
def echo(text: str = "") -> str:
    return text


@tool
async def later(text: str) -> dict[str, str]:
    await anyio.lowlevel.checkpoint()
    return {"text": text}


def runner(*tools: Tool[..., Any], gates: Sequence[ToolGate] = (), parallel: bool = True) -> ToolRunner:
    return ToolRunner({item.name: item for item in tools}, gates, contexts(), parallel=parallel)


async def run(
    calls: Sequence[ToolCall], *tools: Tool[..., Any], gates: Sequence[ToolGate] = (), parallel: bool = True
) -> list[ToolOutcome]:
    return await runner(*tools, gates=gates, parallel=parallel).run(calls, ())


async def run_one(item: Tool[..., Any], **arguments: Any) -> ToolOutcome:
    return (await run([ToolCall(item.name, arguments)], item))[0]


both_ways = pytest.mark.parametrize("parallel", [True, False])


@both_ways
async def test_outcomes_are_in_call_order(parallel: bool) -> None:
    calls = [
        ToolCall("echo", {"text": "a"}),
        ToolCall("gone"),
        ToolCall("later", {"text": "b"}),
        ToolCall("echo", error="its arguments were cut"),
        ToolCall("echo", {"text": 1}),
        ToolCall("echo"),
    ]
    found = await run(calls, echo, later, parallel=parallel)
    assert [(item.index, item.failure) for item in found] == [
        (0, None), (1, "unknown_tool"), (2, None), (3, "arguments"), (4, "arguments"), (5, None)
    ]  # fmt: skip
    assert [found[0].text, found[2].text, found[5].text] == ["a", '{"text":"b"}', ""]


async def test_an_empty_batch() -> None:
    assert await run([]) == []


async def test_a_malformed_call() -> None:
    found = await run([ToolCall("gone", error="the arguments are not a JSON object")], echo)
    assert found == [
        ToolOutcome(
            0,
            "This call was not run: the arguments are not a JSON object. Call the tool again, with its "
            "arguments as one JSON object.",
            "arguments",
        )
    ]


async def test_an_unknown_tool() -> None:
    found = await run([ToolCall("gone"), ToolCall("")], echo, later)
    assert [item.text for item in found] == [
        'There is no tool named "gone". The tools are: echo, later.',
        'There is no tool named "". The tools are: echo, later.',
    ]
    found = await run([ToolCall("gone" * 100)])
    assert found[0].text.endswith(": there are no tools.")
    assert len(found[0].text) < 200


async def test_arguments_that_do_not_fit() -> None:
    found = await run([ToolCall("later", {"txt": "a\ud800"}), ToolCall("nothing", {"a": 1})], later, nothing)
    assert [item.text for item in found] == [
        "This call was not run, because its arguments do not fit the tool later:\n"
        "- text: is missing\n- txt: is not an argument of this tool\nIts arguments are: text.",
        "This call was not run, because its arguments do not fit the tool nothing:\n"
        "- a: is not an argument of this tool\nIts arguments are: none.",
    ]


@tool
def nothing() -> None:
    return None


async def test_an_empty_result_is_a_success() -> None:
    assert await run_one(nothing) == ToolOutcome(0, "")


async def test_text_that_looks_like_an_error_is_a_success() -> None:
    assert await run_one(echo, text="Error: x") == ToolOutcome(0, "Error: x")


class Stop(BaseException):
    pass


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ToolError("No such order."), "No such order."),
        (ValueError("bad \ud800"), "ValueError: bad \ufffd"),
        (SystemExit(2), "SystemExit: 2"),
        (GeneratorExit(), "GeneratorExit"),
        (asyncio.CancelledError("mine"), "CancelledError: mine"),
        (TimeoutError(), "TimeoutError"),
        (Stop(), "Stop"),
        (ExceptionGroup("g", [ToolError("a"), ValueError("b")]), "a; ValueError: b"),
    ],
)
async def test_what_a_tool_raises(error: BaseException, text: str, is_async: bool) -> None:
    @tool
    async def fail() -> None:
        raise error

    @tool(name="fail")
    def fail_in_thread() -> None:
        raise error

    found = await run([ToolCall("fail"), ToolCall("echo")], fail if is_async else fail_in_thread, echo)
    kind: ToolFailure = "tool_error" if text == "No such order." else "error"
    assert found == [ToolOutcome(0, text, kind), ToolOutcome(1, "")]


async def test_a_stop_iteration() -> None:
    @tool
    def fail() -> None:
        raise StopIteration

    assert await run_one(fail) == ToolOutcome(0, "StopIteration", "error")


async def test_a_result_without_a_json_form() -> None:
    @tool
    def give() -> object:
        return object()

    found = await run_one(give)
    assert (found.failure, found.text[:50]) == ("error", "The tool returned a object that has no JSON form. ")


async def test_over_time() -> None:
    release = threading.Event()

    @tool(timeout=SHORT)
    async def wait() -> None:
        await anyio.sleep_forever()

    @tool(timeout=SHORT)
    def block() -> None:
        release.wait(10)

    try:
        found = await run([ToolCall("wait"), ToolCall("block"), ToolCall("echo")], wait, block, echo)
    finally:
        release.set()
    assert found == [
        ToolOutcome(0, "The tool wait did not finish within 0.01 seconds.", "timeout"),
        ToolOutcome(
            1, "The tool block did not finish within 0.01 seconds. It may still be running.", "timeout"
        ),
        ToolOutcome(2, ""),
    ]


async def test_a_terminal_tool_never_cuts_its_batch_short() -> None:
    done: list[str] = []

    @tool(terminal=True)
    def finish(fail: bool = False) -> str:
        if fail:
            raise ToolError("not yet")
        return "finished"

    @tool
    async def last() -> None:
        await anyio.lowlevel.checkpoint()
        done.append("last")

    calls = [
        ToolCall("finish"),
        ToolCall("finish", {"fail": True}),
        ToolCall("finish", {"fail": 7}),
        ToolCall("last"),
    ]
    found = await run(calls, finish, last, parallel=False)
    assert [(item.terminal, item.failure) for item in found] == [
        (True, None), (False, "tool_error"), (False, "arguments"), (False, None)
    ]  # fmt: skip
    assert done == ["last"]


async def test_at_most_sixteen_at_a_time() -> None:
    running, most = 0, 0
    full = anyio.Event()

    @tool
    async def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        if running == MOST_AT_A_TIME:
            full.set()
        await full.wait()
        await anyio.lowlevel.checkpoint()
        running -= 1

    found = await run([ToolCall("work")] * 40, work)
    assert most == MOST_AT_A_TIME == 16
    assert [item.index for item in found] == list(range(40))


async def test_one_by_one_in_call_order() -> None:
    seen: list[str] = []

    @tool
    async def work(name: str) -> None:
        seen.append(name)
        await anyio.lowlevel.checkpoint()
        seen.append(name)

    await run([ToolCall("work", {"name": name}) for name in "abc"], work, parallel=False)
    assert seen == list("aabbcc")


@both_ways
async def test_context_variables_reach_every_tool(parallel: bool) -> None:
    @tool
    def who() -> str:
        return user.get()

    @tool
    async def who_later() -> str:
        return user.get()

    user.set("u1")
    found = await run([ToolCall("who"), ToolCall("who_later")] * 3, who, who_later, parallel=parallel)
    assert {item.text for item in found} == {"u1"}


async def test_sync_tools_run_at_the_same_time() -> None:
    barrier = threading.Barrier(3)

    @tool
    def meet() -> None:
        barrier.wait(10)

    assert [item.failure for item in await run([ToolCall("meet")] * 3, meet)] == [None] * 3


@pytest.mark.parametrize("is_async", [True, False])
@both_ways
async def test_an_interrupt_is_raised_itself(parallel: bool, is_async: bool) -> None:
    @tool
    async def interrupt() -> None:
        raise KeyboardInterrupt("mine")

    @tool(name="interrupt")
    def interrupt_in_thread() -> None:
        raise KeyboardInterrupt("mine")

    @tool
    async def wait() -> None:
        await anyio.sleep_forever()

    first = interrupt if is_async else interrupt_in_thread
    with pytest.raises(KeyboardInterrupt, match="mine"):
        await run([ToolCall("interrupt"), ToolCall("wait")], first, wait, parallel=parallel)


@pytest.mark.parametrize("is_async", [True, False])
@both_ways
async def test_a_cancellation_of_the_turn_goes_on(parallel: bool, is_async: bool) -> None:
    started, release = anyio.Event(), threading.Event()
    after: list[str] = []
    scope = anyio.CancelScope()

    @tool
    async def wait() -> None:
        started.set()
        await anyio.sleep_forever()

    @tool(name="wait")
    def block() -> None:
        anyio.from_thread.run_sync(started.set)
        release.wait(10)

    async def cancel() -> None:
        await started.wait()
        scope.cancel()

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(cancel)
            with scope:
                await run([ToolCall("wait")] * 2, wait if is_async else block, parallel=parallel)
                after.append("went on")
    finally:
        release.set()
    assert scope.cancelled_caught
    assert after == []


class Gate:
    def __init__(self, decide: Callable[[ToolCall], Denial | None]) -> None:
        self.decide = decide
        self.asked: list[str] = []
        self.saw: list[Sequence[Message]] = []

    def check(self, call: ToolCall, messages: Sequence[Message], /) -> Denial | None:
        self.asked.append(str(call.arguments.get("text")))
        self.saw.append(messages)
        return self.decide(call)


def deny_b(call: ToolCall) -> Denial | None:
    return Denial("b is \ud800 out.", "approval") if call.arguments["text"] == "b" else None


async def test_gates_are_asked_before_anything_runs() -> None:
    ran: list[str] = []

    @tool
    async def work(text: str) -> str:
        ran.append(text)
        return text

    def decide(call: ToolCall) -> Denial | None:
        assert not ran
        return deny_b(call)

    first, second = Gate(decide), Gate(decide)
    calls = [ToolCall("work", {"text": text}) for text in "abab"]
    bad = [ToolCall("work"), ToolCall("gone", {"text": "x"}), ToolCall("work", {"text": "c"}, error="cut")]
    found = await run([*calls, *bad], work, gates=[first, second], parallel=False)
    assert [item.failure for item in found] == [
        None, "approval", None, "approval", "arguments", "unknown_tool", "arguments"
    ]  # fmt: skip
    assert found[1].text == found[3].text == "This call was not run: b is \ufffd out."
    assert first.asked == ["a", "b", "a"]
    assert second.asked == ["a", "a"]
    assert ran == ["a", "a"]


async def test_a_denied_call_is_not_asked_again_in_the_turn() -> None:
    gate = Gate(deny_b)
    turn = runner(echo, gates=[gate])
    for _ in range(2):
        await turn.run([ToolCall("echo", {"text": "a"}), ToolCall("echo", {"text": "b"})], ())
    assert gate.asked == ["a", "b", "a"]


async def test_gates_see_the_conversation_and_cannot_change_it() -> None:
    messages = [Message.user("hi"), Message.assistant("", tool_calls=[ToolCall("echo")])]
    gate = Gate(lambda call: None)
    await runner(echo, gates=[gate]).run([ToolCall("echo")], messages)
    assert gate.saw == [tuple(messages)]
    assert isinstance(gate.saw[0], tuple)


async def test_a_gate_that_raises() -> None:
    def fail(call: ToolCall) -> Denial | None:
        raise RuntimeError("secret")

    found = await run([ToolCall("echo")], echo, gates=[Gate(fail)])
    assert found == [
        ToolOutcome(0, "This call was not run: a check of the application failed (RuntimeError).", "policy")
    ]
