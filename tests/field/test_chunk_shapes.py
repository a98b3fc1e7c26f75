"""Records of odd shapes, ends of odd kinds, and answers that were cut."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from finalturn import StructuredOutputError, Usage
from tests.contract._scenes import COMBINED, FINAL, HOLD
from tests.field._tools import recording
from tests.field._wire import DONE, DRIVERS, STOP, TOOLS, oa, play, prose, say, sent, sse, tc

TOKENS = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
SPENT = Usage(1, 0, 2, 0, 3)
parametrize_driver = pytest.mark.parametrize("driver", DRIVERS)


def choice(**fields: Any) -> bytes:
    return sse({"choices": [{"index": 0, **fields}]})


USAGE = sse({"choices": [], "usage": TOKENS})
SHAPES: dict[str, bytes] = {
    "a record with usage and no choices": say("ok") + oa({}, "stop") + USAGE + DONE,  # 63
    "usage with null choices": say("ok") + oa({}, "stop") + sse({"choices": None, "usage": TOKENS}) + DONE,
    "usage in every record": b"".join(
        sse({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": end}], "usage": TOKENS})
        for text, end in (("o", None), ("k", None), ("", "stop"))
    )
    + DONE,
    "a null delta at the end": say("ok") + choice(delta=None, finish_reason="stop") + USAGE + DONE,  # 64
    "no delta at the end": say("ok") + choice(finish_reason="stop") + USAGE + DONE,  # 64
    "an empty delta": oa({}) + say("ok") + oa({}) + oa({}, "stop") + USAGE + DONE,  # 66
    "a role alone": oa({"role": "assistant"}) + say("ok") + oa({}, "stop") + USAGE + DONE,  # 66
    "null fields": oa({"role": None, "content": None, "tool_calls": None, "refusal": None})
    + say("ok")
    + oa({"content": None}, "stop")
    + USAGE
    + DONE,
    "no index": sse({"choices": [{"delta": {"content": "ok"}}]}) + oa({}, "stop") + USAGE + DONE,
    "no finish_reason until the end": choice(delta={"content": "ok"}) + oa({}, "stop") + USAGE + DONE,
    "an empty finish_reason": choice(delta={"content": "ok"}, finish_reason="")
    + oa({}, "stop")
    + USAGE
    + DONE,
    "content in parts": oa({"content": [{"type": "text", "text": "ok"}]}) + oa({}, "stop") + USAGE + DONE,
    "other choices beside it": sse(
        {"choices": [{"index": 1, "delta": {"content": "no"}}, {"index": 0, "delta": {"content": "ok"}}]}
    )
    + oa({}, "stop")
    + USAGE
    + DONE,
    "an end with text in it": oa({"content": "ok"}, "stop") + USAGE + DONE,
    "an end that is told twice": say("ok") + oa({}, "stop") + oa({}, "stop") + USAGE + DONE,
    "a reason nobody knows": say("ok") + oa({}, "eos") + USAGE + DONE,
    "empty pieces": oa({"content": ""}) + say("ok") + oa({"content": ""}) + oa({}, "stop") + USAGE + DONE,
}


@pytest.mark.parametrize("name", SHAPES)
def test_an_odd_record_changes_nothing(name: str) -> None:
    observed = play(SHAPES[name])
    result = observed.result
    assert (observed.content, result.content, result.stop_reason) == ("ok", "ok", "completed")
    assert result.usage == SPENT
    assert "" not in observed.pieces


def test_usage_is_asked_for_on_streams() -> None:
    """68."""
    observed = play(prose("ok"))
    assert sent(observed)["stream_options"] == {"include_usage": True}
    assert observed.result.usage == Usage(unreported_calls=1)


class Reply(BaseModel):
    name: str
    items: list[str] = []


REPLY = '{"name":"A"}'


@parametrize_driver
def test_usage_is_the_same_however_a_turn_is_run(driver: str) -> None:
    """68: synthesis and retries included."""
    spent = oa({}, "stop") + USAGE + DONE
    observed = play(
        say("Hi.") + spent,
        say("{}") + spent,
        say(REPLY) + spent,
        response_format=Reply,
        config=FINAL,
        driver=driver,
    )
    assert observed.result.usage == Usage(3, 0, 6, 0, 9)


@pytest.mark.parametrize("reason", ["stop", "tool_calls", "length", "function_call", "eos", "end_turn"])
def test_calls_decide_and_not_the_reason(reason: str) -> None:
    """69, 70."""
    ran, tools = recording("f")
    observed = play(tc(0, "a", "f", '{"x":1}') + oa({}, reason) + DONE, prose("Done."), tools=tools)
    assert ran == [("f", {"x": 1})]
    assert observed.result.content == "Done."


def test_a_reason_of_tool_calls_without_any_is_an_answer() -> None:
    assert play(say("ok") + TOOLS).result.content == "ok"


class TestCut:
    CUT = oa({}, "length") + DONE

    @pytest.mark.parametrize("ending", [CUT, STOP], ids=["length", "stop"])
    def test_json_that_was_cut_is_never_made_whole(self, ending: bytes) -> None:
        """73."""
        cut = say('{"name":"A","items":["x","y"') + ending
        result = play(prose("Hi."), cut, cut, cut, response_format=Reply, config=FINAL).result
        assert (result.structured_status, result.parsed) == ("validation_failed", None)
        assert result.content == "Hi."
        if ending is self.CUT:
            assert result.model_calls == 2
            assert "token limit" in (result.structured_error or "")

    def test_cut_json_of_a_native_schema_is_never_made_whole(self) -> None:
        """73."""
        cut = say('{"name":"A","items":["x"') + self.CUT
        result = play(prose("Hi."), cut, response_format=Reply, config=FINAL, capabilities=COMBINED).result
        assert result.structured_status == "validation_failed"

    def test_a_whole_object_in_a_cut_answer_is_not_trusted_either(self) -> None:
        result = play(prose("Hi."), say(REPLY) + self.CUT, response_format=Reply, config=FINAL).result
        assert (result.structured_status, result.parsed) == ("validation_failed", None)

    @pytest.mark.parametrize("delta", [{"content": None}, {"reasoning_content": "Hm"}, {}])
    def test_a_cap_that_thinking_used_up_is_told_as_such(self, delta: dict[str, Any]) -> None:
        """75: the cut is found before the missing content."""
        burnt = oa(delta) + self.CUT
        result = play(prose("Hi."), burnt, response_format=Reply, config=FINAL).result
        assert (result.structured_status, result.model_calls) == ("validation_failed", 2)
        assert "token limit" in (result.structured_error or "")
        with pytest.raises(StructuredOutputError, match="token limit"):
            result.unwrap()
        plain = play(burnt).result
        assert (plain.stop_reason, plain.content, plain.message) == ("truncated", "", None)

    def test_a_cut_text_says_so(self) -> None:
        result = play(say("half a sen") + self.CUT).result
        assert (result.stop_reason, result.content) == ("truncated", "half a sen")


class TestRefused:
    REFUSED = oa({}, "content_filter") + DONE

    @parametrize_driver
    def test_a_filter_that_leaves_nothing_is_a_refusal_and_no_loop(self, driver: str) -> None:
        """76."""
        observed = play(self.REFUSED, response_format=Reply, config=FINAL, driver=driver)
        result = observed.result
        assert (result.stop_reason, result.structured_status) == ("refused", "not_attempted")
        assert (len(observed.requests), result.message, result.content) == (1, None, "")

    def test_without_an_object_too(self) -> None:
        observed = play(self.REFUSED)
        assert (observed.result.stop_reason, observed.result.structured_status) == ("refused", None)
        assert len(observed.requests) == 1

    def test_a_refused_synthesis_is_not_asked_again(self) -> None:
        observed = play(prose("Hi."), self.REFUSED, response_format=Reply, config=FINAL)
        assert observed.result.structured_status == "validation_failed"
        assert "refused" in (observed.result.structured_error or "")
        assert len(observed.requests) == 2

    def test_a_refusal_in_its_own_field_is_its_text(self) -> None:
        body = oa({"refusal": "I cannot "}) + oa({"refusal": "help."}) + STOP
        observed = play(body, response_format=Reply, config=FINAL)
        assert observed.result.stop_reason == "refused"
        assert observed.content == observed.result.content == "I cannot help."


class TestAThoughtWithoutABeginning:  # 77
    TEXT = ('internal {"name":"wrong"}\n</thi', "nk>", REPLY)

    @parametrize_driver
    def test_the_answer_is_taken_from_behind_it(self, driver: str) -> None:
        synthesis = play(prose("Hi."), prose(*self.TEXT), response_format=Reply, config=FINAL, driver=driver)
        default = play(prose(*self.TEXT), response_format=Reply, driver=driver)
        for observed in (synthesis, default):
            assert observed.result.content == REPLY
            assert observed.result.parsed == Reply(name="A")
        assert synthesis.content == "Hi."

    def test_held_or_not_the_loop_answer_is_not_the_object(self) -> None:
        """It is not one JSON value, so it is not reused; its text, shown as it came, is documented."""
        for config in (FINAL, HOLD):
            observed = play(prose(*self.TEXT), prose(REPLY), response_format=Reply, config=config)
            assert observed.events == ["structured_synthesis_start"]
            assert observed.result.parsed == Reply(name="A")
