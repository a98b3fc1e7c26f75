"""Every kind of type is a response_format: in each mode, with each provider, of an agent and of a call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from finalturn import Agent, AgentResult, Capabilities, ModelRequest, StreamChunk, StructuredOutputConfig
from finalturn.providers import Scripted
from tests.agent._kinds import KINDS, Kind

CAN = {
    "any root": Capabilities(native_schema=True, native_schema_with_tools=True, native_schema_any_root=True),
    "objects only": Capabilities(native_schema=True, native_schema_with_tools=True),
    "told in words": Capabilities(),
}

MODES = {
    "default": StructuredOutputConfig(),
    "reused": StructuredOutputConfig(final_turn_only=True),
    "synthesis": StructuredOutputConfig(final_turn_only=True, reuse_loop_answer=False),
    "held": StructuredOutputConfig(final_turn_only=True, hold_json=True),
    "single pass": StructuredOutputConfig(final_turn_only=True, single_pass=True),
}


def written(value: Any, request: ModelRequest) -> str:
    """What a model answers to a request: in the object that the schema asks for, if it asks for one."""
    if request.output is not None:
        schema = request.output.schema
        properties = schema.get("properties", {})
        if list(properties) == ["answer"] and schema.get("additionalProperties") is False:
            return json.dumps({"answer": value})
    return json.dumps(value)


def turns(kind: Kind, provider: Scripted, config: StructuredOutputConfig) -> list[AgentResult[Any]]:
    """A turn with the response_format of the agent, and one with that of the call."""
    of_agent = Agent(provider, response_format=kind.given, structured_output=config)
    of_call = Agent(provider, structured_output=config)
    return [of_agent.run("go"), of_call.run("go", response_format=kind.given)]


@pytest.mark.parametrize("can", CAN)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", KINDS)
def test_a_right_answer_is_the_value(name: str, mode: str, can: str) -> None:
    kind = KINDS[name]
    provider = Scripted(then=lambda request: written(kind.answer, request), capabilities=CAN[can])
    for result in turns(kind, provider, MODES[mode]):
        value = result.unwrap()
        assert (value, type(value)) == (kind.value, type(kind.value))
        assert json.loads(result.content) == kind.answer


@pytest.mark.parametrize("can", CAN)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", KINDS)
def test_a_wrong_answer_is_none(name: str, mode: str, can: str) -> None:
    kind = KINDS[name]
    provider = Scripted(then=lambda request: written(kind.wrong, request), capabilities=CAN[can])
    for result in turns(kind, provider, MODES[mode]):
        assert (result.structured_status, result.parsed) == ("validation_failed", None)


@pytest.mark.parametrize("name", KINDS)
def test_a_schema_mode_of_objects_gets_an_object(name: str) -> None:
    kind = KINDS[name]
    provider = Scripted(then=lambda request: written(kind.answer, request), capabilities=CAN["objects only"])
    Agent(provider, response_format=kind.given).run("go")
    output = provider.requests[0].output
    assert output is not None
    assert output.schema["type"] == "object"
    assert output.schema.keys().isdisjoint(("anyOf", "oneOf", "$ref", "enum", "const"))


def of_objects(kind: Kind) -> bool:
    """Whether its answer is an object, or begins with one: bare numbers and words in prose are prose."""
    return kind.text.startswith(("{", "[{"))


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if of_objects(kind)])
def test_an_answer_in_prose_is_held(name: str) -> None:
    kind = KINDS[name]
    prose = f"Here it is:\n{json.dumps(kind.answer)}\nThat is all."
    provider = Scripted(prose, then=json.dumps(kind.answer))
    agent = Agent(provider, response_format=kind.given, structured_output=MODES["held"])
    shown = "".join(item.content for item in agent.stream("go") if isinstance(item, StreamChunk))
    assert "{" not in shown and "[" not in shown
    assert shown.split() == ["Here", "it", "is:", "That", "is", "all."]
