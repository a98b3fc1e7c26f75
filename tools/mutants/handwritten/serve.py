"""Mutants of a server: its records, who leaves and comes back, who may see and say what."""

import asyncio
import hashlib
import json
from dataclasses import replace

from starlette.responses import Response

from finalturn import StreamEvent
from finalturn._agent.stores import ask_store
from finalturn._serve.formats.items import Content, Event, RunFailed, RunStarted
from finalturn._serve.problems.problem import Problem, problem_response
from finalturn._serve.requests.body import check_json
from finalturn._serve.requests.route import route_class
from tools.mutants._handwritten import handwritten

# --- records ----------------------------------------------------------------------------------------------

WRITE = "finalturn._serve.runs.run:Run._write"
FRAME = "finalturn._serve.formats.sse:frame"
ITEM_OF = "finalturn._serve.formats.items:item_of"
PUBLIC_RESULT = "finalturn._serve.formats.public:public_result"


@handwritten("sse-grammar", "result-is-last", at="finalturn._serve.runs.run:Run._end")
def a_stream_goes_on_after_its_end(run, self, outcome):
    self._write(outcome)
    run(self, outcome)


@handwritten("sse-grammar", "result-is-last", at=WRITE)
def a_stream_that_fails_just_stops(run, self, item):
    if not isinstance(item, RunFailed):
        run(self, item)


@handwritten("sse-grammar", at=WRITE)
def a_stream_does_not_say_that_it_begins(run, self, item):
    if not isinstance(item, RunStarted):
        run(self, item)


@handwritten("sse-grammar", at=FRAME)
def a_text_breaks_the_framing(run, record, number):
    return run(record, number).replace(b"\\n", b"\n")


@handwritten("sse-grammar", at=FRAME)
def an_event_is_not_numbered(run, record, number):
    return run(record, 0)


@handwritten("sse-grammar", "surface-parity", at="finalturn._serve.formats.native:native_record")
def a_native_record_has_another_name(run, item):
    record = run(item)
    return record | {"type": "thought"} if record["type"] == "reasoning" else record


@handwritten("sse-grammar", "result-is-last", at="finalturn._serve.runs.whole:WholeResponse._answer")
def a_whole_answer_has_a_result_beside_its_error(run, self):
    response = run(self)
    if response.status_code == 200:
        return response
    body = json.dumps(json.loads(response.body) | {"result": None})
    return Response(body, response.status_code, media_type="application/problem+json")


@handwritten(
    "surface-parity",
    "reuse-signalled",
    "synthesis-start-once",
    at="finalturn._serve.formats.native:Native.records",
)
def a_native_stream_has_no_events(run, self, item):
    return () if isinstance(item, Event) else run(self, item)


@handwritten(
    "surface-parity",
    "reuse-signalled",
    "synthesis-start-once",
    at="finalturn._serve.formats.ag_ui:AgUi._event",
)
def the_events_of_ag_ui_are_left_out(run, self, event, call):
    return self._close()


@handwritten("surface-parity", "reuse-signalled", at="finalturn._serve.formats.ai_sdk:AiSdk._event")
def the_ai_sdk_is_not_told_of_a_reuse(run, self, event, call):
    return () if event is StreamEvent.STRUCTURED_REUSE else run(self, event, call)


@handwritten("reasoning-apart", "handler-parity", "surface-parity", at=ITEM_OF)
def reasoning_is_text_over_http(run, chunk):
    return Content(chunk.reasoning, chunk.call) if chunk.reasoning else run(chunk)


@handwritten("handler-parity", "surface-parity", at=ITEM_OF)
def pieces_come_without_their_blanks_over_http(run, chunk):
    return Content(chunk.content.strip(), chunk.call) if chunk.content else run(chunk)


@handwritten("answer-call-known", "surface-parity", at=ITEM_OF)
def records_do_not_name_their_call(run, chunk):
    return Content(chunk.content, 0) if chunk.content else run(chunk)


@handwritten("synthesis-never-streams", "errors-are-clean", at=PUBLIC_RESULT)
def the_answer_that_was_rejected_is_shown_over_http(run, result, *more):
    public = run(result, *more)
    error, rejected = public["structured_error"], getattr(result, "_rejected", None)
    return public | {"structured_error": error and f"{error}: {rejected}"}


@handwritten("surface-parity", at=PUBLIC_RESULT)
def a_public_result_has_no_text(run, result, *more):
    return run(result, *more) | {"text": ""}


@handwritten("usage-complete", "surface-parity", at=PUBLIC_RESULT)
def a_public_result_counts_the_tokens_of_the_answer_only(run, result, *more):
    public = run(result, *more)
    public["usage"]["input_tokens"] //= result.model_calls
    return public


# --- leaving and coming back ------------------------------------------------------------------------------

CAN_FOLLOW = "finalturn._serve.runs.run:Run.can_follow"
FRAMES_AFTER = "finalturn._serve.runs.log:FrameLog.after"


@handwritten("close-stops-work", at="finalturn._serve.runs.runs:Runs.reader_leaving")
def a_turn_goes_on_when_the_client_of_its_stream_is_gone(run, self, turn):
    until_it_ends = turn.wait
    return self._as_task(until_it_ends())


@handwritten("close-stops-work", at="finalturn._serve.runs.response:RunResponse.__call__")
def nobody_looks_whether_the_client_of_a_stream_is_gone(run, self, scope, receive, send):
    return run(self, scope, _nothing, send)


@handwritten("close-stops-work", at="finalturn._serve.runs.whole:WholeResponse.__call__")
def nobody_looks_whether_the_client_of_a_whole_answer_is_gone(run, self, scope, receive, send):
    return run(self, scope, _nothing, send)


