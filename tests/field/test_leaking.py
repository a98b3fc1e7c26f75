"""Structured output must not leak into text."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, Field

from finalturn import Agent, Capabilities, StructuredOutputConfig
from finalturn.providers import Scripted
from tests.contract._scenes import COMBINED, FINAL, HOLD, SINGLE
from tests.field._tools import recording
from tests.field._wire import DRIVERS, TOOLS, oa, play, prose, say, sent, tc, told

ASIDE = StructuredOutputConfig(final_turn_only=True, native=False)


class Reply(BaseModel):
    answer: int = Field(description="the magic number")


REPLY = '{"answer":1}'
parametrize_driver = pytest.mark.parametrize("driver", DRIVERS)


@parametrize_driver
def test_no_byte_of_a_synthesis_is_shown_however_it_is_cut(driver: str) -> None:
    """1, 8: nothing between the start event and the result, on the chunk stream and the token callback."""
    observed = play(
        prose("Hello."),
        say('{"ans', 'wer":', "1}") + prose(),
        response_format=Reply,
        config=FINAL,
        driver=driver,
    )
    assert observed.pieces == ["Hello."]
    assert (observed.result.content, observed.result.text) == (REPLY, "Hello.")
    if observed.seen is not None:
        assert observed.shape == ["content@0", "event:structured_synthesis_start@1"]


CALL_AS_TEXT = say('{"name":"f",', '"arguments":{}}')


class TestACallThatIsAlsoSentAsText:  # 11
    BODY = CALL_AS_TEXT + tc(0, "c1", "f", "{}") + TOOLS

    @parametrize_driver
    def test_it_runs_once(self, driver: str) -> None:
        """In a plain turn the text has been sent by then; it is content, and never a second call."""
        ran, tools = recording("f")
        observed = play(self.BODY, prose("Done."), tools=tools, driver=driver)
        assert ran == [("f", {})]
        assert observed.content == '{"name":"f","arguments":{}}Done.'

    @parametrize_driver
    def test_single_pass_shows_nothing_of_it(self, driver: str) -> None:
        ran, tools = recording("f")
        observed = play(
            self.BODY,
            prose(REPLY),
            tools=tools,
            response_format=Reply,
            config=SINGLE,
            capabilities=COMBINED,
            driver=driver,
        )
        assert ran == [("f", {})]
        assert observed.pieces == []
        assert observed.result.parsed == Reply(answer=1)

    def test_alone_it_is_no_call_where_calls_are_native(self) -> None:
        ran, tools = recording("f")
        observed = play(CALL_AS_TEXT + prose(), tools=tools)
        assert (ran, observed.result.tool_calls) == ([], ())


@pytest.mark.parametrize("config", [FINAL, HOLD, ASIDE], ids=["final", "hold", "in the prompt"])
@pytest.mark.parametrize("capabilities", [Capabilities(), COMBINED], ids=["plain", "native"])
def test_no_loop_request_says_a_word_of_the_schema(config: Any, capabilities: Capabilities) -> None:
    """6, 12: not in the system prompt, the messages, the tools or the response_format."""
    _, tools = recording("f")
    observed = play(
        tc(0, "a", "f", "{}") + TOOLS,
        prose("Hi."),
        prose(REPLY),
        tools=tools,
        response_format=Reply,
        config=config,
        capabilities=capabilities,
        system_prompt="Be kind.",
    )
    for body in observed.requests[:2]:
        assert not any(word in body for word in ("magic", "answer", "Reply", "schema", "JSON"))
    assert "magic" in observed.requests[2]
    # Nor does the synthesis request's system prompt, which providers cache.
    assert sent(observed)["messages"][0] == {"role": "system", "content": "Be kind."}
    assert "tools" not in sent(observed)


def test_default_mode_says_it_on_every_call() -> None:
    """6, the other side: this is what final_turn_only keeps out."""
    _, tools = recording("f")
    observed = play(tc(0, "a", "f", "{}") + TOOLS, prose(REPLY), tools=tools, response_format=Reply)
    assert all("magic" in body for body in observed.requests)


class TestReasoning:  # 13
    @pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
    @parametrize_driver
    def test_it_is_never_content(self, field: str, driver: str) -> None:
        observed = play(
            oa({field: "think"}) + prose("Hi."),
            oa({field: "think"}) + prose(REPLY),
            response_format=Reply,
            config=FINAL,
            driver=driver,
        )
        assert observed.pieces == ["Hi."]
        assert "think" not in repr(observed.result)
        if observed.seen is not None:
            assert observed.shape == ["reasoning@0", "content@0", "event:structured_synthesis_start@1"]

    def test_a_chunk_with_both_is_two(self) -> None:
        observed = play(oa({"reasoning_content": "think", "content": "Hi."}) + prose())
        assert observed.shape == ["reasoning@0", "content@0"]


@parametrize_driver
def test_attempts_that_were_rejected_are_not_shown_and_the_event_fires_once(driver: str) -> None:
    # 15
    observed = play(
        prose("Hi."),
        prose('{"answer":', '"x"}'),
        prose(REPLY),
        response_format=Reply,
        config=FINAL,
        driver=driver,
    )
    assert observed.pieces == ["Hi."]
    assert observed.result.parsed == Reply(answer=1)
    if observed.seen is not None:
        assert observed.events == ["structured_synthesis_start"]


THOUGHT = f"<think>a</think>{REPLY}"


class TestThoughtsInTheText:  # 16
    @pytest.mark.parametrize("config", [FINAL, None], ids=["final", "default"])
    @pytest.mark.parametrize("kind", ["loop", "synthesis"])
    def test_every_way_to_run_shows_and_finds_the_same(self, config: Any, kind: str) -> None:
        first = [prose(*THOUGHT)] if kind == "loop" else [prose("Hi.")]
        found: list[tuple[Any, ...]] = []
        for driver in DRIVERS:
            observed = play(*first, prose(*THOUGHT), response_format=Reply, config=config, driver=driver)
            result = observed.result
            found.append((observed.content, result.content, result.parsed, result.text, result.model_calls))
        assert found == [found[0]] * len(DRIVERS)
        assert found[0][1:3] == (REPLY, Reply(answer=1))
        assert found[0][0] == found[0][3]

    def test_a_provider_that_does_not_stream_finds_the_same(self) -> None:
        agent = Agent(Scripted(THOUGHT).whole_reply(), response_format=Reply)
        assert agent.run("go").parsed == Reply(answer=1)


def test_the_answer_is_never_joined_to_the_prose() -> None:
    """4: one message holds both, in fields of their own."""
    observed = play(prose("Hello."), prose(REPLY), response_format=Reply, config=FINAL)
    user, answer = observed.result.messages
    assert (answer.content, answer.structured) == ("Hello.", REPLY)
    assert observed.result.message == answer and user.content == "Where is my order?"


def test_a_tool_that_ran_is_not_announced_again_by_the_answer() -> None:
    """10: what single_pass shows of a turn with tools, with and without streaming."""
    for kind in ("astream-asyncio", "stream"):
        ran, tools = recording("f")
        observed = play(
            tc(0, "a", "f", "{}") + TOOLS,
            prose(REPLY),
            tools=tools,
            response_format=Reply,
            config=SINGLE,
            capabilities=COMBINED,
            driver=kind,
        )
        assert observed.shape == ["call:f@0", "result:f@0"]
        assert ran == [("f", {})] and len(told(observed)) == 1
