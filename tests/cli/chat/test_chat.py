"""One answer in a pipe, and a conversation on a terminal."""

from __future__ import annotations

import builtins
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from finalturn import Agent, Limits, ModelEnd, ProviderError
from finalturn._cli.app import app
from finalturn._cli.chat.chat import Chat, read_lines
from finalturn._cli.view import PlainStage
from finalturn._cli.view.terminal import TerminalStage
from finalturn.providers import Scripted
from finalturn.testing import HttpAnswer, ScriptedServer
from tests.cli._command import run
from tests.cli._terminal import Terminal
from tests.cli._turns import COMPACT, FINAL, OBJECT, Pipe, Ticket

SCHEMA = ["--schema", "tests.cli._turns:Ticket"]


def once(*arguments: str, calls: tuple[Any, ...], stdin: str | bytes = "") -> tuple[Result, list[Any]]:
    """One answer, and the messages of each request."""
    with ScriptedServer(*calls) as server:
        done = CliRunner().invoke(
            app, ["chat", "--base-url", server.url, "--model", "m", *arguments], input=stdin
        )
        return done, [request.json["messages"] for request in server.requests]


def test_an_argument_is_answered() -> None:
    done, requests = once("hello", "there", calls=(["Hel", "lo."],))
    assert (done.exit_code, done.stdout, done.stderr) == (0, "Hello.\n", "")
    assert requests == [[{"role": "user", "content": "hello there"}]]


def test_standard_input_is_answered() -> None:
    done, requests = once(calls=("Hello.",), stdin="two\nlines\n")
    assert done.stdout == "Hello.\n"
    assert requests[0][0]["content"] == "two\nlines"


def test_with_a_schema_the_last_line_is_the_object() -> None:
    done, _ = once(*SCHEMA, "hi", calls=("Done.", OBJECT))
    assert (done.exit_code, done.stdout) == (0, f"Done.\n{COMPACT}\n")


def test_json_is_held_unless_it_is_asked_for() -> None:
    assert once(*SCHEMA, "hi", calls=(OBJECT,))[0].stdout == f"{COMPACT}\n"
    assert once(*SCHEMA, "--no-hold", "hi", calls=(OBJECT,))[0].stdout == f"{OBJECT}\n{COMPACT}\n"


@pytest.mark.parametrize(
    ("arguments", "calls", "code", "error"),
    [
        (["hi"], (HttpAnswer(401),), 1, "error: the provider answered with status 401: the key is missing"),
        (SCHEMA, ("Done.", "no", "no", "no"), 1, "error: no valid Ticket: the answer"),
        (SCHEMA, (["I may not.", ModelEnd("refusal")],), 1, "the model refused to answer"),
        ([], (["Hel", ModelEnd("length")],), 0, "the answer was cut by the token limit"),
        ([], (["Hel", Scripted.CUT],), 1, "error: the model's answer broke off"),
    ],
)
def test_what_went_wrong_is_one_line_beside_the_answer(
    arguments: list[str], calls: tuple[Any, ...], code: int, error: str
) -> None:
    done, _ = once(*arguments, calls=calls, stdin="hi")
    assert done.exit_code == code
    assert done.stderr.startswith(error)
    assert done.stderr.count("\n") == 1


def test_an_agent_that_reaches_a_limit_says_which(capsys: pytest.CaptureFixture[str]) -> None:
    agent = Agent(Scripted([]), limits=Limits(requests=1))
    assert Chat(agent, "answer", PlainStage(Pipe())).say("hi") == 0
    assert capsys.readouterr().err == "the turn reached its limit of requests to the model\n"


@pytest.mark.parametrize(
    ("arguments", "stdin", "error"),
    [
        (["--schema", "nowhere:Ticket", "hi"], b"", "error: --schema nowhere:Ticket: there is no module"),
        (["--api-key-env", "NO_SUCH_KEY", "hi"], b"", "error: there is no key"),
        ([], b"", "error: there is nothing to say"),
        ([" "], b"", "error: there is nothing to say"),
        ([], b"\xff\xfe", "error: standard input is not text"),
    ],
)
def test_a_command_that_is_wrong_is_2(arguments: list[str], stdin: bytes, error: str) -> None:
    done, requests = once(*arguments, calls=(), stdin=stdin)
    assert (done.exit_code, done.stdout, requests) == (2, "", [])
    assert done.stderr.startswith(error)
    assert done.stderr.count("\n") == 1


def chat(stage: PlainStage | TerminalStage, *calls: Any) -> Chat:
    agent = Agent(Scripted(*calls), response_format=Ticket, structured_output=FINAL)
    return Chat(agent, "Ticket", stage)


