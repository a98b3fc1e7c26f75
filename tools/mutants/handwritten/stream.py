"""Mutants of what a stream shows, of how it stops, and of what errors say."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import replace

from finalturn import (
    AgentResult,
    NestedActivity,
    ProviderError,
    StreamChunk,
    StructuredOutputError,
    TextDelta,
)
from finalturn._adapters.events import WholeReply
from finalturn._agent.sync import SyncStream
from finalturn._core.hold.candidate import Part
from finalturn._core.output.partial import NOTHING
from finalturn._core.turn import CallModel, Failed, Finished, Raise
from tools.mutants._handwritten import handwritten

# --- what is shown ----------------------------------------------------------------------------------------

ACT = "finalturn._agent.driver:Driver._act"
FEED = "finalturn._agent.driver:Driver._feed"
READ = "finalturn._agent.driver:Driver._read"
TAKE = "finalturn._agent.model_call:ModelCall._take"
TAKE_TEXT = "finalturn._agent.model_call:ModelCall._take_text"
SHOWN_OF_A_VALUE = "finalturn._core.output.partial:PartialSchema.shown"
SEEN_PAST_THE_HOLD = "finalturn._core.turn.shows:content_past_the_hold"
DRAIN = "finalturn._agent.sync:drain"


@handwritten(
    "synthesis-never-streams",
    "single-pass-suppresses-content",
    "held-json",
    "text-tool-calls-hidden",
    at=TAKE_TEXT,
)
def the_driver_shows_the_text_of_the_provider_past_the_machine(run, self, given):
    run(self, given)
    self.raw = [*getattr(self, "raw", ()), given]


@the_driver_shows_the_text_of_the_provider_past_the_machine.also(READ)
async def _(run, self, call):
    await run(self, call)
    silent = [item for item in self._shown if not getattr(item, "content", "")]
    self._shown.clear()
    self._shown.extend([*silent, *(StreamChunk(content=text) for text in getattr(call, "raw", ()) if text)])
    call.raw = []


@handwritten("partial-objects", at="finalturn._core.output.growing:GrowingObject.feed")
def what_is_known_already_is_shown_again(run, self, text):
    run(self, text)
    return () if self._last is NOTHING else (self._last,)


@handwritten("partial-objects", at="finalturn._core.output.growing:_begun")
def a_number_is_shown_while_it_grows(run, text, start, atom):
    return run(text, start, len(text) + 1)


@handwritten("partial-objects", at=SHOWN_OF_A_VALUE)
def a_value_is_shown_as_it_is_written(run, self, value, growing):
    return value


@handwritten("partial-objects", at=SHOWN_OF_A_VALUE)
def a_string_of_few_is_shown_while_it_grows(run, self, value, growing):
    return run(self, value, 0)


@handwritten(
    "synthesis-never-streams",
    "single-pass-suppresses-content",
    "handler-parity",
    at="finalturn._core.turn.updates:close_call",
)
def the_text_of_a_result_has_what_was_not_shown(run, state, item):
    return replace(run(state, item), texts=(*state.texts, item.response.content))


@handwritten("synthesis-start-once", "tool-calls-always-stream", at="finalturn._agent.driver:Driver.next")
async def what_is_shown_waits_for_the_actions_that_come_after_it(run, self):
    waiting = [await run(self)]
    while self._shown or self._actions or self._call is not None:
        waiting.append(await run(self))
    self._shown.extend(waiting)
    return self._shown.popleft()


@handwritten("events-carry-no-content", at="finalturn._core.chunks:_seal")
def an_event_carries_text(run, content, reasoning, tool_calls, tool_message, event, call):
    return run(content or str(event or ""), reasoning, tool_calls, tool_message, event, call)


@handwritten("single-pass-suppresses-content", at="finalturn._agent.prepare:_setup")
def single_pass_is_active_where_the_provider_cannot_combine_tools_and_schema(run, turn, *more):
    setup, single = run(turn, *more), turn.agent.config.single_pass
    native = single or setup.native_loop
    return replace(setup, single_pass=single, hold=setup.hold and not single, native_loop=native)


@handwritten("held-json", at="finalturn._core.hold.target:Target.is_answer")
def a_block_that_validates_is_shown(run, self, text):
    return False


@handwritten("held-json", at="finalturn._core.hold.candidate:Candidate._decide_to_hide")
def a_failed_attempt_at_the_answer_is_shown(run, self): ...


@handwritten("held-json", at="finalturn._core.hold.candidate:Candidate._show")
def a_block_that_is_not_the_answer_is_lost(run, self):
    self.over = True


@handwritten("held-json", at="finalturn._core.hold.hold:JsonHold._is_candidate")
def a_block_in_the_middle_of_a_line_is_shown(run, self, text, at):
    return self._starts_line


@handwritten("held-json", at="finalturn._core.hold.hold:JsonHold._close")
def the_markup_around_a_hidden_block_is_left(run, self): ...


@handwritten("held-json", at="finalturn._core.hold.candidate:Candidate._show_but_answers")
def an_answer_inside_a_broken_value_is_shown(run, self, text, closed):
    self.decided.append(Part(text))


@handwritten("held-json", at="finalturn._core.hold.candidate:Candidate._other_reading")
def a_quote_that_never_closes_hides_where_the_answer_begins(run, self, text):
    return len(text)


@handwritten("held-json", at=SEEN_PAST_THE_HOLD)
def prose_waits_for_the_end_of_the_call(run, state, item):
    state.hold.feed(item.text)
    return ()


@prose_waits_for_the_end_of_the_call.also("finalturn._core.turn.shows:settled_text")
def _(run, state, item):
    return run(state, replace(item, settled=item.shown))


@handwritten("whole-reply-parity", "tool-calls-always-stream", at=TAKE)
def a_whole_reply_has_no_tool_calls(run, self, event):
    if isinstance(event, WholeReply):
        event = WholeReply(replace(event.response, tool_calls=()))
    run(self, event)


@handwritten("whole-reply-parity", at=TAKE)
def a_whole_reply_is_shown_after_its_tool_calls(run, self, event):
    if isinstance(event, WholeReply):
        self._text.append(event.response.content)
        event = WholeReply(replace(event.response, content=""))
    run(self, event)


@handwritten("tool-calls-always-stream", at="finalturn._core.turn.shows:tool_calls")
def tool_calls_are_announced_together(run, state, item):
    return [StreamChunk(tool_calls=item.response.tool_calls, call=state.call)]


@handwritten("text-tool-calls-hidden", at="finalturn._core.textcalls.calls:TextToolCalls.feed")
def the_tag_of_a_text_encoded_call_is_shown(run, self, text):
    return run(self, text) + ("<tool_call>" if self._splitter._block else "")


@handwritten("reasoning-apart", at="finalturn._agent.model_call:ModelCall._reason")
def reasoning_is_text(run, self, text):
    run(self, text)
    if text:
        self._ready[-1] = TextDelta(text)


@handwritten("handler-parity", "reasoning-apart", at=DRAIN)
async def the_callback_of_arun_gets_reasoning_too(run, stream, handler):
    async with stream:
        async for item in stream:
            text = isinstance(item, StreamChunk) and (item.content or item.reasoning)
            if handler is not None and text and hasattr(told := handler(text), "__await__"):
                await told
    return stream.result


@handwritten("handler-parity", "reasoning-apart", at="finalturn._agent.sync:run_blocking")
def the_callback_of_run_gets_reasoning_too(run, stream, handler, portal):
    if handler is None:
        return run(stream, handler, portal)
    with SyncStream(stream, portal) as items:
        for item in items:
            if isinstance(item, StreamChunk) and (text := item.content or item.reasoning):
                handler(text)
    return stream.result


@handwritten("handler-parity", at=DRAIN)
def the_callback_gets_pieces_without_their_blanks(run, stream, handler):
    return run(stream, handler and (lambda text: handler(text.strip())))


@handwritten("handler-parity", at=DRAIN)
async def the_callback_is_told_after_the_result(run, stream, handler):
    texts = []
    result = await run(stream, texts.append)

    async def later():
        for text in texts:
            await handler(text)

    if handler is not None:
        try:
            asyncio.get_running_loop().create_task(later())
        except RuntimeError:
            await later()
    return result


@handwritten("surface-parity", at="finalturn._agent.sync:SyncStream.__next__")
def a_blocking_stream_has_no_events(run, self):
    while getattr(item := run(self), "event", None):
        pass
    return item


@handwritten("surface-parity", at="finalturn._agent.stream:AgentStream.__anext__")
async def a_stream_leaves_out_pieces_without_a_word(run, self):
    while type(item := await run(self)) is StreamChunk and item.content.isspace():
        pass
    return item


@handwritten("result-is-last", at=ACT)
async def a_turn_that_fails_ends_with_a_result(run, self, action):
    if not isinstance(action, Raise):
        return await run(self, action)
    nothing = AgentResult(None, "", None, None, None, "", (), (), self.usage, 0, None, "completed")
    self._shown.append(nothing)


@handwritten("no-doubled-text", at=ACT)
def a_call_that_broke_off_is_made_again(run, self, action):
    if isinstance(action, CallModel):
        self.last = action
    return run(self, action)


@a_call_that_broke_off_is_made_again.also(FEED)
def _(run, self, item):
    if isinstance(item, Failed) and hasattr(self, "last"):
        self._call = self._performer.call_model(self.last)
        del self.last
    else:
        run(self, item)


@handwritten("no-doubled-text", at="finalturn._providers.http.transport:Transport.events")
async def a_request_whose_answer_broke_off_is_sent_again(run, self, call):
    with suppress(ProviderError):
        async for event in run(self, call):
            yield event
        return
    async for event in run(self, call):
        yield event


@handwritten("answer-call-known", at="finalturn._core.turn.shows:content")
def chunks_do_not_name_their_call(run, state, item):
    return run(replace(state, call=0), item)


@handwritten("answer-on-result", at="finalturn._core.turn.results:_end_ok")
def the_text_of_the_answer_is_the_prose_before_it(run, state, item, *, message):
    after = run(state, item, message=message)
    return replace(after, result=replace(after.result, content=message or item.answer.json))


@handwritten("default-mode-streams", at=FEED)
def default_mode_shows_valid_answers_only(run, self, item):
    if not (type(item) is TextDelta and self._machine.state.retries):
        run(self, item)


# --- how it stops -----------------------------------------------------------------------------------------

CLOSE = "finalturn._agent.driver:Driver.aclose"


@handwritten("close-stops-work", at="finalturn._agent.driver:Driver._hang_up")
def the_model_call_goes_on_after_the_stream_is_closed(run, self):
    self.kept, self._call = self._call, None


@handwritten("close-stops-work", at=CLOSE)
async def the_rest_of_the_call_is_read_after_the_stream_is_closed(run, self):
    while self._call is not None and type(await self._call.next()) is not Finished:
        pass
    await run(self)


@handwritten("close-stops-work", at=CLOSE)
async def tools_start_after_the_stream_is_closed(run, self):
    for action in self._actions:
        if hasattr(action, "calls"):
            await self._performer.perform(action)
    await run(self)


# --- what errors say --------------------------------------------------------------------------------------


@handwritten("errors-are-clean", at="finalturn._agent.model_call:ModelCall.next")
async def an_error_quotes_the_text_of_the_model(run, self):
    try:
        return await run(self)
    except ProviderError:
        raise ProviderError("".join(self._text)) from None


@handwritten("errors-are-clean", at="finalturn._core.result:AgentResult.unwrap")
def an_error_quotes_the_rejected_text(run, self):
    try:
        return run(self)
    except StructuredOutputError as error:
        raise StructuredOutputError(f"{error}: {error.rejected}", rejected=error.rejected) from None


@handwritten("errors-are-clean", at="finalturn._core.output.reasons:_place")
def a_reason_names_keys_that_the_model_made_up(run, path, names=None):
    return run(path)


@handwritten("errors-are-clean", at="finalturn._providers.errors.failures:http_error")
def an_error_quotes_what_a_server_said(run, status, body, **more):
    error = run(status, body, **more)
    error.args = (f"the provider answered with status {status}: {body.decode('utf-8', 'replace')}",)
    return error


@handwritten("errors-are-clean", at="finalturn._agent.model_call:ModelCall._pass_on")
def a_log_quotes_the_text_of_the_model(run, self, text):
    run(self, text)
    if text:
        logging.getLogger("finalturn").warning("read %s", text)


# --- agents that run as tools -----------------------------------------------------------------------------


@handwritten("nested-activity-apart", at="finalturn._core.turn.shows:activity")
def the_text_of_an_agent_in_a_tool_is_text_of_the_turn(run, state, item):
    text = item.activity.chunk.content
    return [StreamChunk(content=text, call=state.call)] if text else run(state, item)


@handwritten("nested-activity-apart", at="finalturn._serve.formats.items:item_of")
def a_client_is_told_what_an_agent_in_a_tool_does_as_what_the_turn_does(run, chunk):
    return run(chunk if chunk.activity is None else chunk.activity.chunk)


@handwritten("nested-activity-apart", at="finalturn._tools.shown:ShownCalls.next")
async def all_that_agents_in_tools_do_is_of_the_first_call(run, self):
    piece = await run(self)
    return replace(piece, index=0) if isinstance(piece, NestedActivity) else piece


@handwritten("nested-agents-count", at="finalturn._tools.call_contexts:CallContexts.with_usage")
def what_an_agent_has_used_that_fails_as_a_tool_is_not_counted(run, self, outcome):
    return outcome if outcome.failure else run(self, outcome)


@handwritten("nested-agents-count", at="finalturn._agent.nested:nested_turn")
def an_agent_that_runs_as_a_tool_has_no_limits_but_its_own(run, turn, context):
    return replace(run(turn, context), outer=None)
