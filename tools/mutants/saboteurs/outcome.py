"""Saboteurs of how turns come out."""

from __future__ import annotations

from tools.mutants._saboteur import BODY, Edit, Saboteur

SABOTEURS = (
    Saboteur(
        "a turn that gives up does not say so",
        ("explicit-outcome",),
        (
            Edit(
                "core.turn._results:_end",
                "None if state.setup.mode is Mode.PLAIN else status",
                "status if answer is not None else None",
            ),
        ),
    ),
    Saboteur(
        "an object that is null counts as none",
        ("explicit-outcome",),
        (
            Edit(
                "core.turn._results:_end",
                "None if state.setup.mode is Mode.PLAIN else status",
                "None if state.setup.mode is Mode.PLAIN else "
                "'validation_failed' if answer is not None and answer.value is None else status",
            ),
        ),
    ),
    Saboteur(
        "what a provider with a native schema writes is taken unvalidated",
        ("always-validated-here",),
        (
            Edit(
                "core.turn._judge:_validated",
                "isinstance(verdict, Answer)",
                "if state.setup.native_synthesis or state.setup.native_loop:\n"
                "    import json\n"
                "    value = json.loads(response.content)\n"
                "    return Judged(Verdict.VALID, response, answer=Answer(response.content, value))\n"
                "if isinstance(verdict, Answer):\n"
                "    return Judged(Verdict.VALID, response, answer=verdict)",
            ),
        ),
    ),
    Saboteur(
        "a value that does not validate is taken as it is",
        ("always-validated-here",),
        (
            Edit(
                "core.output._make:pydantic_output",
                "_reasons.mismatch(problems_of(error), shape.names)",
                "Answer(text, decode(text))",
            ),
        ),
    ),
    Saboteur(
        "a fragment in prose is reused",
        ("reuse-gate-strict",),
        (
            Edit(
                "core.turn._judge:_validated",
                "output.reuse(response.content) if whole else output.extract(response.content)",
                "output.extract(response.content)",
            ),
        ),
    ),
    Saboteur(
        "an object without a declared key is reused",
        ("reuse-gate-strict",),
        (
            Edit(
                "core.output._output:Output._refuse",
                BODY,
                "return _reasons.EMPTY if is_empty(value) else None",
            ),
        ),
    ),
    Saboteur(
        "an empty object is reused",
        ("reuse-gate-strict",),
        (Edit("core.output._output:Output._refuse", BODY, "return None"),),
    ),
    Saboteur(
        "cut JSON is completed",
        ("never-repaired",),
        (
            Edit(
                "core.output._output:Output.extract",
                BODY,
                "found = find(text, self.roots)\n"
                "for end in ('\"}', '}', '\"]}', ']}'):\n"
                "    if not isinstance(found, str):\n"
                "        found = find(text + end, self.roots)\n"
                "return self.validate(found) if isinstance(found, str) else found",
            ),
        ),
    ),
    Saboteur(
        "an answer that the token limit cut is judged like any other",
        ("never-repaired",),
        (
            Edit("core.turn._judge:_judge_loop", "response.finish_reason == 'length'", "False"),
            Edit("core.turn._judge:_judge_asked", "response.finish_reason == 'length'", "False"),
            Edit(
                "core.output._output:Output.extract",
                BODY,
                "found = find(text, self.roots)\n"
                "if not isinstance(found, str):\n"
                "    found = find(text + '\"}', self.roots)\n"
                "return self.validate(found) if isinstance(found, str) else found",
            ),
        ),
    ),
    Saboteur(
        "a reused answer is made once more",
        ("no-needless-call",),
        (Edit("core.turn._guards:reuse_is_on", BODY, "return False"),),
    ),
    Saboteur(
        "validation retries have no bound",
        ("own-retry-budget",),
        (
            Edit(
                "core.turn._guards:retries_are_left",
                "state.retries < state.setup.max_retries",
                "state.retries < state.setup.max_retries + 1",
            ),
        ),
    ),
    Saboteur(
        "a retry uses an iteration",
        ("own-retry-budget",),
        (
            Edit(
                "core.turn._guards:retries_are_left",
                "state.retries < state.setup.max_retries",
                "state.retries + state.iterations < state.setup.max_iterations and "
                "state.retries < state.setup.max_retries",
            ),
        ),
    ),
    Saboteur(
        "a retry is told of every attempt",
        ("own-retry-budget",),
        (
            Edit(
                "core.turn._updates:reject",
                "item.response.content",
                "(state.rejected.text if state.rejected else '') + item.response.content",
            ),
        ),
    ),
    Saboteur(
        "the schema's words stand in every loop request",
        ("schema-stays-out",),
        (
            Edit(
                "core.turn._requests:loop_request",
                "output is not None and setup.mode is Mode.DEFAULT and not setup.native_loop",
                "output is not None and not setup.native_loop",
            ),
        ),
    ),
    Saboteur(
        "the schema is sent natively in every loop request",
        ("schema-stays-out",),
        (
            Edit(
                "core.turn._requests:loop_request",
                "_native(setup.judge_of(native=True)) if setup.native_loop else None",
                "_native(setup.judge_of(native=True))",
            ),
        ),
    ),
)
