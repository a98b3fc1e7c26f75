"""Both kinds of stage are one."""

from __future__ import annotations

from finalturn._cli.view import PlainStage, Screen, Stage
from finalturn._cli.view.terminal import TerminalStage
from tests.cli._turns import Pipe


def test_both_kinds_are_stages_and_give_screens() -> None:
    stages: list[Stage] = [PlainStage(Pipe()), TerminalStage(Pipe(terminal=True))]
    assert [stage.live for stage in stages] == [False, True]
    for stage in stages:
        with stage.screen() as screen:
            shown: Screen = screen
            assert shown is screen