@handwritten("close-stops-work", at="finalturn._serve.runs.runs:Runs.drop")
def a_run_that_nobody_reads_is_forgotten_and_goes_on(run, self, turn):
    self.reader_joined(turn)
    self._runs.pop(turn.id, None)


@handwritten("resume-is-exact", at=FRAMES_AFTER)
def a_client_that_comes_back_gets_the_last_record_again(run, self, number):
    return run(self, max(number, self.first) - 1)


@handwritten("resume-is-exact", at="finalturn._serve.runs.response:RunResponse._send")
def a_client_that_comes_back_misses_a_record(run, self, send):
    self._after += self._after > 0
    return run(self, send)


@handwritten("resume-is-exact", at=FRAMES_AFTER)
def records_that_are_gone_are_left_out_in_silence(run, self, number):
    return run(self, max(number, self.first - 1))


@records_that_are_gone_are_left_out_in_silence.also(CAN_FOLLOW)
def _(run, self, number):
    return True


@handwritten("resume-is-exact", at=CAN_FOLLOW)
def records_may_be_asked_for_that_do_not_come(run, self, number):
    return self._frames.first - 1 <= number


@handwritten("resume-is-exact", at="finalturn._serve.runs.runs:Runs.reader_left")
def a_turn_does_not_wait_for_whoever_comes_back(run, self, turn):
    return self.drop(turn)


async def _nothing():
    await asyncio.Event().wait()


# --- what errors say --------------------------------------------------------------------------------------

FAILURE_OF = "finalturn._serve.problems.failure:failure_of"


@handwritten("errors-are-clean", "predicate-errors-propagate", at=FAILURE_OF)
def an_error_record_says_what_the_exception_said(run, error):
    failure = run(error)
    return replace(failure, message=str(error)) if failure.code == "internal_error" else failure


@handwritten("errors-are-clean", at=FAILURE_OF)
def an_error_record_says_what_the_provider_said(run, error):
    failure = run(error)
    return replace(failure, message=str(error)) if failure.code == "provider_failed" else failure


@handwritten("errors-are-clean", at="finalturn._serve.formats.public:public_tool_message")
def a_client_sees_what_a_tool_raised(run, message):
    return run(message) | {"content": message.content}


@handwritten("errors-are-clean", at="finalturn._serve.problems.exceptions:problem_of")
def a_problem_says_what_the_exception_said(run, error):
    problem = run(error)
    return Problem("internal_error", str(error)) if problem.code == "internal_error" else problem


@handwritten("errors-are-clean", at="finalturn._serve.logs.reasons:without_text")
def the_log_of_a_failed_request_has_the_text_of_the_exception(run, error):
    return type(error), error, error.__traceback__


# --- keys -------------------------------------------------------------------------------------------------

SESSION_ROUTES = "finalturn._serve.session_routes:SessionRoutes"


@handwritten("auth-fails-closed", "owners-are-isolated", at="finalturn._serve.router:routers_of")
def the_routes_of_a_server_ask_for_no_key(run, served, authenticate):
    return run(served, None)


@handwritten("auth-fails-closed", at=f"{SESSION_ROUTES}.add_to")
def the_routes_of_sessions_ask_for_no_key(run, self, router, responses):
    keyed, router.route_class = router.route_class, route_class(None, 0)
    run(self, router, responses)
    router.route_class = keyed


@handwritten("auth-fails-closed", at="finalturn._serve.requests.route:route_class")
def a_route_looks_at_the_body_before_the_key(run, *given):
    class Eager(run(*given)):
        def get_route_handler(self):
            handle, takes_json = super().get_route_handler(), self.body_field is not None

            async def handler(request):
                try:
                    if takes_json:
                        check_json(request)
                except Problem as problem:
                    return problem_response(problem)
                return await handle(request)

            return handler

    return Eager


@handwritten("auth-fails-closed", at="finalturn._serve.access.authenticate:owner_of")
async def somebody_unknown_is_let_in_as_nobody(run, authenticate, request):
    try:
        return await run(authenticate, request)
    except Problem:
        return None


@handwritten("auth-fails-closed", at="finalturn._serve.access.keys:_digest")
def a_key_is_compared_by_its_first_half(run, key):
    return hashlib.sha256(key[:20]).digest()


@handwritten("auth-fails-closed", at="finalturn._serve.access.keys:bearer_key")
def a_key_may_stand_in_a_header_of_any_scheme(run, headers):
    words = [value.split() for name, value in headers if name.lower() == b"authorization"]
    return run(headers) or (words[0][-1] if words and words[0] else None)


# --- owners, and what a client may say --------------------------------------------------------------------


@handwritten("owners-are-isolated", at="finalturn._serve.access.owners:prefix_of")
def owners_share_their_sessions(run, owner):
    return ""


@handwritten("owners-are-isolated", at="finalturn._serve.runs.runs:Runs.find")
def a_run_belongs_to_everybody_who_knows_its_id(run, self, run_id, **whose):
    return self._runs.get(run_id)


@handwritten("owners-are-isolated", at=f"{SESSION_ROUTES}._page")
async def a_list_of_sessions_is_of_everybody(run, self, owner, start, limit):
    page = await ask_store(self._store, self._store.list_sessions, "", start, limit + 1)
    return page[:limit], len(page) > limit


@handwritten("owners-are-isolated", at=f"{SESSION_ROUTES}.read")
def a_session_is_read_without_its_owner(run, self, session, owner):
    return run(self, session, "alice")


@handwritten("user-input-only", at="finalturn._serve.requests.native:_message")
def a_client_may_say_what_the_assistant_said_in_a_session(run, given, field, *, in_session):
    return run(given, field, in_session=False)


@handwritten("user-input-only", at="finalturn._serve.requests.front_end:_is_answer")
def a_front_end_may_say_what_the_assistant_said_in_a_session(run, message):
    return False
