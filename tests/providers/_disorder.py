"""Well-formed answers, and how each format spells them with the disorders that servers have.

Content is cut anywhere. Marks of the end come early, on every piece, and more than once; reasons that are
none stand beside them; usage comes anywhere, in running totals, and zeros come behind it; there are empty
pieces and keep-alives between all of them. None of it is part of the answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple, TypeVar

from hypothesis import strategies as st

from finalturn._core.model import FinishReason
from finalturn._core.result import Usage
from tests.providers import _anthropic_wire as messages
from tests.providers import _bedrock_wire as converse
from tests.providers import _gemini_wire as gemini
from tests.providers import _responses_wire as responses
from tests.providers import _wire as chat

T = TypeVar("T")


class Part(NamedTuple):
    """A part of an answer: words, or a call by its name with its arguments."""

    kind: Literal["text", "thought", "call"]
    words: str
    arguments: dict[str, Any]


class Answer(NamedTuple):
    """What a model has to say."""

    parts: list[Part]
    cut: bool
    usage: Usage | None

    @property
    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        return [(part.words, part.arguments) for part in self.parts if part.kind == "call"]

    def said(self, kind: str) -> str:
        return "".join(part.words for part in self.parts if part.kind == kind)


class Spelled(NamedTuple):
    """A body, and the reason that is to be read from it."""

    body: bytes
    finish: FinishReason


WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
SCALARS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | WORDS
ARGUMENTS = st.dictionaries(WORDS, SCALARS | st.lists(SCALARS, min_size=1, max_size=2), max_size=3)
PARTS = st.one_of(
    st.builds(Part, st.sampled_from(["text", "thought"]), WORDS, st.just({})),
    st.builds(Part, st.just("call"), st.sampled_from(["look_up", "g"]), ARGUMENTS),
)
COUNTS = st.integers(0, 1000)


@st.composite
def usages(draw: st.DrawFn) -> Usage:
    """Tokens whose parts are no larger than their wholes."""
    asked, answered = draw(COUNTS), draw(COUNTS)
    cached, thoughts = draw(st.integers(0, asked)), draw(st.integers(0, answered))
    return Usage(asked, cached, answered, thoughts, asked + answered)


ANSWERS = st.builds(Answer, st.lists(PARTS, max_size=4), st.booleans(), st.none() | usages())


class Draw:
    """Makes the choices of one spelling."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def pick(self, *choices: T) -> T:
        return self._data.draw(st.sampled_from(choices))

    def coin(self) -> bool:
        return self._data.draw(st.booleans())

    def pieces(self, text: str) -> list[str]:
        """A text in one to three pieces; none of an empty one."""
        cuts = sorted(self._data.draw(st.lists(st.integers(1, max(len(text) - 1, 1)), max_size=2)))
        ends = zip([0, *cuts], [*cuts, len(text)], strict=True)
        return [text[start:end] for start, end in ends if text[start:end]]

    def between(self, records: list[bytes], noise: Callable[[], bytes]) -> bytes:
        """Records with anything at all before each of them."""
        return b"".join((noise() if self.coin() else b"") + record for record in records)

    def cuts(self, size: int) -> list[int]:
        """Where reads end."""
        return sorted(self._data.draw(st.lists(st.integers(0, size), max_size=8)))

    def shares(self, usage: Usage | None) -> Iterator[Usage]:
        """Running totals that come to a usage."""
        if usage is None:
            return
        if self.coin():
            part = self._data.draw(st.integers(0, 3))
            asked, cached, answered, thoughts = (
                count * part // 4
                for count in (
                    usage.input_tokens,
                    usage.cached_tokens,
                    usage.output_tokens,
                    usage.reasoning_tokens,
                )
            )
            yield Usage(asked, cached, answered, thoughts, asked + answered)
        yield usage

    def mixed(self, records: list[bytes], others: list[bytes]) -> list[bytes]:
        """Both, each in its order."""
        places = sorted(self._data.draw(st.integers(0, len(records))) for _ in others)
        found = list(records)
        for place, other in reversed(list(zip(places, others, strict=True))):
            found.insert(place, other)
        return found


