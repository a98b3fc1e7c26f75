"""Saboteurs of messages and history."""

from __future__ import annotations

from tools.mutants._saboteur import BODY, Edit, Saboteur

SABOTEURS = (
    Saboteur(
        "a failed tool's message has no name",
        ("tool-name-always",),
        (
            Edit(
                "core.turn._messages:tool_message",
                "call.name",
                "call.name if outcome.failure is None else None",
            ),
        ),
    ),
    Saboteur(
        "a failed tool has a result",
        ("tool-result-marks-success",),
        (
            Edit(
                "core.turn._messages:tool_message",
                "outcome.text if outcome.failure is None else None",
                "outcome.text",
            ),
        ),
    ),
    Saboteur(
        "a tool that says nothing has no result",
        ("tool-result-marks-success",),
        (
            Edit(
                "core.turn._messages:tool_message",
                "outcome.text if outcome.failure is None else None",
                "(outcome.text or None) if outcome.failure is None else None",
            ),
        ),
    ),
    Saboteur(
        "a denied call counts as run",
        ("tool-result-marks-success",),
        (
            Edit(
                "core.turn._messages:tool_message",
                "outcome.failure is None",
                "outcome.failure in (None, 'policy', 'approval', 'coherence')",
            ),
        ),
    ),
    Saboteur(
        "a tool that was too slow counts as one that returned",
        ("tool-result-marks-success",),
        (
            Edit(
                "tools._run:_outcome",
                "_failed(item.place, _Failure('timeout', _late(item)))",
                "ToolOutcome(item.place, _late(item))",
            ),
        ),
    ),
    Saboteur(
        "native calls keep what ids they have",
        ("tool-call-id-native",),
        (Edit("core.assembly:_with_unique_ids", BODY, "return tuple(call for call, _ in said)"),),
    ),
    Saboteur(
        "a call that is read from text has an id",
        ("tool-call-id-native",),
        (
            Edit(
                "core.textcalls._read:_call",
                "ToolCall(found_name, found, _text=arguments.strip(_BLANK))",
                "ToolCall(found_name, found, id='text', _text=arguments.strip(_BLANK))",
            ),
        ),
    ),
    Saboteur(
        "text-encoded calls get ids",
        ("tool-call-id-native",),
        (Edit("agent._model_call:ModelCall._end", "calls += found", "calls += with_unique_ids(found)"),),
    ),
    Saboteur(
        "a result does not name its call",
        ("tool-call-id-native",),
        (Edit("core.turn._messages:tool_message", "call.id", "None"),),
    ),
    Saboteur(
        "tool messages stand in the order of completion",
        ("tool-messages-in-call-order",),
        (
            Edit(
                "core.turn._updates:note_outcome",
                "outcomes[item.outcome.index] = item.outcome",
                "outcomes[outcomes.index(None)] = item.outcome",
            ),
        ),
    ),
    Saboteur(
        "the runner gives outcomes in the order of completion",
        ("tool-messages-in-call-order",),
        (
            Edit(
                "tools._run:ToolRunner.run",
                "[outcomes[index] for index in range(len(calls))]",
                "[ToolOutcome(index, one.text, one.failure, one.terminal)"
                " for index, one in enumerate(reversed(outcomes.values()))]",
            ),
        ),
    ),
    Saboteur(
        "given messages are made anew",
        ("seeded-messages-untouched",),
        (
            Edit(
                "agent._prepare:_setup",
                "turn.user",
                "tuple(Message.user(one.content) for one in turn.user)",
            ),
        ),
    ),
    Saboteur(
        "given messages are read anew",
        ("seeded-messages-untouched",),
        (
            Edit(
                "agent._input:read_input",
                "messages[:start], user",
                "messages[:start], tuple(Message.user(one.content) for one in user)",
            ),
        ),
    ),
    Saboteur(
        "given messages are changed",
        ("seeded-messages-untouched",),
        (
            Edit(
                "agent._prepare:_setup",
                "agent, output = turn.agent, turn.output",
                "agent, output = turn.agent, turn.output\n"
                "for one in turn.user:\n"
                "    object.__setattr__(one, 'tool_name', None)",
            ),
        ),
    ),
    Saboteur(
        'the text "null" is read as nothing',
        ("round-trip-exact",),
        (
            Edit(
                "core._message_dict:known_fields",
                "dict(data)",
                "{name: '' if value == 'null' else value for name, value in data.items()}",
            ),
        ),
    ),
    Saboteur(
        "an empty result is read as none",
        ("round-trip-exact",),
        (
            Edit(
                "core._message_dict:known_fields",
                "dict(data)",
                "{name: None if name == 'tool_result' and not value else value"
                " for name, value in data.items()}",
            ),
        ),
    ),
    Saboteur(
        "what the provider wants back is not written",
        ("round-trip-exact",),
        (Edit("core._message_dict:call_to_dict", "call.provider_data is not None", "False"),),
    ),
    Saboteur(
        "a conversation is sent as it is",
        ("history-replayable",),
        (Edit("core.history:repaired", BODY, "return messages"),),
    ),
    Saboteur(
        "a tool without a name keeps it",
        ("history-replayable",),
        (Edit("core._history_repair:_valid_name", BODY, "return name"),),
    ),
    Saboteur(
        "a turn that was left is saved",
        ("history-replayable", "close-stops-work"),
        (
            Edit(
                "agent._driver:Driver.aclose",
                "self._machine.step(Cancelled())",
                "store, state = self._turn.agent.sessions, self._machine.state\n"
                "if store is not None and self._turn.session and self._machine.phase.value == 'running':\n"
                "    store.append(self._turn.session, (*state.setup.user, *state.added), 0)\n"
                "self._machine.step(Cancelled())",
            ),
        ),
    ),
    Saboteur(
        "a turn that failed is saved",
        ("history-is-what-was-shown",),
        (
            Edit(
                "agent._driver:Driver._act",
                "raise self._with_usage(action.error)",
                "store, state = self._turn.agent.sessions, self._machine.state\n"
                "if store is not None and self._turn.session:\n"
                "    store.append(self._turn.session, (*state.setup.user, *state.added), 0)\n"
                "raise self._with_usage(action.error)",
            ),
        ),
    ),
    Saboteur(
        "the synthesis exchange is saved",
        ("history-is-what-was-shown",),
        (
            Edit(
                "core.turn._results:_end",
                "added = state.added",
                "asked = (Message(Role.USER, 'Now give it.'),) if state.converged else ()\n"
                "added = (*state.added, *asked)",
            ),
        ),
    ),
    Saboteur(
        "the saved turn is what was written, not what was shown",
        ("history-is-what-was-shown",),
        (
            Edit(
                "core.turn._results:end_synthesized",
                "state.converged.shown if state.converged else ''",
                "state.converged.response.content if state.converged else ''",
            ),
        ),
    ),
    Saboteur(
        "the saved turn lacks the answer",
        ("history-is-what-was-shown",),
        (
            Edit(
                "core.turn._results:_end",
                "(*state.setup.user, *added)",
                "(*state.setup.user, *[replace(one, structured=None) for one in added])",
            ),
        ),
    ),
)
