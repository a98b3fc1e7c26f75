"""The tags that are known."""

from __future__ import annotations

from finalturn._core.markup import EVERY_TAG, HARMONY, THINK


def test_each_is_another_tag_with_an_end_of_its_own() -> None:
    assert len({tag.open for tag in EVERY_TAG}) == len(EVERY_TAG)
    assert len({close for tag in EVERY_TAG for close in tag.closes}) == len(EVERY_TAG)
    assert all(tag.open and tag.open not in tag.closes for tag in EVERY_TAG)
    assert THINK in EVERY_TAG


def test_a_header_is_no_single_token() -> None:
    assert not HARMONY.open
    assert HARMONY not in EVERY_TAG