def chat_completions(answer: Answer, draw: Draw) -> Spelled:
    """Chat completions, with a mark or none on each piece."""

    def put(**fields: Any) -> bytes:
        return chat.delta(None, draw.pick(None, "", "none", "null", "stop"), **fields)

    def noise() -> bytes:
        return draw.pick(
            b": ping\n\n", chat.delta(""), chat.delta("", "stop"), chat.DONE, chat.event({"id": "x"})
        )

    records: list[bytes] = []
    place = 0
    for part in answer.parts:
        if part.kind != "call":
            name = "content" if part.kind == "text" else draw.pick("reasoning_content", "reasoning")
            records += [put(**{name: piece}) for piece in draw.pieces(part.words)]
            continue
        written = json.dumps(part.arguments)
        pieces: list[Any] = draw.pick(
            [part.arguments], draw.pieces(written), ["{}", *draw.pieces(written)], [""]
        )
        if pieces == [""]:
            pieces = ["", *draw.pieces(written)]
        # Who repeats the name repeats the id too, and who has no index has an id on each piece.
        names, ids, indexed = draw.pick(
            (False, False, True), (False, True, True), (True, True, True), (False, True, False)
        )
        for number, piece in enumerate(pieces):
            function = {"name": part.words if names or not number else None, "arguments": piece}
            entry: dict[str, Any] = {"type": "function", "function": function}
            entry |= {"id": f"id_{place}"} if ids or not number else {}
            entry |= {"index": place} if indexed else {}
            records.append(put(tool_calls=[entry]))
        place += 1
    reported: list[bytes] = []
    # A server counts one way, in all its running totals.
    counts_apart = draw.coin()
    for usage in draw.shares(answer.usage):
        apart = usage.reasoning_tokens if counts_apart else 0
        reported.append(
            chat.usage(
                prompt_tokens=usage.input_tokens,
                completion_tokens=usage.output_tokens - apart,
                total_tokens=usage.total_tokens,
                prompt_tokens_details={"cached_tokens": usage.cached_tokens},
                completion_tokens_details={"reasoning_tokens": usage.reasoning_tokens},
            )
        )
    if reported and draw.coin():
        reported.append(chat.usage(prompt_tokens=0, completion_tokens=0, total_tokens=0))
    finish: FinishReason = "length" if answer.cut else draw.pick("stop", "tool_calls")
    body = draw.between(draw.mixed([*records, chat.delta(None, finish)], reported), noise)
    return Spelled(body + draw.pick(b"", chat.DONE, chat.DONE * 2), finish)


def generate_content(answer: Answer, draw: Draw) -> Spelled:
    """generateContent, with a mark or none on each piece."""

    def put(*parts: Any) -> bytes:
        finish = draw.pick(None, "", "FINISH_REASON_UNSPECIFIED", "STOP")
        return gemini.event(gemini.record(*parts, finish=finish))

    def noise() -> bytes:
        return draw.pick(b": ping\n\n", put(), put(gemini.text("")), gemini.event({"modelVersion": "x"}))

    records: list[bytes] = []
    for part in answer.parts:
        if part.kind != "call":
            make = gemini.text if part.kind == "text" else gemini.thought
            records += [put(make(piece)) for piece in draw.pieces(part.words)]
        else:
            records += [put({"functionCall": piece}) for piece in _function_calls(part, draw)]
    reported = [
        gemini.event(
            {
                "usageMetadata": {
                    "promptTokenCount": usage.input_tokens,
                    "cachedContentTokenCount": usage.cached_tokens,
                    "candidatesTokenCount": usage.output_tokens - usage.reasoning_tokens,
                    "thoughtsTokenCount": usage.reasoning_tokens,
                    "totalTokenCount": usage.total_tokens,
                }
            }
        )
        for usage in draw.shares(answer.usage)
    ]
    last = gemini.event(gemini.record(finish="MAX_TOKENS" if answer.cut else "STOP"))
    body = draw.between(draw.mixed([*records, last], reported), noise)
    return Spelled(body, "length" if answer.cut else "stop")


