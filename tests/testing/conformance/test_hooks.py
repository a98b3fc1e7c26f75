"""What the kit uses of an author's class."""

from __future__ import annotations

from finalturn._testing.conformance.hooks import Hooks
from finalturn.testing import ProviderConformance


def test_the_class_that_authors_subclass_has_all_of_it() -> None:
    kit: Hooks = ProviderConformance()
    wanted = {name for name in vars(Hooks) if not name.startswith("_")}
    assert {"provider", "sent", "released", "secret"} <= wanted
    assert [name for name in sorted(wanted) if not hasattr(kit, name)] == []


def test_what_an_author_does_not_tell_is_unknown() -> None:
    assert (ProviderConformance().sent(), ProviderConformance().released()) == (None, None)