def test_the_history_grows_with_each_answer_and_with_no_failure() -> None:
    one = chat(PlainStage(Pipe(), labels=False), "Hello.", OBJECT, ProviderError("broke"), "Bye.", OBJECT)
    assert [one.say(text) for text in ("one", "two", "three")] == [0, 1, 0]
    assert [message.content for message in one.history] == ["one", "Hello.", "three", "Bye."]
    assert one.history[1].structured == OBJECT


def test_a_stop_is_forgotten() -> None:
    class Interrupted(PlainStage):
        def screen(self) -> Any:
            raise KeyboardInterrupt

    one = chat(Interrupted(Pipe()), "Hello.", OBJECT)
    assert one.say("Hi") == 130
    assert one.history == []


def test_on_a_terminal_the_card_says_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    out = Pipe(terminal=True)
    assert chat(TerminalStage(out, boxes=False), "Done.", "nonsense").say("Hi") == 1
    assert "none: the answer" in out.text
    assert capsys.readouterr().err == ""


def test_in_a_pipe_as_a_process(tmp_path: Path) -> None:
    (tmp_path / "tickets.py").write_text(
        "from pydantic import BaseModel\nclass Ticket(BaseModel):\n    topic: str\n    urgent: bool\n",
        encoding="utf-8",
    )
    with ScriptedServer(["Grüße. ", "Done."], OBJECT) as server:
        options = ("--base-url", server.url, "--model", "m", "--schema", "tickets:Ticket")
        done = run("chat", *options, stdin=b"hi\n", cwd=tmp_path, FORCE_COLOR="1")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().splitlines() == ["Grüße. Done.", COMPACT]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_conversation_on_a_terminal_goes_on_until_control_d() -> None:
    go_on = threading.Event()
    calls: tuple[Any, ...] = (
        *(["Hello ", "there."], OBJECT),
        ["A long ", go_on.wait],
        HttpAnswer(401),
        *("Good bye.", OBJECT),
    )
    with ScriptedServer(*calls) as server:
        with Terminal("chat", "--base-url", server.url, "--model", "m", *SCHEMA) as terminal:
            terminal.wait_for("/quit ends.")
            terminal.type("one\n")
            terminal.wait_for("kettle")
            terminal.wait_for("> ")
            terminal.type("two\n")
            terminal.wait_for("A long")
            terminal.process.send_signal(signal.SIGINT)
            terminal.wait_for("forgotten")
            server.wait_until(lambda: server.disconnects == 1)
            terminal.type("three\n")
            terminal.wait_for("error: the provider answered with status 401")
            terminal.type("four\n")
            terminal.wait_for("Good bye.")
            terminal.wait_for("kettle")
            terminal.wait_for("> ")
            terminal.type("\x04")
            assert terminal.end() == 0
        go_on.set()
        last = [message["content"] for message in server.requests[-2].json["messages"]]
    assert last == ["one", "Hello there.", "four"]
    assert "Traceback" not in terminal.text


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str | BaseException) -> list[str]:
    """What is read when a person types this; prompts are kept in `prompts`."""
    given = iter([*lines, EOFError()])

    def answer(prompt: str = "") -> str:
        line = next(given)
        if isinstance(line, BaseException):
            raise line
        return line

    monkeypatch.setattr(builtins, "input", answer)
    return list(read_lines())


def test_lines_are_read_until_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert typed(monkeypatch, "one", "", "  ", "two") == ["one", "two"]


@pytest.mark.parametrize("word", ["/quit", "/exit", " /quit "])
def test_lines_are_read_until_one_says_quit(monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    assert typed(monkeypatch, "/quiet", word, "two") == ["/quiet"]


def test_an_interrupt_drops_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert typed(monkeypatch, KeyboardInterrupt(), "two") == ["two"]


def test_a_line_that_is_no_text_is_dropped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert typed(monkeypatch, UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), "two") == ["two"]
    assert "error: this line is not text" in capsys.readouterr().err


@pytest.mark.parametrize("terminal", [True, False])
def test_the_prompt_goes_to_the_person(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    prompts: list[str] = []

    def answer(prompt: str = "") -> str:
        prompts.append(prompt)
        raise EOFError

    out, err = Pipe(terminal=terminal), Pipe()
    monkeypatch.setattr(builtins, "input", answer)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    assert list(read_lines()) == []
    assert prompts == ["> " if terminal else ""]
    assert (out.text, err.text) == ("", "\n" if terminal else "> \n")
