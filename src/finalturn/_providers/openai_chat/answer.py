"""Turns the JSON records of a chat completions answer into model events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from finalturn._core.errors import ProviderError
from finalturn._core.markup import MarkupSplitter, Part, Schemas
from finalturn._core.messages import ToolCall
from finalturn._core.model import (
    ModelEnd,
    ModelEvent,
    ModelRequest,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from finalturn._core.textcalls import Calls, markup_of
from finalturn._providers.answers.answer import BaseAnswer
from finalturn._providers.answers.decode import log_skipped
from finalturn._providers.answers.ending import stated_reason
from finalturn._providers.answers.usage import CHAT
from finalturn._providers.errors.failures import BrokeOffError, error_in_answer
from finalturn._providers.errors.record import is_error
from finalturn._providers.json_types import as_array, as_object, as_text
from finalturn._providers.openai_chat.message import (
    call_deltas,
    content_pieces,
    finish_reason,
    legacy_calls,
    reasoning_text,
)
from finalturn._providers.openai_chat.profile import ANY_MODEL_TAG, Profile
from finalturn._providers.openai_chat.replay import DETAILS, KeptReasoning


class OpenAIChatAnswer(BaseAnswer):
    """What the records of a chat completion have said so far.

    Calls are given at the end: as long as nothing was shown the model may be asked again, when the rest of a
    call does not come; and a refusal takes them back.

    Args:
        profile: the server's ways.
        secret: the key, which is taken out of whatever the provider says of an error.
        model: the model's name, as the server knows it.
        hidden: takes reasoning and calls out of the text. By default, reasoning alone, where the profile
            has tags for it.

    Attributes:
        size: about how many characters of text, thoughts and calls there are.
    """

    def __init__(
        self,
        profile: Profile,
        secret: str | None,
        model: str = "",
        hidden: MarkupSplitter | None = None,
    ) -> None:
        super().__init__(CHAT, secret)
        self._profile = profile
        self._usage_within = profile.usage_within
        self.size = 0
        self._has_content = False
        self._refused = False
        if hidden is None and profile.think_tags:
            hidden = MarkupSplitter(markup_of(profile.think_tags, "none"))
        self._hidden = hidden
        self._kept_reasoning = None if profile.replay is None else KeptReasoning(profile.replay, model)
        # The first piece of a call: what goes back with it is only known at the end.
        self._call: ToolCallDelta | None = None
        self._pieces: list[ToolCallDelta] = []

    def take_document(self, record: dict[str, Any], events: list[ModelEvent]) -> None:
        """Read a whole answer, and append its events."""
        self.take(record, events)
        if not record.get("choices"):
            self.fail(ProviderError("the provider's answer holds no message"))

    def take(self, record: dict[str, Any], events: list[ModelEvent]) -> None:
        """Read a record of a stream, or a whole answer, and append its events."""
        choices = record.get("choices")
        if record.get("error") or (not choices and is_error(record)):
            self.fail(error_in_answer(record, secret=self._secret))
        if choices:
            for entry in as_array(choices):
                # Only one choice is asked for; some servers leave out its index.
                choice = as_object(entry)
                if choice and not choice.get("index"):
                    self._take_choice(choice, events)
        usage = record.get("usage")
        if usage or self._usage_within is not None:
            usage = self._take_usage(record)
        if self.failure is not None:
            self.failure.usage = self._tokens.usage()
        elif choices is None and not usage:
            log_skipped()

    def end(self) -> list[ModelEvent]:
        """The answer is complete: what was held back, what goes back with its calls, and its end."""
        events: list[ModelEvent] = []
        if self._hidden is not None:
            self._append_parts(self._hidden.finish(), events)
        reason = self.reason or "stop"
        if self._refused and reason == "stop":
            reason = "refusal"
        if reason == "refusal":
            return [*events, ModelEnd(reason, self._tokens.usage())]
        events += self._pieces
        call = None if self._call is None or self._call.from_text is not None else self._call
        if self._kept_reasoning is not None and call is not None and (data := self._kept_reasoning.data()):
            # Where there is an id, it alone says which call is meant.
            index = None if call.id else call.index
            events.append(ToolCallDelta(index, call.id, provider_data=data))
        return [*events, ModelEnd(reason, self._tokens.usage())]

    def _take_usage(self, record: dict[str, Any]) -> bool:
        """Read a record's usage, and say whether there is any."""
        usage = record.get("usage")
        if not usage and self._usage_within is not None:
            usage = as_object(record.get(self._usage_within)).get("usage")
        if usage:
            self._tokens.take(usage)
        return bool(usage)

    def _take_choice(self, choice: dict[str, Any], events: list[ModelEvent]) -> None:
        if choice.get("error"):
            self.fail(error_in_answer(choice, secret=self._secret))
        reason = choice.get("finish_reason")
        if delta := as_object(choice.get("delta")):
            text = delta.get("content")
            if len(delta) == 1 and isinstance(text, str):
                self._add_text(text, events)
            else:
                self._take_message(delta, events, whole=False)
        elif not self._has_content and (message := as_object(choice.get("message"))):
            self._take_message(message, events, whole=True)
        if reason:
            self._stop(stated_reason(reason), choice)

    def _take_message(self, message: dict[str, Any], events: list[ModelEvent], *, whole: bool) -> None:
        if reasoning := reasoning_text(message, self._profile.reasoning_fields):
            if self._hidden is not None:
                # A server that knows where reasoning ends has not left its beginning out of the text.
                self._hidden.outside()
            self._add_reasoning(reasoning, events)
        if self._kept_reasoning is not None:
            self.size += self._kept_reasoning.add_details(message.get(DETAILS), whole=whole)
        for text, is_reasoning in content_pieces(message.get("content")):
            (self._add_reasoning if is_reasoning else self._add_text)(text, events)
        refusal = as_text(message.get("refusal"))
        if refusal:
            self._refused = True
            self._add_text(refusal, events)
        entries = message.get("tool_calls") or legacy_calls(message)
        if entries:
            self._has_content = True
            for delta in call_deltas(entries, whole=whole):
                self.size += 1 + len(delta.name) + len(delta.arguments)
                if delta.id or delta.name or delta.arguments:
                    self._call = self._call or delta
                elif delta.provider_data is None:
                    continue
                self._pieces.append(delta)

    def _add_text(self, text: str, events: list[ModelEvent]) -> None:
        if text:
            self._has_content = True
            self.size += len(text)
            if self._hidden is None or self._hidden.plain(text):
                events.append(TextDelta(text))
            else:
                self._append_parts(self._hidden.feed(text), events)

    def _append_parts(self, parts: Iterable[Part], events: list[ModelEvent]) -> None:
        """Parts of the text, whose size is counted already."""
        for part in parts:
            if isinstance(part, TextDelta):
                events.append(part)
            elif isinstance(part, ReasoningDelta):
                self._append_reasoning(part.text, events)
            else:
                self._pieces.append(self._read_call(part))

    def _read_call(self, call: ToolCall) -> ToolCallDelta:
        if self._kept_reasoning is not None and self._call is None and (data := self._kept_reasoning.data()):
            # What was thought before a call goes back with it, and with the first alone.
            call = replace(call, provider_data=data)
        delta = ToolCallDelta(name=call.name, arguments=call.arguments_json(), from_text=call)
        self._call = self._call or delta
        return delta

    def _add_reasoning(self, text: str, events: list[ModelEvent]) -> None:
        self.size += len(text)
        self._append_reasoning(text, events)

    def _append_reasoning(self, text: str, events: list[ModelEvent]) -> None:
        if text:
            events.append(ReasoningDelta(text))
            if self._kept_reasoning is not None:
                self._kept_reasoning.add_text(text)

    def _stop(self, stated: str, choice: dict[str, Any]) -> None:
        reason = finish_reason(stated)
        if reason is None:
            self.fail(BrokeOffError())
        elif stated:
            self._mark(reason)
        self._tokens.take(choice.get("usage"))


def splitter_for(
    request: ModelRequest, profile: Profile, *, native_tools: bool, starts_inside: bool
) -> MarkupSplitter | None:
    """What takes reasoning and calls out of an answer's text; ``None`` where the text is prose.

    Args:
        request: what is asked.
        profile: the server's ways.
        native_tools: the model has tools of its own. Otherwise it is told to write calls, which whoever told
            it reads: here, they are only kept apart from reasoning.
        starts_inside: the prompt ends inside reasoning.
    """
    tags = profile.think_tags or (ANY_MODEL_TAG if starts_inside else ())
    calls: Calls = "none"
    schemas: Schemas = {}
    if not native_tools:
        calls = "taught"
    elif profile.text_calls and request.tools and request.settings.tool_choice != "none":
        calls = "any"
        schemas = {tool.name: tool.parameters for tool in request.tools}
    if not tags and calls != "any":
        return None
    return MarkupSplitter(markup_of(tags, calls), schemas, inside=starts_inside)
