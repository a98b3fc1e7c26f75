"""How turns come out."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, TypeAdapter

from finalturn import Capabilities, ModelEnd, StructuredOutputConfig, StructuredOutputError
from finalturn.contract import (
    ALWAYS_VALIDATED_HERE,
    EXPLICIT_OUTCOME,
    NEVER_REPAIRED,
    NO_NEEDLESS_CALL,
    OWN_RETRY_BUDGET,
    REUSE_GATE_STRICT,
    SCHEMA_STAYS_OUT,
)
from finalturn.providers import Scripted
from tests.contract._play import Play
from tests.contract._proves import proves
from tests.contract._scenes import (
    ANSWER,
    COMBINED,
    FINAL,
    HOLD,
    INVALID,
    LOOKUP,
    NO_REUSE,
    PROSE,
    SENTINEL,
    SINGLE,
    Ticket,
    hand_over,
    lookup,
    skipping,
)

OUTCOMES: dict[str, tuple[list[Any], Any, str]] = {
    "ok": ([PROSE, ANSWER], FINAL, "ok"),
    "reused": ([ANSWER], FINAL, "ok"),
    "default": ([ANSWER], None, "ok"),
    "failed": ([PROSE, "no", "no", "no"], FINAL, "validation_failed"),
    "default failed": (["no", "no", "no"], None, "validation_failed"),
    "skipped": ([PROSE], skipping(True), "skipped"),
    "terminal tool": ([[Scripted.call("hand_over", {"order": "A"})]], FINAL, "not_attempted"),
    "limit": ([[LOOKUP]] * 10, FINAL, "not_attempted"),
    "refused": ([["I cannot.", ModelEnd("refusal")]], FINAL, "not_attempted"),
    "refused synthesis": ([PROSE, ["I cannot.", ModelEnd("refusal")]], FINAL, "validation_failed"),
    "cut synthesis": ([PROSE, [ANSWER[:-2], ModelEnd("length")]], FINAL, "validation_failed"),
}


@proves(EXPLICIT_OUTCOME)
@pytest.mark.parametrize("name", OUTCOMES)
def test_the_status_says_how_it_came_out(play: Play, name: str) -> None:
    calls, config, status = OUTCOMES[name]
    result = play(*calls, response_format=Ticket, config=config, tools=[lookup, hand_over]).result
    assert result.structured_status == status
    assert (result.parsed is not None) == (status == "ok")
    if status == "ok":
        assert result.unwrap() == result.parsed
    else:
        with pytest.raises(StructuredOutputError, match=status):
            result.unwrap()
    assert (result.structured_error is not None) == (status == "validation_failed")


@proves(EXPLICIT_OUTCOME)
def test_a_null_that_the_schema_admits_is_ok(play: Play) -> None:
    result = play(PROSE, "null", response_format=TypeAdapter(int | None), config=FINAL).result
    assert (result.structured_status, result.parsed) == ("ok", None)
    assert result.unwrap() is None


@proves(ALWAYS_VALIDATED_HERE)
def test_what_a_provider_promised_is_validated_here(play: Play) -> None:
    for config, capabilities in ((FINAL, COMBINED), (SINGLE, COMBINED), (None, COMBINED)):
        calls = [INVALID] * 4
        result = play(*calls, response_format=Ticket, config=config, capabilities=capabilities).result
        assert (result.structured_status, result.parsed) == ("validation_failed", None)
    mapping = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    result = play('{"n": "1"}', '{"n": 1}', response_format=mapping, capabilities=COMBINED).result
    assert (result.parsed, result.model_calls) == ({"n": 1}, 2)


class Loose(BaseModel):
    topic: str | None = None


@proves(REUSE_GATE_STRICT)
@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"weather": "sunny"}',
        'Here: {"topic": "t"}',
        '{"topic": "t"} and more',
        '{"topic": "t"}{"topic": "t"}',
        '{"topic": "t"',
        '[{"topic": "t"}]',
        "null",
    ],
)
def test_only_a_whole_answer_with_a_declared_key_is_reused(play: Play, text: str) -> None:
    result = play(text, '{"topic": "made"}', response_format=Loose, config=FINAL).result
    assert result.parsed == Loose(topic="made")
    assert result.model_calls == 2


@proves(REUSE_GATE_STRICT)
def test_a_fence_around_the_whole_answer_is_allowed(play: Play) -> None:
    result = play('```json\n{"topic": "t"}\n```', response_format=Loose, config=FINAL).result
    assert (result.parsed, result.model_calls) == (Loose(topic="t"), 1)


@proves(NEVER_REPAIRED)
@pytest.mark.parametrize("reason", ["length", "stop"])
def test_cut_json_is_never_completed(play: Play, reason: Any) -> None:
    cut = f'{{"urgent": true, "topic": "{SENTINEL}'
    end = ModelEnd(reason)
    result = play(PROSE, [cut, end], [cut, end], [cut, end], response_format=Ticket, config=FINAL).result
    assert (result.structured_status, result.parsed) == ("validation_failed", None)
    assert SENTINEL not in (result.structured_error or "")
    result = play(*[[cut, end]] * 3, response_format=Ticket).result
    assert (result.structured_status, result.parsed) == ("validation_failed", None)


@proves(NO_NEEDLESS_CALL)
def test_reuse_skip_and_single_pass_make_one_call(play: Play) -> None:
    assert len(play(ANSWER, response_format=Ticket, config=FINAL).requests) == 1
    assert len(play(ANSWER, response_format=Ticket, config=HOLD).requests) == 1
    assert len(play(PROSE, response_format=Ticket, config=skipping(True)).requests) == 1
    single = play(ANSWER, response_format=Ticket, config=SINGLE, capabilities=COMBINED)
    assert len(single.requests) == 1
    assert len(play([ANSWER], response_format=Ticket).requests) == 1


@proves(OWN_RETRY_BUDGET)
@pytest.mark.parametrize("retries", [0, 1, 3])
def test_retries_are_bounded_and_use_no_iterations(play: Play, retries: int) -> None:
    config = StructuredOutputConfig(final_turn_only=True, max_validation_retries=retries)
    calls = [INVALID] * (retries + 1)
    observed = play(PROSE, *calls, response_format=Ticket, config=config, max_iterations=1)
    assert len(observed.requests) == retries + 2
    assert observed.result.structured_status == "validation_failed"
    plain = StructuredOutputConfig(max_validation_retries=retries)
    observed = play(*calls, response_format=Ticket, config=plain, max_iterations=1)
    assert len(observed.requests) == retries + 1


@proves(OWN_RETRY_BUDGET)
def test_iterations_count_loop_calls_only(play: Play) -> None:
    observed = play(
        [LOOKUP],
        PROSE,
        INVALID,
        ANSWER,
        response_format=Ticket,
        config=FINAL,
        max_iterations=2,
        tools=[lookup],
    )
    assert observed.result.structured_status == "ok"


@proves(SCHEMA_STAYS_OUT)
@pytest.mark.parametrize("config", [FINAL, HOLD, NO_REUSE], ids=["final", "hold", "no-reuse"])
@pytest.mark.parametrize("capabilities", [Capabilities(), COMBINED], ids=["plain", "native"])
def test_loop_requests_carry_no_schema(play: Play, config: Any, capabilities: Any) -> None:
    observed = play(
        [LOOKUP],
        PROSE,
        ANSWER,
        response_format=Ticket,
        config=config,
        capabilities=capabilities,
        tools=[lookup],
    )
    first, second, synthesis = observed.requests
    for request in (first, second):
        assert "schemadescription" not in request
        assert "urgent" not in request
    assert "schemadescription" in synthesis
    assert "lookup" in first


@proves(OWN_RETRY_BUDGET)
def test_a_retry_is_told_what_was_wrong_with_the_last_attempt_only(play: Play) -> None:
    for calls, config in (([PROSE, "first", INVALID, ANSWER], FINAL), (["first", INVALID, ANSWER], None)):
        observed = play(*calls, response_format=Ticket, config=config)
        *_, second, third = observed.requests
        assert "first" in second
        assert "bool_parsing" in third
        assert "first" not in third
