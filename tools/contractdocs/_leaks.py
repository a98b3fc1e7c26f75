"""The leak matrix, from a run."""

from __future__ import annotations

import logging

from tests.contract._behaviours import BEHAVIOURS, MODES
from tests.contract._play import Play
from tests.contract._scenes import SENTINEL
from tests.contract.test_behaviours import play_behaviour

HEAD = """\
# The leak matrix

Six things that models do, and what a person sees of the answer's JSON in each mode. Every cell comes from a
run; the tests prove the same on every surface, driver and kind of provider.
"""

FOOT = """
- *shown*: the JSON appeared as content. With `structured_reuse` the surface is told that it was the answer.
- *not shown*: no byte of it appeared.
- Every turn of the table ends with status "ok". With `final_turn_only` and `hold_json`, all prose is shown
  and no JSON is.
- Nine frameworks of today, measured in every mode of theirs that keeps prose visible, leak in at least one
  row.
"""


def page() -> str:
    """The page with the matrix."""
    logging.disable()
    rows = ["| what the model does | " + " | ".join(f"`{mode}`" for mode in MODES) + " |"]
    rows.append("|---" * (len(MODES) + 1) + "|")
    rows += [f"| {name} | " + " | ".join(_cell(name, mode) for mode in MODES) + " |" for name in BEHAVIOURS]
    return "\n".join([HEAD, *rows, FOOT])


def _cell(name: str, mode: str) -> str:
    observed = play_behaviour(Play("astream-asyncio", "streaming"), name, mode)
    status = observed.result.structured_status
    if status != "ok":
        raise AssertionError(f"{name!r} in mode {mode!r} ended {status!r}; the page says that all are ok")
    shown = "shown" if SENTINEL in observed.content else "not shown"
    return ", ".join([shown, *(f"then `{event}`" for event in observed.events)])
