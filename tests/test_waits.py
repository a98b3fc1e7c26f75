"""No wait without an end: every test is stopped at its limit, and so is every process that is waited for."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests._limited import TooLong, limited, usual_signals

ROOT = Path(__file__).resolve().parents[1]

RUNNERS = {"run", "call", "check_call", "check_output"}
"""Of the module subprocess: they wait."""

STRICT = ("wait", "join", "result")
"""Of anything: they wait."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals")


def may_wait(source: str, *, strict: bool) -> bool:
    """Whether it has a name that `waits` looks for: most files have none, and need not be parsed."""
    return any(name in source for name in ("subprocess", "communicate", *STRICT * strict))


def waits(source: str, *, strict: bool) -> Iterator[int]:
    """The lines that wait for another process, or, in strict code, for anything, without a limit."""
    nodes = list(ast.walk(ast.parse(source)))
    awaited = {node.value for node in nodes if isinstance(node, ast.Await)}
    for node in nodes:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node in awaited:
            continue
        named = {keyword.arg for keyword in node.keywords}
        method = node.func.attr
        match node.func.value:
            case ast.Name("subprocess"):
                endless = method in RUNNERS and "timeout" not in named
            case _ if method == "communicate":
                endless = "timeout" not in named and len(node.args) < 2
            case ast.Constant():
                endless = False
            case _:
                endless = strict and method in STRICT and not node.args and not named
        if endless:
            yield node.lineno


@pytest.mark.parametrize("folder", ["tests", "tools"])
def test_whoever_waits_for_a_process_says_how_long(folder: str) -> None:
    # A test has a limit as a whole; a tool has none.
    strict = folder == "tools"
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        if (source := path.read_text(encoding="utf-8")) and may_wait(source, strict=strict)
        for line in waits(source, strict=strict)
    ]
    assert not found, f"give it a limit: {', '.join(found)}"


@pytest.mark.parametrize(
    ("line", "strict", "endless"),
    [
        ("subprocess.run(['make'], check=True)", False, True),
        ("subprocess.run(['make'], timeout=5)", False, False),
        ("process.communicate()", False, True),
        ("process.communicate(text, 5)", False, False),
        ("process.wait()", False, False),
        ("process.wait()", True, True),
        ("thread.join()", True, True),
        ("thread.join(5)", True, False),
        ("', '.join(names)", True, False),
        ("future.result(timeout=5)", True, False),
    ],
)
def test_what_counts_as_a_wait(line: str, strict: bool, endless: bool) -> None:
    assert list(waits(line, strict=strict)) == [1] * endless
    assert may_wait(line, strict=strict) >= endless


@pytest.mark.parametrize(
    "wait",
    [
        threading.Event().wait,
        threading.Barrier(2).wait,
        lambda: subprocess.run([sys.executable, "-c", "import time; time.sleep(20)"], timeout=60),
        lambda: time.sleep(60),
        lambda: os.read(os.pipe()[0], 1),
    ],
    ids=["event", "barrier", "process", "sleep", "pipe"],
)
def test_a_wait_is_stopped(wait: object) -> None:
    assert callable(wait)
    with pytest.raises(TooLong, match=r"^it was stopped after 0\.05 seconds$"), limited(0.05):
        wait()


def test_what_does_not_let_itself_be_stopped_is_stopped_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests._limited.AGAIN", 0.05)

    def stubborn() -> None:
        try:
            threading.Event().wait()
        finally:
            threading.Event().wait()

    with pytest.raises(TooLong), limited(0.05):
        stubborn()


def test_limits_stand_within_each_other() -> None:
    def within() -> None:
        with limited(60):
            pass
        threading.Event().wait()

    with pytest.raises(TooLong, match=r"0\.2 "), limited(0.2):
        within()


def test_a_limit_leaves_no_timer_behind() -> None:
    before = signal.getsignal(signal.SIGALRM)
    left = signal.getitimer(signal.ITIMER_REAL)
    with limited(60):
        pass
    assert signal.getsignal(signal.SIGALRM) is before
    assert (signal.getitimer(signal.ITIMER_REAL)[0] > 0) == (left[0] > 0)


def test_a_thread_has_no_limit() -> None:
    seen: list[str] = []

    def work() -> None:
        with limited(0.01), usual_signals():
            seen.append("done")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    assert seen == ["done"]


CHILD = """
import signal
ignored = [number.name for number in signal.Signals if signal.getsignal(number) is signal.SIG_IGN]
print(sorted(ignored), sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())))
"""

PARENT = """
import signal, subprocess, sys
from tests._limited import limited, usual_signals

INHERITED = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGCHLD, signal.SIGUSR1]
for number in INHERITED:
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_SETMASK, [signal.SIGINT, signal.SIGTERM, signal.SIGALRM])
with usual_signals():
    print(subprocess.check_output([sys.executable, "-c", sys.argv[1]], timeout=60, text=True))
    assert subprocess.run([sys.executable, "-c", "exit(3)"], timeout=60).returncode == 3
    signal.raise_signal(signal.SIGHUP)
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        print("interrupted")
assert [number for number in INHERITED if signal.getsignal(number) is not signal.SIG_IGN] == []
try:
    with limited(0.05):
        signal.pause()
except BaseException as error:
    print(error)
"""


def test_a_process_that_a_test_starts_ignores_and_blocks_nothing() -> None:
    # In a process of its own: this one must not come to ignore anything.
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PARENT), CHILD],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=ROOT,
    )
    assert done.stderr == ""
    # Python itself ignores SIGPIPE, and SIGXFSZ.
    assert done.stdout.splitlines() == [
        "['SIGPIPE', 'SIGXFSZ'] []",
        "",
        "interrupted",
        "it was stopped after 0.05 seconds",
    ]


def test_every_test_has_a_limit_and_the_usual_signals() -> None:
    assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()


HANGING = """
import asyncio, threading

def test_in_a_lock():
    threading.Event().wait()

def test_in_a_loop():
    asyncio.run(asyncio.Event().wait())

def test_that_is_fine():
    pass
"""
LEFT_BEHIND = """
import threading

def test_it():
    threading.Thread(target=threading.Event().wait).start()
"""


def pytest_in(folder: Path, text: str, **limits: float) -> subprocess.CompletedProcess[str]:
    """Run a test file with what every test here is given."""
    settings = "".join(f"conftest.{name} = {value}\n" for name, value in limits.items())
    hooks = "from tests.conftest import *\nimport tests.conftest as conftest\n"
    (folder / "conftest.py").write_text(hooks + settings, encoding="utf-8")
    (folder / "test_it.py").write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "test_it.py"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.processes
def test_a_test_that_waits_for_ever_fails_and_the_others_run(tmp_path: Path) -> None:
    done = pytest_in(tmp_path, HANGING, LIMIT=0.5)
    assert "2 failed, 1 passed" in done.stdout
    assert done.stdout.count("TooLong: it was stopped after 0.5 seconds") >= 2
    assert done.returncode == 1


@pytest.mark.processes
def test_a_process_that_a_thread_keeps_alive_ends_as_a_failure(tmp_path: Path) -> None:
    done = pytest_in(tmp_path, LEFT_BEHIND, END=0.5)
    assert "1 passed" in done.stdout
    assert "Timeout" in done.stderr
    assert done.returncode == 1
