"""What an answer cost, in every way that servers report it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.result import Usage
from finalturn._providers.answers.usage import (
    CHAT,
    CONVERSE,
    GENERATE_CONTENT,
    MESSAGES,
    RESPONSES,
    Tokens,
    UsageFormat,
)


def usage(form: UsageFormat, *records: Any) -> Usage | None:
    tokens = Tokens(form)
    for record in records:
        tokens.take(record)
    return tokens.usage()


def chat(asked: object, answered: object, total: object = None, **more: Any) -> dict[str, Any]:
    """Usage of chat completions."""
    return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": total, **more}


def thought(count: int) -> dict[str, Any]:
    return {"completion_tokens_details": {"reasoning_tokens": count}}


class TestChat:
    @pytest.mark.parametrize(
        "given", [None, {}, [], 7, "7", {"tokens": 7}, chat(None, None), chat(True, "x")]
    )
    def test_none_is_reported(self, given: Any) -> None:
        assert usage(CHAT, given) is None

    def test_details_are_parts(self) -> None:
        details = {"prompt_tokens_details": {"cached_tokens": 4}, **thought(3)}
        assert usage(CHAT, chat(10, 5, 15, **details)) == Usage(10, 4, 5, 3, 15)
        assert usage(CHAT, chat(10, 5, **details)) == Usage(10, 4, 5, 3, 15)

    def test_reasoning_that_is_counted_apart_is_output(self) -> None:
        assert usage(CHAT, chat(10, 5, 27, **thought(12))) == Usage(10, 0, 17, 12, 27)
        assert usage(CHAT, chat(10, 20, 42, **thought(12))) == Usage(10, 0, 32, 12, 42)

    def test_though_it_would_fit_inside(self) -> None:
        assert usage(CHAT, chat(10, 20, 30, **thought(12))) == Usage(10, 0, 20, 12, 30)

    @pytest.mark.parametrize("total", [None, 0, 7, 40])
    def test_more_reasoning_than_output_is_not_inside_it(self, total: object) -> None:
        expected = Usage(10, 0, 17, 12, 40 if total == 40 else 27)
        assert usage(CHAT, chat(10, 5, total, **thought(12))) == expected

    def test_unless_the_total_says_so(self) -> None:
        assert usage(CHAT, chat(43, 10, 53, **thought(11))) == Usage(43, 0, 10, 11, 53)

    @pytest.mark.parametrize(
        "details",
        [
            {"reasoning_tokens": 12},
            {"completion_tokens_details": None, "reasoning_tokens": 12},
            {"output_tokens_details": {"reasoning_tokens": 12}, "reasoning_tokens": 12},
        ],
    )
    def test_it_may_stand_elsewhere(self, details: dict[str, Any]) -> None:
        assert usage(CHAT, chat(10, 5, 27, **details)) == Usage(10, 0, 17, 12, 27)

    @pytest.mark.parametrize(
        "name",
        ["prompt_cache_hit_tokens", "num_cached_tokens", "cached_tokens", "cache_read_input_tokens"],
    )
    def test_cached_tokens_have_several_names(self, name: str) -> None:
        assert usage(CHAT, {"prompt_tokens": 10, name: 4}) == Usage(10, 4, 0, 0, 10)

    def test_cached_tokens_may_be_counted_apart_too(self) -> None:
        assert usage(CHAT, chat(10, 5, 19, cached_tokens=4)) == Usage(14, 4, 5, 0, 19)
        assert usage(CHAT, chat(10, 5, cached_tokens=40)) == Usage(50, 40, 5, 0, 55)
        both = {"cache_read_input_tokens": 4, "cache_creation_input_tokens": 3, **thought(2)}
        assert usage(CHAT, chat(10, 5, 24, **both)) == Usage(17, 4, 7, 2, 24)

    def test_the_names_of_responses_are_understood(self) -> None:
        assert usage(CHAT, {"input_tokens": 10, "output_tokens": 5}) == Usage(10, 0, 5, 0, 15)

    def test_a_total_that_is_more_than_its_parts_is_the_provider_s_own(self) -> None:
        assert usage(CHAT, chat(10, 5, 99)) == Usage(10, 0, 5, 0, 99)

    @pytest.mark.parametrize("total", [0, 7, -1, None, "x"])
    def test_one_that_is_less_is_none(self, total: object) -> None:
        assert usage(CHAT, chat(10, 5, total)) == Usage(10, 0, 5, 0, 15)


class TestNumbers:
    @pytest.mark.parametrize("ten", [10, 10.0, "10", " 10 "])
    def test_a_count_is_read_as_it_is_meant(self, ten: object) -> None:
        assert usage(CHAT, chat(ten, ten)) == Usage(10, 0, 10, 0, 20)

    @pytest.mark.parametrize("none", [None, 1.5, "ten", "", "1e3", "9" * 5000, True, [], {}, float("nan")])
    def test_what_is_no_count_is_none(self, none: object) -> None:
        assert usage(CHAT, chat(10, none)) == Usage(10, 0, 0, 0, 10)

    def test_none_is_below_zero(self) -> None:
        assert usage(CHAT, chat(-1, 5, -3)) == Usage(0, 0, 5, 0, 5)

    @pytest.mark.parametrize("details", [None, [], 7, {}, {"reasoning_tokens": None}])
    def test_details_may_be_anything(self, details: object) -> None:
        assert usage(CHAT, chat(10, 5, completion_tokens_details=details)) == Usage(10, 0, 5, 0, 15)


class TestSeveralRecords:
    def test_it_is_a_running_total(self) -> None:
        assert usage(CHAT, chat(10, 1, 11), chat(10, 2, 12), chat(10, 5, 15)) == Usage(10, 0, 5, 0, 15)

    @pytest.mark.parametrize("last", [chat(0, 0, 0), chat(None, None), {}, None])
    def test_one_that_says_nothing_takes_nothing_away(self, last: Any) -> None:
        assert usage(CHAT, chat(10, 5, 15), last) == Usage(10, 0, 5, 0, 15)

    def test_each_may_report_a_part(self) -> None:
        assert usage(CHAT, chat(10, 0, 10), chat(0, 5, 5)) == Usage(10, 0, 5, 0, 15)

    def test_a_correction_counts(self) -> None:
        assert usage(CHAT, chat(100, 1, 101), chat(10, 5, 15)) == Usage(10, 0, 5, 0, 15)

    def test_nothing_used_is_not_nothing_said(self) -> None:
        assert usage(CHAT, chat(0, 0, 0)) == Usage()


class TestResponses:
    def test_details_are_parts(self) -> None:
        given = {
            "input_tokens": 10,
            "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 2},
            "output_tokens": 5,
            "output_tokens_details": {"reasoning_tokens": 3},
            "total_tokens": 15,
        }
        assert usage(RESPONSES, given) == Usage(10, 4, 5, 3, 15)
        assert usage(RESPONSES, {**given, "total_tokens": 18}) == Usage(10, 4, 8, 3, 18)

    @pytest.mark.parametrize("given", [None, {}, [], 7, {"prompt_tokens": 7}])
    def test_none_is_reported(self, given: object) -> None:
        assert usage(RESPONSES, given) is None


class TestGenerateContent:
    GIVEN: dict[str, Any] = {  # noqa: RUF012 (never changed)
        "promptTokenCount": 10,
        "cachedContentTokenCount": 4,
        "toolUsePromptTokenCount": 3,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 2,
        "totalTokenCount": 20,
    }

    def test_output_is_what_was_said_and_thought(self) -> None:
        assert usage(GENERATE_CONTENT, self.GIVEN) == Usage(13, 4, 7, 2, 20)

    def test_also_without_a_total(self) -> None:
        assert usage(GENERATE_CONTENT, {**self.GIVEN, "totalTokenCount": None}) == Usage(13, 4, 7, 2, 20)

    def test_thoughts_may_be_candidates(self) -> None:
        assert usage(GENERATE_CONTENT, {**self.GIVEN, "totalTokenCount": 18}) == Usage(13, 4, 5, 2, 18)

    def test_not_where_there_are_more_of_them(self) -> None:
        given = {"promptTokenCount": 10, "candidatesTokenCount": 5, "thoughtsTokenCount": 12}
        assert usage(GENERATE_CONTENT, {**given, "totalTokenCount": 12}) == Usage(10, 0, 17, 12, 27)

    def test_before_the_first_word_there_are_no_candidates(self) -> None:
        first = {"promptTokenCount": 10, "totalTokenCount": 22, "thoughtsTokenCount": 12}
        assert usage(GENERATE_CONTENT, first) == Usage(10, 0, 12, 12, 22)

    @pytest.mark.parametrize("given", [None, {}, [], "x", {"trafficType": "ON_DEMAND"}])
    def test_nothing_said_is_nothing(self, given: object) -> None:
        assert usage(GENERATE_CONTENT, given) is None


class TestConverse:
    @pytest.mark.parametrize("total", [34, 4, None])
    def test_the_cache_is_counted_beside_the_input(self, total: int | None) -> None:
        cache = {"cacheReadInputTokens": 10, "cacheWriteInputTokens": 20}
        given = {"inputTokens": 1, "outputTokens": 3, "totalTokens": total, **cache}
        assert usage(CONVERSE, given) == Usage(31, 10, 3, 0, 34)

    def test_a_total_may_be_all(self) -> None:
        assert usage(CONVERSE, {"totalTokens": 5}) == Usage(total_tokens=5)


def messages(asked: int, answered: int, kind: str = "message", **more: Any) -> dict[str, Any]:
    """An iteration of Messages, or the counts above the list."""
    return {"type": kind, "input_tokens": asked, "output_tokens": answered, **more}


class TestMessages:
    def test_what_is_read_from_and_into_a_cache_is_read_too(self) -> None:
        given = {
            "input_tokens": 10,
            "cache_read_input_tokens": 4,
            "cache_creation_input_tokens": 3,
            "output_tokens": 5,
            "output_tokens_details": {"thinking_tokens": 2},
        }
        assert usage(MESSAGES, given) == Usage(17, 4, 5, 2, 22)

    def test_a_later_count_replaces_an_earlier_one_field_by_field(self) -> None:
        first = {"input_tokens": 7, "cache_read_input_tokens": 2, "output_tokens": 1}
        assert usage(MESSAGES, first, {"output_tokens": 9}) == Usage(9, 2, 9, 0, 18)
        assert usage(MESSAGES, first, {"input_tokens": 3, "output_tokens": 9}) == Usage(5, 2, 9, 0, 14)


class TestIterations:
    MESSAGE = messages(180, 8)
    COMPACTION = messages(100, 83, "compaction")

    def test_each_counts_once(self) -> None:
        given = {**self.MESSAGE, "iterations": [self.COMPACTION, self.MESSAGE]}
        assert usage(MESSAGES, given) == Usage(280, 0, 91, 0, 371)

    def test_whatever_the_counts_above_them_add_up(self) -> None:
        turns = [messages(412, 89), messages(823, 1612, "advisor_message"), messages(1348, 442)]
        for above in (messages(412, 531), messages(1760, 531)):
            assert usage(MESSAGES, {**above, "iterations": turns}) == Usage(2583, 0, 2143, 0, 4726)

    def test_of_a_fallback_both_attempts_do(self) -> None:
        tried = [messages(408, 0), messages(412, 264, "fallback_message")]
        assert usage(MESSAGES, {**messages(412, 264), "iterations": tried}) == Usage(820, 0, 264, 0, 1084)

    def test_their_caches_do_too(self) -> None:
        cached = {**self.COMPACTION, "cache_read_input_tokens": 50, "cache_creation_input_tokens": 5}
        own = {**self.MESSAGE, "cache_read_input_tokens": 20}
        given = {**own, "iterations": [cached, own]}
        assert usage(MESSAGES, given) == Usage(355, 70, 91, 0, 446)

    @pytest.mark.parametrize("listed", [None, [], {}, 7, [None], [{}], [{"type": "message"}]])
    def test_a_list_that_says_nothing_is_none(self, listed: Any) -> None:
        assert usage(MESSAGES, {**self.MESSAGE, "iterations": listed}) == Usage(180, 0, 8, 0, 188)

    def test_where_the_message_itself_is_not_listed_it_counts_too(self) -> None:
        given = {**self.MESSAGE, "iterations": [self.COMPACTION]}
        assert usage(MESSAGES, given) == Usage(280, 0, 91, 0, 371)

    def test_an_answer_that_only_made_room_has_nothing_of_its_own(self) -> None:
        given = {**messages(0, 0), "iterations": [self.COMPACTION]}
        assert usage(MESSAGES, given) == Usage(100, 0, 83, 0, 183)

    def test_on_a_stream_the_last_list_counts(self) -> None:
        start = {**messages(180, 1), "iterations": [self.COMPACTION, messages(180, 1)]}
        end = {"output_tokens": 8, "iterations": [self.COMPACTION, self.MESSAGE]}
        for last in (end, {"output_tokens": 8}, {"output_tokens": 8, "iterations": None}):
            assert usage(MESSAGES, start, last) == Usage(280, 0, 91, 0, 371)


COUNT = st.integers(0, 1000)


@given(COUNT, COUNT, COUNT, COUNT, st.booleans(), st.booleans())
def test_where_the_total_is_right_so_is_everything_else(
    asked: int, answered: int, cached: int, thoughts: int, cache_beside: bool, thoughts_beside: bool
) -> None:
    right = Usage(asked + cached, cached, answered + thoughts, thoughts, asked + cached + answered + thoughts)
    given = chat(
        asked if cache_beside else asked + cached,
        answered if thoughts_beside else answered + thoughts,
        right.total_tokens,
        cached_tokens=cached,
        **thought(thoughts),
    )
    found = usage(CHAT, given)
    assert found is not None
    assert found.input_tokens + found.output_tokens == found.total_tokens == right.total_tokens
    # Two parts of the same size, of which one stands beside, cannot be told apart.
    if cached != thoughts or cache_beside == thoughts_beside:
        assert found == right


@given(st.lists(st.tuples(COUNT, COUNT, st.sampled_from(["message", "compaction", "advisor_message"]))))
def test_the_sum_of_all_iterations_is_what_counts(listed: list[tuple[int, int, str]]) -> None:
    own = [entry for entry in listed if entry[2] == "message"]
    above = {"input_tokens": sum(a for a, _, _ in own), "output_tokens": sum(b for _, b, _ in own)}
    found = usage(MESSAGES, {**above, "iterations": [messages(*entry) for entry in listed]})
    assert found is not None
    assert (found.input_tokens, found.output_tokens) == (
        sum(asked for asked, _, _ in listed),
        sum(answered for _, answered, _ in listed),
    )
