"""Saboteurs of streams over HTTP: whole records, leaving, coming back."""

from __future__ import annotations

from tools.mutants._saboteur import BODY, Edit, Saboteur

SABOTEURS = (
    # Streams.
    Saboteur(
        "a stream goes on after its end",
        ("sse-grammar", "result-is-last"),
        (
            Edit(
                "serve._run:Run._end",
                "self._write(outcome)",
                "self._write(outcome)\nself._write(outcome)",
            ),
        ),
    ),
    Saboteur(
        "a stream that fails just stops",
        ("sse-grammar", "result-is-last"),
        (
            Edit(
                "serve._run:Run._end",
                "self._write(outcome)",
                "if isinstance(outcome, Ended):\n    self._write(outcome)",
            ),
        ),
    ),
    Saboteur(
        "a stream does not say that it begins",
        ("sse-grammar",),
        (Edit("serve._run:Run.start", "self._write(Started(self.id, self.session))", "pass"),),
    ),
    Saboteur(
        "a text breaks the framing",
        ("sse-grammar",),
        (
            Edit(
                "serve._sse:frame",
                "data = record if isinstance(record, str) else _encode(record)",
                "data = record if isinstance(record, str) else _encode(record).replace('\\\\n', '\\n')",
            ),
        ),
    ),
    Saboteur(
        "an event is not numbered",
        ("sse-grammar",),
        (Edit("serve._sse:frame", "number", "0"),),
    ),
    Saboteur(
        "a native record has another name",
        ("sse-grammar", "surface-parity"),
        (
            Edit(
                "serve._native:native_record",
                "{'type': 'reasoning', 'reasoning': text, 'call': call}",
                "{'type': 'thought', 'reasoning': text, 'call': call}",
            ),
        ),
    ),
    Saboteur(
        "a whole answer has a result beside its error",
        ("sse-grammar", "result-is-last"),
        (
            Edit(
                "serve._whole:WholeResponse._answer",
                "problem_response(problem)",
                "Response(json.dumps({**problem.document(), 'result': None}), problem.status,"
                " media_type='application/problem+json')",
            ),
        ),
    ),
    Saboteur(
        "a native stream has no events",
        ("surface-parity", "reuse-signalled", "synthesis-start-once"),
        (
            Edit(
                "serve._native:Native.records",
                BODY,
                "return () if type(item).__name__ == 'Event' else (native_record(item),)",
            ),
        ),
    ),
    Saboteur(
        "the events of AG-UI are left out",
        ("surface-parity", "reuse-signalled", "synthesis-start-once"),
        (Edit("serve.ag_ui._projection:AgUi._event", BODY, "yield from self._close()"),),
    ),
    Saboteur(
        "the AI SDK is not told of a reuse",
        ("surface-parity", "reuse-signalled"),
        (
            Edit(
                "serve.ai_sdk._projection:AiSdk._records",
                "yield from self._event(event, call)",
                "if event is not StreamEvent.STRUCTURED_REUSE:\n    yield from self._event(event, call)",
            ),
        ),
    ),
    Saboteur(
        "reasoning is text over HTTP",
        ("reasoning-apart", "handler-parity", "surface-parity"),
        (
            Edit(
                "serve._items:item_of",
                "Reasoning(chunk.reasoning, chunk.call)",
                "Content(chunk.reasoning, chunk.call)",
            ),
        ),
    ),
    Saboteur(
        "pieces come without their blanks over HTTP",
        ("handler-parity", "surface-parity"),
        (
            Edit(
                "serve._items:item_of",
                "Content(chunk.content, chunk.call)",
                "Content(chunk.content.strip(), chunk.call)",
            ),
        ),
    ),
    Saboteur(
        "records do not name their call",
        ("answer-call-known", "surface-parity"),
        (Edit("serve._items:item_of", "Content(chunk.content, chunk.call)", "Content(chunk.content, 0)"),),
    ),
    Saboteur(
        "the answer that was rejected is shown over HTTP",
        ("synthesis-never-streams", "errors-are-clean"),
        (
            Edit(
                "serve._public:public_result",
                "result.structured_error",
                "f'{result.structured_error}: {getattr(result, \"_rejected\", None)}'"
                " if result.structured_error else None",
            ),
        ),
    ),
    Saboteur(
        "a public result has no text",
        ("surface-parity",),
        (Edit("serve._public:public_result", "result.text", "''"),),
    ),
    Saboteur(
        "a public result counts the answer's tokens only",
        ("usage-complete", "surface-parity"),
        (
            Edit(
                "serve._public:public_result",
                "usage.input_tokens",
                "usage.input_tokens // result.model_calls",
            ),
        ),
    ),
    # Leaving.
    Saboteur(
        "a turn goes on when the client of its stream is gone",
        ("close-stops-work",),
        (
            Edit(
                "serve._response:RunResponse.__call__",
                "await self._runs.leaving(self._run)",
                "await self._run.wait()",
            ),
        ),
    ),
    Saboteur(
        "nobody looks whether the client of a stream is gone",
        ("close-stops-work",),
        (
            Edit(
                "serve._response:RunResponse.__call__",
                "asyncio.wait((gone, sending), return_when=asyncio.FIRST_COMPLETED)",
                "asyncio.wait((sending,))",
            ),
        ),
    ),
    Saboteur(
        "nobody looks whether the client of a whole answer is gone",
        ("close-stops-work",),
        (
            Edit(
                "serve._whole:WholeResponse.__call__",
                "asyncio.wait((gone, ended), return_when=asyncio.FIRST_COMPLETED)",
                "asyncio.wait((ended,))",
            ),
        ),
    ),
    Saboteur(
        "a run that nobody reads is forgotten, and goes on",
        ("close-stops-work",),
        (Edit("serve._runs:Runs.drop", "await run.stop()", "pass"),),
    ),
    # Coming back.
    Saboteur(
        "a client that comes back gets the last record again",
        ("resume-is-exact",),
        (
            Edit(
                "serve._log:FrameLog.after",
                "skip = number + 1 - self._first",
                "skip = max(number - self._first, 0)",
            ),
        ),
    ),
    Saboteur(
        "a client that comes back misses a record",
        ("resume-is-exact",),
        (
            Edit(
                "serve._response:RunResponse._send",
                "after = self._after",
                "after = self._after + (self._after > 0)",
            ),
        ),
    ),
    Saboteur(
        "records that are gone are left out in silence",
        ("resume-is-exact",),
        (
            Edit(
                "serve._log:FrameLog.after",
                "skip = number + 1 - self._first",
                "skip = max(number + 1 - self._first, 0)",
            ),
            Edit(
                "serve._run:Run.can_follow",
                BODY,
                "return True",
            ),
        ),
    ),
    Saboteur(
        "records may be asked for that do not come",
        ("resume-is-exact",),
        (Edit("serve._run:Run.can_follow", BODY, "return self._frames.first - 1 <= number"),),
    ),
    Saboteur(
        "a turn does not wait for whoever comes back",
        ("resume-is-exact",),
        (Edit("serve._runs:Runs.left", BODY, "await self.drop(run)"),),
    ),
)
