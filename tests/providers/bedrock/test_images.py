"""Images, as the service takes them."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from finalturn._core.messages import ContentPart
from finalturn._providers.bedrock.images import UNSEEN, image_block


def shown(kind: str, data: str) -> dict[str, Any]:
    return {"image": {"format": kind, "source": {"bytes": data}}}


@pytest.mark.parametrize(
    ("media_type", "kind"),
    [
        ("image/png", "png"),
        ("image/jpeg", "jpeg"),
        ("image/jpg", "jpeg"),
        (" IMAGE/GIF ", "gif"),
        ("image/webp", "webp"),
    ],
)
def test_bytes_stand_with_their_format(media_type: str, kind: str) -> None:
    assert image_block(ContentPart.image_base64("aGk=", media_type)) == shown(kind, "aGk=")


@pytest.mark.parametrize(
    "url",
    [
        "data:image/png;base64,aGk=",
        "DATA:image/png;charset=x;Base64,aGk=",
        "data:image/png;base64,aGk%3D",
        "data:image/png,hi",
        "data:image/png,%68i",
    ],
)
def test_an_address_that_holds_its_data_is_bytes_too(url: str) -> None:
    assert image_block(ContentPart.image_url(url)) == shown("png", "aGk=")


def test_an_image_may_be_in_s3() -> None:
    found = image_block(ContentPart.image_url("s3://bucket/a/b.JPG"))
    assert found == {"image": {"format": "jpeg", "source": {"s3Location": {"uri": "s3://bucket/a/b.JPG"}}}}


@pytest.mark.parametrize(
    "part",
    [
        ContentPart.image_url("https://example.org/a.png?sig=SENTINEL"),
        ContentPart.image_url("s3://bucket/a.bmp"),
        ContentPart.image_url("s3://bucket/png"),
        ContentPart.image_url("data:image/png"),
        ContentPart.image_url("data:,SENTINEL"),
        ContentPart.image_url(""),
        ContentPart.image_base64("aGk=", "image/heic"),
        ContentPart.image_base64("", "image/png"),
    ],
)
def test_words_stand_for_any_other_and_a_warning_is_logged(
    part: ContentPart, caplog: pytest.LogCaptureFixture
) -> None:
    assert image_block(part) == {"text": UNSEEN}
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    assert "SENTINEL" not in record.getMessage()
