"""``LocalModel``: the local model, while a ``with`` block lasts."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from finalturn._local.packages import LocalModelUnavailable, find_model_file
from finalturn._support.keywords import known_keywords
from finalturn.stability import beta

if TYPE_CHECKING:
    from finalturn._local.process import ServerProcess

__all__ = ["LocalModel"]

_NAME = "smollm2"


@beta(since="0.1.0")
class LocalModel:
    """SmolLM2-135M-Instruct behind a chat-completions server, for the length of a ``with`` block.

    The server is a process of its own on 127.0.0.1, on a free port. It loads in about a second, takes some
    300 MB of memory, answers one request at a time, and samples without chance, so that equal requests get
    equal answers. It knows ``response_format`` with a JSON Schema, and calls tools when a request asks for
    it plainly. So small a model keeps to a shape; what it says in it is often nonsense.

    One object may be entered again after it was left, but not twice at once.

    Args:
        load_timeout: seconds until a server that does not listen is given up, 120 by default.
    """

    @known_keywords("LocalModel")
    def __init__(self, *, load_timeout: float = 120.0) -> None:
        self._load_timeout = load_timeout
        self._process: ServerProcess | None = None

    @property
    def model(self) -> str:
        """The name to give as ``model`` in a request."""
        return _NAME

    @property
    def url(self) -> str:
        """The base URL to give to a provider, ``http://127.0.0.1:PORT/v1``.

        Raises:
            LocalModelUnavailable: outside the ``with`` block.
        """
        if self._process is None:
            raise LocalModelUnavailable(
                "the local model is not running: use its url inside `with LocalModel()`"
            )
        return f"{self._process.address}/v1"

    def __enter__(self) -> Self:
        """Start the server and wait until it listens.

        Raises:
            LocalModelUnavailable: a package is missing, or the server did not start. The message says which
                and what to install.
        """
        from finalturn._local.process import ServerProcess

        if self._process is not None:
            raise LocalModelUnavailable("the local model is running already: make a second LocalModel()")
        self._process = ServerProcess(find_model_file(), _NAME, load_timeout=self._load_timeout)
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop the server and wait until it has ended."""
        process, self._process = self._process, None
        if process is not None:
            process.stop()
