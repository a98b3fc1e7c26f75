"""Every path that a turn can take: what the model does, and all that must come of it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from finalturn import (
    Capabilities,
    ModelEnd,
    ModelSettings,
    ProviderError,
    Role,
    StructuredOutputConfig,
    Usage,
)
from finalturn.agent import _driver
from finalturn.providers import Scripted
from finalturn.sessions import InMemorySessions
from tests.contract._observed import Observed
from tests.contract._play import Play
from tests.contract._scenes import (
    ANSWER,
    COMBINED,
    FINAL,
    HOLD,
    INVALID,
    LOOKUP,
    NO_REUSE,
    SINGLE,
    Ticket,
    fail,
    hand_over,
    lookup,
    skipping,
)

SPENT = Usage(input_tokens=5, output_tokens=3, total_tokens=8)
START, REUSE = "event:structured_synthesis_start", "event:structured_reuse"
HAND_OVER = Scripted.call("hand_over", {"order": "A1"})
DONE = "order A1 is on its way"


@dataclass(frozen=True)
class Path:
    """A path.

    Attributes:
        calls: what each model call answers.
        shape: the purposes of what is shown, in order.
        text: all content that is shown.
        status: the structured status; "error" when the turn raises a ProviderError.
        content: the result's content.
        said: content and structured of each ASSISTANT message, in order.
        answer: the index of the call that holds the answer.
        stop: why the turn ends.
        parts: what the agent has beside its tools.
        plain: there is no response_format.
    """

    calls: tuple[Any, ...]
    shape: tuple[str, ...]
    text: str = ""
    status: str | None = "ok"
    content: str = ANSWER
    said: tuple[tuple[str, str | None], ...] = ()
    answer: int | None = None
    stop: str = "completed"
    parts: dict[str, Any] = field(default_factory=dict[str, Any])
    plain: bool = False

    def play(self, play: Play) -> tuple[Observed, InMemorySessions]:
        """Play it: each call costs the same, and the turn is saved."""
        sessions = InMemorySessions()
        calls: list[Any] = [[SPENT, *(call if isinstance(call, list) else [call])] for call in self.calls]
        parts: dict[str, Any] = {"tools": [lookup, fail, hand_over], "config": FINAL, **self.parts}
        if not self.plain:
            parts.setdefault("response_format", Ticket)
        return play(*calls, sessions=sessions, session="s", **parts), sessions


HELD_NO_REUSE = StructuredOutputConfig(final_turn_only=True, reuse_loop_answer=False, hold_json=True)
SHOWN_JSON = (("", ANSWER),)
PATHS: dict[str, Path] = {
    "plain": Path(
        ([Scripted.reasoning("hm"), "Hello"],),
        ("reasoning@0", "content@0"),
        "Hello",
        None,
        "Hello",
        (("Hello", None),),
        0,
        plain=True,
    ),
    "plain, cut": Path(
        (["Hel", ModelEnd("length")],),
        ("content@0",),
        "Hel",
        None,
        "Hel",
        (("Hel", None),),
        0,
        "truncated",
        plain=True,
    ),
    "plain, cut before its first word": Path(
        ([ModelEnd("length")],), (), "", None, "", (), 0, "truncated", plain=True
    ),
    "plain, empty once": Path(
        ([Scripted.reasoning("hm"), " "], "Hello"),
        ("reasoning@0", "content@0", "content@1"),
        " Hello",
        None,
        "Hello",
        (("Hello", None),),
        1,
        plain=True,
        parts={"max_iterations": 1},
    ),
    "plain, empty twice": Path((" ", " "), ("content@0", "content@1"), "  ", status="error", plain=True),
    "plain, empty after a tool": Path(
        (["Look. ", LOOKUP], [], " "),
        ("content@0", "call:lookup@0", "result:lookup@0", "content@2"),
        "Look.  ",
        None,
        " ",
        (("Look. ", None),),
        2,
        plain=True,
    ),
    "plain, a tool": Path(
        (["Look. ", LOOKUP, Scripted.call("fail", {"order": "B"})], "Done."),
        ("content@0", "call:lookup@0", "call:fail@0", "result:lookup@0", "result:fail@0", "content@1"),
        "Look. Done.",
        None,
        "Done.",
        (("Look. ", None), ("Done.", None)),
        1,
        plain=True,
    ),
    "default": Path((ANSWER,), ("content@0",), ANSWER, said=SHOWN_JSON, answer=0, parts={"config": None}),
    "default, a retry": Path(
        (INVALID, ANSWER),
        ("content@0", "content@1"),
        INVALID + ANSWER,
        said=SHOWN_JSON,
        answer=1,
        parts={"config": None, "max_iterations": 1},
    ),
    "default, a cut answer and an empty one": Path(
        ([ANSWER[:-3], ModelEnd("length")], [], ANSWER),
        ("content@0", "content@2"),
        ANSWER[:-3] + ANSWER,
        said=SHOWN_JSON,
        answer=2,
        parts={"config": None},
    ),
    "default, given up": Path(
        ("one", "two", "three"),
        ("content@0", "content@1", "content@2"),
        "onetwothree",
        "validation_failed",
        "three",
        (("three", None),),
        parts={"config": None},
    ),
    "default, no retries": Path(
        ("one",),
        ("content@0",),
        "one",
        "validation_failed",
        "one",
        (("one", None),),
        parts={"config": StructuredOutputConfig(max_validation_retries=0)},
    ),
    "default, invalid after a tool": Path(
        ([LOOKUP], INVALID, ANSWER),
        ("call:lookup@0", "result:lookup@0", "content@1", "content@2"),
        INVALID + ANSWER,
        said=(("", None), ("", ANSWER)),
        answer=2,
        parts={"config": None},
    ),
    "default, empty after a tool": Path(
        ([LOOKUP], [], " "),
        ("call:lookup@0", "result:lookup@0", "content@2"),
        " ",
        "validation_failed",
        " ",
        (("", None),),
        parts={"config": None},
    ),
    "default, empty twice": Path(([], []), (), status="error", parts={"config": None}),
    "reuse": Path((ANSWER,), ("content@0", f"{REUSE}@0"), ANSWER, said=SHOWN_JSON, answer=0),
    "reuse, after a tool": Path(
        (["Look. ", LOOKUP], ANSWER),
        ("content@0", "call:lookup@0", "result:lookup@0", "content@1", f"{REUSE}@1"),
        "Look. " + ANSWER,
        said=(("Look. ", None), ("", ANSWER)),
        answer=1,
    ),
    "reuse, held": Path((f"```json\n{ANSWER}\n```",), (), said=SHOWN_JSON, answer=0, parts={"config": HOLD}),
    "reuse, held after a tool": Path(
        ([f"Look.\n{ANSWER}\n", LOOKUP], ANSWER),
        ("content@0", "call:lookup@0", "result:lookup@0"),
        "Look.\n",
        said=(("Look.\n", None), ("", ANSWER)),
        answer=1,
        parts={"config": HOLD},
    ),
    "reuse, held with a blank line after it": Path(
        (f"{ANSWER}\n",), ("content@0",), "\n", said=SHOWN_JSON, answer=0, parts={"config": HOLD}
    ),
    "reuse, of a number, which is not held": Path(
        ("5\n",),
        ("content@0", f"{REUSE}@0"),
        "5\n",
        content="5",
        said=(("", "5"),),
        answer=0,
        parts={"config": HOLD, "response_format": TypeAdapter(int)},
    ),
    "reuse off, held": Path(
        (f"{ANSWER}\n", ANSWER),
        ("content@0", f"{START}@1"),
        "\n",
        said=(("\n", ANSWER),),
        answer=1,
        parts={"config": HELD_NO_REUSE},
    ),
    "reuse off": Path(
        (ANSWER, ANSWER),
        ("content@0", f"{START}@1"),
        ANSWER,
        said=((ANSWER, ANSWER),),
        answer=1,
        parts={"config": NO_REUSE},
    ),
    "synthesis": Path(
        (["Look. ", LOOKUP], "Done.", [Scripted.reasoning("hm"), ANSWER]),
        ("content@0", "call:lookup@0", "result:lookup@0", "content@1", f"{START}@2"),
        "Look. Done.",
        said=(("Look. ", None), ("Done.", ANSWER)),
        answer=2,
    ),
    "synthesis, two retries": Path(
        ("Done.", INVALID, [], ANSWER),
        ("content@0", f"{START}@1"),
        "Done.",
        said=(("Done.", ANSWER),),
        answer=3,
    ),
    "synthesis, given up": Path(
        ("Done.", INVALID, INVALID, INVALID),
        ("content@0", f"{START}@1"),
        "Done.",
        "validation_failed",
        "Done.",
        (("Done.", None),),
    ),
    "synthesis, cut": Path(
        ("Done.", [ANSWER[:-3], ModelEnd("length")]),
        ("content@0", f"{START}@1"),
        "Done.",
        "validation_failed",
        "Done.",
        (("Done.", None),),
    ),
    "synthesis, of nothing": Path(([], ANSWER), (f"{START}@1",), said=(("", ANSWER),), answer=1),
    "synthesis, of nothing after a tool": Path(
        ([LOOKUP], [], ANSWER),
        ("call:lookup@0", "result:lookup@0", f"{START}@2"),
        said=(("", None), ("", ANSWER)),
        answer=2,
    ),
    "synthesis, of a failed attempt in the loop": Path(
        (INVALID, ANSWER),
        ("content@0", f"{START}@1"),
        INVALID,
        said=((INVALID, ANSWER),),
        answer=1,
    ),
    "synthesis, of prose with an unfinished block": Path(
        ('Use:\n{"port": ', ANSWER),
        ("content@0", f"{START}@1"),
        'Use:\n{"port": ',
        said=(('Use:\n{"port": ', ANSWER),),
        answer=1,
        parts={"config": HOLD},
    ),
    "a yes of the predicate": Path(
        ('Use:\n{"port": ', ANSWER),
        ("content@0", f"{START}@1"),
        'Use:\n{"port": ',
        said=(('Use:\n{"port": ', ANSWER),),
        answer=1,
        parts={"config": skipping(False, hold_json=True)},
    ),
    "skip": Path(
        ("Hello",),
        ("content@0",),
        "Hello",
        "skipped",
        "Hello",
        (("Hello", None),),
        0,
        parts={"config": skipping(True)},
    ),
    "skip, of a held attempt": Path(
        (INVALID,),
        (),
        "",
        "skipped",
        INVALID,
        ((INVALID, None),),
        0,
        parts={"config": skipping(True, hold_json=True)},
    ),
    "single_pass": Path(
        (["Look. ", LOOKUP], ANSWER),
        ("call:lookup@0", "result:lookup@0"),
        said=(("", None), ("", ANSWER)),
        answer=1,
        parts={"config": SINGLE, "capabilities": COMBINED},
    ),
    "single_pass, invalid": Path(
        ("Hello", ANSWER),
        (f"{START}@1",),
        said=(("", ANSWER),),
        answer=1,
        parts={"config": SINGLE, "capabilities": COMBINED},
    ),
    "single_pass, without the capability": Path(
        ("Hello", ANSWER),
        ("content@0", f"{START}@1"),
        "Hello",
        said=(("Hello", ANSWER),),
        answer=1,
        parts={"config": SINGLE, "capabilities": Capabilities()},
    ),
    "a terminal tool": Path(
        (["Moment. ", LOOKUP, HAND_OVER],),
        ("content@0", "call:lookup@0", "call:hand_over@0", "result:lookup@0", "result:hand_over@0"),
        "Moment. ",
        "not_attempted",
        "handed over A1",
        (("Moment. ", None),),
        None,
        "terminal_tool",
    ),
    "the iteration limit": Path(
        ([LOOKUP], ["Again. ", LOOKUP]),
        ("call:lookup@0", "result:lookup@0", "content@1", "call:lookup@1", "result:lookup@1"),
        "Again. ",
        "not_attempted",
        "",
        (("", None), ("Again. ", None)),
        None,
        "iteration_limit",
        parts={"max_iterations": 2},
    ),
    "refused": Path(
        (['I cannot:\n{"a": ', ModelEnd("refusal")],),
        ("content@0",),
        'I cannot:\n{"a": ',
        "not_attempted",
        'I cannot:\n{"a": ',
        (('I cannot:\n{"a": ', None),),
        None,
        "refused",
        parts={"config": HOLD},
    ),
    "tools demanded, JSON given": Path(
        (ANSWER,),
        ("content@0", f"{REUSE}@0"),
        ANSWER,
        said=SHOWN_JSON,
        answer=0,
        parts={"settings": ModelSettings(tool_choice="required")},
    ),
}


@functools.lru_cache(maxsize=2048)
def _play(name: str, play: Play, machine: object) -> tuple[Observed, InMemorySessions]:
    return PATHS[name].play(play)


def walk(play: Play) -> Iterator[tuple[str, Observed, InMemorySessions]]:
    """Play every path, each once for a driver, a kind of provider and a machine."""
    machine: object = getattr(_driver, "Machine")  # noqa: B009  # the one that is installed now
    for name in PATHS if only is None else only:
        yield name, *_play(name, play, machine)


only: Sequence[str] | None = None
"""The paths to walk. A run of mutants leaves those out that a mutant cannot change."""


def said(messages: Any) -> tuple[tuple[str, str | None], ...]:
    """Content and structured of each ASSISTANT message."""
    return tuple((m.content, m.structured) for m in messages if m.role is Role.ASSISTANT)


def is_expected_error(observed: Observed) -> bool:
    return isinstance(observed.error, ProviderError) and observed.error.retryable
