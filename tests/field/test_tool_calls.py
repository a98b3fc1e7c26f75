"""Tool calls as servers stream them: what was asked for runs, once; a half call never does."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest
from pydantic import BaseModel

from finalturn import Agent, Message, StructuredOutputConfig
from finalturn.providers import OpenAIChat
from finalturn.sessions import InMemorySessions
from finalturn.testing import ScriptedServer
from tests.contract._observed import Observed
from tests.contract._scenes import COMBINED, TEXT_TOOLS
from tests.field._tools import Ran, check_replayed, recording
from tests.field._wire import DONE, DRIVERS, STOP, TOOLS, oa, piece, play, prose, say, sent, sse, tc, told

NAMES = ("f", "g", "s", "get", "delete_all")


def run(body: bytes, *, driver: str = "astream-asyncio") -> tuple[Ran, Observed]:
    """A turn whose first answer is this body: what has run, and what was seen."""
    ran, tools = recording(*NAMES)
    observed = play(body, prose("Done."), tools=tools, driver=driver)
    check_replayed(sent(observed)["messages"])
    assert len(observed.result.tool_calls) == len(told(observed))
    ids = [call.id for call in observed.result.tool_calls]
    assert all(ids) and len(set(ids)) == len(ids)
    assert [message.tool_call_id for message in told(observed)] == ids
    if observed.seen is not None:
        assert [one for chunk in observed.seen for one in chunk.tool_calls] == [*observed.result.tool_calls]
    return ran, observed


F1 = ("f", {"x": 1})
WELL: dict[str, tuple[bytes, Ran]] = {
    "the same index twice in one chunk is one call": (  # 38
        oa({"tool_calls": [piece(0, "a", "f", ""), piece(0, None, None, '{"x":')]})
        + tc(0, None, None, "1}")
        + TOOLS,
        [F1],
    ),
    "without an index a new id is a new call": (  # 39
        tc(None, "a", "f", '{"x":1}') + tc(None, "b", "g", "{}") + TOOLS,
        [F1, ("g", {})],
    ),
    "without index and id it goes on with the last one": (  # 39
        tc(None, "a", "f", '{"x"') + tc(None, None, None, ":1}") + TOOLS,
        [F1],
    ),
    "without an index, several in one chunk are several": (  # 39
        oa({"tool_calls": [piece(None, "a", "f", '{"x":1}'), piece(None, "b", "g", "{}")]}) + TOOLS,
        [F1, ("g", {})],
    ),
    "an index may be null": (  # 39
        oa({"tool_calls": [{"index": None, "id": "a", "function": {"name": "f", "arguments": '{"x":1}'}}]})
        + TOOLS,
        [F1],
    ),
    "different calls that all carry index 0 are not glued": (  # 41
        tc(0, "a", "s", '{"q":"x"}') + tc(0, "b", "s", '{"q":"y"}') + TOOLS,
        [("s", {"q": "x"}), ("s", {"q": "y"})],
    ),
    "nor are they when they come in pieces": (  # 41
        tc(0, "a", "s", '{"q":')
        + tc(0, None, None, '"x"}')
        + tc(0, "b", "s", "")
        + tc(0, None, None, "{}")
        + TOOLS,
        [("s", {"q": "x"}), ("s", {})],
    ),
    "interleaved pieces go by their index": (  # 42
        tc(0, "a", "f", None)
        + tc(1, "b", "g", None)
        + tc(0, None, None, '{"a":')
        + tc(1, None, None, '{"b":')
        + tc(0, None, None, "1}")
        + tc(1, None, None, "2}")
        + TOOLS,
        [("f", {"a": 1}), ("g", {"b": 2})],
    ),
    "an empty id goes on with the call": (  # 44
        tc(0, "a", "f", '{"x"') + tc(0, "", None, ":1}") + TOOLS,
        [F1],
    ),
    "an id that is repeated on each piece does too": (  # 44
        tc(0, "a", "f", '{"x"') + tc(0, "a", "", ":1}") + TOOLS,
        [F1],
    ),
    "an empty id is replaced": (tc(0, "", "f", '{"x":1}') + TOOLS, [F1]),  # 45
    "no id at all is too": (  # 45
        tc(0, None, "f", '{"x":1}') + tc(1, None, "f", '{"x":1}') + TOOLS,
        [F1, F1],
    ),
    "a call that is repeated whole at the end runs once": (  # 48
        tc(0, "a", "f", "")
        + tc(0, None, None, '{"x":1}')
        + oa({"tool_calls": [piece(0, "a", "f", '{"x":1}')]}, "tool_calls")
        + DONE,
        [F1],
    ),
    "repeated in a message beside the delta it runs once": (  # 48
        tc(0, "a", "f", '{"x":1}')
        + sse(
            {
                "choices": [
                    {
                        "index": 0,
                        "delta": {},
                        "finish_reason": "tool_calls",
                        "message": {"tool_calls": [piece(0, "a", "f", '{"x":1}')]},
                    }
                ]
            }
        )
        + DONE,
        [F1],
    ),
    "no arguments are an empty object": (tc(0, "a", "f", "") + TOOLS, [("f", {})]),  # 50
    "none that were sent are too": (tc(0, "a", "f", None) + TOOLS, [("f", {})]),  # 50
    "blank ones are too": (tc(0, "a", "f", " ") + TOOLS, [("f", {})]),  # 50
    "arguments sent as an object are one": (  # sibling of 53
        oa({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": {"x": 1}}}]})
        + TOOLS,
        [F1],
    ),
    "an object glued to itself is one": (tc(0, "a", "f", '{"x":1}{"x":1}') + TOOLS, [F1]),  # 131
    "a large number stays exact": (  # 135
        tc(0, "a", "f", '{"id":9007199254740993}') + TOOLS,
        [("f", {"id": 9007199254740993})],
    ),
    "empty text before a call does not end the turn": (  # 22
        oa({"content": ""}) + say("I'll look") + tc(0, "a", "get", "{}") + TOOLS,
        [("get", {})],
    ),
    "text after a call does not either": (  # 22
        tc(0, "a", "get", "{}") + say("I'll look") + TOOLS,
        [("get", {})],
    ),
    "an end of stop does not undo calls": (tc(0, "a", "f", '{"x":1}') + STOP, [F1]),  # 69, 70
    "nor does an end that comes in the same chunk": (  # 69
        oa({"tool_calls": [piece(0, "a", "f", '{"x":1}')]}, "stop") + DONE,
        [F1],
    ),
}


# How the calls of an answer are read does not depend on who asked for it: each driver has its share.
@pytest.mark.parametrize(("name", "driver"), [*zip(WELL, cycle(DRIVERS), strict=False)])
def test_what_the_model_asked_for_runs(name: str, driver: str) -> None:
    body, expected = WELL[name]
    ran, observed = run(body, driver=driver)
    assert sorted(ran, key=repr) == sorted(expected, key=repr)
    assert [call.name for call in observed.result.tool_calls] == [name for name, _ in expected]
    assert all(message.tool_result is not None for message in told(observed))


BROKEN: dict[str, tuple[bytes, str]] = {
    "cut off": (tc(0, "a", "delete_all", '{"confirm":tr') + TOOLS, "not valid JSON"),  # 52
    "cut off by the token limit": (  # 72
        tc(0, "a", "delete_all", '{"confirm":true,"a":"xxx') + oa({}, "length") + DONE,
        "token limit",
    ),
    "cut off, and said to be complete": (  # 72
        tc(0, "a", "delete_all", '{"confirm":true,"a":"xxx') + TOOLS,
        "not valid JSON",
    ),
    "not begun when the token limit came": (
        tc(0, "a", "delete_all", "") + oa({}, "length") + DONE,
        "token limit",
    ),
    "a string": (tc(0, "a", "delete_all", '"foo"') + TOOLS, "not a JSON object"),  # 53
    "a list": (tc(0, "a", "delete_all", "[1]") + TOOLS, "not a JSON object"),  # 53
    "null": (tc(0, "a", "delete_all", "null") + TOOLS, "not a JSON object"),  # 53
    "two different objects": (tc(0, "a", "delete_all", '{"a":1}{"a":2}') + TOOLS, "more than one"),  # 131
    "a number beyond reading": (  # 135
        tc(0, "a", "delete_all", '{"id":' + "9" * 5000 + "}") + TOOLS,
        "not valid JSON",
    ),
    "nested beyond reading": (
        tc(0, "a", "delete_all", '{"a":' + "[" * 100_000) + TOOLS,
        "not valid JSON",
    ),  # 135
    "nested deeply and closed": (  # 135
        tc(0, "a", "delete_all", '{"a":' + "[" * 150 + "]" * 150 + "}") + TOOLS,
        "not valid JSON",
    ),
    "not a number": (tc(0, "a", "delete_all", '{"a":NaN}') + TOOLS, "not valid JSON"),
    "in Python's spelling": (tc(0, "a", "delete_all", "{'confirm': True}") + TOOLS, "not valid JSON"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_call_whose_arguments_cannot_be_read_never_runs_and_its_sibling_does(name: str) -> None:
    body, problem = BROKEN[name]
    ran, observed = run(tc(7, "z", "f", '{"x":1}') + body)  # 51
    assert ran == [F1]
    good, bad = told(observed)
    assert (good.tool_result, bad.tool_result) == ("f is done", None)
    assert problem in bad.content
    assert observed.result.tool_calls[1].arguments == {}
    assert observed.result.content == "Done."


class TestANamelessCall:  # 46
    BODY = oa({"tool_calls": [piece(0, "", "", '{"a":1}')]}) + TOOLS

    def test_it_is_an_error_that_the_model_is_told_of(self) -> None:
        ran, observed = run(self.BODY)
        assert ran == []
        (message,) = told(observed)
        assert (message.tool_result, message.tool_name) == (None, "")
        assert "names no tool" in message.content

    def test_the_session_goes_on(self) -> None:
        _, tools = recording(*NAMES)
        with ScriptedServer(self.BODY, prose("Sorry."), prose("Yes.")) as server:
            agent = Agent(OpenAIChat("x", base_url=server.url), tools=tools, sessions=InMemorySessions())
            agent.run("go", session="s")
            assert agent.run("still there?", session="s").content == "Yes."
            for request in server.requests[1:]:
                check_replayed(request.json["messages"])


def test_a_name_that_no_server_takes_is_an_error_and_the_session_goes_on() -> None:
    ran, observed = run(tc(0, "a", "f; rm -rf", "{}") + tc(1, "b", "x" * 100, "{}") + TOOLS)
    assert ran == []
    assert [message.tool_result for message in told(observed)] == [None, None]
    assert observed.result.content == "Done."


def test_an_id_that_returns_in_a_later_response_is_another_call() -> None:
    ran, tools = recording("f")
    same = tc(0, "call_0", "f", '{"x":1}') + TOOLS
    observed = play(same, same, prose("Done."), tools=tools)
    assert ran == [F1, F1]
    check_replayed(sent(observed)["messages"])


# 61
SAMPLE = '```json\n{"name":"my-app","version":"1"}\n```'


@pytest.mark.parametrize("text", [SAMPLE, '{"name":"f","arguments":{}}', '```json\n{"name":"f"}\n```'])
def test_a_json_sample_in_prose_is_no_call(text: str) -> None:
    ran, tools = recording("f")
    observed = play(prose(text), tools=tools, capabilities=TEXT_TOOLS)
    assert (ran, observed.content, observed.result.tool_calls) == ([], text, ())


# 62
class Person(BaseModel):
    name: str
    age: int


JOHN = '{"name":"John","age":25}'
CALLISH = '<tool_call>{"name":"f","arguments":{}}</tool_call>'


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_field_called_name_makes_no_call_of_a_structured_answer(driver: str) -> None:
    ran, tools = recording("f", "John")
    final = StructuredOutputConfig(final_turn_only=True)
    parts: dict[str, Any] = {"response_format": Person, "tools": tools, "driver": driver}
    observed = play(prose("Hi."), prose(JOHN), config=final, capabilities=TEXT_TOOLS, **parts)
    single = StructuredOutputConfig(final_turn_only=True, single_pass=True)
    other = play(prose(JOHN), config=single, capabilities=COMBINED, **parts)
    third = play(prose(JOHN), capabilities=TEXT_TOOLS, **parts)
    for one in (observed, other, third):
        assert one.result.parsed == Person(name="John", age=25)
        assert one.result.tool_calls == ()
    assert ran == []


def test_in_synthesis_the_text_of_a_call_is_none() -> None:
    ran, tools = recording("f")
    observed = play(
        prose("Hi."),
        prose(CALLISH),
        prose(JOHN),
        response_format=Person,
        tools=tools,
        config=StructuredOutputConfig(final_turn_only=True),
        capabilities=TEXT_TOOLS,
    )
    assert ran == [] and observed.result.tool_calls == ()
    assert observed.result.parsed == Person(name="John", age=25)


def test_in_synthesis_a_stray_call_is_dropped() -> None:
    ran, tools = recording("f")
    stray = say(JOHN) + tc(0, "a", "f", "{}") + TOOLS
    observed = play(
        prose("Hi."),
        stray,
        response_format=Person,
        tools=tools,
        config=StructuredOutputConfig(final_turn_only=True),
    )
    assert ran == [] and observed.result.tool_calls == ()
    assert observed.result.parsed == Person(name="John", age=25)
    assert observed.shape == ["content@0", "event:structured_synthesis_start@1"]


def test_history_of_a_turn_with_broken_calls_can_be_given_as_input() -> None:
    ran, observed = run(tc(0, "a", "f", '{"x":') + tc(1, "b", "", "{}") + TOOLS)
    assert ran == []
    again = play(prose("Yes."), given=[*observed.result.messages, Message.user("again")])
    check_replayed(sent(again)["messages"])
