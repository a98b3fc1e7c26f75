"""The ids of the clauses."""

from __future__ import annotations

import re
from typing import get_args

from finalturn._core.clauses import ClauseId
from finalturn._core.turn import TABLE

IDS = get_args(ClauseId)


def test_ids_are_kebab_case_and_stand_once() -> None:
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", one) for one in IDS)
    assert len(set(IDS)) == len(IDS)


def test_rules_name_no_others() -> None:
    assert {clause for rule in TABLE for clause in rule.upholds} <= set(IDS)
