"""The leak matrix, from a run."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache

from tools.contractdocs.render._page import page, table

PATH = "contract/leak-matrix.md"

Leaks = Mapping[str, Mapping[str, str]]
"""What was shown, by what the model did and by mode."""

HEAD = """\
Six things that models do, and what a person sees of the answer's JSON in each mode. Every cell comes from a
run; tests prove the same on every surface, driver and kind of provider."""

FOOT = """\
- *shown*: the JSON appeared as content. With `structured_reuse` the surface is told that it was the answer.
- *not shown*: no byte of it appeared.
- Every turn of the table ends with status "ok". With `final_turn_only` and `hold_json`, all prose is shown
  and no JSON is.
- Nine frameworks of today, measured in every mode of theirs that keeps prose visible, leak in at least one
  row."""


def leaks_page(leaks: Leaks) -> str:
    """The page."""
    parts = [HEAD, leak_table(leaks), FOOT]
    return page("The leak matrix", "To see what of the answer's JSON reaches a person, in each mode.", parts)


def leak_table(leaks: Leaks) -> str:
    """The matrix alone."""
    modes = list(next(iter(leaks.values())))
    rows = ((name, *(cells[mode] for mode in modes)) for name, cells in leaks.items())
    return table(("what the model does", *(f"`{mode}`" for mode in modes)), rows)


@cache
def run() -> Leaks:
    """Play every behaviour in every mode."""
    from tests.contract._behaviours import BEHAVIOURS, MODES  # only a run needs the tests

    before = logging.root.manager.disable
    logging.disable()
    try:
        return {name: {mode: _cell(name, mode) for mode in MODES} for name in BEHAVIOURS}
    finally:
        logging.disable(before)


def _cell(name: str, mode: str) -> str:
    from tests.contract._play import Play
    from tests.contract._scenes import SENTINEL
    from tests.contract.test_behaviours import play_behaviour

    try:
        observed = play_behaviour(Play("astream-asyncio", "streaming"), name, mode)
        status, content, events = observed.result.structured_status, observed.content, observed.events
    except Exception as error:  # the table says so, and so differs from the one that is committed
        return f"THE RUN FAILED: {type(error).__name__}"
    if status != "ok":
        return f"THE TURN ENDED {status}"
    shown = "shown" if SENTINEL in content else "not shown"
    return ", ".join([shown, *(f"then `{event}`" for event in events)])
