"""Saboteurs of the predicate."""

from __future__ import annotations

from tools.mutants._saboteur import BODY, Edit, Saboteur

ASKED = "_as_bool(await settle(predicate(list(action.messages), action.last_response_text)))"

SABOTEURS = (
    Saboteur(
        "a valid answer is put to the predicate",
        ("valid-answer-wins",),
        (
            Edit(
                "core.turn._judge:_validated",
                "isinstance(verdict, Answer)",
                "isinstance(verdict, Answer) and not (whole and state.setup.asks)",
            ),
            Edit(
                "core.turn._judge:_validated",
                "Judged(Verdict.INVALID, response, rejection=verdict)",
                "Judged(Verdict.INVALID, response, rejection=EMPTY)",
            ),
        ),
    ),
    Saboteur(
        "the predicate is asked twice",
        ("asked-at-most-once",),
        (Edit("agent._actions:Performer._ask", f"return {ASKED}", f"{ASKED}\nreturn {ASKED}"),),
    ),
    Saboteur(
        "the predicate does not see the conversation's beginning",
        ("predicate-sees-conversation",),
        (Edit("agent._actions:Performer._ask", "list(action.messages)", "list(action.messages[1:])"),),
    ),
    Saboteur(
        "the predicate does not see injections",
        ("predicate-sees-conversation",),
        (
            Edit(
                "agent._actions:Performer._ask",
                "list(action.messages)",
                "[message for message in action.messages if message.role != 'system']",
            ),
        ),
    ),
    Saboteur(
        "the predicate sees what was shown, not what was written",
        ("predicate-sees-conversation",),
        (Edit("core.turn._does:ask_finalize", "item.response.content", "item.shown"),),
    ),
    Saboteur(
        "what the predicate does to its view is taken over",
        ("predicate-view-readonly",),
        (
            Edit(
                "agent._driver:Driver._act",
                "outcomes = await performer.perform(action)",
                "import dataclasses\n"
                "view = list(getattr(action, 'messages', ()))\n"
                "if type(action).__name__ == 'AskFinalize':\n"
                "    object.__setattr__(action, 'messages', view)\n"
                "outcomes = await performer.perform(action)\n"
                "if type(action).__name__ == 'AskFinalize':\n"
                "    state = self._machine.state\n"
                "    setup = dataclasses.replace(state.setup, history=tuple(view), injections=(), user=())\n"
                "    self._machine.state = dataclasses.replace(state, setup=setup, added=())",
            ),
            Edit("agent._actions:Performer._ask", "list(action.messages)", "action.messages"),
        ),
    ),
    Saboteur(
        "an exception of the predicate means yes",
        ("predicate-errors-propagate",),
        (
            Edit(
                "agent._actions:Performer._ask",
                f"return {ASKED}",
                f"try:\n    return {ASKED}\nexcept Exception:\n    return True",
            ),
        ),
    ),
    Saboteur(
        "an exception of the predicate is wrapped",
        ("predicate-errors-propagate",),
        (Edit("agent._driver:Driver._act", "Failed(error)", "Failed(ProviderError(str(error)))"),),
    ),
    Saboteur(
        "the predicate may answer with anything",
        ("predicate-errors-propagate",),
        (Edit("agent._actions:_as_bool", BODY, "return bool(answer)"),),
    ),
)
