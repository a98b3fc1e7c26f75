"""The state of one model call of a `Fallback`: which providers have failed, and what they have used."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from finalturn._core.errors import ProviderError
from finalturn._core.model import ModelEnd, ModelRequest, ModelResponse
from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._core.result import ProviderSwitch, Usage
from finalturn._providers.fallback.members import Members

_UNREPORTED = Usage(unreported_calls=1)

End = TypeVar("End", ModelEnd, ModelResponse)


class FallbackCall:
    """The state of one model call. It begins with the provider that the turn has come to.

    Args:
        members: whom to ask.
        request: what.
    """

    def __init__(self, members: Members, request: ModelRequest) -> None:
        self.request = request
        self._members = members
        self._place = members.place
        self._switches: tuple[ProviderSwitch, ...] = ()
        self._reasons: list[str] = []
        self._spent: Usage | None = None

    @property
    def provider(self) -> Provider | StreamingProvider:
        """Whom to ask now."""
        return self._members.provider(self._place)

    @property
    def is_first(self) -> bool:
        """Whether it is the first that is asked for this call."""
        return not self._switches

    @property
    def spent(self) -> Usage | None:
        """What the providers have used that failed so far; ``None`` when none did."""
        return self._spent

    def goes_on(self, failure: ProviderError) -> bool:
        """Whether there is another provider after this failure; then it is the one to ask."""
        failed = self._place
        if not self._members.move_to(failed + 1):
            return False
        self._place += 1
        self._members.failures.append(failure)
        self._reasons.append(self._reason(failed, failure))
        used = failure.usage or _UNREPORTED
        self._spent = used if self._spent is None else self._spent + used
        switch = ProviderSwitch(
            call=self.request.call,
            from_provider=self._members.name(failed),
            to_provider=self._members.name(self._place),
            reason=str(failure),
            status=failure.status,
            code=failure.code,
        )
        self._switches += (*failure.switches, switch)
        _warn(switch)
        return True

    def finish(self, end: End) -> End:
        """The end of an answer, with what went before it."""
        if self.is_first:
            return end
        return replace(end, usage=self._total(end.usage), switches=self._switches + end.switches)

    def broken(self, failure: ProviderError) -> ProviderError:
        """The failure of an answer that had begun to show, with what went before it."""
        if self.is_first and not self._may_pass_elsewhere(failure):
            return failure
        return self._failed(str(failure), failure, failure.detail)

    def all_failed(self, failure: ProviderError) -> ProviderError:
        """The failure of the last provider, with those of the others."""
        if self.is_first:
            return self.broken(failure)
        reasons = [*self._reasons, self._reason(self._place, failure)]
        message = f"all {len(reasons)} providers that were tried failed; the last: {failure}"
        return self._failed(message, failure, "\n".join(reasons))

    def _failed(self, message: str, failure: ProviderError, detail: str | None) -> ProviderError:
        # A new one: an exception object may be raised again, and must not add up.
        passing = [error for error in (*self._members.failures, failure) if error.retryable]
        pauses = [error.retry_after or 0.0 for error in passing]
        combined = ProviderError(
            message,
            status=failure.status,
            code=failure.code,
            # Another try begins with the first again: what of any of them may pass, may bring an answer.
            retryable=bool(passing),
            retry_after=(min(pauses) or None) if pauses else failure.retry_after,
            detail=detail,
        )
        combined.usage = self._total(failure.usage)
        combined.switches = self._switches + failure.switches
        return combined

    def _may_pass_elsewhere(self, failure: ProviderError) -> bool:
        """Whether a provider that the turn has left behind may answer where this one never will."""
        return not failure.retryable and any(earlier.retryable for earlier in self._members.failures)

    def _total(self, last: Usage | None) -> Usage | None:
        return last if self._spent is None else self._spent + (last or _UNREPORTED)

    def _reason(self, place: int, failure: ProviderError) -> str:
        detail = "" if failure.detail is None else f" ({failure.detail})"
        return f"{self._members.name(place)}: {failure}{detail}"


def _warn(switch: ProviderSwitch) -> None:
    from finalturn._support.logger import logger

    logger("finalturn.providers").warning(
        "model call %d goes from %s to %s: %s",
        switch.call, switch.from_provider, switch.to_provider, switch.reason,
    )  # fmt: skip
