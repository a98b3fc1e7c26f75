"""Runs proofs on mutants, and only those that a mutant can change."""

from __future__ import annotations

import functools
import logging
import signal
import warnings
from collections.abc import Callable, Iterable
from types import FrameType
from unittest import mock

from finalturn.core.turn import TABLE, Input, Machine, Rule, Step
from tests.contract import _walk
from tests.contract._paths import PATHS
from tests.contract._play import Play
from tools.mutants._mutate import Mutant
from tools.mutants._proofs import Proof

LIMIT = 5
"""Seconds after which a proof counts as failed: the mutant waits for something that never comes."""

RULES = {rule.name: rule for rule in TABLE}


class _TooLong(BaseException):
    pass


def _recording() -> tuple[Callable[..., Machine], set[str]]:
    """The machine as it is, and a set in which it notes the rules that match."""
    matched: set[str] = set()

    class Recording(Machine):
        def step(self, item: Input) -> Step:
            done = super().step(item)
            if self.last_rule is not None:
                matched.add(self.last_rule)
            return done

    return Recording, matched


class Runner:
    """Calls proofs with the driver's machine replaced.

    Attributes:
        broken: the proofs that fail without any mutation.
    """

    def __init__(self, proofs: Iterable[Proof]) -> None:
        warnings.simplefilter("ignore")
        logging.disable()
        signal.signal(signal.SIGALRM, self._stop)
        self._rules_of_paths = {name: self._record(self._path(name))[1] for name in PATHS}
        recorded = {proof: self._record(proof) for proof in proofs}
        self.broken = [proof for proof, (failed, _) in recorded.items() if failed]
        self._rules_of = {proof: rules for proof, (_, rules) in recorded.items()}

    def kills(self, mutant: Mutant, proofs: Iterable[Proof]) -> bool:
        """Whether one of these proofs fails on the mutant."""
        machine = functools.partial(Machine, table=mutant.table)
        paths = [name for name, rules in self._rules_of_paths.items() if _concerns(mutant, rules)]
        with mock.patch.object(_walk, "only", paths):
            return any(
                self._fails(machine, proof) for proof in proofs if _concerns(mutant, self._rules_of[proof])
            )

    def _path(self, name: str) -> Callable[[], object]:
        return lambda: PATHS[name].play(Play("astream-asyncio", "streaming"))

    def _record(self, proof: Proof) -> tuple[bool, frozenset[str]]:
        machine, matched = _recording()
        return self._fails(machine, proof), frozenset(matched)

    def _fails(self, machine: Callable[..., Machine], proof: Proof) -> bool:
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


def _concerns(mutant: Mutant, matched: frozenset[str]) -> bool:
    """Whether a run in which these rules matched can differ on the mutant."""
    if not mutant.widened:
        return mutant.rule.name in matched
    return any(_pair(RULES[name]) == _pair(mutant.rule) for name in matched)


def _pair(rule: Rule) -> tuple[object, object]:
    return rule.phase, rule.on
