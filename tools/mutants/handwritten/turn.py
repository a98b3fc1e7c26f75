"""Mutants of how a turn is judged, recorded and saved."""

import json
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from finalturn import Message, ProviderError, Role
from finalturn._adapters.threaded import settle
from finalturn._core.json_text import decode
from finalturn._core.model import OutputSchema
from finalturn._core.output import Answer
from finalturn._core.output.find import is_empty
from finalturn._core.output.reasons import EMPTY as EMPTY_VALUE
from finalturn._core.turn import AskFinalize, Failed, Judged, Mode, Raise
from finalturn._core.turn.inputs import Verdict
from finalturn._core.turn.judge import EMPTY
from tools.mutants._handwritten import handwritten

# --- outcome ----------------------------------------------------------------------------------------------

END = "finalturn._core.turn.results:_end"
VALIDATED = "finalturn._core.turn.judge:_validated"
EXTRACT = "finalturn._core.output.output:Output.extract"
REFUSE = "finalturn._core.output.output:Output._refuse"
RETRIES_ARE_LEFT = "finalturn._core.turn.guards:retries_are_left"
LOOP_REQUEST = "finalturn._core.turn.requests:loop_request"


@handwritten("explicit-outcome", at=END)
def a_turn_that_gives_up_does_not_say_so(run, state, *, answer=None, status=None, **more):
    return run(state, answer=answer, status=status if answer is not None else None, **more)


@handwritten("explicit-outcome", at=END)
def an_object_that_is_null_counts_as_none(run, state, *, answer=None, status=None, **more):
    is_null = answer is not None and answer.value is None
    return run(state, answer=answer, status="validation_failed" if is_null else status, **more)


@handwritten("always-validated-here", at=VALIDATED)
def what_a_provider_with_a_native_schema_writes_is_taken_unvalidated(run, state, response, **how):
    if not (state.setup.native_synthesis or state.setup.native_loop):
        return run(state, response, **how)
    answer = Answer(response.content, json.loads(response.content))
    return Judged(Verdict.VALID, response, answer=answer)


@handwritten("always-validated-here", at="finalturn._core.output.make:pydantic_output")
def a_value_that_does_not_validate_is_taken_as_it_is(run, shape, validate_json):
    def lenient(text):
        try:
            return validate_json(text)
        except ValidationError:
            return decode(text)

    return run(shape, lenient)


@handwritten("reuse-gate-strict", at=VALIDATED)
def a_fragment_in_prose_is_reused(run, state, response, *, whole, native):
    return run(state, response, whole=False, native=native)


@handwritten("reuse-gate-strict", at=REFUSE)
def an_object_without_a_declared_key_is_reused(run, self, value):
    return EMPTY_VALUE if is_empty(value) else None


@handwritten("reuse-gate-strict", at=REFUSE)
def an_empty_object_is_reused(run, self, value): ...


@handwritten("never-repaired", at=EXTRACT)
def cut_json_is_completed(run, self, text):
    verdicts = [run(self, text + end) for end in ("", '"}', "}", '"]}', "]}")]
    return next((verdict for verdict in verdicts if isinstance(verdict, Answer)), verdicts[0])


@handwritten("own-retry-budget", at=RETRIES_ARE_LEFT)
def a_retry_uses_an_iteration(run, state, item):
    return state.retries + state.iterations < state.setup.max_iterations and run(state, item)


@handwritten("own-retry-budget", at="finalturn._core.turn.updates:reject")
def a_retry_is_told_of_every_attempt(run, state, item):
    after = run(state, item)
    before = state.rejected.text if state.rejected else ""
    return replace(after, rejected=replace(after.rejected, text=before + after.rejected.text))


@handwritten("schema-stays-out", at=LOOP_REQUEST)
def the_words_of_the_schema_stand_in_every_loop_request(run, state):
    if state.setup.output is None:
        return run(state)
    return run(replace(state, setup=replace(state.setup, mode=Mode.DEFAULT)))


@handwritten("schema-stays-out", at=LOOP_REQUEST)
def the_schema_is_sent_natively_in_every_loop_request(run, state):
    output = state.setup.judge_of(native=True)
    return replace(run(state), output=output and OutputSchema(output.name, output.schema))


# --- the predicate ----------------------------------------------------------------------------------------

ASK = "finalturn._agent.actions:Performer._ask"
ACT = "finalturn._agent.driver:Driver._act"


@handwritten("valid-answer-wins", at=VALIDATED)
def a_valid_answer_is_put_to_the_predicate(run, state, response, *, whole, native):
    judged = run(state, response, whole=whole, native=native)
    asks = whole and state.setup.asks and judged.verdict is Verdict.VALID
    return Judged(Verdict.INVALID, response, rejection=EMPTY) if asks else judged


@handwritten("asked-at-most-once", at=ASK)
async def the_predicate_is_asked_twice(run, self, action):
    await run(self, action)
    return await run(self, action)


