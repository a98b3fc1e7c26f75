"""The process that serves the local model: a script that the parent runs, on its own and not as a module.

It loads the model, writes one line to its standard output, and serves until its standard input ends. The
parent holds the other end of that pipe, so the server cannot outlive it, however the parent dies.

The line is ``listening URL``, or ``failed REASON``.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

__all__ = ["main"]

_CONTEXT = 4096
"""Tokens of one conversation. The model was trained on 8192; half of it keeps memory below 300 MB."""

_LONGEST_ANSWER = 256
"""Tokens of an answer when the request sets no limit: so small a model may never stop by itself."""

_THREADS = 1
"""Threads of one answer wait for each other at every layer: on a busy machine two are ten times slower."""


def main(arguments: Sequence[str]) -> int:
    """Serve a model, and return the exit code when it could not be loaded.

    Args:
        arguments: the path of the GGUF file, the path of the chat template, the model's name in requests.
    """
    weights, template, name = arguments
    answer = _take_stdout()
    # Ctrl-C reaches every process of the terminal: what happens then is for the parent to decide.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        server = _start(weights, Path(template).read_text(encoding="utf-8"), name)
        line = f"listening {server.listening_address}"
    except Exception as error:
        server, line = None, " ".join(f"failed {type(error).__name__}: {error}".split())
    print(line, file=answer, flush=True)
    if server is None:
        return 1
    sys.stdin.buffer.read()
    # Destroying the server would wait for the answers that it is still writing.
    os._exit(0)


def _take_stdout() -> TextIO:
    """Keep standard output for the one line; what a library prints there goes to standard error."""
    ours = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return ours


def _start(weights: str, template: str, name: str) -> Any:
    xllamacpp = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.model_alias = {name}
    params.offline = True
    params.hostnames = ["127.0.0.1"]
    params.port = 0  # any free one
    params.ui = False
    params.verbosity = 1  # errors only: the rest may hold text of the conversation
    params.use_jinja = True
    params.chat_template = template
    params.n_ctx = _CONTEXT
    params.n_predict = _LONGEST_ANSWER
    params.n_parallel = 1
    params.sampling.seed = 1
    params.sampling.temp = 0.0
    params.cpuparams.n_threads = _THREADS
    return xllamacpp.Server(params)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
