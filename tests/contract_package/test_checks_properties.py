"""Whatever a model does, and whenever it is left: no turn breaks a clause that a trace can decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from finalturn import (
    Agent,
    Capabilities,
    Message,
    ModelEnd,
    ModelSettings,
    ProviderError,
    Role,
    StructuredOutputConfig,
    Usage,
)
from finalturn.providers import Scripted
from tests.contract._scenes import ANSWER, COMBINED, INVALID, Ticket, fail, hand_over, lookup
from tests.contract_package._recorded import broken, left_after

TEXTS = st.sampled_from(
    [
        *(
            "Look. ",
            "hm",
            " ",
            "\n",
            "5",
            "5\n",
            "[1]\n",
            '{"port": ',
            "```json\n",
            "```\n",
            "{}",
            "null",
            "<",
        ),
        *(
            ANSWER,
            INVALID,
            f"\n{ANSWER}\n",
            f"```json\n{ANSWER}\n```",
            f"<think>x</think>{ANSWER}",
            ANSWER[:-3],
        ),
        *('<tool_call>{"name": "lookup", "arguments": {"order": "A"}}</tool_call>', "<tool_call>{", "é😀"),
    ]
)
CALLS = st.sampled_from(
    [
        Scripted.call("lookup", {"order": "A1"}),
        Scripted.call("lookup", {"order": "A1"}, id="same"),
        Scripted.call("fail", {"order": "B"}),
        Scripted.call("hand_over", {"order": "A1"}),
        Scripted.call("nobody", {"order": "A1"}),
        Scripted.call("lookup", '{"order": '),
        Scripted.call("", {}),
    ]
)
REASONING = st.sampled_from(["hm", "Look. ", "5", ANSWER]).map(Scripted.reasoning)
PIECES = st.lists(st.one_of(TEXTS, TEXTS, REASONING), max_size=5)
ENDINGS: list[list[Any]] = [
    *[[]] * 6,
    [ModelEnd("length")],
    [ModelEnd("refusal")],
    [Usage(output_tokens=3)],
    [ProviderError("down")],
    [Scripted.CUT],
]


@st.composite
def answers(draw: st.DrawFn) -> list[Any]:
    calls = draw(st.lists(CALLS, max_size=3)) if draw(st.sampled_from([True, False, False])) else []
    return [*draw(PIECES), *calls, *draw(st.sampled_from(ENDINGS))]


@st.composite
def scripts(draw: st.DrawFn) -> list[Any]:
    return [*draw(st.lists(answers(), max_size=4)), "Done.", *[ANSWER] * 6]


def predicate(kind: str) -> Callable[[Any, str], bool] | None:
    def ask(messages: Any, text: str) -> bool:
        messages.clear()
        if kind == "raises":
            raise LookupError("mine")
        return kind == "yes"

    return None if kind == "none" else ask


@st.composite
def configs(draw: st.DrawFn) -> StructuredOutputConfig:
    retries = draw(st.integers(0, 2))
    if not draw(st.sampled_from([True, True, False])):
        return StructuredOutputConfig(max_validation_retries=retries)
    single = draw(st.booleans())
    return StructuredOutputConfig(
        final_turn_only=True,
        single_pass=single,
        hold_json=draw(st.booleans()),
        reuse_loop_answer=single or draw(st.booleans()),
        should_finalize=predicate(draw(st.sampled_from(["none", "none", "yes", "no", "raises"]))),
        max_validation_retries=retries,
    )


CAPABILITIES = st.sampled_from([Capabilities(), COMBINED, Capabilities(native_tools=False)])
FORMATS = st.sampled_from(
    [None, Ticket, Ticket, Ticket, TypeAdapter(int), TypeAdapter(list[int]), TypeAdapter(Any)]
)
KINDS = st.sampled_from(["streaming", "whole-reply", "sync-stream"])
HISTORY = [
    Message.user("Hi."),
    Message(Role.TOOL, "an orphan without a name"),
    Message(Role.ASSISTANT, "", structured="{}"),
    Message.user("And now?"),
]


def agent_of(calls: list[Any], kind: str, capabilities: Capabilities, **parts: Any) -> Agent[Any]:
    script = Scripted(*calls, capabilities=capabilities)
    kinds: dict[str, Any] = {
        "streaming": script,
        "whole-reply": script.whole_reply(),
        "sync-stream": script.sync_stream(),
    }
    return Agent(kinds[kind], tools=[lookup, fail, hand_over], **parts)


@given(
    calls=scripts(),
    kind=KINDS,
    capabilities=CAPABILITIES,
    config=configs(),
    response_format=FORMATS,
    most=st.integers(1, 3),
    choice=st.sampled_from([None, None, "none", "required"]),
    context=st.sampled_from([(), ("Be brief.",)]),
    given_messages=st.sampled_from(["Where is it?", HISTORY]),
    items=st.one_of(st.none(), st.none(), st.integers(1, 8)),
)
@settings(max_examples=150, deadline=None)
def test_no_turn_breaks_a_clause(
    calls: list[Any],
    kind: str,
    capabilities: Capabilities,
    config: StructuredOutputConfig,
    response_format: Any,
    most: int,
    choice: Any,
    context: Any,
    given_messages: Any,
    items: int | None,
) -> None:
    agent = agent_of(
        calls,
        kind,
        capabilities,
        structured_output=config,
        response_format=response_format,
        max_iterations=most,
        settings=ModelSettings(tool_choice=choice),
        context=context,
    )
    trace = left_after(agent, given_messages, items)
    assert broken(trace) == []