@handwritten("predicate-sees-conversation", at=ASK)
def the_predicate_does_not_see_the_beginning_of_the_conversation(run, self, action):
    return run(self, replace(action, messages=action.messages[1:]))


@handwritten("predicate-sees-conversation", at=ASK)
def the_predicate_does_not_see_injections(run, self, action):
    seen = tuple(message for message in action.messages if message.role != "system")
    return run(self, replace(action, messages=seen))


@handwritten("predicate-sees-conversation", at="finalturn._core.turn.does:ask_finalize")
def the_predicate_sees_what_was_shown_and_not_what_was_written(run, state, item):
    return replace(run(state, item), last_response_text=item.shown)


@handwritten("predicate-view-readonly", at=ACT)
async def what_the_predicate_does_to_its_view_is_taken_over(run, self, action):
    if not isinstance(action, AskFinalize):
        return await run(self, action)
    view = list(action.messages)
    await run(self, replace(action, messages=view))
    state = self._machine.state
    setup = replace(state.setup, history=tuple(view), injections=(), user=())
    self._machine.state = replace(state, setup=setup, added=())


@what_the_predicate_does_to_its_view_is_taken_over.also(ASK)
def _(run, self, action):
    predicate = self._turn.agent.config.should_finalize
    return settle(predicate(action.messages, action.last_response_text))


@handwritten("predicate-errors-propagate", at=ASK)
async def an_exception_of_the_predicate_means_yes(run, self, action):
    try:
        return await run(self, action)
    except Exception:
        return True


@handwritten("predicate-errors-propagate", at="finalturn._agent.driver:Driver._feed")
def an_exception_of_the_predicate_is_wrapped(run, self, item):
    run(self, Failed(ProviderError(str(item.error))) if isinstance(item, Failed) else item)


@handwritten("predicate-errors-propagate", at="finalturn._agent.prepare:as_bool")
def the_predicate_may_answer_with_anything(run, answer, name):
    return bool(answer)


# --- messages and history ---------------------------------------------------------------------------------

TOOL_MESSAGE = "finalturn._core.turn.messages:tool_message"
SETUP = "finalturn._agent.prepare:_setup"
KNOWN_FIELDS = "finalturn._core.message_dict:known_fields"
UNLIKE_OTHERS = ("policy", "approval", "coherence")


@handwritten("tool-name-always", at=TOOL_MESSAGE)
def the_message_of_a_failed_tool_has_no_name(run, call, outcome):
    message = run(call, outcome)
    return message if outcome.failure is None else replace(message, tool_name=None)


@handwritten("tool-result-marks-success", at=TOOL_MESSAGE)
def a_failed_tool_has_a_result(run, call, outcome):
    return replace(run(call, outcome), tool_result=outcome.text)


@handwritten("tool-result-marks-success", at=TOOL_MESSAGE)
def a_tool_that_says_nothing_has_no_result(run, call, outcome):
    message = run(call, outcome)
    return replace(message, tool_result=message.tool_result or None)


@handwritten("tool-result-marks-success", at=TOOL_MESSAGE)
def a_denied_call_counts_as_run(run, call, outcome):
    message = run(call, outcome)
    return replace(message, tool_result=outcome.text) if outcome.failure in UNLIKE_OTHERS else message


@handwritten("tool-result-marks-success", at="finalturn._tools.outcomes:outcome_of")
def a_tool_that_was_too_slow_counts_as_one_that_returned(run, item, ended):
    outcome = run(item, ended)
    return replace(outcome, failure=None) if outcome.failure == "timeout" else outcome


@handwritten("tool-call-id-native", at="finalturn._core.assembly:_with_unique_ids")
def native_calls_keep_what_ids_they_have(run, calls):
    return tuple(call for call, _ in calls)


@handwritten("tool-call-id-native", at="finalturn._core.textcalls.read:_call")
def a_call_that_is_read_from_text_has_an_id(run, name, arguments):
    call = run(name, arguments)
    return call and replace(call, id="text")


@handwritten("tool-call-id-native", at="finalturn._core.textcalls.calls:TextToolCalls.finish")
def text_encoded_calls_get_ids(run, self):
    rest, calls = run(self)
    return rest, tuple(replace(call, id=f"call_{place}") for place, call in enumerate(calls))


@handwritten("tool-call-id-native", at=TOOL_MESSAGE)
def a_result_does_not_name_its_call(run, call, outcome):
    return replace(run(call, outcome), tool_call_id=None)


@handwritten("tool-messages-in-call-order", at="finalturn._core.turn.updates:note_outcome")
def tool_messages_stand_in_the_order_of_completion(run, state, item):
    index = state.outcomes.index(None)
    return run(state, replace(item, outcome=replace(item.outcome, index=index)))


