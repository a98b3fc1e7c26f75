"""Which surfaces a test has looked at: a test that looks at none proves nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finalturn.contract import Surface

if TYPE_CHECKING:
    from tests.contract._play import Play

_noted: set[tuple[str, str, Surface]] = set()


def note(driver: str, kind: str, surface: Surface) -> None:
    """A test looks at what a surface showed of a turn that was driven so, with this kind of provider."""
    _noted.add((driver, kind, surface))


def look_at(play: Play, surface: Surface) -> None:
    """A test looks itself at what the machine would show there."""
    note(play.driver, play.kind, surface)


def look_at_http(play: Play) -> None:
    """A test looks at an answer to a request."""
    note(play.driver, play.kind, Surface.HTTP)


def forget() -> None:
    """Another case begins."""
    _noted.clear()


def noted(driver: str, kind: str) -> frozenset[Surface]:
    """What was looked at since."""
    return frozenset(surface for *how, surface in _noted if how == [driver, kind])
