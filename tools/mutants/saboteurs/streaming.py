"""Saboteurs of what streams."""

from __future__ import annotations

from tools.mutants._saboteur import BODY, Edit, Saboteur

SABOTEURS = (
    Saboteur(
        "the driver shows the provider's text past the machine",
        ("synthesis-never-streams", "single-pass-suppresses-content", "held-json", "text-tool-calls-hidden"),
        (
            Edit(
                "agent._model_call:ModelCall._take_text",
                "self._pass_on(text)",
                "self._pass_on(text)\nself.raw = [*getattr(self, 'raw', []), given]",
            ),
            Edit(
                "agent._driver:Driver._read",
                "self._feed(item)",
                "self._feed(item)\n"
                "self._shown = deque(one for one in self._shown if not getattr(one, 'content', ''))\n"
                "self._shown.extend(StreamChunk(content=text) for text in getattr(call, 'raw', ()) if text)\n"
                "call.raw = []",
            ),
        ),
    ),
    Saboteur(
        "the text of a result has what was not shown",
        ("synthesis-never-streams", "single-pass-suppresses-content", "handler-parity"),
        (Edit("core.turn._updates:close_call", "item.shown", "item.response.content"),),
    ),
    Saboteur(
        "what is shown waits for the actions that come after it",
        ("synthesis-start-once", "tool-calls-always-stream"),
        (
            Edit(
                "agent._driver:Driver.next",
                "not shown",
                "not shown or self._actions or self._call is not None",
            ),
        ),
    ),
    Saboteur(
        "a synthesis event says the call before the one that it announces",
        ("synthesis-start-once", "answer-call-known"),
        (Edit("core.turn._shows:synthesis_event", "state.call + 1", "state.call"),),
    ),
    Saboteur(
        "an event carries text",
        ("events-carry-no-content",),
        (
            Edit(
                "core.chunks:StreamChunk.__new__",
                "_seal(content, reasoning, tool_calls, tool_message, event, call)",
                "_seal(content or str(event or ''), reasoning, tool_calls, tool_message, event, call)",
            ),
        ),
    ),
    Saboteur(
        "a reused answer is not signalled on a stream",
        ("reuse-signalled",),
        (
            Edit(
                "agent._driver:Driver._feed",
                "self._shown.extend(shown)",
                "self._shown.extend(one for one in shown if one.event != 'structured_reuse')",
            ),
        ),
    ),
    Saboteur(
        "single_pass is active where the provider cannot combine tools and schema",
        ("single-pass-suppresses-content",),
        (
            Edit(
                "agent._prepare:_setup",
                "mode is Mode.FINAL_TURN and config.single_pass and in_loop",
                "config.single_pass",
            ),
        ),
    ),
    Saboteur(
        "a skip is announced",
        ("skip-is-silent",),
        (
            Edit(
                "agent._driver:Driver._feed",
                "self._shown.extend(shown)",
                "self._shown.extend(shown)\n"
                "if getattr(item, 'finalize', None) is False:\n"
                "    self._shown.append(StreamChunk(event='structured_synthesis_start'))",
            ),
        ),
    ),
    Saboteur(
        "a block that validates is shown",
        ("held-json",),
        (Edit("core.hold._target:Target.is_answer", BODY, "return False"),),
    ),
    Saboteur(
        "a failed attempt at the answer is shown",
        ("held-json",),
        (Edit("core.hold._candidate:Candidate._doom", BODY, "return"),),
    ),
    Saboteur(
        "a block that is not the answer is lost",
        ("held-json",),
        (
            Edit(
                "core.hold._candidate:Candidate._show",
                "self.decided.append(Part(''.join(self._held)))",
                "pass",
            ),
        ),
    ),
    Saboteur(
        "a block in the middle of a line is shown",
        ("held-json",),
        (Edit("core.hold._hold:JsonHold._is_candidate", BODY, "return self._starts_line"),),
    ),
    Saboteur(
        "the markup around a hidden block is left",
        ("held-json",),
        (Edit("core.hold._hold:JsonHold._close", BODY, "return"),),
    ),
    Saboteur(
        "an answer inside a broken value is shown",
        ("held-json",),
        (Edit("core.hold._candidate:Candidate._show_but_answers", BODY, "self.decided.append(Part(text))"),),
    ),
    Saboteur(
        "a quote that never closes hides where the answer begins",
        ("held-json",),
        (Edit("core.hold._candidate:Candidate._other_reading", BODY, "return len(text)"),),
    ),
    Saboteur(
        "prose waits for the end of the call",
        ("held-json",),
        (
            Edit(
                "core.turn._shows:content_past_the_hold",
                BODY,
                "if not state.hold or not (text := state.hold.feed(item.text)):\n"
                "    return ()\n"
                "if not text.rstrip().endswith('.'):\n"
                "    return (content_chunk(text, state.call),)\n"
                "return (content_chunk(text, state.call + 1),)",
            ),
        ),
    ),
    Saboteur(
        "a whole reply has no tool calls",
        ("whole-reply-parity", "tool-calls-always-stream"),
        (
            Edit(
                "agent._model_call:ModelCall._take",
                "with_unique_ids(expect_calls(response.tool_calls))",
                "()",
            ),
        ),
    ),
    Saboteur(
        "a whole reply is shown after its tool calls",
        ("whole-reply-parity",),
        (
            Edit(
                "agent._model_call:ModelCall._take",
                "self._take_text(response.content)",
                "self._text.append(response.content)",
            ),
        ),
    ),
    Saboteur(
        "tool calls are announced together",
        ("tool-calls-always-stream",),
        (
            Edit(
                "core.turn._shows:tool_calls",
                BODY,
                "return [StreamChunk(tool_calls=item.response.tool_calls, call=state.call)]",
            ),
        ),
    ),
    Saboteur(
        "a text-encoded call stays in the text",
        ("text-tool-calls-hidden",),
        (
            Edit(
                "agent._model_call:ModelCall._take_text",
                "text = self._text_tools.feed(text)",
                "self._text_tools.feed(text)",
            ),
        ),
    ),
    Saboteur(
        "the tag of a text-encoded call is shown",
        ("text-tool-calls-hidden",),
        (
            Edit(
                "core.textcalls._calls:TextToolCalls.feed",
                "self._visible(splitter.feed(text))",
                "self._visible(splitter.feed(text)) + ('<tool_call>' if splitter._block else '')",
            ),
        ),
    ),
    Saboteur(
        "reasoning is text",
        ("reasoning-apart",),
        (
            Edit(
                "agent._model_call:ModelCall._reason",
                "self._ready.append(ReasoningDelta(text))",
                "self._ready.append(TextDelta(text))",
            ),
        ),
    ),
    Saboteur(
        "the callback of arun gets reasoning too",
        ("handler-parity", "reasoning-apart"),
        (
            Edit(
                "agent._sync:drain",
                "handler is not None and isinstance(item, StreamChunk) and item.content",
                "handler is not None and isinstance(item, StreamChunk) and (item.content or item.reasoning)",
            ),
            Edit("agent._sync:drain", "handler(item.content)", "handler(item.content or item.reasoning)"),
        ),
    ),
    Saboteur(
        "the callback of run gets reasoning too",
        ("handler-parity", "reasoning-apart"),
        (
            Edit(
                "agent._sync:run_blocking",
                "isinstance(item, StreamChunk) and item.content",
                "isinstance(item, StreamChunk) and (item.content or item.reasoning)",
            ),
            Edit(
                "agent._sync:run_blocking", "handler(item.content)", "handler(item.content or item.reasoning)"
            ),
        ),
    ),
    Saboteur(
        "the callback gets pieces without their blanks",
        ("handler-parity",),
        (Edit("agent._sync:drain", "handler(item.content)", "handler(item.content.strip())"),),
    ),
    Saboteur(
        "the callback is told after the result",
        ("handler-parity",),
        (
            Edit(
                "agent._sync:drain",
                BODY,
                "import asyncio\n"
                "async with stream:\n"
                "    items = [item async for item in stream]\n"
                "texts = [item.content for item in items if isinstance(item, StreamChunk) and item.content]\n"
                "async def later():\n"
                "    for text in texts:\n"
                "        await handler(text)\n"
                "if handler is not None:\n"
                "    try:\n"
                "        asyncio.get_running_loop().create_task(later())\n"
                "    except RuntimeError:\n"
                "        await later()\n"
                "return stream.result",
            ),
        ),
    ),
    Saboteur(
        "a blocking stream has no events",
        ("surface-parity",),
        (
            Edit(
                "agent._sync:SyncStream.__next__",
                "item is None",
                "if getattr(item, 'event', None):\n"
                "    return self.__next__()\n"
                "if item is None:\n"
                "    raise StopIteration",
            ),
        ),
    ),
    Saboteur(
        "a stream leaves out pieces without a word",
        ("surface-parity",),
        (
            Edit(
                "agent._stream:AgentStream.__anext__",
                "return cast('StreamChunk | AgentResult[T_co]', item)",
                "if type(item) is StreamChunk and item.content.isspace():\n"
                "    return await self.__anext__()\n"
                "return item",
            ),
        ),
    ),
    Saboteur(
        "a turn that fails ends with a result",
        ("result-is-last",),
        (
            Edit(
                "agent._driver:Driver._act",
                "raise self._with_usage(action.error)",
                "self._shown.append(AgentResult("
                "None, '', None, None, None, '', (), (), self.usage, 0, None, 'completed'))",
            ),
        ),
    ),
    Saboteur(
        "a call that broke off is made again",
        ("no-doubled-text",),
        (
            Edit(
                "agent._driver:Driver._act",
                "self._call = performer.call_model(action)",
                "self._call = performer.call_model(action)\nself.last = action",
            ),
            Edit(
                "agent._driver:Driver._read",
                "self._feed(Failed(error))",
                "if getattr(self, 'again', False):\n"
                "    self._feed(Failed(error))\n"
                "else:\n"
                "    self.again = True\n"
                "    self._call = self._performer.call_model(self.last)",
            ),
        ),
    ),
    Saboteur(
        "a request whose answer broke off is sent again",
        ("no-doubled-text",),
        (Edit("providers._transport:Transport.events", "given = True", "pass"),),
    ),
    Saboteur(
        "chunks do not name their call",
        ("answer-call-known",),
        (Edit("core.turn._shows:content", "state.call", "0"),),
    ),
    Saboteur(
        "the answer's text is the prose before it",
        ("answer-on-result",),
        (Edit("core.turn._results:_end_ok", "answer.json", "message or answer.json"),),
    ),
    Saboteur(
        "default mode shows valid answers only",
        ("default-mode-streams",),
        (
            Edit(
                "agent._driver:Driver._read",
                "self._feed(item)",
                "if type(item).__name__ == 'TextDelta' and self._machine.state.retries:\n"
                "    return\n"
                "self._feed(item)",
            ),
        ),
    ),
)
