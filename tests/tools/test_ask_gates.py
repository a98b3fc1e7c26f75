"""Putting calls to gates."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any, cast

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn._core.messages import Message, ToolCall
from finalturn._core.protocols import Denial
from finalturn._tools import ask_gates as _asking
from finalturn._tools.ask_gates import GateChain
from tests.tools._contexts import nobody_asks

pytestmark = pytest.mark.anyio
CALL = ToolCall("send", {"to": "ann"})


class Gate:
    """Gives or raises an answer, at once or later; remembers what it was asked."""

    def __init__(self, answer: object = None, *, later: bool = False) -> None:
        self.answer = answer
        self.later = later
        self.asked: list[tuple[ToolCall, Sequence[Message]]] = []

    def check(self, call: ToolCall, messages: Sequence[Message], /) -> Any:
        self.asked.append((call, messages))
        return self.give_later() if self.later else self.give()

    def give(self) -> object:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    async def give_later(self) -> object:
        await anyio.lowlevel.checkpoint()
        return self.give()


both_ways = pytest.mark.parametrize("later", [False, True])


async def test_no_gates() -> None:
    assert await GateChain([], {}).ask(CALL, (), nobody_asks) is None


@both_ways
async def test_every_gate_is_asked_until_one_denies(later: bool) -> None:
    no = Denial("no", "coherence")
    gates = [Gate(later=later), Gate(no, later=later), Gate(Denial("never asked"), later=later)]
    messages = (Message.user("hi"),)
    assert await GateChain(gates, {}).ask(CALL, messages, nobody_asks) == no
    assert [gate.asked for gate in gates] == [[(CALL, messages)], [(CALL, messages)], []]


async def test_a_call_that_may_run_is_asked_each_time() -> None:
    gate = Gate()
    asking = GateChain([gate], {})
    assert [await asking.ask(CALL, (), nobody_asks), await asking.ask(CALL, (), nobody_asks)] == [None, None]
    assert len(gate.asked) == 2


@both_ways
@pytest.mark.parametrize("answer", [Denial("no"), RuntimeError()])
async def test_a_denied_call_is_not_asked_again(answer: object, later: bool) -> None:
    gate = Gate(answer, later=later)
    asking = GateChain([gate], {})
    first = await asking.ask(ToolCall("send", {"to": "ann", "n": 1}, id="a"), (), nobody_asks)
    again = await asking.ask(
        ToolCall("send", {"n": 1, "to": "ann"}, id="b"), (Message.user("please"),), nobody_asks
    )
    assert first is again
    assert len(gate.asked) == 1
    await asking.ask(ToolCall("send", {"to": "bob", "n": 1}), (), nobody_asks)
    await asking.ask(ToolCall("post", {"to": "ann", "n": 1}), (), nobody_asks)
    assert len(gate.asked) == 3


async def test_another_turn_asks_anew() -> None:
    gate = Gate(Denial("no"))
    await GateChain([gate], {}).ask(CALL, (), nobody_asks)
    await GateChain([gate], {}).ask(CALL, (), nobody_asks)
    assert len(gate.asked) == 2


@both_ways
@pytest.mark.parametrize(
    "error", [RuntimeError("secret"), SystemExit("secret"), asyncio.CancelledError("secret")]
)
async def test_a_gate_that_raises_denies(error: BaseException, later: bool) -> None:
    found = await GateChain([Gate(error, later=later)], {}).ask(CALL, (), nobody_asks)
    assert found == Denial(f"a check of the application failed ({type(error).__name__}).")


@both_ways
@pytest.mark.parametrize(
    "answer",
    [True, False, "no", 0, Denial("no", "mood"), Denial(None)],  # type: ignore[arg-type]  # pyright: ignore
)
async def test_a_gate_that_gives_no_answer_denies(answer: object, later: bool) -> None:
    found = await GateChain([Gate(answer, later=later)], {}).ask(CALL, (), nobody_asks)
    assert found == Denial(f"a check of the application gave no answer (a {type(answer).__name__}).")


@both_ways
async def test_an_interrupt_goes_through(later: bool) -> None:
    with pytest.raises(KeyboardInterrupt):
        await GateChain([Gate(KeyboardInterrupt(), later=later)], {}).ask(CALL, (), nobody_asks)


async def test_a_cancellation_goes_through_and_leaves_no_coroutine_behind() -> None:
    class Slow:
        async def check(self, call: ToolCall, messages: Sequence[Message], /) -> Denial | None:
            raise AssertionError

    class Cancels:
        def check(
            self, call: ToolCall, messages: Sequence[Message], /
        ) -> Denial | Awaitable[Denial | None] | None:
            scope.cancel()
            return None

    with anyio.CancelScope() as scope:
        await GateChain([Cancels(), Slow()], {}).ask(CALL, (), nobody_asks)
    assert scope.cancelled_caught


async def test_any_awaitable_will_do() -> None:
    class Later:
        def __await__(self) -> Any:
            yield from anyio.lowlevel.checkpoint().__await__()
            return Denial("later")

    assert await GateChain([Gate(Later())], {}).ask(CALL, (), nobody_asks) == Denial("later")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from([0.0, 1.0, 0.5, "", "a"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)


def alike(one: object, other: object) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        items, others = cast("list[object]", one), cast("list[object]", other)
        return len(items) == len(others) and all(map(alike, items, others))
    if isinstance(one, dict) and isinstance(other, dict):
        pairs, more = cast("dict[str, object]", one), cast("dict[str, object]", other)
        return pairs.keys() == more.keys() and all(alike(pairs[key], more[key]) for key in pairs)
    return bool(one == other)


@given(json_values, json_values)
def test_identity_is_equality_of_json(one: Any, other: Any) -> None:
    first, second = ToolCall("f", {"x": one}), ToolCall("f", {"x": other})
    same = _asking._identity(first.arguments) == _asking._identity(second.arguments)  # pyright: ignore[reportPrivateUsage]
    assert same == alike(one, other)