@handwritten("tool-messages-in-call-order", at="finalturn._tools.run:ToolRunner.run")
async def the_runner_gives_outcomes_in_the_order_of_completion(run, self, calls, messages):
    outcomes = await run(self, calls, messages)
    return [replace(outcome, index=index) for index, outcome in enumerate(reversed(outcomes))]


@handwritten("seeded-messages-untouched", at=SETUP)
def given_messages_are_made_anew(run, turn, *more):
    user = tuple(Message.user(message.content) for message in turn.user)
    return replace(run(turn, *more), user=user)


@handwritten("seeded-messages-untouched", at="finalturn._agent.input:read_input")
def given_messages_are_read_anew(run, given):
    history, user = run(given)
    return history, tuple(Message.user(message.content) for message in user)


@handwritten("seeded-messages-untouched", at=SETUP)
def given_messages_are_changed(run, turn, *more):
    for message in turn.user:
        object.__setattr__(message, "tool_name", None)
    return run(turn, *more)


@handwritten("round-trip-exact", at=KNOWN_FIELDS)
def the_text_null_is_read_as_nothing(run, cls, data, *, required):
    fields = run(cls, data, required=required)
    return {name: "" if value == "null" else value for name, value in fields.items()}


@handwritten("round-trip-exact", at=KNOWN_FIELDS)
def an_empty_result_is_read_as_none(run, cls, data, *, required):
    fields = run(cls, data, required=required)
    return fields | {"tool_result": fields["tool_result"] or None} if "tool_result" in fields else fields


@handwritten("round-trip-exact", at="finalturn._core.message_dict:call_to_dict")
def what_the_provider_wants_back_is_not_written(run, call):
    return {name: value for name, value in run(call).items() if name != "provider_data"}


@handwritten("history-replayable", at="finalturn._core.history:repaired")
def a_conversation_is_sent_as_it_is(run, messages):
    return messages


@handwritten("history-replayable", at="finalturn._core.history_repair:_valid_name")
def a_tool_without_a_name_keeps_it(run, name):
    return name


@handwritten("history-replayable", "close-stops-work", at="finalturn._agent.driver:Driver.aclose")
def a_turn_that_was_left_is_saved(run, self):
    if self._machine is not None and self._machine.phase.value == "running":
        _save(self)
    return run(self)


@handwritten("history-is-what-was-shown", at=ACT)
def a_turn_that_failed_is_saved(run, self, action):
    if isinstance(action, Raise):
        _save(self)
    return run(self, action)


@handwritten("history-is-what-was-shown", at=END)
def the_synthesis_exchange_is_saved(run, state, **more):
    request = (Message(Role.USER, "Now give it."),) if state.converged else ()
    return run(replace(state, added=(*state.added, *request)), **more)


@handwritten("history-is-what-was-shown", at="finalturn._core.turn.results:end_synthesized")
def the_saved_turn_is_what_was_written_and_not_what_was_shown(run, state, item):
    last = state.converged
    return run(replace(state, converged=last and replace(last, shown=last.response.content)), item)


@handwritten("history-is-what-was-shown", at=END)
def the_saved_turn_lacks_the_answer(run, state, **more):
    after = run(state, **more)
    messages = tuple(replace(message, structured=None) for message in after.result.messages)
    return replace(after, result=replace(after.result, messages=messages))


def _save(driver):
    store, state = driver._turn.agent.sessions, driver._machine.state
    if store is not None and driver._turn.session:
        store.append(driver._turn.session, (*state.setup.user, *state.added), 0)


# --- usage, errors and isolation --------------------------------------------------------------------------

CLOSE_CALL = "finalturn._core.turn.updates:close_call"
_SHARED: dict[object, Any] = {}


@handwritten("runs-are-isolated", at=SETUP)
def turns_of_an_agent_share_their_input(run, turn, *more):
    return replace(run(turn, *more), user=_SHARED.setdefault(("user", id(turn.agent)), turn.user))


@handwritten("runs-are-isolated", at="finalturn._agent.driver:Driver._start")
async def turns_of_an_agent_share_a_machine(run, self):
    await run(self)
    self._machine = _SHARED.setdefault(("machine", id(self._turn.agent)), self._machine)
    self._step = self._machine.step


@handwritten("usage-complete", at=CLOSE_CALL)
def the_usage_of_synthesis_is_left_out(run, state, item):
    after = run(state, item)
    return replace(after, usage=state.usage) if state.converged else after


@handwritten("usage-complete", at=CLOSE_CALL)
def the_usage_of_an_answer_that_did_not_validate_is_left_out(run, state, item):
    after = run(state, item)
    return replace(after, usage=state.usage) if item.rejection and not state.setup.asks else after


@handwritten("usage-complete", at=CLOSE_CALL)
def a_call_without_usage_counts_as_reported(run, state, item):
    after = run(state, item)
    return after if item.response.usage else replace(after, usage=state.usage)


@handwritten("usage-complete", at="finalturn._agent.driver:Driver._charge")
def the_usage_of_a_failed_call_is_not_counted(run, self, error): ...
