"""The conformance kit on a provider whose vendor is a fake of its wire."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import ClassVar

import pytest

from finalturn._core.protocols import Provider, StreamingProvider
from finalturn.testing import ScriptedAnswer
from tests.providers.conformance._vendor import Vendor, Wire
from tests.testing._kits import OneTestPerClause


class VendorConformance(OneTestPerClause):
    """The conformance kit with a vendor on this machine."""

    wire: ClassVar[Wire]
    _vendor: Vendor

    @abstractmethod
    def connect(self, url: str, /) -> Provider | StreamingProvider:
        """A provider that asks the vendor at this address, which ends behind the port."""

    def provider(
        self, calls: Sequence[ScriptedAnswer], /
    ) -> AbstractContextManager[Provider | StreamingProvider]:
        return self._serving(calls)

    @contextmanager
    def _serving(self, calls: Sequence[ScriptedAnswer]) -> Generator[Provider | StreamingProvider]:
        with Vendor(self.wire, calls) as self._vendor:
            try:
                yield self.connect(self._vendor.url)
            finally:
                # What came of half an answer tells nothing.
                if self._vendor.unsayable is not None:
                    pytest.skip(self._vendor.unsayable)

    def sent(self) -> list[str]:
        return [request.body for request in self._vendor.received]

    def released(self) -> bool:
        return self._vendor.is_left()
