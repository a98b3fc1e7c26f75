"""Mutants of what a turn is run with: whose it is, and where it goes."""

import logging
from dataclasses import replace
from uuid import uuid4

from tools.mutants._handwritten import handwritten

CONTEXT = "finalturn._agent.contexts:TurnContexts.make"
OF_REQUEST = "finalturn._serve.per_request.calls:call"

KEPT: dict[object, object] = {}
"""What a mutant keeps from one turn for the next."""


@handwritten("context-is-its-own", at=CONTEXT)
def a_context_has_the_deps_of_the_context_before(run, self, messages):
    context = run(self, messages)
    before = KEPT.get("deps", context.deps)
    KEPT["deps"] = context.deps
    return replace(context, deps=before)


@handwritten("context-is-its-own", at=CONTEXT)
def a_context_has_no_session(run, self, messages):
    return replace(run(self, messages), session=None)


@handwritten("context-is-its-own", at=CONTEXT)
def each_context_is_of_another_run(run, self, messages):
    return replace(run(self, messages), run_id=uuid4().hex)


@handwritten("context-is-its-own", at="finalturn._serve.served:Served._turn")
def the_client_is_told_another_run_id(run, self, messages, session, run_id, *whose):
    return run(self, messages, session, uuid4().hex, *whose)


@handwritten("context-is-its-own", at=OF_REQUEST)
async def the_deps_of_a_request_are_kept_for_others(run, function, request, owner):
    if function not in KEPT:
        KEPT[function] = await (await run(function, request, owner))

    async def kept():
        return KEPT[function]

    return kept()


@handwritten("deps-stay-here", at=CONTEXT)
def deps_are_logged(run, self, messages):
    context = run(self, messages)
    logging.getLogger("finalturn").info("the turn of %r begins", context.deps)
    return context


@handwritten("deps-stay-here", at="finalturn._agent.prepare:evaluate")
async def a_prompt_that_asks_for_the_context_is_told_to_the_model_with_it(run, text, label):
    said = await run(text, label)
    return f"{said} {text!r} {text.args[0].deps!r}" if getattr(text, "args", None) else said


@handwritten("deps-stay-here", "errors-are-clean", at="finalturn._serve.logs.reasons:raised_at")
def the_log_says_what_the_application_raised(run, error):
    return f"{run(error)}: {error}"
