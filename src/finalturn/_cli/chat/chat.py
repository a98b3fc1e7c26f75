"""Runs ``finalturn chat``: one answer, or a conversation that goes on until it is left."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

from finalturn import Agent, AgentResult, ConfigurationError, FinalturnError, Message
from finalturn._cli.chat.options import ChatOptions
from finalturn._cli.view import Stage, Transcript, open_stage, play
from finalturn._core.limits import LIMIT_WORDS

__all__ = ["Chat", "read_lines", "run_chat"]


_ANSWERED, _FAILED, _WRONG, _STOPPED = 0, 1, 2, 130


def run_chat(options: ChatOptions, text: str | None) -> int:
    """Talk to a model. The exit code: 1 for no answer, 2 for a command that is wrong, 130 for a stop.

    Args:
        options: how.
        text: what to say; ``None`` to read it from standard input.
    """
    try:
        agent, answer = options.agent()
    except ConfigurationError as error:
        _complain(str(error))
        return _WRONG
    chat = Chat(agent, answer, open_stage(sys.stdout, labels=False, boxes=False))
    if text is None and sys.stdin.isatty():
        _complain(f"Talking to {options.model}. Ctrl-C stops an answer; Ctrl-D or /quit ends.", label="")
        for line in read_lines():
            chat.say(line)
        return _ANSWERED
    try:
        question = sys.stdin.read().removesuffix("\n") if text is None else text
    except UnicodeDecodeError:
        _complain("standard input is not text in the encoding that is set here")
        return _WRONG
    if not question.strip():
        _complain("there is nothing to say: the text is empty")
        return _WRONG
    return chat.say(question)


class Chat:
    """A conversation.

    Args:
        agent: whom with.
        answer: what its structured answers are called; ``""`` when it has none.
        stage: where answers are shown.
    """

    def __init__(self, agent: Agent[Any, Any], answer: str, stage: Stage) -> None:
        self._agent = agent
        self._answer = answer
        self._stage = stage
        self.history: list[Message] = []
        """The conversation so far: turns that ended with a result."""

    def say(self, text: str) -> int:
        """Say something, and show the answer. The exit code that it would give."""
        try:
            with self._stage.screen() as screen:
                stream = self._agent.stream([*self.history, Message.user(text)])
                play(stream, screen, Transcript(answer=self._answer))
        except KeyboardInterrupt:
            _complain("stopped; this question and its answer are forgotten", label="")
            return _STOPPED
        except FinalturnError as error:
            _complain(str(error))
            return _FAILED
        result = stream.result
        self.history += result.messages
        return self._remark(result)

    def _remark(self, result: AgentResult[Any]) -> int:
        """Say what the answer itself does not."""
        if result.structured_status == "validation_failed":
            if not self._stage.live:
                _complain(f"no valid {self._answer}: {result.structured_error}")
            return _FAILED
        if result.stop_reason == "truncated":
            _complain("the answer was cut by the token limit", label="")
        elif result.stop_reason == "refused":
            _complain("the model refused to answer", label="")
        elif result.limit is not None:
            _complain(f"the turn reached its limit of {LIMIT_WORDS[result.limit]}", label="")
        return _ANSWERED if result.structured_status in (None, "ok") else _FAILED


def _complain(text: str, *, label: str = "error: ") -> None:
    """A line beside the answers, which may go to a program."""
    sys.stdout.flush()
    sys.stderr.write(f"{label}{' '.join(text.split())}\n")
    sys.stderr.flush()


_PROMPT = "> "
_QUIT = ("/quit", "/exit")


def read_lines() -> Iterator[str]:
    """What a person types, line by line, until Ctrl-D or ``/quit``. Ctrl-C drops a line."""
    with suppress(ImportError):
        import_module("readline")  # input() then edits lines and remembers them
    while True:
        try:
            line = _read()
        except EOFError:
            sys.stderr.write("\n")
            return
        except KeyboardInterrupt:
            sys.stderr.write("\n")
            continue
        except UnicodeDecodeError:
            sys.stderr.write("error: this line is not text in the terminal's encoding\n")
            continue
        if line.strip() in _QUIT:
            return
        if line.strip():
            yield line


def _read() -> str:
    if sys.stdout.isatty():
        return input(_PROMPT)
    # Answers go elsewhere: the prompt is for the person.
    sys.stderr.write(_PROMPT)
    sys.stderr.flush()
    return input()
