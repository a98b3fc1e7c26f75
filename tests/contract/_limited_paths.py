"""The paths of turns that have limits: which one ends the turn, and where."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from finalturn import Limits, ModelEnd, StructuredOutputConfig
from finalturn.providers import Scripted
from tests.contract._path import HELD_NO_REUSE, REUSE, SHOWN_JSON, START, Path
from tests.contract._scenes import ANSWER, COMBINED, FINAL, HOLD, INVALID, LOOKUP, NO_REUSE, SINGLE, skipping


def _limited(
    calls: tuple[Any, ...],
    shape: tuple[str, ...],
    text: str = "",
    *,
    status: str | None = "not_attempted",
    content: str = ANSWER,
    said: tuple[tuple[str, str | None], ...],
    answer: int | None = None,
    limits: Limits = Limits(requests=1),  # noqa: B008  # immutable
    config: StructuredOutputConfig | None = FINAL,
    plain: bool = False,
) -> Path:
    """A path with limits, one of which ends it where it has no answer."""
    names = [field.name for field in fields(limits) if getattr(limits, field.name) is not None]
    return Path(
        calls,
        shape,
        text,
        status,
        content,
        said,
        answer,
        "completed" if answer is not None else "limit_reached",
        {"limits": limits, "config": config},
        plain,
        limit=None if answer is not None else names[0],
    )


LIMITED_PATHS: dict[str, Path] = {
    "limited after tools": _limited(
        (["Look. ", LOOKUP],),
        ("content@0", "call:lookup@0", "result:lookup@0"),
        "Look. ",
        content="",
        said=(("Look. ", None),),
    ),
    "limited by tokens": _limited(
        ([LOOKUP],),
        ("call:lookup@0", "result:lookup@0"),
        content="",
        said=(("", None),),
        limits=Limits(total_tokens=8),
    ),
    "limited, with more tools than are left": _limited(
        ([LOOKUP], ['Again:\n{"a": ', LOOKUP, Scripted.call("fail", {"order": "B"})]),
        (
            "call:lookup@0",
            "result:lookup@0",
            "content@1",
            "call:lookup@1",
            "call:fail@1",
            "result:lookup@1",
            "result:fail@1",
        ),
        'Again:\n{"a": ',
        content="",
        said=(("", None), ('Again:\n{"a": ', None)),
        limits=Limits(tool_calls=2),
        config=HOLD,
    ),
    "limited, and all tools used": _limited(
        ([LOOKUP, LOOKUP], ANSWER),
        ("call:lookup@0", "call:lookup@0", "result:lookup@0", "result:lookup@0", "content@1", f"{REUSE}@1"),
        ANSWER,
        status="ok",
        said=(("", None), ("", ANSWER)),
        answer=1,
        limits=Limits(tool_calls=2, requests=2),
    ),
    "plain, limited at an empty answer": _limited(
        (" ",), ("content@0",), " ", status=None, content=" ", said=(), plain=True
    ),
    "default, limited at an empty answer": _limited(
        ([Scripted.reasoning("hm")],), ("reasoning@0",), content="", said=(), config=None
    ),
    "default, limited without retries": Path(
        (INVALID,),
        ("content@0",),
        INVALID,
        "validation_failed",
        INVALID,
        ((INVALID, None),),
        parts={
            "config": StructuredOutputConfig(max_validation_retries=0),
            "limits": Limits(requests=1),
        },
    ),
    "default, limited, with an answer": _limited(
        (ANSWER,), ("content@0",), ANSWER, status="ok", said=SHOWN_JSON, answer=0, config=None
    ),
    "plain, limited, with two empty answers": Path(
        (" ", " "),
        ("content@0", "content@1"),
        "  ",
        status="error",
        plain=True,
        parts={"limits": Limits(requests=2)},
    ),
    "limited and skipped at an empty answer": _limited(
        ([Scripted.reasoning("hm")],),
        ("reasoning@0",),
        status="skipped",
        content="",
        said=(),
        answer=0,
        config=skipping(True),
    ),
    "limited, in the last iteration": Path(
        ([LOOKUP],),
        ("call:lookup@0", "result:lookup@0"),
        "",
        "not_attempted",
        "",
        (("", None),),
        None,
        "iteration_limit",
        parts={"max_iterations": 1, "limits": Limits(requests=1)},
    ),
    "limited, with an answer in a single pass": Path(
        (ANSWER,),
        (),
        said=SHOWN_JSON,
        answer=0,
        parts={"config": SINGLE, "capabilities": COMBINED, "limits": Limits(requests=1)},
    ),
    "limited after a synthesis that was cut": Path(
        ("Done.", [ANSWER[:-3], ModelEnd("length")]),
        ("content@0", f"{START}@1"),
        "Done.",
        "validation_failed",
        "Done.",
        (("Done.", None),),
        parts={"limits": Limits(requests=2)},
    ),
    "limited after a synthesis without retries": Path(
        ("Done.", INVALID),
        ("content@0", f"{START}@1"),
        "Done.",
        "validation_failed",
        "Done.",
        (("Done.", None),),
        parts={
            "config": StructuredOutputConfig(final_turn_only=True, max_validation_retries=0),
            "limits": Limits(requests=2),
        },
    ),
    "default, limited before a retry": _limited(
        (INVALID,),
        ("content@0",),
        INVALID,
        status="validation_failed",
        content=INVALID,
        said=((INVALID, None),),
        config=None,
    ),
    "limited, with an answer that is not reused": _limited(
        (ANSWER,), ("content@0",), ANSWER, said=((ANSWER, None),), config=NO_REUSE
    ),
    "limited, with a held answer that is not reused": _limited(
        (f"{ANSWER}\n",),
        ("content@0",),
        "\n",
        content=f"{ANSWER}\n",
        said=((f"{ANSWER}\n", None),),
        config=HELD_NO_REUSE,
    ),
    "limited before synthesis": _limited(
        ('Done:\n{"a": ',),
        ("content@0",),
        'Done:\n{"a": ',
        content='Done:\n{"a": ',
        said=(('Done:\n{"a": ', None),),
        config=HOLD,
    ),
    "limited before a synthesis that is wanted": _limited(
        ("Done.",), ("content@0",), "Done.", content="Done.", said=(("Done.", None),), config=skipping(False)
    ),
    "limited, and skipped": _limited(
        ("Done.",),
        ("content@0",),
        "Done.",
        status="skipped",
        content="Done.",
        said=(("Done.", None),),
        answer=0,
        config=skipping(True),
    ),
    "limited before another synthesis": _limited(
        ("Done.", INVALID),
        ("content@0", f"{START}@1"),
        "Done.",
        status="validation_failed",
        content="Done.",
        said=(("Done.", None),),
        limits=Limits(requests=2),
    ),
    "limited, with an answer that uses too much": _limited(
        (ANSWER,),
        ("content@0", f"{REUSE}@0"),
        ANSWER,
        status="ok",
        said=SHOWN_JSON,
        answer=0,
        limits=Limits(output_tokens=1),
    ),
}
