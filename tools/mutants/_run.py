"""Runs a proof on a mutant."""

from __future__ import annotations

import functools
import logging
import signal
import warnings
from types import FrameType
from unittest import mock

from finalturn.core.turn import Machine
from tools.mutants._mutate import Mutant
from tools.mutants._proofs import Proof

LIMIT = 5
"""Seconds after which a proof counts as failed: the mutant waits for something that never comes."""


class _TooLong(BaseException):
    pass


class Runner:
    """Calls proofs with the driver's machine replaced."""

    def __init__(self) -> None:
        warnings.simplefilter("ignore")
        logging.disable()
        self._last: tuple[Mutant, object] | None = None
        signal.signal(signal.SIGALRM, self._stop)

    def fails(self, mutant: Mutant, proof: Proof) -> bool:
        """Whether the proof fails on the mutant."""
        # One object for one mutant: what a path gave is remembered by it.
        if self._last is None or self._last[0] is not mutant:
            self._last = mutant, functools.partial(Machine, table=mutant.table)
        machine = self._last[1]
        signal.alarm(LIMIT)
        try:
            with mock.patch("finalturn.agent._driver.Machine", machine):
                proof()
        except (Exception, _TooLong):
            return True
        except BaseException as error:
            # What pytest.raises and pytest.fail raise is not an Exception.
            if type(error).__name__ in ("Failed", "CancelledError"):
                return True
            raise
        else:
            return False
        finally:
            signal.alarm(0)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        raise _TooLong
