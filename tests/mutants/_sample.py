"""A small module to mutate."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator


def positive(number: int) -> bool:
    """Whether it is above zero."""
    return number > 0


def sizes(words: list[str]) -> list[int]:
    found: list[int] = []
    for word in words:
        if word:
            found.insert(0, len(word))
    return found


async def later(number: int) -> int:
    return number


async def halves(number: int) -> AsyncIterator[int]:
    while number:
        yield number
        number //= 2


class Counter:
    """Counts."""

    def __init__(self) -> None:
        self.count = 0

    def add(self, number: int) -> None:
        self.count += number

    @property
    def double(self) -> int:
        return self.count + self.count

    @classmethod
    def of(cls, number: int) -> Counter:
        made = cls()
        made.add(number)
        return made

    def steps(self) -> Iterator[int]:
        yield from range(self.count)
