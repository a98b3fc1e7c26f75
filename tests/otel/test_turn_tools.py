"""Spans of tool calls: as long as each ran, and with what came of it."""

from __future__ import annotations

import threading
from collections.abc import Awaitable
from typing import Any

import anyio
import pytest
from opentelemetry import trace
from opentelemetry.trace import StatusCode

from finalturn import Agent, Capabilities, Denial, Tool, ToolCall, ToolError, tool
from finalturn.providers import Scripted
from tests.otel._tracing import Spans, attributes, is_child, play

pytestmark = pytest.mark.anyio


def inner(name: str) -> None:
    with trace.get_tracer("finalturn").start_as_current_span(name):
        pass


@tool
def sync(number: int) -> str:
    """Work in a thread."""
    assert threading.current_thread() is not threading.main_thread()
    inner(f"work {number}")
    return ""


@tool
async def later(number: int) -> str:
    """Work on the event loop."""
    await anyio.sleep(0)
    inner(f"work {number}")
    return ""


@tool
def pending(number: int) -> Awaitable[str]:
    """Give something to await."""
    return later(number)


@tool
def bad(number: int) -> str:
    """Fail, unforeseen."""
    raise LookupError("TEXT")


@tool
def told(number: int) -> str:
    """Fail, in words."""
    raise ToolError("TEXT")


@tool(timeout=0.001)
async def endless(number: int) -> str:
    """Never end."""
    await anyio.sleep_forever()
    return ""


TOOLS: list[Tool[..., Any]] = [sync, later, pending, bad, told, endless]


class Careful:
    """A gate that lets no 13 pass."""

    async def check(self, call: ToolCall, messages: Any) -> Denial | None:
        return Denial("no", "policy") if call.arguments.get("number") == 13 else None


def agent(*calls: Any, capabilities: Capabilities | None = None) -> Agent[Any]:
    return Agent(Scripted(list(calls), "Done.", capabilities=capabilities), tools=TOOLS, gates=[Careful()])


@pytest.mark.parametrize("name", ["sync", "later", "pending"])
async def test_what_a_tool_does_is_inside_its_span(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    spans = Spans(monkeypatch)
    await play(agent(*(Scripted.call(name, {"number": n}, id=f"c-{n}") for n in (1, 2))))
    ran = {
        attributes(span)["gen_ai.tool.call.id"]: span
        for span in spans.all
        if span.name == f"execute_tool {name}"
    }
    assert set(ran) == {"c-1", "c-2"}
    for number in (1, 2):
        assert is_child(spans.one(f"work {number}"), ran[f"c-{number}"])
        assert is_child(ran[f"c-{number}"], spans.one("invoke_agent"))
        assert ran[f"c-{number}"].status.status_code is StatusCode.UNSET


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("bad", {"number": 1}, "LookupError"),
        ("told", {"number": 1}, "tool_error"),
        ("endless", {"number": 1}, "timeout"),
        ("sync", {"number": "x"}, "arguments"),
        ("sync", "{broken", "arguments"),
        ("sync", {"number": 13}, "policy"),
        ("nothing", {}, "unknown_tool"),
    ],
)
async def test_a_call_that_gave_nothing_says_why(
    monkeypatch: pytest.MonkeyPatch, name: str, arguments: Any, kind: str
) -> None:
    spans = Spans(monkeypatch)
    await play(agent(Scripted.call(name, arguments)))
    span = spans.one(f"execute_tool {name}")
    assert attributes(span)["error.type"] == kind
    assert (span.status.status_code, span.status.description, span.events) == (StatusCode.ERROR, None, ())


async def test_each_span_is_that_of_its_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among calls of one tool that are malformed, wrong or denied."""
    spans = Spans(monkeypatch)
    given: list[Any] = ["{broken", {"number": "x"}, {"number": 13}, {"number": 4}, {"number": 5}]
    await play(agent(*(Scripted.call("sync", one, id=f"c-{n}") for n, one in enumerate(given, 1))))
    ran = {attributes(span)["gen_ai.tool.call.id"]: span for span in spans.all if "execute_tool" in span.name}
    assert {id: attributes(span).get("error.type") for id, span in ran.items()} == {
        "c-1": "arguments",
        "c-2": "arguments",
        "c-3": "policy",
        "c-4": None,
        "c-5": None,
    }
    assert is_child(spans.one("work 4"), ran["c-4"]) and is_child(spans.one("work 5"), ran["c-5"])


async def test_a_span_ends_when_its_tool_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not with the batch: here one tool waits for the end of the other."""
    done = anyio.Event()

    @tool
    async def quick() -> str:
        """Be done first."""
        done.set()
        return ""

    @tool
    async def slow() -> str:
        """Be done last."""
        await done.wait()
        inner("after")
        return ""

    spans = Spans(monkeypatch)
    calls = [Scripted.call("slow"), Scripted.call("quick")]
    await play(Agent(Scripted(calls, "Done."), tools=[quick, slow], parallel_tools=True))
    first, after = spans.one("execute_tool quick"), spans.one("after")
    assert first.end_time is not None and after.start_time is not None
    assert first.end_time <= after.start_time
    assert is_child(after, spans.one("execute_tool slow"))


async def test_calls_that_are_written_as_text_have_no_id(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = Spans(monkeypatch)
    calls = [Scripted.call("sync", {"number": 13}), Scripted.call("sync", {"number": 2})]
    await play(agent(*calls, capabilities=Capabilities(native_tools=False)))
    kinds = [attributes(span) for span in spans.all if span.name == "execute_tool sync"]
    assert [found.get("error.type") for found in kinds] == ["policy", None]
    assert all("gen_ai.tool.call.id" not in found for found in kinds)


@pytest.mark.parametrize("show", [False, True], ids=["hidden", "shown"])
async def test_an_agent_that_runs_as_a_tool_is_below_the_tool(
    monkeypatch: pytest.MonkeyPatch, show: bool
) -> None:
    spans = Spans(monkeypatch)
    nested_agent = Agent(Scripted(["Found ", "it."]))
    script = Scripted(Scripted.call("ask", {"task": "find it"}), "Done.")
    await play(Agent(script, tools=[nested_agent.as_tool("ask", "Finds things.", show=show)]))
    execution = spans.one("execute_tool ask")
    turns = [span for span in spans.all if span.name == "invoke_agent"]
    [nested] = [span for span in turns if span.parent is not None and is_child(span, execution)]
    assert len(turns) == 2
    calls = [span for span in spans.all if span.name == "chat"]
    assert [is_child(call, nested) for call in calls] == [False, True, False]
