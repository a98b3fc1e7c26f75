"""What the kills say: which mutants survive, and which clauses have proofs that catch nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tools.contractdocs.evidence.cases import Case
from tools.mutants._cases import TABLE_PLAYS, is_blocking, play_of
from tools.mutants._mutant import Mutant
from tools.mutants._run import Recorded

Task = tuple[int, Sequence[tuple[int, float]]]
Kill = Callable[[Sequence[Task]], list[int | None]]


@dataclass(frozen=True)
class Claim:
    """Something that its clause's own proofs must catch a mutant of.

    Attributes:
        clause: the id.
        rule: a rule of the table that upholds it; "" where none is meant.
        module: a module that keeps it, as a path without suffix; "" where none is meant.
    """

    clause: str
    rule: str = ""
    module: str = ""

    def concerns(self, mutant: Mutant) -> bool:
        """Whether the mutant breaks what is claimed."""
        if self.clause not in mutant.clauses or (self.rule and self.rule != mutant.rule):
            return False
        return not self.module or mutant.file.startswith((f"{self.module}.", f"{self.module}/"))


@dataclass
class Verdict:
    """What came of a run.

    Attributes:
        survivors: mutants on which no proof of their clauses fails.
        toothless: claims that nothing stands behind, each with the number of mutants that break it.
    """

    survivors: list[Mutant] = field(default_factory=list[Mutant])
    toothless: list[tuple[Claim, int]] = field(default_factory=list[tuple[Claim, int]])


@dataclass(frozen=True)
class Judge:
    """Decides which cases are run on which mutants.

    Attributes:
        mutants: all of them.
        cases: all of them.
        recorded: what each case does without any mutation.
        kill: runs cases on mutants.
    """

    mutants: Sequence[Mutant]
    cases: Sequence[Case]
    recorded: Sequence[Recorded]
    kill: Kill

    def verdict(self, claims: Sequence[Claim]) -> Verdict:
        """Run every mutant, and again those of claims of which nothing was caught yet."""
        found = Verdict()
        caught: dict[str, list[Mutant]] = {}
        tasks = [(place, self._candidates(one, one.clauses)) for place, one in enumerate(self.mutants)]
        for mutant, killer in zip(self.mutants, self.kill(tasks), strict=True):
            if killer is None:
                found.survivors.append(mutant)
                continue
            for clause in self.cases[killer].clauses:
                caught.setdefault(clause, []).append(mutant)
        for claim in claims:
            if not any(map(claim.concerns, caught.get(claim.clause, ()))):
                concerned = [place for place, one in enumerate(self.mutants) if claim.concerns(one)]
                if not self._catches_any(claim.clause, concerned):
                    found.toothless.append((claim, len(concerned)))
        return found

    def _catches_any(self, clause: str, places: Sequence[int]) -> bool:
        """Whether the clause's own proofs catch one of the mutants after all."""
        tasks = [(place, self._candidates(self.mutants[place], (clause,))) for place in places]
        return any(killer is not None for killer in self.kill(tasks))

    def _candidates(self, mutant: Mutant, clauses: Sequence[str]) -> list[tuple[int, float]]:
        """The cases that may fail on the mutant."""
        wanted = frozenset(clauses)
        return [
            (place, self.recorded[place].seconds)
            for place, proved, of_table in self._order
            if not wanted.isdisjoint(proved)
            and (of_table or not mutant.pure)
            and mutant.concerns(self.recorded[place].reached)
        ]

    @cached_property
    def _order(self) -> list[tuple[int, frozenset[str], bool]]:
        """The cases, the quick ones first, those that cannot be stopped last: with what they prove."""
        order = sorted(
            range(len(self.cases)),
            key=lambda place: (is_blocking(self.cases[place]), self.recorded[place].seconds),
        )
        return [
            (place, frozenset(self.cases[place].clauses), _is_of_table(self.cases[place])) for place in order
        ]


def _is_of_table(case: Case) -> bool:
    """Whether it is worth a run on what is the same under every driver and kind of provider."""
    return play_of(case) in TABLE_PLAYS or not case.driver
