"""Free text while tools run, and an object at the end: what is shown, and which text is the answer."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from finalturn import AgentResult, StructuredOutputConfig, StructuredOutputError
from tests.contract._scenes import FINAL
from tests.field._tools import recording
from tests.field._wire import DONE, DRIVERS, STOP, TOOLS, oa, play, prose, say, sent, tc


class Reply(BaseModel):
    answer: int


REPLY = '{"answer":1}'
parametrize_driver = pytest.mark.parametrize("driver", DRIVERS)


@parametrize_driver
def test_prose_streams_between_tools_and_one_call_makes_the_object(driver: str) -> None:
    """18, 20."""
    ran, tools = recording("f")
    observed = play(
        say("Let me check. ") + tc(0, "a", "f", "{}") + TOOLS,
        prose("All ", "well."),
        prose(REPLY),
        tools=tools,
        response_format=Reply,
        config=FINAL,
        driver=driver,
    )
    result = observed.result
    assert observed.pieces == ["Let me check. ", "All ", "well."]
    assert observed.content == result.text
    assert (result.parsed, result.model_calls, len(ran)) == (Reply(answer=1), 3, 1)
    assert "tools" not in sent(observed)
    if observed.seen is not None:
        shape = ["content@0", "call:f@0", "result:f@0", "content@1", "event:structured_synthesis_start@2"]
        assert observed.shape == shape


@pytest.mark.parametrize("answer", ['"just text"', REPLY], ids=["text", "object"])
@pytest.mark.parametrize("config", [FINAL, None], ids=["final", "default"])
def test_a_union_of_text_and_object_is_found_the_same_on_every_way_to_run(answer: str, config: Any) -> None:
    """19."""
    either: TypeAdapter[str | Reply] = TypeAdapter(str | Reply)
    ran, tools = recording("f")
    expected = Reply(answer=1) if answer == REPLY else "just text"
    for driver in DRIVERS:
        observed = play(
            say("Hm. ") + tc(0, "a", "f", "{}") + TOOLS,
            prose(answer),
            prose(answer),
            tools=tools,
            response_format=either,
            config=config,
            driver=driver,
        )
        assert (observed.result.structured_status, observed.result.parsed) == ("ok", expected)
    assert len(ran) == len(DRIVERS)


def test_nobody_prints_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    """25."""
    for driver in (*DRIVERS, "stream"):
        assert play(prose("Hello."), driver=driver).result.content == "Hello."
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


@parametrize_driver
def test_a_tool_that_is_needed_is_called_though_an_object_is_wanted(driver: str) -> None:
    """26: the model is offered the tool, and no schema that would make it skip it."""
    ran, tools = recording("get")
    observed = play(
        tc(0, "a", "get", "{}") + TOOLS,
        prose("Found."),
        prose(REPLY),
        tools=tools,
        response_format=Reply,
        config=FINAL,
        driver=driver,
    )
    assert ran == [("get", {})]
    for index in (0, 1):
        body = sent(observed, index)
        assert "response_format" not in body
        assert [one["function"]["name"] for one in body["tools"]] == ["get"]


class TestThoughtsAndNothingElse:  # 27
    BODY = oa({"reasoning_content": "Let me think."}) + oa({"content": ""}) + STOP

    @parametrize_driver
    def test_the_object_is_made_all_the_same(self, driver: str) -> None:
        observed = play(self.BODY, prose(REPLY), response_format=Reply, config=FINAL, driver=driver)
        result = observed.result
        assert (result.structured_status, result.parsed, result.text) == ("ok", Reply(answer=1), "")
        assert observed.pieces == []

    def test_without_an_object_it_is_asked_once_more(self) -> None:
        observed = play(self.BODY, prose("Hello."))
        assert (observed.result.content, observed.result.model_calls) == ("Hello.", 2)
        assert observed.shape == ["reasoning@0", "content@1"]

    def test_an_empty_answer_to_the_instruction_is_a_failed_attempt(self) -> None:
        result = play(prose("Hi."), self.BODY, prose(REPLY), response_format=Reply, config=FINAL).result
        assert (result.structured_status, result.model_calls) == ("ok", 3)


def test_a_model_that_never_gives_the_object_ends_in_an_outcome_that_says_so() -> None:
    """29."""
    observed = play(*[prose("I would rather talk.")] * 4, response_format=Reply, config=FINAL)
    result = observed.result
    assert (result.structured_status, result.parsed) == ("validation_failed", None)
    assert result.structured_error and "talk" not in result.structured_error
    with pytest.raises(StructuredOutputError):
        result.unwrap()


class TestTheLastIteration:  # 31, 36
    @parametrize_driver
    def test_it_ends_in_one_result_whose_reason_is_plain(self, driver: str) -> None:
        ran, tools = recording("f")
        observed = play(
            say("Look. ") + tc(0, "a", "f", "{}") + TOOLS,
            tools=tools,
            response_format=Reply,
            config=FINAL,
            max_iterations=1,
            driver=driver,
        )
        assert len(observed.results) == 1
        result = observed.result
        assert (result.structured_status, result.stop_reason) == ("not_attempted", "iteration_limit")
        assert (result.content, result.text, len(ran)) == ("", "Look. ", 1)
        with pytest.raises(StructuredOutputError, match="iteration_limit"):
            result.unwrap()

    def test_an_answer_in_it_is_one(self) -> None:
        result = play(prose("Hello."), max_iterations=1).result
        assert (result.content, result.stop_reason) == ("Hello.", "completed")


class TestWhichTextIsTheAnswer:  # 33, 34, 35
    def turn(self) -> Any:
        _, tools = recording("f")
        narration = [say(f"Step {n}. ") + tc(0, f"c{n}", "f", "{}") + TOOLS for n in (1, 2)]
        return play(*narration, prose("Done."), tools=tools)

    def test_every_chunk_names_its_call_and_the_result_the_last(self) -> None:
        observed = self.turn()
        result: AgentResult[Any] = observed.result
        by_call = {chunk.call: chunk.content for chunk in observed.chunks if chunk.content}
        assert by_call == {0: "Step 1. ", 1: "Step 2. ", 2: "Done."}
        assert by_call[result.answer_call or 0] == result.content == "Done."

    def test_the_last_text_alone_is_the_content_and_all_of_it_the_text(self) -> None:
        result = self.turn().result
        assert (result.content, result.text) == ("Done.", "Step 1. Step 2. Done.")
        said = [message.content for message in result.messages if message.role == "assistant"]
        assert said == ["Step 1. ", "Step 2. ", "Done."]
        assert result.message.content == "Done."


def test_the_object_comes_once_and_is_announced_before_it_is_made() -> None:
    """32."""
    observed = play(prose("Hi."), prose('{"ans', 'wer":1}'), response_format=Reply, config=FINAL)
    assert observed.shape[-1] == "event:structured_synthesis_start@1"
    assert [one.parsed for one in observed.results] == [Reply(answer=1)]


def test_a_gateway_is_not_taken_to_combine_tools_and_schema() -> None:
    """28: single_pass on a server that nothing is known of takes the synthesis path."""
    ran, tools = recording("f")
    config = StructuredOutputConfig(final_turn_only=True, single_pass=True)
    observed = play(
        tc(0, "a", "f", "{}") + oa({}, "tool_calls") + DONE,
        prose("Hi."),
        prose(REPLY),
        tools=tools,
        response_format=Reply,
        config=config,
    )
    assert len(ran) == 1
    assert "response_format" not in "".join(observed.requests[:2])
    assert observed.events == ["structured_synthesis_start"]
    assert observed.content == "Hi."