def _function_calls(part: Part, draw: Draw) -> list[dict[str, Any]]:
    """The parts of one call: whole, with its arguments behind it, or with these one by one."""
    way = draw.pick("whole", "behind", "streamed")
    if way == "whole":
        return [{"name": part.words, "args": part.arguments}]
    if way == "behind":
        blank: list[dict[str, Any]] = [{}, {"args": {}}, {"args": "{}"}]
        first = draw.pick(*blank)
        return [
            {"name": part.words, **first},
            {"args": draw.pick(part.arguments, json.dumps(part.arguments))},
        ]
    pieces: list[dict[str, Any]] = []
    for path, value in gemini.leaves(part.arguments, "$"):
        if isinstance(value, str):
            *texts, last = draw.pieces(value)
            pieces += [{"jsonPath": path, "stringValue": text, "willContinue": True} for text in texts]
            pieces.append({"jsonPath": path, "stringValue": last})
        else:
            field = (
                "boolValue"
                if isinstance(value, bool)
                else "numberValue"
                if isinstance(value, int)
                else "nullValue"
            )
            pieces.append({"jsonPath": path, field: value})
    streamed = [{"partialArgs": [piece], "willContinue": True} for piece in pieces]
    name = {"name": part.words} if draw.coin() else {}
    return [{"name": part.words, "willContinue": True}, *({**piece, **name} for piece in streamed), {}]


def anthropic_messages(answer: Answer, draw: Draw) -> Spelled:
    """Messages, with marks and even the last record before the end."""

    def noise() -> bytes:
        early = (messages.finish("end_turn"), messages.finish(draw.pick(None, "", "none")), messages.END)
        return draw.pick(b": ping\n\n", messages.PING, *early)

    records: list[bytes] = []
    for place, part in enumerate(answer.parts):
        at = place if draw.coin() else None
        field, kind = {
            "text": ("text", "text_delta"),
            "thought": ("thinking", "thinking_delta"),
            "call": ("partial_json", "input_json_delta"),
        }[part.kind]
        if part.kind == "call":
            records.append(messages.begin(at, "tool_use", id=f"id_{place}", name=part.words, input={}))
            pieces = draw.pieces(json.dumps(part.arguments))
        else:
            records.append(messages.begin(at, "text" if part.kind == "text" else "thinking"))
            pieces = draw.pieces(part.words)
        pieces = ["", *pieces] if draw.coin() else pieces
        records += [messages.piece(at, kind, **{field: piece}) for piece in pieces]
        records.append(messages.stop(at))
    reported: list[bytes] = []
    for usage in draw.shares(answer.usage):
        counts: dict[str, Any] = {
            "input_tokens": usage.input_tokens - usage.cached_tokens,
            "cache_read_input_tokens": usage.cached_tokens,
            "output_tokens": usage.output_tokens,
        }
        details: dict[str, Any] = {"output_tokens_details": {"thinking_tokens": usage.reasoning_tokens}}
        listed: dict[str, Any] = {"iterations": [{"type": "message", **counts}]} if draw.coin() else {}
        reported.append(messages.finish(None, **counts, **details, **listed))
    finish = "max_tokens" if answer.cut else draw.pick("end_turn", "tool_use")
    body = draw.between(draw.mixed([*records, messages.finish(finish)], reported), noise)
    read: dict[str, FinishReason] = {"max_tokens": "length", "end_turn": "stop", "tool_use": "tool_calls"}
    return Spelled(messages.start() + body + draw.pick(b"", messages.END, messages.END * 2), read[finish])


