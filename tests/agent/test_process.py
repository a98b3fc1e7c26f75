"""Turns and the life of a process: its end, its signals, its forks. Each in a process of its own."""

from __future__ import annotations

import os
import sys
from subprocess import CompletedProcess

import pytest

from tests.agent._parts import run_script

START = """
import os, signal, sys, threading, time
from finalturn import Agent, tool
from finalturn.providers import OpenAIChat, Scripted
from finalturn.testing import ScriptedServer
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and forks of POSIX")


def run(code: str, expected: str, *, warnings: bool = True) -> CompletedProcess[str]:
    done = run_script(START + code, warnings=warnings)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", expected)
    return done


def test_importing_it_starts_nothing() -> None:
    run(
        "print(threading.active_count(), 'asyncio' in sys.modules, 'anyio' in sys.modules)", "1 False False\n"
    )


class TestTheEnd:
    def test_after_turns_of_every_kind_is_quiet(self) -> None:
        run(
            """
import asyncio

@tool
def look() -> str:
    "Looks."
    return "seen"

def agent():
    return Agent(Scripted([Scripted.call("look")], ["a", "b"]).sync_stream(), tools=[look])

print(agent().run("go").content)
left = agent().stream("go")
next(left)
for _ in agent().stream("go"):
    break

async def main():
    async for _ in agent().astream("go"):
        break
    return (await agent().arun("go")).content

print(asyncio.run(main()))
""",
            "ab\nab\n",
        )

    def test_with_open_connections_is_quiet(self) -> None:
        run(
            """
import asyncio, gc
server = ScriptedServer(then=["a", "b", threading.Event().wait])
server.__enter__()
agent = Agent(OpenAIChat("m", base_url=server.url))
left = agent.stream("go")
print(next(left).content)
for _ in agent.stream("go"):
    break

async def main():
    async for _ in agent.astream("go"):
        break

asyncio.run(main())
gc.collect()
del agent
print("end")
""",
            "a\nend\n",
        )

    def test_does_not_wait_for_a_turn_of_a_daemon_thread_or_a_tool(self) -> None:
        run(
            """
begun = threading.Event()

@tool(timeout=None)
def hang() -> None:
    "Hangs."
    begun.set()
    threading.Event().wait()

agent = Agent(Scripted(Scripted.call("hang")), tools=[hang])

def turn():
    try:
        agent.run("go")
    except BaseException:
        pass

threading.Thread(target=turn, daemon=True).start()
begun.wait(30)
print("end")
""",
            "end\n",
        )

    def test_waits_for_a_turn_of_an_ordinary_thread(self) -> None:
        run(
            """
begun, go_on = threading.Event(), threading.Event()
agent = Agent(Scripted([begun.set, go_on.wait, "late"]).sync_stream())
threading.Thread(target=lambda: print(agent.run("go").content)).start()
begun.wait(30)
threading.Timer(0.01, go_on.set).start()
print("end")
""",
            "end\nlate\n",
        )

    def test_turns_in_an_exit_handler_work_or_say_why_not(self) -> None:
        run(
            """
import atexit
agent = Agent(Scripted(then="a"))
open_stream = Agent(Scripted(["a", "b"])).stream("go")

def late():
    open_stream.close()
    try:
        print(agent.run("go").content)
    except RuntimeError as error:
        print("a" if "thread" in str(error) else error)

atexit.register(late)
next(open_stream)
""",
            "a\n",
        )


class TestInterrupts:
    def test_are_noticed_by_a_thread_that_the_signal_does_not_wake(self) -> None:
        run(
            """
from finalturn._agent import portal as _portal
_portal.TICK = 0.01

def interrupt():
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
    threading.Event().wait()

try:
    Agent(Scripted([interrupt]).sync_stream()).run("go")
except KeyboardInterrupt:
    print("interrupted")
""",
            "interrupted\n",
        )

    def test_stop_the_turn_and_free_its_connection(self) -> None:
        run(
            """
import anyio

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)

waits = {
    "run": lambda: agent.run("go"),
    "run with a handler": lambda: agent.run("go", stream_handler=len),
    "stream": lambda: list(agent.stream("go")),
    "arun": lambda: anyio.run(agent.arun, "go"),
    "arun on trio": lambda: anyio.run(agent.arun, "go", backend="trio"),
}
for name, wait in waits.items():
    hang = threading.Event()
    with ScriptedServer(["a", interrupt, hang.wait], "fine") as server:
        agent = Agent(OpenAIChat("m", base_url=server.url))
        try:
            wait()
        except KeyboardInterrupt:
            print("interrupted:", name)
        server.wait_until(lambda: server.disconnects == 1)
        hang.set()
        print(agent.run("go").content)
""",
            """\
interrupted: run
fine
interrupted: run with a handler
fine
interrupted: stream
fine
interrupted: arun
fine
interrupted: arun on trio
fine
""",
        )

    def test_twice_are_raised_at_once(self) -> None:
        """A turn that takes its time to stop cannot keep the process from ending."""
        run(
            """
import asyncio

class Stubborn:
    async def complete(self, request):
        os.kill(os.getpid(), signal.SIGINT)
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                if again:
                    raise
                again.append(True)
                os.kill(os.getpid(), signal.SIGINT)

again = []
try:
    Agent(Stubborn()).run("go")
except KeyboardInterrupt:
    print("interrupted", again)
""",
            "interrupted [True]\n",
        )


# From Python 3.12 on, a fork of a process with threads is warned of; that it is done all the same is tested.
FORK = """
import warnings
warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks of POSIX")
class TestForks:
    def test_a_child_has_turns_of_its_own(self) -> None:
        run(
            FORK
            + """
agent = Agent(Scripted(then=["a", "b"]))
print(agent.run("go").content, flush=True)
left = agent.stream("go")
next(left)
child = os.fork()
if child == 0:
    print(agent.run("go").content)
    try:
        next(left)
    except RuntimeError as error:
        print("forked from" in str(error))
    left.close()
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
print([item.content for item in left], agent.run("go").content)
""",
            "ab\nab\nTrue\n['b', 'ab'] ab\n",
            warnings=sys.version_info < (3, 12),
        )

    def test_a_child_may_be_made_while_turns_run(self) -> None:
        run(
            FORK
            + """
begun, go_on = threading.Event(), threading.Event()
busy = Agent(Scripted([begun.set, go_on.wait, "late"]).sync_stream())
thread = threading.Thread(target=lambda: print(busy.run("go").content))
thread.start()
begun.wait(30)
child = os.fork()
if child == 0:
    print(Agent(Scripted("a")).run("go").content, flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
go_on.set()
thread.join()
""",
            "a\nlate\n",
            warnings=sys.version_info < (3, 12),
        )
