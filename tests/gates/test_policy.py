"""Which tools may run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Iterable
from contextvars import ContextVar
from inspect import isawaitable
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn import ToolPolicy
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import ToolCall
from finalturn._core.protocols import Denial, ToolGate

CALL = ToolCall("send", {"to": "ann"})


def decide(policy: ToolPolicy, name: str) -> Denial | None:
    answer = policy.check(ToolCall(name), ())
    assert answer is None or isinstance(answer, Denial)
    return answer


async def ask(policy: ToolPolicy, call: ToolCall = CALL) -> Denial | None:
    answer = policy.check(call, ())
    return await answer if isawaitable(answer) else answer


def refused(reason: str) -> Denial:
    return Denial(f"its approval {reason}", "approval")


def test_it_is_a_gate() -> None:
    assert isinstance(ToolPolicy(), ToolGate)


def test_an_unlisted_tool_is_allowed_unless_allow_is_given() -> None:
    assert decide(ToolPolicy(), "send") is None
    assert decide(ToolPolicy(deny=["drop"]), "send") is None
    assert decide(ToolPolicy(allow=["read"]), "read") is None
    assert decide(ToolPolicy(allow=["read"]), "send") == Denial("the tool send is not allowed.", "policy")
    assert decide(ToolPolicy(allow=[]), "send") is not None


def test_patterns_are_globs_in_which_case_counts() -> None:
    policy = ToolPolicy(deny=["drop_*", "rm?", "[xy]z"])
    denied = [
        name for name in ("drop_all", "drop", "rmA", "rm", "xz", "az", "DROP_ALL") if decide(policy, name)
    ]
    assert denied == ["drop_all", "rmA", "xz"]


@pytest.mark.anyio
async def test_deny_beats_needs_approval_which_beats_allow() -> None:
    asked: list[str] = []

    def approve(call: ToolCall) -> bool:
        asked.append(call.name)
        return True

    policy = ToolPolicy(allow=["a*"], needs_approval=["*b*"], deny=["*c"], approve=approve)
    found = {name: await ask(policy, ToolCall(name)) for name in ("a", "ab", "b", "abc", "c", "z")}
    assert [name for name, answer in found.items() if answer is None] == ["a", "ab", "b"]
    assert asked == ["ab", "b"]
    assert {answer.kind for answer in found.values() if answer} == {"policy"}


names = st.text("abc", min_size=1, max_size=3)
patterns = st.lists(st.text("abc*?", min_size=1, max_size=3), max_size=3)


@given(names, st.none() | patterns, patterns, patterns)
def test_the_order_holds_for_all_patterns(
    name: str, allow: list[str] | None, deny: list[str], needs: list[str]
) -> None:
    def hit(found: list[str]) -> bool:
        return decide(ToolPolicy(deny=found), name) is not None

    answer = decide(ToolPolicy(allow=allow, deny=deny, needs_approval=needs), name)
    if hit(deny):
        assert answer is not None
        assert answer.kind == "policy"
    elif hit(needs):
        assert answer is not None
        assert answer.kind == "approval"
    else:
        assert (answer is None) == (allow is None or hit(allow))


def test_nobody_to_approve() -> None:
    found = decide(ToolPolicy(needs_approval=["*"]), "send")
    assert found == Denial("the tool needs an approval, and nobody is there to give it.", "approval")


@pytest.mark.anyio
@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize(
    ("answer", "denial"),
    [
        (True, None),
        (False, refused("was refused.")),
        (None, refused("gave no yes or no (a NoneType).")),
        (1, refused("gave no yes or no (a int).")),
        ("yes", refused("gave no yes or no (a str).")),
        (RuntimeError("secret"), refused("failed (RuntimeError).")),
        (SystemExit("secret"), refused("failed (SystemExit).")),
        (asyncio.CancelledError("secret"), refused("failed (CancelledError).")),
    ],
)
async def test_what_an_approval_gives(answer: Any, denial: Denial | None, is_async: bool) -> None:
    asked: list[ToolCall] = []

    def approve(call: ToolCall) -> Any:
        asked.append(call)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def approve_later(call: ToolCall) -> Any:
        await anyio.lowlevel.checkpoint()
        return approve(call)

    policy = ToolPolicy(needs_approval=["send"], approve=approve_later if is_async else approve)
    assert await ask(policy) == denial
    assert asked == [CALL]


@pytest.mark.anyio
async def test_a_sync_handler_that_gives_an_awaitable() -> None:
    async def later() -> bool:
        return True

    def approve(call: ToolCall) -> Awaitable[bool]:
        return later()

    assert await ask(ToolPolicy(needs_approval=["send"], approve=approve)) is None


@pytest.mark.anyio
@pytest.mark.parametrize("is_async", [True, False])
async def test_an_approval_that_takes_too_long(is_async: bool) -> None:
    release = threading.Event()

    def approve(call: ToolCall) -> bool:
        return release.wait(10)

    async def approve_later(call: ToolCall) -> bool:
        await anyio.sleep_forever()
        return True

    handler = approve_later if is_async else approve
    policy = ToolPolicy(needs_approval=["send"], approve=handler, approval_timeout=0.01)
    try:
        assert await ask(policy) == refused("took too long.")
    finally:
        release.set()


@pytest.mark.anyio
@pytest.mark.parametrize("is_async", [True, False])
async def test_an_interrupt_goes_through(is_async: bool) -> None:
    def approve(call: ToolCall) -> bool:
        raise KeyboardInterrupt

    async def approve_later(call: ToolCall) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await ask(ToolPolicy(needs_approval=["*"], approve=approve_later if is_async else approve))


@pytest.mark.anyio
async def test_a_cancellation_goes_through() -> None:
    async def approve(call: ToolCall) -> bool:
        scope.cancel()
        await anyio.sleep_forever()
        return True

    with anyio.CancelScope() as scope:
        await ask(ToolPolicy(needs_approval=["*"], approve=approve))
    assert scope.cancelled_caught


@pytest.mark.anyio
async def test_a_sync_handler_blocks_nobody_and_sees_context_variables() -> None:
    user: ContextVar[str] = ContextVar("user")
    user.set("ann")
    here = threading.get_ident()

    def approve(call: ToolCall) -> bool:
        return user.get() == "ann" and threading.get_ident() != here

    assert await ask(ToolPolicy(needs_approval=["*"], approve=approve)) is None


@pytest.mark.parametrize("field", ["allow", "deny", "needs_approval"])
@pytest.mark.parametrize("value", ["send_*", b"send", 7, [""], [7], [None]])
def test_patterns_that_are_none(field: str, value: Any) -> None:
    with pytest.raises(ConfigurationError, match=f"ToolPolicy: {field} "):
        ToolPolicy(**{field: value})


def test_one_string_is_told_how_to_be_a_list() -> None:
    with pytest.raises(ConfigurationError, match=r"not a str; write deny=\['rm'\]"):
        ToolPolicy(deny="rm")


@pytest.mark.parametrize("make", [tuple, set, iter])
def test_any_iterable_of_patterns(make: Any) -> None:
    found: Iterable[str] = make(["rm"])
    policy = ToolPolicy(deny=found)
    assert [decide(policy, "rm"), decide(policy, "rm")] == [Denial("the tool rm is not allowed.")] * 2


def test_other_mistakes() -> None:
    with pytest.raises(ConfigurationError, match="approve is a function of a call, not a bool"):
        ToolPolicy(approve=True)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    with pytest.raises(ConfigurationError, match="ToolPolicy: approval_timeout is a number of seconds"):
        ToolPolicy(approval_timeout=0)
