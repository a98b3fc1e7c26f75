"""The formats in which a turn reaches a client over HTTP: where to ask, what to send, how to read it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from finalturn import Message
from finalturn._serve.formats.items import (
    Ended,
    Item,
    RunFailed,
    RunStarted,
)
from finalturn._serve.problems.failure import Failure
from tests.serve._inner import inner_item
from tests.serve.ag_ui import _decode as ag_ui
from tests.serve.ai_sdk import _decode as ai_sdk

Record = dict[str, Any]


class Decoder(Protocol):
    """Reads the records of one stream. It is strict: a record out of place is an error."""

    @property
    def items(self) -> Sequence[Item]:
        """What they told so far."""
        ...

    def take(self, record: Record, /) -> object:
        """Read the next one."""
        ...


@dataclass(frozen=True)
class Format:
    """A format.

    Attributes:
        path: of the endpoint.
        body: the body of a request, made of messages and the id of a session.
        decoder: reads its records.
        last: the text that ends a stream, where the format has one.
    """

    path: str
    body: Callable[[Sequence[Message], str], Record]
    decoder: Callable[[], Decoder]
    last: str = ""


class Reader:
    """Reads a stream of server-sent events, as it arrives.

    Args:
        form: its format.
    """

    def __init__(self, form: Format) -> None:
        self._form = form
        self._decoder = form.decoder()
        self._rest = b""
        self._number = 0
        self._told = 0
        self._last = False

    def feed(self, body: bytes) -> Iterator[Item]:
        """What the next bytes tell."""
        *events, self._rest = (self._rest + body).split(b"\n\n")
        for event in events:
            if not event.startswith(b":"):
                self._take(event)
                items = self._decoder.items
                while self._told < len(items):
                    self._told += 1
                    yield items[self._told - 1]

    def ends(self) -> None:
        """Nothing more arrives."""
        assert self._rest == b"", f"a record was cut: {self._rest!r}"
        items = self._decoder.items
        assert items, "nothing was sent"
        assert isinstance(items[-1], (Ended, RunFailed)), "the stream does not end"
        assert self._last is bool(self._form.last), "the last record is missing"

    def _take(self, event: bytes) -> None:
        """One event; anything that is not exactly an id and one line of data breaks the framing."""
        number, data = event.decode("ascii").split("\n")
        self._number += 1
        assert number == f"id: {self._number}", number
        assert data.startswith("data: "), data
        text = data.removeprefix("data: ")
        assert not self._last, "something follows the last record"
        if text == self._form.last:
            self._last = True
        else:
            self._decoder.take(json.loads(text))


class _Native:
    """The native format, in which each record is one item."""

    def __init__(self) -> None:
        self.items: list[Item] = []

    def take(self, record: Record, /) -> None:
        assert (record["type"] == "run") is not bool(self.items), f"{record['type']} out of place"
        self.items.append(_native_item(record))


def _native_body(messages: Sequence[Message], session: str) -> Record:
    if len(messages) == 1 and not messages[0].content_parts:
        return {"input": messages[0].content, "session": session}
    given = [{name: value for name, value in one.to_dict().items() if value} for one in messages]
    return {"input": given, "session": session}


def _ag_ui_body(messages: Sequence[Message], session: str) -> Record:
    sent = [
        {"id": f"m{place}", "role": "user", "content": message.content}
        for place, message in enumerate(messages)
    ]
    nothing: Record = {"tools": [], "context": [], "state": {}, "forwardedProps": {}}
    return {"threadId": session, "runId": "r1", "messages": sent, **nothing}


def _ai_sdk_body(messages: Sequence[Message], session: str) -> Record:
    sent = [
        {"id": f"m{place}", "role": "user", "parts": [{"type": "text", "text": message.content}]}
        for place, message in enumerate(messages)
    ]
    return {"id": session, "messages": sent, "trigger": "submit-message"}


def _native_item(record: Record) -> Item:
    """One record; its fields, and no others."""
    fields = {name: value for name, value in record.items() if name != "type"}
    match record["type"]:
        case "run":
            return RunStarted(**fields)
        case "error":
            return RunFailed(Failure(**fields))
        case "result":
            return Ended(fields)
        case _:
            return inner_item(record)


def whole_items(document: Record) -> list[Item]:
    """The items of a whole answer: its result, or why there is none."""
    match document:
        case {"run_id": run_id, "session": session, "result": result}:
            return [RunStarted(run_id, session), Ended(result)]
        case {"code": code, "detail": text, "retryable": retryable, **more}:
            assert more.keys() == {"type", "title", "status"}, more
            return [RunFailed(Failure(code, text, retryable))]
        case _:
            raise AssertionError(f"neither a result nor a problem: {document}")


FORMATS: dict[str, Format] = {
    "http-stream": Format("/v1/chat/stream", _native_body, _Native),
    "ag-ui": Format("/ag-ui", _ag_ui_body, ag_ui.Decoder),
    "ai-sdk": Format("/ai-sdk", _ai_sdk_body, ai_sdk.Decoder, last="[DONE]"),
}
"""Those that stream, by the name of their driver."""

WHOLE_PATH = "/v1/chat"
"""Where a whole answer is asked for, as in the native format."""

PATHS = {**{name: form.path for name, form in FORMATS.items()}, "http-chat": WHOLE_PATH}
"""Where each driver asks."""


def body_of(driver: str, messages: Sequence[Message], session: str) -> Record:
    """What a driver sends."""
    form = FORMATS.get(driver)
    return _native_body(messages, session) if form is None else form.body(messages, session)