def openai_responses(answer: Answer, draw: Draw) -> Spelled:
    """Responses, whose last record has come before."""

    def noise() -> bytes:
        early = responses.event("response.completed", response={"output": [], "status": "completed"})
        return draw.pick(b": ping\n\n", responses.event("keepalive"), early, responses.text(0, ""))

    records: list[bytes] = []
    items: list[dict[str, Any]] = []
    for place, part in enumerate(answer.parts):
        item_id = f"item_{place}"
        if part.kind == "call":
            written = json.dumps(part.arguments)
            item = responses.call(part.words, written, f"id_{place}", id=item_id)
            pieces = [responses.arguments(place, piece, item_id=item_id) for piece in draw.pieces(written)]
            begun: dict[str, Any] = {**item, "arguments": draw.pick("", "{}")}
        elif part.kind == "text":
            item = responses.message(part.words, item_id)
            pieces = [responses.text(place, piece, item_id=item_id) for piece in draw.pieces(part.words)]
            begun = {**item, "content": []}
        else:
            item = responses.reasoning(part.words, id=item_id)
            kind = "response.reasoning_summary_text.delta"
            pieces = [
                responses.event(kind, output_index=place, item_id=item_id, delta=piece)
                for piece in draw.pieces(part.words)
            ]
            begun = {**item, "summary": []}
        items.append(item)
        records += [responses.added(place, begun), *pieces, responses.done(place, item)]
    shares = [*draw.shares(answer.usage)]
    last = shares.pop() if shares else None
    reported = [
        responses.event("response.completed", response={"output": [], "usage": _openai_usage(usage)})
        for usage in shares
    ]
    output = items if draw.coin() else []
    status = "incomplete" if answer.cut else "completed"
    details = {"incomplete_details": {"reason": "max_output_tokens"}} if answer.cut else {}
    response = {"status": status, "output": output, "usage": _openai_usage(last), **details}
    end = responses.event(f"response.{status}", response=response)
    finish: FinishReason = "length" if answer.cut else "tool_calls" if answer.calls else "stop"
    body = draw.between(draw.mixed(records, reported), noise) + end
    return Spelled(body + draw.pick(b"", responses.DONE), finish)


def _openai_usage(usage: Usage | None) -> dict[str, Any] | None:
    if usage is None:
        return None
    return {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {"cached_tokens": usage.cached_tokens},
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.total_tokens,
    }


def bedrock_converse(answer: Answer, draw: Draw) -> Spelled:
    """Converse, with marks and tokens before the end."""

    def noise() -> bytes:
        return draw.pick(
            converse.START, converse.finish("end_turn"), converse.event("ping"), converse.metadata()
        )

    records: list[bytes] = []
    for place, part in enumerate(answer.parts):
        at = place if draw.coin() else None
        pieces = draw.pieces(part.words if part.kind != "call" else json.dumps(part.arguments))
        if part.kind == "call":
            records.append(converse.begin(at, toolUse={"toolUseId": f"id_{place}", "name": part.words}))
            records += [converse.piece(at, toolUse={"input": piece}) for piece in ["", *pieces]]
        elif part.kind == "text":
            records += [converse.piece(at, text=piece) for piece in pieces]
        else:
            records += [converse.piece(at, reasoningContent={"text": piece}) for piece in pieces]
        records.append(converse.stop(at))
    reported = [
        converse.metadata(
            inputTokens=usage.input_tokens - usage.cached_tokens,
            cacheReadInputTokens=usage.cached_tokens,
            outputTokens=usage.output_tokens,
            totalTokens=usage.total_tokens,
        )
        for usage in draw.shares(answer.usage)
    ]
    finish = "max_tokens" if answer.cut else draw.pick("end_turn", "tool_use")
    body = draw.between(draw.mixed([*records, converse.finish(finish)], reported), noise)
    read: dict[str, FinishReason] = {"max_tokens": "length", "end_turn": "stop", "tool_use": "tool_calls"}
    return Spelled(converse.START + body, read[finish])
