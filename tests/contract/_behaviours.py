"""Things that models do, and that leak an answer's JSON into chats."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from finalturn import ModelSettings, StructuredOutputConfig
from tests.contract._scenes import ANSWER, COMBINED, FINAL, HOLD, INVALID, LOOKUP, SINGLE

PROSE = "Your order is on its way."


@dataclass(frozen=True)
class Behaviour:
    """What a model does.

    Attributes:
        calls: what each model call answers, as long as the turn asks.
        prose: what of it is meant for a person.
        settings: how it is asked.
    """

    calls: tuple[Any, ...]
    prose: tuple[str, ...] = ()
    settings: ModelSettings = field(default_factory=ModelSettings)


FENCED = f"Here you go:\n```json\n{ANSWER}\n```\nAnything else?"

BEHAVIOURS: dict[str, Behaviour] = {
    "a tool call, then prose": Behaviour(([LOOKUP], PROSE, ANSWER), (PROSE,)),
    "a tool call, then the JSON unasked": Behaviour(([LOOKUP], ANSWER)),
    "JSON although tools were demanded": Behaviour((ANSWER,), settings=ModelSettings(tool_choice="required")),
    "prose with fenced JSON in it": Behaviour((FENCED, ANSWER), ("Here you go:", "Anything else?")),
    "the JSON in the middle of a line": Behaviour(
        (f"The ticket: {ANSWER} - that is it.\n1) {ANSWER}", ANSWER), ("The ticket: - that is it.", "1)")
    ),
    "the JSON in inline code": Behaviour(
        (f"See `{ANSWER}` or ```json {ANSWER} ```, please.", ANSWER), ("See or, please.",)
    ),
    "the JSON in a pair of tags": Behaviour(
        (f"<answer>{ANSWER}</answer>\nAnything else?", ANSWER), ("Anything else?",)
    ),
    "the JSON among other braces": Behaviour(
        (f'Use {{name}} or {{"x": 1}}, then {ANSWER} in {{{{ y }}}}.', ANSWER),
        ('Use {name} or {"x": 1}, then in {{ y }}.',),
    ),
    "unasked JSON that does not validate": Behaviour((INVALID, ANSWER)),
    "a first asked answer that does not validate": Behaviour((PROSE, INVALID, ANSWER), (PROSE,)),
}

MODES: dict[str, dict[str, Any]] = {
    "default": {"config": StructuredOutputConfig()},
    "final_turn_only": {"config": FINAL},
    "final_turn_only, hold_json": {"config": HOLD},
    "final_turn_only, single_pass": {"config": SINGLE, "capabilities": COMBINED},
}
