"""What the author of a provider can tell of the fake behind it, and of the vendor."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Protocol, TypeAlias

from finalturn._core.protocols import Provider, StreamingProvider
from finalturn._testing.conformance.answers import ScriptedAnswer

AnyProvider: TypeAlias = Provider | StreamingProvider
Opened: TypeAlias = (
    AnyProvider | AbstractContextManager[AnyProvider] | AbstractAsyncContextManager[AnyProvider]
)
"""What a factory may return."""


class Hooks(Protocol):
    """What the cases use of the class that an author writes."""

    @property
    def supports_reasoning(self) -> bool: ...
    @property
    def reports_usage(self) -> bool: ...
    @property
    def reports_refusals(self) -> bool: ...
    @property
    def keeps_call_ids(self) -> bool: ...
    @property
    def backends(self) -> Sequence[str]: ...
    @property
    def secret(self) -> str: ...
    @property
    def time_limit(self) -> float: ...

    def provider(self, calls: Sequence[ScriptedAnswer], /) -> Opened: ...
    def sent(self) -> Sequence[str] | None: ...
    def released(self) -> bool | None: ...
