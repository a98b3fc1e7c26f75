"""Saboteurs of stopping, isolation, usage and errors."""

from __future__ import annotations

from tools.mutants._saboteur import BODY, Edit, Saboteur

CLOSE = "agent._driver:Driver.aclose"
HANG_UP = "await self._hang_up()"

SABOTEURS = (
    Saboteur(
        "a stream that is left is not closed",
        ("close-stops-work",),
        (
            Edit("agent._stream:AgentStream.__aexit__", BODY, "pass"),
            Edit("agent._stream:AgentStream.__del__", BODY, "pass"),
            Edit("agent._sync:SyncStream.close", BODY, "pass"),
        ),
    ),
    Saboteur(
        "the model call goes on after the stream is closed",
        ("close-stops-work",),
        (Edit(CLOSE, HANG_UP, "self._kept, self._call = self._call, None"),),
    ),
    Saboteur(
        "the rest of the call is read after the stream is closed",
        ("close-stops-work",),
        (
            Edit(
                CLOSE,
                HANG_UP,
                "while self._call is not None and type(await self._call.next()) is not Finished:\n"
                "    pass\n"
                "await self._hang_up()",
            ),
        ),
    ),
    Saboteur(
        "tools start after the stream is closed",
        ("close-stops-work",),
        (
            Edit(
                CLOSE,
                "self._actions.clear()",
                "for action in self._actions:\n"
                "    if hasattr(action, 'calls'):\n"
                "        await self._performer.perform(action)\n"
                "self._actions.clear()",
            ),
        ),
    ),
    Saboteur(
        "turns of an agent share their input",
        ("runs-are-isolated",),
        (
            Edit(
                "agent._prepare:_setup",
                "turn.user",
                "globals().setdefault('GIVEN', {}).setdefault(id(turn.agent), turn.user)",
            ),
        ),
    ),
    Saboteur(
        "turns of an agent share a machine",
        ("runs-are-isolated",),
        (
            Edit(
                "agent._driver:Driver._start",
                "Machine(setup)",
                "globals().setdefault('MACHINES', {}).setdefault(id(self._turn.agent), Machine(setup))",
            ),
        ),
    ),
    Saboteur(
        "the usage of synthesis is left out",
        ("usage-complete",),
        (
            Edit(
                "core.turn._updates:close_call",
                "state.usage + (item.response.usage or _UNREPORTED)",
                "state.usage if state.converged else state.usage + (item.response.usage or _UNREPORTED)",
            ),
        ),
    ),
    Saboteur(
        "the usage of an answer that did not validate is left out",
        ("usage-complete",),
        (
            Edit(
                "core.turn._updates:close_call",
                "state.usage + (item.response.usage or _UNREPORTED)",
                "state.usage if item.rejection and not state.setup.asks else "
                "state.usage + (item.response.usage or _UNREPORTED)",
            ),
        ),
    ),
    Saboteur(
        "a call without usage counts as reported",
        ("usage-complete",),
        (
            Edit(
                "core.turn._updates:close_call",
                "item.response.usage or _UNREPORTED",
                "item.response.usage or Usage()",
            ),
        ),
    ),
    Saboteur(
        "a failed call's usage is not counted",
        ("usage-complete",),
        (Edit("agent._driver:Driver._charge", BODY, "pass"),),
    ),
    Saboteur(
        "an error quotes the model's text",
        ("errors-are-clean",),
        (
            Edit(
                "agent._model_call:ModelCall.next",
                "raise broken_off() from None",
                "raise __import__('finalturn').ProviderError(''.join(self._text)) from None",
            ),
        ),
    ),
    Saboteur(
        "an error quotes the rejected text",
        ("errors-are-clean",),
        (
            Edit(
                "core.result:AgentResult.unwrap",
                "self.structured_error or f'the turn stopped with {self.stop_reason!r}'",
                "f'{self.structured_error}: {getattr(self, \"_rejected\", None)}'",
            ),
        ),
    ),
    Saboteur(
        "a reason names keys that the model made up",
        ("errors-are-clean",),
        (
            Edit(
                "core.output._reasons:_place",
                "f'.{step}' if names is None or step in names else '.?'",
                "f'.{step}'",
            ),
        ),
    ),
    Saboteur(
        "an error quotes what a server said",
        ("errors-are-clean",),
        (
            Edit(
                "providers._failures:http_error",
                "f'the provider answered with status {status}: {meaning}'",
                "f'the provider answered with status {status}: {text}'",
            ),
        ),
    ),
    Saboteur(
        "a log quotes the model's text",
        ("errors-are-clean",),
        (
            Edit(
                "agent._model_call:ModelCall._pass_on",
                "self._text.append(text)",
                "self._text.append(text)\n"
                "__import__('logging').getLogger('finalturn').warning('read %s', text)",
            ),
        ),
    ),
)
