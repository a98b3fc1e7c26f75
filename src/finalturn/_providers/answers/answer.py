"""`WireAnswer`: what a decoder needs of one answer, in whatever format.

`BaseAnswer` is where each vendor's begins.
"""

from __future__ import annotations

from typing import Any, Protocol

from finalturn._core.errors import ProviderError
from finalturn._core.model import FinishReason, ModelEvent
from finalturn._providers.answers.ending import Ending
from finalturn._providers.answers.usage import Tokens, UsageFormat
from finalturn._providers.errors.failures import is_settled


class WireAnswer(Protocol):
    """What the records of one answer say, in one vendor's format. It reads no bytes and does no I/O."""

    @property
    def ending(self) -> Ending:
        """What has been said of the answer's end."""
        ...

    @property
    def failure(self) -> ProviderError | None:
        """What went wrong; it is to be raised once the events before it are dealt with."""
        ...

    @property
    def size(self) -> int:
        """About how many characters of text, thoughts and calls have come. It grows with each piece."""
        ...

    def take(self, record: dict[str, Any], events: list[ModelEvent], /) -> None:
        """Read a record of a stream, and append its events."""
        ...

    def take_document(self, record: dict[str, Any], events: list[ModelEvent], /) -> None:
        """Read an answer that comes as a whole, and append its events."""
        ...

    def fail(self, failure: ProviderError, /) -> None:
        """The answer has failed. The first failure that says why counts."""
        ...

    def end(self) -> list[ModelEvent]:
        """The answer is complete: its last events."""
        ...


class BaseAnswer:
    """How an answer ends, how it failed, and what it cost.

    Args:
        form: where the vendor reports usage.
        secret: the key, which is taken out of whatever the provider says of an error.

    Attributes:
        reason: why the model stopped, once it has said so.
        failure: what went wrong; nothing may be read after it.
        ending: what has been said of its end.
    """

    def __init__(self, form: UsageFormat, secret: str | None) -> None:
        self.reason: FinishReason | None = None
        self.failure: ProviderError | None = None
        self.ending = Ending()
        self._secret = secret
        self._tokens = Tokens(form)

    def fail(self, failure: ProviderError) -> None:
        """The answer has failed. The first failure that says why counts."""
        self.ending.fail()
        if not is_settled(self.failure):
            failure.usage = self._tokens.usage()
            self.failure = failure

    def _mark(self, reason: FinishReason) -> None:
        """The model has stopped. A reason that says more than "stop" stays."""
        self.ending.mark(reason)
        if self.reason in (None, "stop"):
            self.reason = reason
